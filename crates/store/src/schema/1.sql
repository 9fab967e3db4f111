-- The folders that documents are written to, each with tickets and sources of its own.
CREATE TABLE outputs (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- A row for each run. One without an end and without the mark was not yet found killed, or goes on.
CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    output INTEGER NOT NULL REFERENCES outputs (id),
    command TEXT NOT NULL,
    scribe TEXT NOT NULL,
    started INTEGER NOT NULL,
    ended INTEGER,
    exit INTEGER,
    is_killed INTEGER NOT NULL DEFAULT 0,
    totals TEXT,
    learned TEXT,
    seal BLOB
) STRICT;

-- A row for each source file, with what its document was made from. `estate` is not under the seal: a wrong one means that the document is
-- held against the estate once more, and nothing else.
CREATE TABLE tickets (
    id INTEGER PRIMARY KEY,
    output INTEGER NOT NULL REFERENCES outputs (id),
    file TEXT NOT NULL,
    base TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    since INTEGER NOT NULL,
    inputs BLOB,
    context BLOB,
    estate BLOB,
    report TEXT,
    files TEXT,
    seal BLOB NOT NULL,
    UNIQUE (output, file)
) STRICT;

-- How tickets came to their states, a row for each ticket and run.
CREATE TABLE history (
    ticket INTEGER NOT NULL REFERENCES tickets (id) ON DELETE CASCADE,
    run INTEGER NOT NULL REFERENCES runs (number),
    transitions TEXT NOT NULL,
    PRIMARY KEY (ticket, run)
) STRICT, WITHOUT ROWID;

-- The chunks of a document, one after the other in one value: all of them are there, or none.
CREATE TABLE chunks (
    ticket INTEGER PRIMARY KEY REFERENCES tickets (id) ON DELETE CASCADE,
    chunks BLOB NOT NULL,
    seal BLOB NOT NULL
) STRICT;

-- What models have answered. Rows are added and never changed.
CREATE TABLE answers (
    place INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    turn INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    seal BLOB NOT NULL
) STRICT;
CREATE INDEX answers_by_key ON answers (key, turn);

-- Questions of which no answer up to a place was of use.
CREATE TABLE useless (
    question BLOB PRIMARY KEY,
    place INTEGER NOT NULL,
    seal BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- The ledger: a row for each call, made before it is sent. Until its end is known, its cost is the most that it can be.
CREATE TABLE calls (
    run INTEGER NOT NULL REFERENCES runs (number),
    number INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('sent', 'answered', 'too_long', 'failed', 'lost')),
    file TEXT NOT NULL,
    about TEXT NOT NULL,
    key BLOB NOT NULL,
    question BLOB NOT NULL,
    turn INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL DEFAULT 0,
    cost INTEGER NOT NULL,
    answer INTEGER,
    problem TEXT,
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;

-- What is known of sources. That one has a survey stands here, so that a survey that is gone is missed.
CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    output INTEGER NOT NULL REFERENCES outputs (id),
    file TEXT NOT NULL,
    hash BLOB NOT NULL,
    lookups TEXT NOT NULL,
    has_survey INTEGER NOT NULL,
    seal BLOB NOT NULL,
    UNIQUE (output, file)
) STRICT;
CREATE TABLE surveys (
    source INTEGER PRIMARY KEY REFERENCES sources (id) ON DELETE CASCADE,
    survey TEXT NOT NULL,
    seal BLOB NOT NULL
) STRICT;
