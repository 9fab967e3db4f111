//! The answers of models, and the calls that paid for them.
//!
//! Answers belong to no output folder: a question is the same wherever its document goes.

use crate::column_values::{from_sql, hash_from_sql, kept};
use crate::fault::StoreFault;
use crate::row_seal::RowSeal;
use crate::tickets;
use rusqlite::{Connection, OptionalExtension, params};
use war_rig_llm::{AnswerKey, CallOutcome, FinishedCall, NewCall};
use war_rig_text::ContentHash;

/// Returns the position of the last answer; 0 if there is none.
pub(crate) fn last(connection: &Connection) -> Result<u64, StoreFault> {
    from_sql(connection.query_row("SELECT coalesce(max(place), 0) FROM answers", [], |row| row.get(0))?)
}

/// Finds the first usable answer after a position, and returns it with its own position.
pub(crate) fn find(
    connection: &Connection,
    key: &AnswerKey,
    since: u64,
) -> Result<Option<(i64, CallOutcome)>, StoreFault> {
    let behind = kept(since).max(useless_up_to(connection, &key.question)?);
    let found = connection
        .prepare(
            "SELECT place, outcome, seal FROM answers WHERE key = ?1 AND turn = ?2 AND place > ?3 ORDER BY place LIMIT 1",
        )?
        .query_row(params![key.key.as_bytes(), key.turn, behind], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, Vec<u8>>(2)?))
        })
        .optional()?;
    let Some((place, outcome, seal)) = found else { return Ok(None) };
    sealed(place, key, &outcome).check(&seal, || format!("answer {place}"))?;
    Ok(Some((place, serde_json::from_str(&outcome)?)))
}

fn sealed(place: i64, key: &AnswerKey, outcome: &str) -> RowSeal {
    RowSeal::of("answers").number(place).hash(&key.key).number(key.turn.into()).text(outcome)
}

/// Stores an answer and returns its position.
fn keep(connection: &Connection, key: &AnswerKey, outcome: &CallOutcome) -> Result<i64, StoreFault> {
    let place = kept(last(connection)?) + 1;
    let outcome = serde_json::to_string(outcome)?;
    connection
        .prepare("INSERT INTO answers (place, key, turn, outcome, seal) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![place, key.key.as_bytes(), key.turn, outcome, sealed(place, key, &outcome).made()])?;
    Ok(place)
}

fn useless_up_to(connection: &Connection, question: &ContentHash) -> Result<i64, StoreFault> {
    let found: Option<(i64, Vec<u8>)> = connection
        .prepare("SELECT place, seal FROM useless WHERE question = ?1")?
        .query_row([question.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((place, seal)) = found else { return Ok(0) };
    sealed_useless(question, place).check(&seal, || "a mark of answers without use".to_owned())?;
    Ok(place)
}

/// Checks every mark. A mark whose question was changed would otherwise go unnoticed; there are few marks.
pub(crate) fn check_marks(connection: &Connection) -> Result<(), StoreFault> {
    let mut statement = connection.prepare("SELECT question FROM useless")?;
    let questions = statement.query_map([], |row| row.get::<_, Vec<u8>>(0))?;
    for question in questions {
        useless_up_to(connection, &hash_from_sql(&question?)?)?;
    }
    Ok(())
}

fn sealed_useless(question: &ContentHash, place: i64) -> RowSeal {
    RowSeal::of("useless").hash(question).number(place)
}

/// Marks all current answers to a question as unusable. Later answers are not affected.
pub(crate) fn mark_useless(connection: &Connection, question: &ContentHash) -> Result<(), StoreFault> {
    let place = kept(last(connection)?);
    connection
        .prepare("INSERT OR REPLACE INTO useless (question, place, seal) VALUES (?1, ?2, ?3)")?
        .execute(params![question.as_bytes(), place, sealed_useless(question, place).made()])?;
    Ok(())
}

/// Records a call that is about to be sent, and returns its number in its run. Until it ends, it counts with its maximum cost.
pub(crate) fn sending(connection: &Connection, run: i64, call: &NewCall) -> Result<u64, StoreFault> {
    let last: i64 = connection
        .prepare("SELECT coalesce(max(number), 0) FROM calls WHERE run = ?1")?
        .query_row([run], |row| row.get(0))?;
    connection
        .prepare(
            "INSERT INTO calls (run, number, state, file, about, key, question, turn, prompt_tokens, cost)
             VALUES (?1, ?2, 'sent', ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            run,
            last + 1,
            call.file,
            call.about,
            call.key.key.as_bytes(),
            call.key.question.as_bytes(),
            call.key.turn,
            kept(call.prompt_tokens),
            kept(call.most.units()),
        ])?;
    from_sql(last + 1)
}

/// Records the result of a call, and returns what is now stored under its key. This includes calls counted as lost because their run has ended: the
/// caller may have outlived the run.
pub(crate) fn ended(
    connection: &Connection,
    output: i64,
    run: i64,
    call: u64,
    ended: &FinishedCall,
    since: u64,
) -> Result<Option<CallOutcome>, StoreFault> {
    let sent: Option<(String, Vec<u8>, Vec<u8>, u32)> = connection
        .prepare(
            "SELECT file, key, question, turn FROM calls WHERE run = ?1 AND number = ?2 AND state IN ('sent', 'lost')",
        )?
        .query_row(params![run, kept(call)], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .optional()?;
    let Some((file, key, question, turn)) = sent else {
        return Err(StoreFault::refused(format!("run {run} has no call {call} without an end")));
    };
    let key = AnswerKey { key: hash_from_sql(&key)?, question: hash_from_sql(&question)?, turn };
    if key != ended.key {
        return Err(StoreFault::refused(format!("call {call} of run {run} was about something else")));
    }
    let mut found = find(connection, &key, since)?;
    let (state, problem) = match &ended.result {
        Ok(outcome) => {
            if found.is_none() {
                found = Some((keep(connection, &key, outcome)?, outcome.clone()));
            }
            tickets::progressed(connection, output, &file)?;
            (if matches!(outcome, CallOutcome::Answer(_)) { "answered" } else { "too_long" }, None)
        }
        Err(problem) => ("failed", Some(problem)),
    };
    // A failed call has produced no answer, whatever is stored under its key.
    let place = ended.result.is_ok().then(|| found.as_ref().map(|(place, _)| *place)).flatten();
    connection
        .prepare(
            "UPDATE calls SET state = ?3, completion_tokens = ?4, cost = ?5, answer = ?6, problem = ?7
             WHERE run = ?1 AND number = ?2",
        )?
        .execute(params![
            run,
            kept(call),
            state,
            kept(ended.completion_tokens),
            kept(ended.cost.units()),
            place,
            problem
        ])?;
    Ok(found.map(|(_, outcome)| outcome))
}
