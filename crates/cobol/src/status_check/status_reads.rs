//! Where a source reads statuses, whatever it makes of them.

use crate::analysis::Analysis;
use crate::control_flow::ControlFlowGraph;
use crate::decisions::Decisions;
use crate::index_groups::IndexGroups;
use crate::model::{BranchKind, DataItem, ExecKind, FileControl, ParsedCobol, ReferenceKind, Statement};
use crate::operands::{Operand, OperandPhrase, OperandRole};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// How many PERFORMs are followed back from an operation to the statements behind them, each once; of more, one may test.
const CALLERS_FOLLOWED: usize = 64;

/// How many PERFORMs and GO TOs are followed from an operation into paragraphs.
const PARAGRAPHS_ENTERED: usize = 4;

/// How many statements behind an operation are looked at; behind more, one may test.
const STATEMENTS_FOLLOWED: usize = 500;

/// How many pairs of paragraphs are followed, of which one enters the other.
const ENTRIES_FOLLOWED: usize = 1_000_000;

/// What SQL reports its results in. Db2 for z/OS, SQLCA.
const OF_SQL: [&str; 5] = ["SQLCODE", "SQLSTATE", "SQLERRD", "SQLWARN0", "SQLCA"];

/// What a reader looks for.
#[derive(Clone, Copy)]
pub(crate) enum SoughtStatus<'s> {
    /// The status in an item.
    Item(&'s str),
    /// The results of SQL.
    OfSql,
}

impl SoughtStatus<'_> {
    fn is_named(self, name: &str) -> bool {
        match self {
            Self::Item(item) => name.eq_ignore_ascii_case(item),
            Self::OfSql => OF_SQL.contains(&name),
        }
    }
}

/// A search for what reads the status of an operation.
#[derive(Clone, Copy)]
struct StatusSearch<'s> {
    operation: usize,
    status: SoughtStatus<'s>,
    /// Whether a statement counts that reads the status.
    counts: &'s dyn Fn(usize) -> bool,
}

/// Where the source reads statuses.
pub(crate) struct StatusReads<'a> {
    parsed: &'a ParsedCobol,
    /// The files by program and name, and by the names of their records.
    files: HashMap<(Option<usize>, String), &'a FileControl>,
    decisions: Decisions<'a>,
    flow: &'a ControlFlowGraph,
    /// The names of the items that share bytes with statuses, and of their condition names, each with these statuses.
    shared: HashMap<&'a str, Vec<&'a str>>,
    /// The statements of each paragraph.
    of_paragraph: IndexGroups,
    /// The statuses that each paragraph names, and those that it performs or goes to.
    named: Vec<HashSet<String>>,
    /// The ranges of paragraphs that a statement performs or goes to.
    entered: HashMap<usize, Vec<(usize, usize)>>,
    /// For each paragraph the PERFORMs of ranges that end with it.
    performed_by: Vec<Vec<usize>>,
}

impl<'a> StatusReads<'a> {
    pub(crate) fn of(analysis: &'a Analysis) -> Self {
        let (parsed, decisions, flow) = (analysis.parsed(), analysis.decisions(), analysis.control_flow());
        let mut files = HashMap::new();
        for file in &parsed.files {
            for name in file.records.iter().chain([&file.name]) {
                files.entry((file.program, name.to_uppercase())).or_insert(file);
            }
        }
        let count = parsed.paragraphs.len();
        let mut reads = Self {
            parsed,
            files,
            decisions,
            flow,
            shared: sharing_items(analysis),
            of_paragraph: IndexGroups::of(count, parsed.statements.iter().map(|statement| statement.paragraph)),
            named: vec![HashSet::new(); count],
            entered: HashMap::new(),
            performed_by: vec![Vec::new(); count],
        };
        for (index, statement) in parsed.statements.iter().enumerate() {
            let Some(paragraph) = statement.paragraph else { continue };
            let compares = compares(statement);
            let is_status = |name: &String| {
                analysis.status_checks().is_status_item(name)
                    || compares && reads.shared.contains_key(name.as_str())
                    || OF_SQL.contains(&name.as_str())
            };
            let named: Vec<String> = reads.names(index).filter(is_status).collect();
            reads.named[paragraph].extend(named);
        }
        let mut entered_from: Vec<Vec<usize>> = vec![Vec::new(); count];
        let (mut followed, mut entries) = (HashSet::new(), 0);
        for (index, reference) in parsed.references.iter().enumerate() {
            let is_entry = matches!(reference.kind, ReferenceKind::Perform | ReferenceKind::GoTo);
            let (Some(statement), Some((first, last))) = (reference.statement, flow.reference_span(index)) else {
                continue;
            };
            if !is_entry {
                continue;
            }
            reads.entered.entry(statement).or_default().push((first, last));
            if reference.kind == ReferenceKind::Perform {
                reads.performed_by[last].push(statement);
            }
            let Some(from) = reference.paragraph.filter(|from| followed.insert((*from, first, last))) else { continue };
            let entered = &mut entered_from[first..=last.max(first)];
            entries += entered.len();
            if entries < ENTRIES_FOLLOWED {
                entered.iter_mut().for_each(|all| all.push(from));
            }
        }
        reads.spread(&entered_from);
        reads
    }

    /// Gives each paragraph what those name that it enters.
    fn spread(&mut self, entered_from: &[Vec<usize>]) {
        let mut open: Vec<usize> =
            (0..self.named.len()).filter(|paragraph| !self.named[*paragraph].is_empty()).collect();
        while let Some(paragraph) = open.pop() {
            for from in entered_from[paragraph].iter().copied().filter(|from| *from != paragraph) {
                let new: Vec<String> = self.named[paragraph].difference(&self.named[from]).cloned().collect();
                if !new.is_empty() {
                    self.named[from].extend(new);
                    open.push(from);
                }
            }
        }
    }

    /// Returns whether a name is that of a status, of an item that shares bytes with it, or of a condition name of one of these.
    fn is_about(&self, name: &str, status: SoughtStatus<'_>) -> bool {
        status.is_named(name) || self.shares(name, status)
    }

    /// Returns whether a name is that of an item that shares bytes with a status, or of a condition name.
    fn shares(&self, name: &str, status: SoughtStatus<'_>) -> bool {
        self.shared.get(name).is_some_and(|of| of.iter().any(|of| status.is_named(of)))
    }

    /// Returns whether a statement names a status, or compares what shares bytes with it. To set, move or show that is no test.
    fn reads(&self, statement: usize, search: StatusSearch<'_>) -> bool {
        let compares = compares(&self.parsed.statements[statement]);
        let is_it = |name: String| search.status.is_named(&name) || compares && self.shares(&name, search.status);
        (search.counts)(statement) && self.names(statement).any(is_it)
    }

    /// Returns the names of the items that share bytes with a status, and of their condition names, in no order.
    pub(crate) fn names_about(&self, status: &str) -> impl Iterator<Item = &'a str> {
        let about = self.shared.iter().filter(move |(_, of)| of.iter().any(|of| of.eq_ignore_ascii_case(status)));
        about.map(|(name, _)| *name)
    }

    /// Returns the files that a statement opens, reads, changes or closes.
    pub(crate) fn files_of(&self, statement: &Statement) -> Vec<&'a FileControl> {
        use Verb::{Close, Delete, Open, Read, Rewrite, Start, Write};
        if !matches!(statement.verb, Close | Delete | Open | Read | Rewrite | Start | Write) {
            return Vec::new();
        }
        let is_record = matches!(statement.verb, Write | Rewrite);
        let of_files = self.parsed.operands(statement).filter(|operand| {
            let is_first = operand.phrase() == OperandPhrase::First && !operand.is_inner();
            operand.role() == OperandRole::File || (is_record && is_first)
        });
        let file = |operand: Operand<'_>| {
            operand.file_names().find_map(|name| self.files.get(&(statement.program, name)).copied())
        };
        of_files.filter_map(file).collect()
    }

    /// Returns the files of an operation whose statuses a branch asks for by name; all of them if it names none.
    pub(crate) fn tested_files(&self, operation: usize, branch: usize) -> Vec<&'a FileControl> {
        let all = self.files_of(&self.parsed.statements[operation]);
        if all.len() < 2 {
            return all;
        }
        // An ELSE asks for what the first condition of its statement names.
        let test = self.parsed.branches[branch].statement;
        let asking = self.decisions.branches_of(test).first().copied().into_iter().chain([branch]);
        let conditions = asking.flat_map(|asking| self.parsed.condition(&self.parsed.branches[asking]).iter());
        let words = self.parsed.words(&self.parsed.statements[test]).iter().chain(conditions);
        let names: HashSet<String> = words.map(|word| word.text.to_uppercase()).collect();
        let is_named = |status: &String| names.iter().any(|name| self.is_about(name, SoughtStatus::Item(status)));
        let named: Vec<_> = all.iter().copied().filter(|file| file.status.as_ref().is_some_and(is_named)).collect();
        if named.is_empty() { all } else { named }
    }

    /// Returns the words of a statement and of its conditions, in upper case.
    fn names(&self, statement: usize) -> impl Iterator<Item = String> + '_ {
        let own = self.parsed.words(&self.parsed.statements[statement]).iter();
        let branches = self.decisions.branches_of(statement).iter();
        let conditions = branches.flat_map(|branch| self.parsed.condition(&self.parsed.branches[*branch]).iter());
        own.chain(conditions).map(|word| word.text.to_uppercase())
    }

    /// Returns whether the program reads a status after an operation and before the next one: in the rest of its paragraph, in paragraphs
    /// that control goes to meanwhile, or behind the PERFORM that it returns to.
    pub(crate) fn follow(&self, operation: usize, status: SoughtStatus<'_>) -> bool {
        self.follow_from(operation, StatusSearch { operation, status, counts: &|_| true }, &mut HashSet::new())
    }

    /// Returns the same for what comes behind a test of the status, where only some statements count.
    pub(crate) fn follow_test(
        &self,
        operation: usize,
        test: usize,
        status: SoughtStatus<'_>,
        counts: &dyn Fn(usize) -> bool,
    ) -> bool {
        self.follow_from(test, StatusSearch { operation, status, counts }, &mut HashSet::new())
    }

    /// Follows control from a statement; `seen` has the PERFORMs that were followed back.
    fn follow_from(&self, from: usize, search: StatusSearch<'_>, seen: &mut HashSet<usize>) -> bool {
        let statements = &self.parsed.statements;
        let paragraph = statements[from].paragraph;
        // A loop around it tests before the next round.
        let mut around = statements[from].branch;
        while let Some(branch) = around.map(|branch| &self.parsed.branches[branch]) {
            if branch.kind == BranchKind::Loop && self.reads(branch.statement, search) {
                return true;
            }
            around = statements[branch.statement].branch;
        }
        let reads = |paragraph: usize| self.may_read(paragraph, search, PARAGRAPHS_ENTERED);
        // Control comes to one branch of a statement alone: what the others do comes in another round, if at all.
        let own: HashMap<usize, usize> = self
            .decisions
            .enclosing_branches(from)
            .map(|branch| (self.parsed.branches[branch].statement, branch))
            .collect();
        let is_of_another_branch = |index: usize| {
            let mut around = self.decisions.enclosing_branches(index);
            !own.is_empty()
                && around.any(|branch| {
                    own.get(&self.parsed.branches[branch].statement).is_some_and(|other| *other != branch)
                })
        };
        for (index, next) in statements.iter().enumerate().skip(from + 1) {
            if next.paragraph != paragraph {
                break;
            }
            if index - from > STATEMENTS_FOLLOWED {
                return true;
            }
            if self.replaces(search, next) && !is_of_another_branch(index) {
                return false;
            }
            if self.reads(index, search) {
                return true;
            }
            let entered = self.entered.get(&index).into_iter().flatten();
            if entered.flat_map(|(first, last)| *first..=*last.max(first)).any(reads) {
                return true;
            }
        }
        let Some(paragraph) = paragraph else { return false };
        // Control may fall into the next paragraph, and through a label that ends a range.
        let mut last = paragraph;
        while self.flow.falls_through(last) && last + 1 < self.named.len() {
            last += 1;
            if reads(last) {
                return true;
            }
            if !self.flow.is_label_only(last) {
                break;
            }
        }
        let ends = if last == paragraph { vec![paragraph] } else { vec![paragraph, last] };
        for perform in ends.iter().flat_map(|end| &self.performed_by[*end]) {
            if seen.contains(perform) {
                continue;
            }
            // What was not looked at may test it.
            if seen.len() == CALLERS_FOLLOWED {
                return true;
            }
            seen.insert(*perform);
            if self.reads(*perform, search) || self.follow_from(*perform, search, seen) {
                return true;
            }
        }
        false
    }

    /// Whether a paragraph, or one that it enters, may read a status before another operation sets it.
    fn may_read(&self, paragraph: usize, search: StatusSearch<'_>, most: usize) -> bool {
        if !self.named[paragraph].iter().any(|name| self.is_about(name, search.status)) {
            return false;
        }
        for index in self.of_paragraph.get(paragraph) {
            let next = &self.parsed.statements[*index];
            if next.branch.is_none() && self.replaces(search, next) {
                return false;
            }
            if next.exec.is_none() && self.reads(*index, search) {
                return true;
            }
            let entered = self.entered.get(index).into_iter().flatten();
            let mut entered = entered.flat_map(|(first, last)| *first..=*last.max(first));
            if entered.any(|inner| most == 0 || self.may_read(inner, search, most - 1)) {
                return true;
            }
        }
        false
    }

    /// Whether a statement is another operation that sets the same status.
    fn replaces(&self, search: StatusSearch<'_>, next: &Statement) -> bool {
        let is_status = |name: &str| self.is_about(name, search.status);
        let kind = |exec: usize| self.parsed.execs[exec].kind;
        // A CICS command sets an item of its own only if it has RESP with it.
        let sets = |exec: usize| {
            let item = self.parsed.execs[exec].option("RESP").map(|item| item.trim().to_uppercase());
            kind(exec) != ExecKind::Cics || is_status("EIBRESP") || item.is_some_and(|item| is_status(&item))
        };
        match (self.parsed.statements[search.operation].exec, next.exec) {
            (Some(own), Some(next)) => kind(own) == kind(next) && sets(next),
            (None, Some(_)) => false,
            (_, None) => self.files_of(next).iter().any(|file| file.status.as_deref().is_some_and(is_status)),
        }
    }
}

/// Whether the operands of a statement stand in conditions, or are what its cases compare.
fn compares(statement: &Statement) -> bool {
    matches!(statement.verb, Verb::If | Verb::Evaluate | Verb::Perform | Verb::Search)
}

/// Returns the names of the items that share bytes with statuses, groups and redefinitions included, and of their condition names.
fn sharing_items(analysis: &Analysis) -> HashMap<&str, Vec<&str>> {
    let parsed = analysis.parsed();
    let storage = analysis.storage();
    // The results of SQL are parts of SQLCA, which has other parts too.
    let is_status = |item: &DataItem| {
        let is_of_sql = OF_SQL.contains(&&*item.name) && item.name != "SQLCA";
        item.level != 88 && (is_of_sql || analysis.status_checks().is_status_item(&item.name))
    };
    let statuses = (0..parsed.data_items.len()).filter(|item| is_status(&parsed.data_items[*item]));
    let mut of_record: HashMap<usize, Vec<usize>> = HashMap::new();
    for status in statuses {
        of_record.entry(storage.place(status).0).or_default().push(status);
    }
    let mut shared: HashMap<&str, Vec<&str>> = HashMap::new();
    for (index, item) in parsed.data_items.iter().enumerate().filter(|(_, item)| item.name != "FILLER") {
        // A condition name has the bytes of its item.
        let item_with_bytes = item.parent.filter(|_| item.level == 88).unwrap_or(index);
        let of_same_record = of_record.get(&storage.place(item_with_bytes).0).into_iter().flatten();
        let sharing = of_same_record.filter(|status| storage.overlap(**status, item_with_bytes));
        let names = sharing.map(|status| parsed.data_items[*status].name.as_str()).filter(|name| *name != item.name);
        let mut names = names.peekable();
        if names.peek().is_some() {
            shared.entry(&item.name).or_default().extend(names);
        }
    }
    shared
}
