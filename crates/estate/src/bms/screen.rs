use super::Map;

/// How a map looks, as rows of text without trailing blanks: literals where they stand, fields that may be typed into as underscores,
/// named fields that a program fills as dots. As many rows as the map is high.
pub fn screen(map: &Map) -> Vec<String> {
    vec![String::new(); usize::from(map.height)]
}
