//! The records of an output folder's sources, with their surveys.

use crate::column_values::hash_from_sql;
use crate::fault::StoreFault;
use crate::row_seal::RowSeal;
use rusqlite::{Connection, Row, params};
use war_rig_pool::StoredSource;
use war_rig_text::ContentHash;

/// Returns the records of sources, in file order.
pub(crate) fn all(connection: &Connection, output: i64) -> Result<Vec<StoredSource>, StoreFault> {
    let mut statement = connection
        .prepare("SELECT file, hash, lookups, has_survey, seal FROM sources WHERE output = ?1 ORDER BY file")?;
    let mut rows = statement.query([output])?;
    let mut sources: Vec<StoredSource> = Vec::new();
    while let Some(row) = rows.next()? {
        let (source, _) = read(output, row)?;
        in_order(sources.last().map(|before| before.file.as_str()), &source.file)?;
        sources.push(source);
    }
    Ok(sources)
}

/// Passes on every survey, in file order.
pub(crate) fn surveys(
    connection: &Connection,
    output: i64,
    take: &mut dyn FnMut(&str, &str),
) -> Result<(), StoreFault> {
    let mut statement = connection.prepare(
        "SELECT file, hash, lookups, has_survey, sources.seal AS seal, survey, surveys.seal AS survey_seal
         FROM sources LEFT JOIN surveys ON surveys.source = sources.id WHERE output = ?1 ORDER BY file",
    )?;
    let mut rows = statement.query([output])?;
    let mut before: Option<String> = None;
    while let Some(row) = rows.next()? {
        let (source, has_survey) = read(output, row)?;
        in_order(before.as_deref(), &source.file)?;
        if has_survey {
            let gone = || StoreFault::damaged(format!("the survey of `{}` is gone", source.file));
            let survey = row.get::<_, Option<String>>(5)?.ok_or_else(gone)?;
            let seal = row.get::<_, Option<Vec<u8>>>(6)?.unwrap_or_default();
            sealed_survey(output, &source.file, &source.hash, &survey)
                .check(&seal, || format!("the survey of `{}`", source.file))?;
            take(&source.file, &survey);
        }
        before = Some(source.file);
    }
    Ok(())
}

fn in_order(before: Option<&str>, file: &str) -> Result<(), StoreFault> {
    match before {
        Some(before) if before >= file => Err(StoreFault::damaged(format!("the source `{file}` is out of its place"))),
        _ => Ok(()),
    }
}

/// Reads a source, and whether it has a survey. Columns are read by index, which is faster than by name.
fn read(output: i64, row: &Row<'_>) -> Result<(StoredSource, bool), StoreFault> {
    let file: String = row.get(0)?;
    let lookups: String = row.get(2)?;
    let has_survey: bool = row.get(3)?;
    let bytes = hash_from_sql(&row.get::<_, Vec<u8>>(1)?)?;
    let seal: Vec<u8> = row.get(4)?;
    sealed(output, &file, &bytes, &lookups, has_survey)
        .check(&seal, || format!("what is known of the source `{file}`"))?;
    Ok((StoredSource { hash: bytes, lookups: serde_json::from_str(&lookups)?, file }, has_survey))
}

fn sealed(output: i64, file: &str, hash: &ContentHash, lookups: &str, has_survey: bool) -> RowSeal {
    RowSeal::of("sources").number(output).text(file).hash(hash).text(lookups).number(has_survey.into())
}

/// Returns the seal of a survey. It includes the source's hash, so that a survey of older bytes does not match.
fn sealed_survey(output: i64, file: &str, hash: &ContentHash, survey: &str) -> RowSeal {
    RowSeal::of("surveys").number(output).text(file).hash(hash).text(survey)
}

/// Stores the records of sources, with their surveys.
pub(crate) fn keep(
    connection: &Connection,
    output: i64,
    sources: &[(StoredSource, Option<String>)],
) -> Result<(), StoreFault> {
    let mut keep_source = connection.prepare(
        "INSERT INTO sources (output, file, hash, lookups, has_survey, seal) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (output, file) DO UPDATE SET
           hash = excluded.hash, lookups = excluded.lookups, has_survey = excluded.has_survey, seal = excluded.seal
         RETURNING id",
    )?;
    let mut keep_survey =
        connection.prepare("INSERT OR REPLACE INTO surveys (source, survey, seal) VALUES (?1, ?2, ?3)")?;
    let mut drop_survey = connection.prepare("DELETE FROM surveys WHERE source = ?1")?;
    for (source, survey) in sources {
        let lookups = serde_json::to_string(&source.lookups)?;
        let seal = sealed(output, &source.file, &source.hash, &lookups, survey.is_some()).made();
        let id: i64 = keep_source.query_row(
            params![output, source.file, source.hash.as_bytes(), lookups, survey.is_some(), seal],
            |row| row.get(0),
        )?;
        match survey {
            Some(survey) => {
                let seal = sealed_survey(output, &source.file, &source.hash, survey).made();
                keep_survey.execute(params![id, survey, seal])?;
            }
            None => {
                drop_survey.execute([id])?;
            }
        }
    }
    Ok(())
}

/// Deletes sources.
pub(crate) fn forget(connection: &Connection, output: i64, files: &[String]) -> Result<(), StoreFault> {
    let mut statement = connection.prepare("DELETE FROM sources WHERE output = ?1 AND file = ?2")?;
    for file in files {
        statement.execute(params![output, file])?;
    }
    Ok(())
}
