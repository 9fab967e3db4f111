//! Stores of every older version, with rows, are brought up to date.
