use super::CsdSource;
use war_rig_text::{LineRange, SourceText};

/// Reads a source of DFHCSDUP commands.
pub fn parse(source: &SourceText) -> CsdSource {
    CsdSource { file: source.name().to_owned(), ..CsdSource::default() }
}

/// Reads DFHCSDUP commands in some lines of a source, such as the SYSIN of a job.
pub fn parse_lines(source: &SourceText, lines: LineRange) -> CsdSource {
    let _ = lines;
    CsdSource { file: source.name().to_owned(), ..CsdSource::default() }
}
