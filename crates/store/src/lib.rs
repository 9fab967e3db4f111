//! What must outlive the process, in SQLite: tickets, answers, calls, documents and what sources were found to say.
