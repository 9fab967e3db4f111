//! End-to-end tests of War Rig.
