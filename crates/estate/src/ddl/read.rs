use super::DdlSource;
use war_rig_text::{LineRange, SourceText};

/// Reads a source of SQL statements.
pub fn parse(source: &SourceText) -> DdlSource {
    DdlSource { file: source.name().to_owned(), ..DdlSource::default() }
}

/// Reads SQL statements in some lines of a source, such as the SYSIN of a job.
pub fn parse_lines(source: &SourceText, lines: LineRange) -> DdlSource {
    let _ = lines;
    DdlSource { file: source.name().to_owned(), ..DdlSource::default() }
}
