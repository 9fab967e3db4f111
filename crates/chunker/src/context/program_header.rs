//! The program that a chunk belongs to.

use super::chunk_context::ContextKind;
use super::draft::{BlockFiller, RowGroup};
use super::row::{format_row, list_rows};
use foldhash::{HashMap, HashMapExt};
use war_rig_cobol::{ExecKind, FileControl, ParsedCobol, UserContact};
use war_rig_text::{LineNumber, LineRange};

/// How many records of a file are named.
const MOST_RECORDS: usize = 3;

/// The programs of a file, the kind of each, and the files it selects.
pub(super) struct ProgramIndex<'a> {
    parsed: &'a ParsedCobol,
    traits: Vec<ProgramTraits>,
    /// The files of each program, in order.
    files: HashMap<usize, Vec<usize>>,
    /// The uses of files, by the line of the statement.
    uses: Vec<(LineNumber, usize)>,
}

/// What a program works with.
#[derive(Debug, Clone, Copy, Default)]
struct ProgramTraits {
    cics: bool,
    sql: bool,
    dli: bool,
}

impl<'a> ProgramIndex<'a> {
    pub(super) fn of(parsed: &'a ParsedCobol) -> Self {
        let mut traits = vec![ProgramTraits::default(); parsed.programs.len()];
        for exec in &parsed.execs {
            if let Some(traits) = exec.program.and_then(|program| traits.get_mut(program)) {
                match exec.kind {
                    ExecKind::Cics => traits.cics = true,
                    ExecKind::Sql => traits.sql = true,
                    ExecKind::Dli => traits.dli = true,
                    ExecKind::Other => {}
                }
            }
        }
        for call in parsed.calls.iter().filter(|call| matches!(&*call.target, "CBLTDLI" | "AIBTDLI")) {
            if let Some(traits) = call.program.and_then(|program| traits.get_mut(program)) {
                traits.dli = true;
            }
        }
        let mut files: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut by_name = HashMap::new();
        for (index, file) in parsed.files.iter().enumerate() {
            if let Some(program) = file.program {
                files.entry(program).or_default().push(index);
            }
            by_name.insert((file.program, file.name.as_str()), index);
        }
        let uses = parsed
            .file_uses
            .iter()
            .filter_map(|used| Some((used.lines.start(), *by_name.get(&(used.program, used.file.as_str()))?)));
        let mut uses: Vec<_> = uses.collect();
        uses.sort_unstable();
        Self { parsed, traits, files, uses }
    }

    /// Returns the innermost program that contains a line.
    pub(super) fn at(&self, line: LineNumber) -> Option<usize> {
        let programs = &self.parsed.programs;
        let begun = programs.partition_point(|program| program.lines.start() <= line).checked_sub(1);
        std::iter::successors(begun, |program| programs[*program].nested_in)
            .find(|program| programs[*program].lines.contains(line))
    }

    /// Fills the block with the header of a program for the chunk that owns these lines.
    pub(super) fn header_rows(&self, program: Option<usize>, lines: LineRange) -> BlockFiller<'_> {
        let pieces = program.map(|program| self.pieces(program, lines)).unwrap_or_default();
        BlockFiller::new(ContextKind::Program, pieces.iter().map(|piece| piece.weight).sum(), pieces.into_iter())
    }

    fn pieces(&self, index: usize, lines: LineRange) -> Vec<RowGroup> {
        let program = &self.parsed.programs[index];
        let mut rows = vec![(format_row(&format!("program {}: {}", program.name, self.kind(index))), 1)];
        if let Some(outer) = program.nested_in {
            rows.push((format_row(&format!("nested in {}", self.parsed.programs[outer].name)), 1));
        }
        if !program.entry_lines.is_some_and(|entry| lines.contains(entry.start())) {
            rows.extend(list_rows("USING", program.parameters.iter().map(String::as_str)));
        }
        let elsewhere = |file: &usize| !self.parsed.files[*file].line.is_some_and(|line| lines.contains(line));
        let mut used: Vec<usize> = Vec::new();
        let start = self.uses.partition_point(|(line, _)| *line < lines.start());
        for (_, file) in self.uses[start..].iter().take_while(|(line, _)| *line <= lines.end()) {
            if elsewhere(file) && !used.contains(file) {
                used.push(*file);
            }
        }
        rows.extend(used.iter().map(|file| (format_row(&described(&self.parsed.files[*file])), 1)));
        let others = self.files.get(&index).into_iter().flatten();
        let others = others.filter(|file| elsewhere(file) && !used.contains(file));
        let head = if used.is_empty() { "files:" } else { "other files:" };
        rows.extend(list_rows(head, others.map(|file| self.parsed.files[*file].name.as_str())));
        let pieces = rows.into_iter().enumerate();
        pieces.map(|(at, (row, weight))| RowGroup { rows: vec![((at, 0), row)], weight }).collect()
    }

    fn kind(&self, program: usize) -> String {
        let traits = self.traits[program];
        let base = self.parsed.programs[program].environment(UserContact::of(self.parsed, program, traits.cics));
        let with = [(traits.sql, "SQL"), (traits.dli, "DL/I")];
        let with: Vec<&str> = with.iter().filter(|(used, _)| *used).map(|(_, name)| *name).collect();
        if with.is_empty() { base.to_owned() } else { format!("{base} with {}", with.join(" and ")) }
    }
}

/// Describes a file by its SELECT and FD.
fn described(file: &FileControl) -> String {
    let kind = file.in_words();
    let mut text = match kind.strip_suffix(" file") {
        Some("sort") => format!("sort file {}", file.name),
        Some(organization) => format!("file {}: {organization}", file.name),
        None => format!("file {}: its SELECT is not in the sources", file.name),
    };
    if let Some(assign) = &file.assign {
        text.push_str(&format!(", assigned to {assign}"));
    }
    match file.records.as_slice() {
        [] => {}
        [record] => text.push_str(&format!(", record {record}")),
        records => {
            let names: Vec<&str> = records.iter().map(String::as_str).collect();
            text.push_str(&format!(", records {}", super::row::join_limited(&names, MOST_RECORDS)));
        }
    }
    text
}
