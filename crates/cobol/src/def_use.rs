//! The data items that each statement reads and sets.
//!
//! Invariants:
//! - A statement covers its own words, not those of nested statements; a branch covers its condition.
//! - A condition name means its item. A constant (level 78, CONSTANT) is a value, not an item. Index names and special
//!   registers are not items either.
//! - If a name may mean several items, the first one is taken and marked as ambiguous.
//! - MOVE, ADD and SUBTRACT CORRESPONDING use the items that both groups contain under the same name, up to
//!   [`CORRESPONDING`] of them; above that limit, the groups.
//! - READ and RETURN set all records of their file, because these share storage; a file operation sets the file's status.
//! - An item passed to another program BY REFERENCE is read, and may be set.
//!
//! Name lookups use a hash map that is built once. No text is stored: a use takes eight bytes.

mod exec;
mod name_resolution;
mod paragraphs;
#[cfg(test)]
mod tests;

use crate::code::{CodeText, to_u32};
use crate::model::{FileControl, FilePath, ParsedCobol, Statement};
use crate::operands::{self, Operand, OperandKind, OperandPhrase, OperandRole, OperandSpan};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt};
pub(crate) use name_resolution::NameResolver;
pub use paragraphs::ParagraphDefUse;
pub(crate) use paragraphs::item_names as names_of;
use war_rig_text::LineNumber;

/// The maximum number of item pairs for CORRESPONDING.
const CORRESPONDING: usize = 100;

/// One use of a data item by a statement or a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemUse {
    item: u32,
    manner: u8,
}

const READ: u8 = 1;
const SET: u8 = 2;
const HANDED_OVER: u8 = 4;
const AMBIGUOUS: u8 = 8;

impl ItemUse {
    /// Returns the index of the item in [`ParsedCobol::data_items`].
    pub fn item(self) -> usize {
        self.item as usize
    }

    /// Returns whether the item's contents are used.
    pub fn is_read(self) -> bool {
        self.manner & READ != 0
    }

    /// Returns whether the item is changed, or may be.
    pub fn is_set(self) -> bool {
        self.manner & SET != 0
    }

    /// Returns whether the item is only passed to another program, which may read and change it: it then counts as read and set.
    pub fn is_passed(self) -> bool {
        self.manner & HANDED_OVER != 0
    }

    /// Returns whether other items match the name as written.
    pub fn is_ambiguous(self) -> bool {
        self.manner & AMBIGUOUS != 0
    }
}

/// The data items that statements and conditions use, each once, in the order of their names there.
#[derive(Debug, Clone, Default)]
pub struct DefUse {
    uses: Vec<ItemUse>,
    /// For each statement, the end of its uses; they begin at the end of the previous statement's uses.
    statements: Vec<u32>,
    /// The same for each branch; the first begins after the last statement.
    branches: Vec<u32>,
    /// For MOVE, ADD and SUBTRACT CORRESPONDING, the items without a matching item.
    without_partner: HashMap<usize, Vec<usize>>,
}

impl DefUse {
    /// Finds the uses of every statement and condition of a source.
    pub(crate) fn of(parsed: &ParsedCobol) -> Self {
        let mut finder = DefUseCollector::of(parsed);
        let statements = (0..parsed.statements.len()).map(|statement| finder.statement(statement)).collect();
        let branches = (0..parsed.branches.len()).map(|branch| finder.branch(branch)).collect();
        Self { uses: finder.uses, statements, branches, without_partner: finder.without_partner }
    }

    /// Returns the items of the first group of a CORRESPONDING that have no item with the same name in the other group; empty for other
    /// statements, and for groups with very many items.
    pub fn unmatched_items(&self, statement: usize) -> &[usize] {
        self.without_partner.get(&statement).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the uses of all statements and conditions.
    pub fn all(&self) -> &[ItemUse] {
        &self.uses
    }

    /// Returns the uses in the statement's own words, by its index.
    pub fn of_statement(&self, statement: usize) -> &[ItemUse] {
        let start = statement.checked_sub(1).map_or(0, |before| self.statements[before]);
        &self.uses[start as usize..self.statements[statement] as usize]
    }

    /// Returns the uses in the branch's condition, by its index.
    pub fn of_branch(&self, branch: usize) -> &[ItemUse] {
        let before = branch.checked_sub(1).map(|before| self.branches[before]);
        let start = before.or(self.statements.last().copied()).unwrap_or(0);
        &self.uses[start as usize..self.branches[branch] as usize]
    }

    /// Returns every use with the copybook and the line of the statement or condition that it is in, and the paragraph around it.
    pub fn with_places<'a>(&'a self, parsed: &'a ParsedCobol) -> impl Iterator<Item = (ItemUse, UsePlace<'a>)> {
        let place = |statement: &'a Statement, line: LineNumber| UsePlace {
            file: statement.file.as_deref(),
            line,
            paragraph: statement.paragraph,
        };
        let statements = parsed.statements.iter().enumerate().flat_map(move |(index, statement)| {
            let place = place(statement, statement.lines.start());
            self.of_statement(index).iter().map(move |used| (*used, place))
        });
        let branches = parsed.branches.iter().enumerate().flat_map(move |(index, branch)| {
            let place = place(&parsed.statements[branch.statement], branch.lines.start());
            self.of_branch(index).iter().map(move |used| (*used, place))
        });
        statements.chain(branches)
    }
}

/// Where an item is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsePlace<'a> {
    /// The copybook; `None` for the source itself.
    pub file: Option<&'a str>,
    /// The first line of the statement or condition.
    pub line: LineNumber,
    /// The index of the paragraph.
    pub paragraph: Option<usize>,
}

struct DefUseCollector<'a> {
    parsed: &'a ParsedCobol,
    names: NameResolver<'a>,
    uses: Vec<ItemUse>,
    without_partner: HashMap<usize, Vec<usize>>,
    /// For each item, the position of its last use.
    last: Vec<u32>,
    /// The start of the current statement's uses.
    start: usize,
    /// A reused buffer, so that not every name allocates memory.
    name: String,
    found: Vec<OperandSpan>,
}

impl<'a> DefUseCollector<'a> {
    fn of(parsed: &'a ParsedCobol) -> Self {
        Self {
            parsed,
            names: NameResolver::of(parsed),
            uses: Vec::new(),
            without_partner: HashMap::new(),
            last: vec![u32::MAX; parsed.data_items.len()],
            start: 0,
            name: String::new(),
            found: Vec::new(),
        }
    }

    /// Finds the uses of a statement; returns their end.
    fn statement(&mut self, index: usize) -> u32 {
        let statement = &self.parsed.statements[index];
        self.start = self.uses.len();
        if let Some(exec) = statement.exec {
            self.exec(exec, statement.program);
        } else {
            let words = self.parsed.words_after_verb(statement);
            let corresponds = words.first().is_some_and(|word| word.is_any(&["CORR", "CORRESPONDING"]));
            if !(corresponds && self.corresponding(index, statement)) {
                self.note_operands(statement.program, self.parsed.operands(statement));
            }
            if matches!(statement.verb, Verb::Accept | Verb::Display) {
                self.screens(statement);
            }
            self.files(statement);
        }
        to_u32(self.uses.len())
    }

    fn branch(&mut self, branch: usize) -> u32 {
        self.start = self.uses.len();
        let branch = &self.parsed.branches[branch];
        let program = self.parsed.statements[branch.statement].program;
        self.note_operands(program, self.parsed.condition_operands(branch));
        to_u32(self.uses.len())
    }

    fn note_operands<'o>(&mut self, program: Option<usize>, operands: impl Iterator<Item = Operand<'o>>) {
        for operand in operands {
            if let Some((item, doubt)) = self.find(program, operand) {
                self.note(item, manner(operand.role()) | doubt);
            }
        }
    }

    fn exec(&mut self, exec: usize, program: Option<usize>) {
        let exec = &self.parsed.execs[exec];
        for (text, role) in exec::options(exec) {
            self.note_expression(program, &CodeText::read(text), role);
        }
        for (name, role) in exec::host_variables(exec) {
            self.host_variable(program, name, role);
        }
        if let Some((name, role)) = exec::symbolic_map(exec)
            && let Some(found) = self.names.resolve(program, &name, &[])
        {
            self.note(found.item, manner(role));
        }
    }

    /// Notes what the fields of screens show and take, and the key that ends the input.
    fn screens(&mut self, statement: &'a Statement) {
        let parsed = self.parsed;
        let fields = parsed.screen_fields(statement);
        if statement.verb == Verb::Accept && (!fields.is_empty() || parsed.is_on_screen(statement)) {
            for (_, item) in parsed.set_by_system.iter().filter(|(program, _)| *program == statement.program) {
                if let Some(found) = self.names.resolve(statement.program, item, &[]) {
                    self.note(found.item, SET);
                }
            }
        }
        for field in fields {
            let (shows, takes) = (field.shows.as_deref(), field.takes.as_deref());
            let used = match statement.verb {
                Verb::Display => [shows.zip(Some(OperandRole::Read)), None],
                _ => [shows.filter(|_| shows == takes).zip(Some(OperandRole::Read)), takes.zip(Some(OperandRole::Set))],
            };
            for (text, role) in used.into_iter().flatten() {
                let code = CodeText::read(text);
                self.note_expression(statement.program, &code, role);
            }
        }
    }

    fn note_expression(&mut self, program: Option<usize>, code: &CodeText, role: OperandRole) {
        let mut found = std::mem::take(&mut self.found);
        operands::find_in_expression(code.words(), role, &mut found);
        self.note_operands(program, found.drain(..).map(|operand| Operand::new(operand, code.words())));
        self.found = found;
    }

    /// SQL writes the group before its item: `DCLAGENT.AGENT-NO`.
    fn host_variable(&mut self, program: Option<usize>, name: &str, role: OperandRole) {
        let mut parts = name.rsplit('.').map(str::to_uppercase);
        let name = parts.next().unwrap_or_default();
        let qualifiers: Vec<String> = parts.collect();
        if let Some((item, doubt)) = self.item(program, &name, &qualifiers) {
            self.note(item, manner(role) | doubt);
        }
    }

    /// Adds the implicit uses of a file operation.
    fn files(&mut self, statement: &'a Statement) {
        use Verb::{Close, Delete, Merge, Open, Read, Return, Rewrite, Sort, Start, Write};
        if !matches!(statement.verb, Open | Close | Read | Write | Rewrite | Delete | Start | Return | Sort | Merge) {
            return;
        }
        let is_record = |operand: &Operand<'_>| {
            matches!(statement.verb, Write | Rewrite) && operand.phrase() == OperandPhrase::First && !operand.is_inner()
        };
        for operand in self.parsed.operands(statement) {
            if (operand.role() == OperandRole::File || is_record(&operand))
                && let Some(file) = operand.file_names().find_map(|name| self.names.file(statement.program, &name))
            {
                self.operation(statement, file);
            }
        }
    }

    fn operation(&mut self, statement: &'a Statement, file: &'a FileControl) {
        let find = |this: &mut Self, name: &str, manner: u8| {
            if let Some(found) = this.names.resolve(file.program, name, &[]) {
                this.note(found.item, manner);
            }
        };
        let words = self.parsed.words(statement);
        let by_key = match statement.verb {
            Verb::Read => !(words.has("NEXT") || words.has("PREVIOUS")),
            Verb::Start | Verb::Delete => true,
            _ => false,
        };
        let at_random = file.access.as_deref().is_some_and(|access| access != "SEQUENTIAL");
        if let Some(key) = file.key.as_deref().filter(|_| by_key && at_random) {
            find(self, key, READ);
        }
        let reads = matches!(statement.verb, Verb::Read | Verb::Return);
        // Sequential access returns the record number.
        let is_relative = file.organization == "RELATIVE" && !(by_key && at_random);
        let in_sequence = reads || (statement.verb == Verb::Write && !at_random);
        if let Some(key) = file.key.as_deref().filter(|_| is_relative && in_sequence) {
            find(self, key, SET);
        }
        if let Some(length) = file.length_item.as_deref() {
            match statement.verb {
                _ if reads => find(self, length, SET),
                Verb::Write | Verb::Rewrite => find(self, length, READ),
                _ => {}
            }
        }
        if reads {
            file.records.iter().for_each(|record| find(self, record, SET));
        }
        // SORT and MERGE open the files that they use and give.
        let is_sort = matches!(statement.verb, Verb::Sort | Verb::Merge);
        if let Some(status) = file.status.as_deref().filter(|_| !is_sort) {
            find(self, status, SET);
        }
        let deletes = || statement.verb == Verb::Delete && words.has("FILE");
        let is_opened = file.path == Some(FilePath::Item) && (statement.verb == Verb::Open || is_sort || deletes());
        if let Some(path) = file.assign.as_deref().filter(|_| is_opened) {
            find(self, path, READ);
        }
    }

    /// Finds the item of an operand, and a mark if it is ambiguous.
    fn find(&mut self, program: Option<usize>, operand: Operand<'_>) -> Option<(usize, u8)> {
        if operand.kind() != OperandKind::Name || matches!(operand.role(), OperandRole::Label | OperandRole::File) {
            return None;
        }
        let mut name = std::mem::take(&mut self.name);
        name.clear();
        if operand.name().is_ascii() {
            name.push_str(operand.name());
            name.make_ascii_uppercase();
        } else {
            name.extend(operand.name().chars().flat_map(char::to_uppercase));
        }
        let qualifiers: Vec<String> = operand.qualifiers().map(str::to_uppercase).collect();
        let found = self.item(program, &name, &qualifiers);
        self.name = name;
        found
    }

    fn item(&self, program: Option<usize>, name: &str, qualifiers: &[String]) -> Option<(usize, u8)> {
        let found = self.names.resolve(program, name, qualifiers)?;
        let item = &self.parsed.data_items[found.item];
        let index = match item.level {
            88 => item.parent?,
            78 => return None,
            _ if item.attributes.constant => return None,
            _ => found.item,
        };
        Some((index, if found.is_ambiguous { AMBIGUOUS } else { 0 }))
    }

    /// Pairs the items of a group with those of one or several others. Returns false if the groups are unknown.
    fn corresponding(&mut self, index: usize, statement: &'a Statement) -> bool {
        let parsed = self.parsed;
        let inner = parsed.operands(statement).filter(|operand| operand.is_inner());
        self.note_operands(statement.program, inner);
        let mut operands = parsed.operands(statement).filter(|operand| !operand.is_inner());
        let Some(from) = operands.next() else { return true };
        let Some((source, doubt)) = self.find(statement.program, from) else { return false };
        for operand in operands {
            let Some((target, other)) = self.find(statement.program, operand) else { continue };
            let (mut pairs, mut without) = (Vec::new(), Vec::new());
            let complete = self.pairs(source, target, &mut pairs, &mut without);
            if complete && !without.is_empty() {
                self.without_partner.entry(index).or_default().extend(without);
            }
            let pairs = if complete { pairs } else { vec![(source, target)] };
            for (source, target) in pairs {
                self.note(source, READ | doubt);
                self.note(target, manner(operand.role()) | other);
            }
        }
        true
    }

    /// Finds the items that two groups contain under the same names; returns false if there are too many to list.
    fn pairs(&self, source: usize, target: usize, pairs: &mut Vec<(usize, usize)>, without: &mut Vec<usize>) -> bool {
        let items = &self.parsed.data_items;
        if [source, target].iter().any(|group| self.names.descendants(*group).len() > 3 * CORRESPONDING) {
            return false;
        }
        let children = |group: usize| {
            self.names.descendants(group).filter(move |item| {
                let item = &items[*item];
                item.parent == Some(group)
                    && item.level < 50
                    && item.name != "FILLER"
                    && item.redefines.is_none()
                    && item.occurs.is_none()
            })
        };
        let is_group = |item: usize| {
            items[item].picture.is_none() && self.names.descendants(item).any(|held| items[held].level < 50)
        };
        let mut open = vec![(source, target)];
        while let Some((source, target)) = open.pop() {
            let others: HashMap<&str, usize> = children(target).map(|item| (items[item].name.as_str(), item)).collect();
            for item in children(source) {
                match others.get(items[item].name.as_str()) {
                    Some(other) if is_group(item) && is_group(*other) => open.push((item, *other)),
                    Some(other) => pairs.push((item, *other)),
                    None => without.push(item),
                }
            }
            if pairs.len() > CORRESPONDING {
                return false;
            }
        }
        pairs.sort_unstable();
        true
    }

    fn note(&mut self, item: usize, manner: u8) {
        let last = self.last[item] as usize;
        match self.uses.get_mut(last).filter(|_| last >= self.start) {
            // An item that is passed and also used otherwise is no longer only passed.
            Some(known) => {
                let handed = known.manner & manner & HANDED_OVER;
                known.manner = ((known.manner | manner) & !HANDED_OVER) | handed;
            }
            None => {
                self.last[item] = to_u32(self.uses.len());
                self.uses.push(ItemUse { item: to_u32(item), manner });
            }
        }
    }
}

fn manner(role: OperandRole) -> u8 {
    match role {
        OperandRole::Read => READ,
        OperandRole::Set => SET,
        OperandRole::Both => READ | SET,
        OperandRole::Handed => READ | SET | HANDED_OVER,
        OperandRole::Label | OperandRole::File | OperandRole::Ignored => 0,
    }
}
