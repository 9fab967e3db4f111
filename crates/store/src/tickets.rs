//! The tickets of an output folder, with the chunks of their documents.

use crate::answers;
use crate::column_values::{from_sql, hash_from_sql, kept};
use crate::fault::StoreFault;
use crate::row_seal::RowSeal;
use rusqlite::{Connection, OptionalExtension, Row, params};
use war_rig_pool::{BuildRecord, FinishedTicket, OpenTicket, StoredChunk, StoredTicket, TicketState, Transition};
use war_rig_text::ContentHash;

/// The columns that [`read`] reads by index: a lookup by name in each of many thousand rows would take longer than the rest.
const COLUMNS: &str = "id, file, base, state, reason, attempts, since, inputs, context, estate, report, files, seal";

/// The bytes of a chunk: its number of lines, and four hashes.
const CHUNK: usize = 4 + 4 * 32;

/// Returns every ticket, in file order.
pub(crate) fn all(connection: &Connection, output: i64) -> Result<Vec<StoredTicket>, StoreFault> {
    let mut statement =
        connection.prepare(&format!("SELECT {COLUMNS} FROM tickets WHERE output = ?1 ORDER BY file"))?;
    let mut rows = statement.query([output])?;
    let mut tickets: Vec<StoredTicket> = Vec::new();
    while let Some(row) = rows.next()? {
        let (_, ticket) = read(output, row)?;
        // If the order is broken, the index that provides it is damaged.
        if tickets.last().is_some_and(|before| before.file >= ticket.file) {
            return Err(StoreFault::damaged(format!("the ticket of `{}` is out of its place", ticket.file)));
        }
        tickets.push(ticket);
    }
    Ok(tickets)
}

/// Returns the ticket of a file, with its number.
fn find(connection: &Connection, output: i64, file: &str) -> Result<Option<(i64, StoredTicket)>, StoreFault> {
    let mut statement =
        connection.prepare(&format!("SELECT {COLUMNS} FROM tickets WHERE output = ?1 AND file = ?2"))?;
    let mut rows = statement.query(params![output, file])?;
    rows.next()?.map(|row| read(output, row)).transpose()
}

fn known(connection: &Connection, output: i64, file: &str) -> Result<(i64, StoredTicket), StoreFault> {
    find(connection, output, file)?.ok_or_else(|| StoreFault::refused(format!("there is no ticket of `{file}`")))
}

fn read(output: i64, row: &Row<'_>) -> Result<(i64, StoredTicket), StoreFault> {
    let file: String = row.get(1)?;
    let state: String = row.get(3)?;
    let files: Option<String> = row.get(11)?;
    let made = match row.get::<_, Option<Vec<u8>>>(7)? {
        None => None,
        Some(inputs) => Some(BuildRecord {
            inputs_hash: hash_from_sql(&inputs)?,
            context_hash: hash_from_sql(&row.get::<_, Vec<u8>>(8)?)?,
            estate_hash: hash_from_sql(&row.get::<_, Vec<u8>>(9)?)?,
            report: row.get(10)?,
            files: serde_json::from_str(files.as_deref().unwrap_or_default())?,
        }),
    };
    let ticket = StoredTicket {
        base: row.get(2)?,
        state: state_of(&state)?,
        reason: row.get(4)?,
        attempts: row.get(5)?,
        answers_since: from_sql(row.get(6)?)?,
        build_record: made,
        file,
    };
    let seal: Vec<u8> = row.get(12)?;
    sealed(output, &ticket, files.as_deref()).check(&seal, || format!("the ticket of `{}`", ticket.file))?;
    Ok((row.get(0)?, ticket))
}

/// Returns the seal of a ticket. It excludes the estate last compared with, so that one statement can confirm thousands of tickets.
fn sealed(output: i64, ticket: &StoredTicket, files: Option<&str>) -> RowSeal {
    let seal = RowSeal::of("tickets")
        .number(output)
        .text(&ticket.file)
        .text(&ticket.base)
        .text(&ticket.state.to_string())
        .text(&ticket.reason)
        .number(ticket.attempts.into())
        .number(kept(ticket.answers_since));
    match &ticket.build_record {
        None => seal,
        Some(made) => {
            seal.hash(&made.inputs_hash).hash(&made.context_hash).text(&made.report).text(files.unwrap_or_default())
        }
    }
}

/// Writes a ticket, inserts it if it has no number yet, and returns its number.
fn write(connection: &Connection, output: i64, id: Option<i64>, ticket: &StoredTicket) -> Result<i64, StoreFault> {
    let made = ticket.build_record.as_ref();
    let files = made.map(|made| serde_json::to_string(&made.files)).transpose()?;
    let mut statement = connection.prepare(
        "INSERT INTO tickets (id, output, file, base, state, reason, attempts, since, inputs, context, estate, report, files, seal)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
         ON CONFLICT (id) DO UPDATE SET
           base = excluded.base, state = excluded.state, reason = excluded.reason, attempts = excluded.attempts,
           since = excluded.since, inputs = excluded.inputs, context = excluded.context, estate = excluded.estate,
           report = excluded.report, files = excluded.files, seal = excluded.seal",
    )?;
    statement.execute(params![
        id,
        output,
        ticket.file,
        ticket.base,
        ticket.state.to_string(),
        ticket.reason,
        ticket.attempts,
        kept(ticket.answers_since),
        made.map(|made| made.inputs_hash.as_bytes()),
        made.map(|made| made.context_hash.as_bytes()),
        made.map(|made| made.estate_hash.as_bytes()),
        made.map(|made| made.report.as_str()),
        files,
        sealed(output, ticket, files.as_deref()).made(),
    ])?;
    Ok(id.unwrap_or_else(|| connection.last_insert_rowid()))
}

/// Makes tickets pending, including new ones.
pub(crate) fn open(connection: &Connection, output: i64, tickets: &[OpenTicket]) -> Result<(), StoreFault> {
    for opened in tickets {
        let (id, before) = match find(connection, output, &opened.file)? {
            Some((id, before)) => (Some(id), Some(before)),
            None => (None, None),
        };
        let (attempts, since, made) = match before {
            Some(before) => (before.attempts, before.answers_since, before.build_record),
            None => (0, 0, None),
        };
        let ticket = StoredTicket {
            file: opened.file.clone(),
            base: opened.base.clone(),
            state: TicketState::Pending,
            reason: opened.reason.clone(),
            attempts: opened.attempts.apply(attempts),
            answers_since: opened.answers_since.unwrap_or(since),
            build_record: made,
        };
        write(connection, output, id, &ticket)?;
    }
    Ok(())
}

/// Records that work on a ticket begins.
pub(crate) fn begin(connection: &Connection, output: i64, file: &str) -> Result<u32, StoreFault> {
    let (id, mut ticket) = known(connection, output, file)?;
    ticket.state = TicketState::Writing;
    ticket.attempts = ticket.attempts.saturating_add(1);
    write(connection, output, Some(id), &ticket)?;
    Ok(ticket.attempts)
}

/// Records that an answer was stored for a ticket: it has made progress, so earlier attempts no longer count.
pub(crate) fn progressed(connection: &Connection, output: i64, file: &str) -> Result<(), StoreFault> {
    // A call may belong to no ticket.
    let Some((id, mut ticket)) = find(connection, output, file)? else { return Ok(()) };
    if ticket.attempts > 1 {
        ticket.attempts = 1;
        write(connection, output, Some(id), &ticket)?;
    }
    Ok(())
}

/// Records that the process died while it waited for an answer about a ticket. The ticket is not the cause, so the attempt does not count.
pub(crate) fn has_waited(connection: &Connection, output: i64, file: &str) -> Result<(), StoreFault> {
    let Some((id, mut ticket)) = find(connection, output, file)? else { return Ok(()) };
    if ticket.state.is_in_work() && ticket.attempts > 0 {
        ticket.attempts -= 1;
        write(connection, output, Some(id), &ticket)?;
    }
    Ok(())
}

/// Records the results of tickets.
pub(crate) fn finish(
    connection: &Connection,
    output: i64,
    run: i64,
    tickets: &[FinishedTicket],
) -> Result<(), StoreFault> {
    for finished in tickets {
        let (id, mut ticket) = known(connection, output, &finished.file)?;
        ticket.state = finished.state;
        ticket.attempts = if finished.is_quarantined { ticket.attempts } else { 0 };
        if let Some(last) = finished.history.last() {
            ticket.reason.clone_from(&last.reason);
        }
        if finished.build_record.is_some() {
            ticket.build_record.clone_from(&finished.build_record);
        }
        write(connection, output, Some(id), &ticket)?;
        if let Some(chunks) = &finished.chunks {
            keep_chunks(connection, output, id, &finished.file, chunks)?;
        }
        note(connection, id, run, &finished.history)?;
        for question in &finished.unusable_questions {
            answers::mark_useless(connection, question)?;
        }
    }
    Ok(())
}

/// Makes tickets in progress pending, without counting this attempt. Their history gets no entry: it contains only what came to an end in
/// a run.
pub(crate) fn give_back(connection: &Connection, output: i64, reason: &str) -> Result<(), StoreFault> {
    let mut statement =
        connection.prepare(&format!("SELECT {COLUMNS} FROM tickets WHERE output = ?1 AND state = ?2"))?;
    let mut rows = statement.query(params![output, TicketState::Writing.to_string()])?;
    // Read all rows before the first write, because the query iterates over the rows that change.
    let mut in_work = Vec::new();
    while let Some(row) = rows.next()? {
        in_work.push(read(output, row)?);
    }
    for (id, mut ticket) in in_work {
        ticket.state = TicketState::Pending;
        reason.clone_into(&mut ticket.reason);
        ticket.attempts = ticket.attempts.saturating_sub(1);
        write(connection, output, Some(id), &ticket)?;
    }
    Ok(())
}

/// Adds the transitions of this run to a ticket's history.
fn note(connection: &Connection, ticket: i64, run: i64, history: &[Transition]) -> Result<(), StoreFault> {
    if history.is_empty() {
        return Ok(());
    }
    let before: Option<String> = connection
        .prepare("SELECT transitions FROM history WHERE ticket = ?1 AND run = ?2")?
        .query_row(params![ticket, run], |row| row.get(0))
        .optional()?;
    let mut transitions: Vec<Transition> =
        before.map(|text| serde_json::from_str(&text)).transpose()?.unwrap_or_default();
    transitions.extend_from_slice(history);
    connection
        .prepare("INSERT OR REPLACE INTO history (ticket, run, transitions) VALUES (?1, ?2, ?3)")?
        .execute(params![ticket, run, serde_json::to_string(&transitions)?])?;
    Ok(())
}

/// Records that documents agree with the current estate.
pub(crate) fn settle(
    connection: &Connection,
    output: i64,
    estate: &ContentHash,
    files: &[String],
) -> Result<(), StoreFault> {
    let mut statement = connection.prepare(
        "UPDATE tickets SET estate = ?3 WHERE output = ?1 AND file = ?2 AND inputs IS NOT NULL AND estate <> ?3",
    )?;
    for file in files {
        statement.execute(params![output, file, estate.as_bytes()])?;
    }
    Ok(())
}

/// Deletes tickets, with chunks and history.
pub(crate) fn forget(connection: &Connection, output: i64, files: &[String]) -> Result<(), StoreFault> {
    let mut statement = connection.prepare("DELETE FROM tickets WHERE output = ?1 AND file = ?2")?;
    for file in files {
        statement.execute(params![output, file])?;
    }
    Ok(())
}

fn keep_chunks(
    connection: &Connection,
    output: i64,
    ticket: i64,
    file: &str,
    chunks: &[StoredChunk],
) -> Result<(), StoreFault> {
    if chunks.is_empty() {
        connection.prepare("DELETE FROM chunks WHERE ticket = ?1")?.execute([ticket])?;
        return Ok(());
    }
    let mut bytes = Vec::with_capacity(chunks.len() * CHUNK);
    for chunk in chunks {
        bytes.extend_from_slice(&chunk.lines.to_le_bytes());
        for hash in [&chunk.first, &chunk.rows, &chunk.context, &chunk.told] {
            bytes.extend_from_slice(hash.as_bytes());
        }
    }
    let seal = sealed_chunks(output, file, &bytes).made();
    connection
        .prepare("INSERT OR REPLACE INTO chunks (ticket, chunks, seal) VALUES (?1, ?2, ?3)")?
        .execute(params![ticket, bytes, seal])?;
    Ok(())
}

fn sealed_chunks(output: i64, file: &str, bytes: &[u8]) -> RowSeal {
    RowSeal::of("chunks").number(output).text(file).bytes(bytes)
}

/// Returns the chunks that a ticket's document was made from.
pub(crate) fn chunks(connection: &Connection, output: i64, file: &str) -> Result<Vec<StoredChunk>, StoreFault> {
    let kept: Option<(Vec<u8>, Vec<u8>)> = connection
        .prepare(
            "SELECT chunks.chunks, chunks.seal FROM chunks JOIN tickets ON tickets.id = chunks.ticket
             WHERE tickets.output = ?1 AND tickets.file = ?2",
        )?
        .query_row(params![output, file], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((bytes, seal)) = kept else { return Ok(Vec::new()) };
    sealed_chunks(output, file, &bytes).check(&seal, || format!("the chunks of `{file}`"))?;
    bytes.chunks(CHUNK).map(|bytes| chunk(bytes, file)).collect()
}

fn chunk(bytes: &[u8], file: &str) -> Result<StoredChunk, StoreFault> {
    let Some((lines, hashes)) = bytes.split_first_chunk::<4>() else {
        return Err(StoreFault::damaged(format!("the chunks of `{file}` are cut off")));
    };
    let at = |index: usize| hash_from_sql(hashes.get(index * 32..(index + 1) * 32).unwrap_or_default());
    Ok(StoredChunk { lines: u32::from_le_bytes(*lines), first: at(0)?, rows: at(1)?, context: at(2)?, told: at(3)? })
}

/// Parses a state from its name.
pub(crate) fn state_of(name: &str) -> Result<TicketState, StoreFault> {
    name.parse().map_err(|_| StoreFault::damaged(format!("`{name}` is no state of a ticket")))
}
