//! Two folders of documents compared by meaning: what is told, what is not, and what the program makes of folders that are odd.

mod laws;
