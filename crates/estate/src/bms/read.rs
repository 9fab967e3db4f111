use super::BmsSource;
use war_rig_text::SourceText;

/// Reads a BMS source.
pub fn parse(source: &SourceText) -> BmsSource {
    BmsSource { file: source.name().to_owned(), ..BmsSource::default() }
}
