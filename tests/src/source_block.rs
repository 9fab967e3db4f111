//! The source block of a prompt, read back by the contract's words alone.

/// A source block of a user message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceBlock {
    /// The word of its header and its end.
    pub word: String,
    /// The file, as it stands in the header.
    pub file: String,
    /// The chunk, as it stands in the header: `k/n`.
    pub chunk: String,
    /// Its rows without their numbers.
    pub rows: Vec<String>,
}

impl SourceBlock {
    /// Finds the one source block of a user message.
    ///
    /// # Errors
    /// What is wrong with the message: no block or a second one, a header of another form, a row out of order, no end.
    pub fn parse(user: &str) -> Result<Self, String> {
        let mut lines = user.split('\n');
        let header = lines.by_ref().find(|line| line.starts_with("<<<SOURCE ")).ok_or("no source block")?;
        let inner = header.strip_prefix("<<<SOURCE ").and_then(|rest| rest.strip_suffix(">>>"));
        let words: Vec<&str> = inner.ok_or("the header has no end")?.split(' ').collect();
        let [word, file, chunk] = words.as_slice() else {
            return Err(format!("{} words in `{header}`", words.len()));
        };
        let file = file.strip_prefix("file=").ok_or("no file")?;
        let chunk = chunk.strip_prefix("chunk=").ok_or("no chunk")?;
        if word.len() != 12 || !word.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f')) {
            return Err(format!("`{word}` is no word of twelve hexadecimal digits"));
        }
        let end = format!("<<<END {word}>>>");
        let mut rows = Vec::new();
        loop {
            let line = lines.next().ok_or("no end")?;
            if line == end {
                break;
            }
            let (number, text) = line.split_once('|').ok_or_else(|| format!("no row: `{line}`"))?;
            if number != (rows.len() + 1).to_string() {
                return Err(format!("`{line}` is not row {}", rows.len() + 1));
            }
            rows.push(text.to_owned());
        }
        if lines.any(|line| line.starts_with("<<<")) {
            return Err("something opens after the end".to_owned());
        }
        Ok(Self { word: (*word).to_owned(), file: file.to_owned(), chunk: chunk.to_owned(), rows })
    }
}

/// A context block of a user message.
#[derive(Debug, PartialEq, Eq)]
pub struct ContextBlock {
    /// The kind in its header.
    pub kind: String,
    /// Its rows without their prefix.
    pub rows: Vec<String>,
}

impl ContextBlock {
    /// Finds the context blocks before the source block of a user message.
    ///
    /// # Errors
    /// What is wrong with them: another word than that of the source block, no rows, a row without its prefix, a row that is too
    /// long or holds control characters, an unknown kind or one out of order, a block behind the source.
    pub fn parse_all(user: &str) -> Result<Vec<Self>, String> {
        const KINDS: [&str; 8] =
            ["program", "comment", "opening", "data", "copybooks", "outline", "elsewhere", "items"];
        let word = SourceBlock::parse(user)?.word;
        let (before, behind) = user.split_once("<<<SOURCE ").ok_or("no source block")?;
        if behind.contains("\n<<<CONTEXT ") {
            return Err("context behind the source".to_owned());
        }
        let Some(start) = before.find("<<<CONTEXT ") else { return Ok(Vec::new()) };
        let mut blocks: Vec<Self> = Vec::new();
        for line in before[start..].lines() {
            if let Some(row) = line.strip_prefix("c|") {
                if row.chars().count() > 120 || row.chars().any(char::is_control) {
                    return Err(format!("`{row}` is no row"));
                }
                blocks.last_mut().ok_or("a row before the first header")?.rows.push(row.to_owned());
                continue;
            }
            let kind = line
                .strip_prefix(format!("<<<CONTEXT {word} kind=").as_str())
                .and_then(|rest| rest.strip_suffix(">>>"))
                .ok_or_else(|| format!("`{line}` is neither a header under `{word}` nor a row"))?;
            blocks.push(Self { kind: kind.to_owned(), rows: Vec::new() });
        }
        if let Some(empty) = blocks.iter().find(|block| block.rows.is_empty()) {
            return Err(format!("`{}` has no rows", empty.kind));
        }
        let places: Option<Vec<usize>> =
            blocks.iter().map(|block| KINDS.iter().position(|kind| block.kind == *kind)).collect();
        match places {
            Some(places) if places.is_sorted_by(|one, other| one < other) => Ok(blocks),
            _ => Err("a kind is unknown or out of order".to_owned()),
        }
    }
}

/// Lines as the rows of a block.
pub fn numbered<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    (1..).zip(lines).map(|(number, line)| format!("{number}|{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_reads_back_and_a_broken_one_is_refused() {
        let good = "Say.\n<<<SOURCE 3fa9c1d2e4b7 file=cbl/X.cbl chunk=2/5>>>\n1| A|B\n2|\n<<<END 3fa9c1d2e4b7>>>\n";
        let block = SourceBlock::parse(good).expect("it is whole");
        assert_eq!(
            (block.file.as_str(), block.chunk.as_str(), block.rows.as_slice()),
            ("cbl/X.cbl", "2/5", &[" A|B".to_owned(), String::new()][..])
        );
        for (from, to) in [
            ("2|", "3|"),
            ("<<<END 3", "<<<END 4"),
            ("2|\n", "\n"),
            ("chunk=", "part="),
            ("<<<SOURCE", "SOURCE"),
            ("c1d2", "C1D2"),
        ] {
            assert!(SourceBlock::parse(&good.replacen(from, to, 1)).is_err(), "{from} -> {to}");
        }
        assert!(SourceBlock::parse(&good.repeat(2)).is_err());
    }

    #[test]
    fn context_reads_back_and_broken_context_is_refused() {
        let context =
            "<<<CONTEXT 3fa9c1d2e4b7 kind=program>>>\nc|program X\n<<<CONTEXT 3fa9c1d2e4b7 kind=data>>>\nc|01 A\n";
        let source = "<<<SOURCE 3fa9c1d2e4b7 file=X chunk=1/1>>>\n1| A\n<<<END 3fa9c1d2e4b7>>>\n";
        let good = format!("Say.\n{context}{source}");
        let blocks = ContextBlock::parse_all(&good).expect("it is whole");
        let kinds: Vec<&str> = blocks.iter().map(|block| block.kind.as_str()).collect();
        assert_eq!((kinds.as_slice(), blocks[1].rows.as_slice()), (&["program", "data"][..], &["01 A".to_owned()][..]));
        assert_eq!(ContextBlock::parse_all(source), Ok(Vec::new()));
        for (from, to) in [
            ("c|01 A\n", ""),
            ("c|01", "01"),
            ("kind=data", "kind=other"),
            ("kind=data", "kind=program"),
            ("e4b7 kind=data", "e4b8 kind=data"),
            ("program X", "program\tX"),
        ] {
            assert!(ContextBlock::parse_all(&good.replacen(from, to, 1)).is_err(), "{from} -> {to}");
        }
        assert!(ContextBlock::parse_all(&format!("{source}{context}")).is_err());
    }
}
