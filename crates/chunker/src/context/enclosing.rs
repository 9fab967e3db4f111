//! What encloses the first line of a chunk: the conditions it runs under, the groups it belongs to.

use super::chunk_context::ContextKind;
use super::data::declaration;
use super::draft::{BlockFiller, RowGroup};
use super::row::{format_row, wrap_rows};
use crate::units::UnitIndex;
use foldhash::HashMap;
use war_rig_cobol::{BranchKind, ExecKind, IndexGroups, ParsedCobol};
use war_rig_text::{LineNumber, LineRange};

/// How many enclosing constructs contribute the data items that their conditions name.
const MOST_HOLDERS: usize = 16;

/// How many lines of each contribute.
const MOST_LINES: u32 = 3;

/// The maximum number of rows for opening words.
const MOST_ROWS: usize = 4;

/// The statements, branches and items of a file in the order of their lines.
pub(super) struct EnclosureIndex<'a> {
    parsed: &'a ParsedCobol,
    /// The statements of the file itself.
    statements: Vec<usize>,
    /// The branches of those statements.
    branches: Vec<usize>,
    /// The branches of each statement.
    of_statement: IndexGroups,
    /// For each statement the number of enclosing constructs, counting itself.
    levels: Vec<u32>,
    /// The data items of the file itself with their lines.
    items: Vec<(LineRange, usize)>,
    /// The files, by their records.
    files: HashMap<(Option<usize>, &'a str), usize>,
}

/// A construct that encloses a line.
#[derive(Debug, Clone, Copy)]
enum Enclosure {
    Statement(usize),
    Branch(usize),
}

impl<'a> EnclosureIndex<'a> {
    pub(super) fn of(parsed: &'a ParsedCobol) -> Self {
        let own = |statement: usize| parsed.statements[statement].file.is_none();
        let statements = (0..parsed.statements.len()).filter(|statement| own(*statement)).collect();
        let branches = parsed.branches.iter().enumerate().filter(|(_, branch)| own(branch.statement));
        let mut levels: Vec<u32> = Vec::with_capacity(parsed.statements.len());
        for statement in &parsed.statements {
            let branch = statement.branch.map(|branch| &parsed.branches[branch]);
            let above = branch.map_or(0, |branch| {
                let holder = levels.get(branch.statement).copied().unwrap_or_default();
                holder + u32::from(told(branch.kind))
            });
            levels.push(above + u32::from(statement.file.is_none()));
        }
        let items = parsed.data_items.iter().enumerate().filter(|(_, item)| item.file.is_none());
        let files =
            parsed.files.iter().enumerate().flat_map(|(index, file)| {
                file.records.iter().map(move |record| ((file.program, record.as_str()), index))
            });
        Self {
            parsed,
            statements,
            branches: branches.map(|(index, _)| index).collect(),
            of_statement: IndexGroups::of_branches(parsed),
            levels,
            items: items.filter_map(|(index, item)| Some((item.lines?, index))).collect(),
            files: files.collect(),
        }
    }

    /// Fills the block with the constructs in which the chunk begins, outermost first. The innermost is the most valuable.
    pub(super) fn fill<'x>(&'x self, units: &UnitIndex<'_>, lines: LineRange) -> BlockFiller<'x> {
        let line = lines.start();
        let groups = self.groups(lines);
        let innermost = self.innermost(line);
        let depth = innermost.map_or(0, |holder| self.level(holder) as usize);
        let mut headers = self.headers(units, line);
        if headers.is_empty() && depth > 0 {
            headers.extend(self.division(units, line));
        }
        let waiting = headers.len() + groups.len() + depth;
        let headers = headers.into_iter().map(|header| vec![format_row(&header)]).enumerate();
        let groups = groups.into_iter().map(|group| vec![format_row(&group)]).enumerate();
        let holders = self.holders(innermost).take(depth).enumerate().map(move |(inner, holder)| {
            let rows = wrap_rows(&self.words(holder), MOST_ROWS);
            (depth - inner, rows)
        });
        let pieces = headers
            .chain(groups.map(|(at, rows)| (100 + at, rows)))
            .chain(holders.map(|(at, rows)| (200 + at, rows)))
            .map(|(at, rows)| RowGroup {
                rows: rows.into_iter().enumerate().map(|(row, text)| ((at, row), text)).collect(),
                weight: 1,
            });
        BlockFiller::new(ContextKind::Opening, waiting as u64, pieces)
    }

    /// Returns the first lines of the statements and branches that enclose the chunk's first line, without lines of nested constructs.
    pub(super) fn enclosing_lines(&self, lines: LineRange) -> Vec<LineRange> {
        let begins = |holder| match holder {
            Enclosure::Statement(index) => self.parsed.statements[index].lines.start(),
            Enclosure::Branch(index) => self.parsed.branches[index].lines.start(),
        };
        let mut inner = lines.start();
        let mut own = Vec::new();
        for start in self.holders(self.innermost(lines.start())).take(MOST_HOLDERS).map(begins) {
            let end = inner.previous().map_or(start, |before| before.min(start.saturating_add(MOST_LINES - 1)));
            own.push(LineRange::spanning(start, end.max(start)));
            inner = start;
        }
        own
    }

    /// Returns the headers of the units that the line continues.
    fn headers(&self, units: &UnitIndex<'_>, line: LineNumber) -> Vec<String> {
        let begun = |(lines, unit): (LineRange, usize)| (lines.start() < line).then_some(unit);
        let section = units.sections.at(line).and_then(begun);
        let paragraph = units.paragraphs.at(line).and_then(begun);
        let section = section.map(|unit| format!("{} SECTION.", self.parsed.sections[unit].name));
        let paragraph = paragraph.map(|unit| format!("{}.", self.parsed.paragraphs[unit].name));
        section.into_iter().chain(paragraph).collect()
    }

    /// Returns the header of the division, for statements outside any section and paragraph.
    fn division(&self, units: &UnitIndex<'_>, line: LineNumber) -> Option<String> {
        let (_, unit) = units.divisions.at(line).filter(|(lines, _)| lines.start() < line)?;
        Some(format!("{} DIVISION.", self.parsed.divisions[unit].name))
    }

    /// Returns the file and the groups that contain the first data item of these lines and precede it, outermost first.
    fn groups(&self, lines: LineRange) -> Vec<String> {
        let line = lines.start();
        let items = &self.parsed.data_items;
        let next = self.items.partition_point(|(item, _)| item.start() < line);
        let before = next.checked_sub(1).map(|before| self.items[before]);
        let before_ends = before.filter(|(item, _)| item.end() >= line).map(|(_, item)| item);
        let first = match before_ends {
            Some(cut) => Some(cut),
            None => {
                let first = self.items.get(next).filter(|(item, _)| lines.contains(item.start()));
                first.and_then(|(_, item)| items[*item].parent)
            }
        };
        let root = |item: usize| std::iter::successors(Some(item), |one| items[*one].parent).last();
        let stands_before =
            |item: &usize| items[*item].file.is_some() || items[*item].lines.is_some_and(|l| l.start() < line);
        let holders: Vec<usize> =
            std::iter::successors(first, |one| items[*one].parent).filter(stands_before).collect();
        let file_of = |item: usize| {
            let root = &items[root(item)?];
            self.files.get(&(root.program, root.name.as_str())).filter(|_| root.level == 1).copied()
        };
        // A record belongs to its FD if the preceding item is a record of the same file.
        let own_file = match (holders.last(), self.items.get(next), before) {
            (Some(holder), _, _) => file_of(*holder),
            (None, Some((first, item)), Some((_, before))) if lines.contains(first.start()) => {
                file_of(*item).filter(|file| file_of(before) == Some(*file))
            }
            _ => None,
        };
        let file = own_file.map(|file| format!("FD {}", self.parsed.files[file].name));
        file.into_iter().chain(holders.iter().rev().map(|item| declaration(&items[*item]))).collect()
    }

    /// Returns the innermost statement or branch that began before a line and ends on or after it.
    fn innermost(&self, line: LineNumber) -> Option<Enclosure> {
        let ParsedCobol { statements, branches, .. } = self.parsed;
        let begun = self.statements.partition_point(|index| statements[*index].lines.start() < line);
        let statement = begun.checked_sub(1).map(|at| Enclosure::Statement(self.statements[at]));
        let begun = self.branches.partition_point(|index| branches[*index].lines.start() < line);
        let branch = begun.checked_sub(1).map(|at| Enclosure::Branch(self.branches[at]));
        // The construct that began last may already have ended.
        let holding = |from: Option<Enclosure>| self.holders(from).find(|holder| self.holds(*holder, line));
        [holding(statement), holding(branch)].into_iter().flatten().max_by_key(|holder| self.level(*holder))
    }

    /// Iterates over a statement or branch and its enclosing constructs, innermost first.
    fn holders(&self, from: Option<Enclosure>) -> impl Iterator<Item = Enclosure> {
        let ParsedCobol { statements, branches, .. } = self.parsed;
        let way = std::iter::successors(from, |holder| match holder {
            Enclosure::Statement(index) => statements[*index].branch.map(Enclosure::Branch),
            Enclosure::Branch(index) => Some(Enclosure::Statement(branches[*index].statement)),
        });
        way.filter(|holder| match holder {
            Enclosure::Statement(index) => statements[*index].file.is_none(),
            Enclosure::Branch(index) => told(branches[*index].kind),
        })
    }

    /// Returns the number of enclosing constructs from this one up. It is precomputed because nesting can be as deep as a file is long.
    fn level(&self, holder: Enclosure) -> u32 {
        match holder {
            Enclosure::Statement(index) => self.levels[index],
            Enclosure::Branch(index) => {
                let branch = &self.parsed.branches[index];
                self.levels[branch.statement] + u32::from(told(branch.kind))
            }
        }
    }

    fn holds(&self, holder: Enclosure, line: LineNumber) -> bool {
        let lines = match holder {
            Enclosure::Statement(index) => self.parsed.statements[index].lines,
            Enclosure::Branch(index) => self.parsed.branches[index].lines,
        };
        lines.start() < line && line <= lines.end()
    }

    /// Returns the opening words of a statement or branch as written, with blanks normalized.
    fn words(&self, holder: Enclosure) -> String {
        match holder {
            Enclosure::Statement(index) => {
                let statement = &self.parsed.statements[index];
                if let Some(exec) = statement.exec.map(|exec| &self.parsed.execs[exec]) {
                    let kind = match exec.kind {
                        ExecKind::Sql => "SQL ",
                        ExecKind::Cics => "CICS ",
                        ExecKind::Dli => "DLI ",
                        ExecKind::Other => "",
                    };
                    return format!("EXEC {kind}{}", exec.command);
                }
                let condition = self
                    .of_statement
                    .get(index)
                    .first()
                    .map(|branch| &self.parsed.branches[*branch])
                    .filter(|branch| matches!(branch.kind, BranchKind::If | BranchKind::Loop));
                let own = self.parsed.words(statement).text();
                match condition {
                    Some(branch) => format!("{own} {}", self.parsed.condition(branch).text()),
                    None => own.to_owned(),
                }
            }
            Enclosure::Branch(index) => {
                let branch = &self.parsed.branches[index];
                let condition = self.parsed.condition(branch).text();
                match branch.kind {
                    BranchKind::Else => "ELSE".to_owned(),
                    BranchKind::When => format!("WHEN {condition}"),
                    BranchKind::If | BranchKind::Loop | BranchKind::Phrase => condition.to_owned(),
                }
            }
        }
    }
}

/// Whether a branch gets its own row: the conditions of IF and of loops are shown with their statements.
fn told(kind: BranchKind) -> bool {
    !matches!(kind, BranchKind::If | BranchKind::Loop)
}
