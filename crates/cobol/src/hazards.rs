//! What a maintainer should look at twice: loops that nothing ends, results that nothing tests, data that is cut or overwritten, constants
//! and comments that may be out of date, and what is declared or computed for nothing.
//!
//! Precision goes before completeness. A hazard is reported only where the types, the flow and the uses of data show it; where an item may
//! be used in a way that the source does not show (linkage, a missing copybook, an ambiguous name), nothing is reported.

mod arithmetic;
mod bounds;
mod commarea;
mod comment_lengths;
mod comments;
mod counters;
mod cut_groups;
mod dates;
mod dead_branches;
mod error_paths;
mod excluded_tests;
mod extents;
mod loop_bodies;
mod loops;
mod mistaken;
mod moves;
mod null_values;
mod number_limits;
mod overwritten;
mod redefinitions;
mod short_codes;
mod signs;
mod statuses;
mod storage;
mod tables;
mod undeclared;
mod unlimited_loops;
mod unused;
mod values;

#[cfg(test)]
mod tests;

use crate::analysis::Analysis;
use crate::code::WordSlice;
use crate::decisions::Condition;
use crate::model::{Branch, BranchKind, ParsedCobol, ReferenceKind};
use crate::named_words::NamedWords;
use crate::unique_items::UniqueItems;
use crate::verb::Verb;
use comments::comment_hazards;
use foldhash::HashSet;
use loop_bodies::LoopBodies;
use number_limits::NumberLimits;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;
use storage::Storage;
use war_rig_text::{LineNumber, LineRange, SourceText};

/// A kind of hazard, with what it is about. The weightiest come first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum HazardKind {
    /// Nothing in a loop changes what its UNTIL tests, and nothing leaves the loop.
    EndlessLoop {
        /// The condition after UNTIL.
        until: String,
        /// The items that it tests.
        items: Vec<String>,
    },
    /// Nothing is seen to test the result of an operation.
    UntestedStatus {
        /// The operation with its object: `READ of CARD-FILE`.
        operation: String,
        /// The item that holds the result.
        item: String,
    },
    /// Where an operation failed, the status of another file is shown, and not that of its own.
    OtherStatus {
        /// The operation with its file: `CLOSE of CARD-FILE`.
        operation: String,
        /// The status that is shown.
        item: String,
        /// The status of the operation's file.
        own: String,
    },
    /// Values that may be NULL reach items without indicator variables.
    NullUnseen {
        /// The values, as written.
        values: Vec<String>,
        /// Whether they are NULL where no row is found; else their columns may be.
        of_no_rows: bool,
    },
    /// SQLCODE is compared with the number of an error without its sign.
    SqlCodeSign {
        /// The number.
        code: u32,
    },
    /// Statements name an item that nothing declares.
    Undeclared {
        /// The name.
        item: String,
    },
    /// An ALTER changes where the GO TO of a paragraph leads.
    Altered {
        /// The paragraph.
        paragraph: String,
    },
    /// Control falls into a paragraph that other statements lead to only after failures.
    FallsIntoErrorPath {
        /// The paragraph before it.
        from: String,
        /// The paragraph.
        into: String,
    },
    /// A GO TO jumps out of what is performed, to a label that does nothing, and control does not come back.
    LeavesPerform {
        /// The label.
        label: String,
        /// The last paragraph of what is performed.
        performed: String,
        /// The paragraph that control goes on into.
        into: String,
    },
    /// A text gets a code with fewer digits than it has characters, and than its other codes have.
    ShortCode {
        /// The code.
        code: String,
        /// The text.
        item: String,
        /// Its length in characters.
        room: u64,
    },
    /// A condition that is never true, because a check before it leaves wherever it would be.
    ExcludedTest {
        /// The condition as written.
        test: String,
        /// The line of the check.
        check: LineNumber,
    },
    /// An ELSE with statements that is never taken, because what is around its IF holds only where the condition does.
    DeadElse {
        /// The condition as written.
        test: String,
        /// The line of the loop or condition around it.
        around: LineNumber,
    },
    /// An item without a sign is tested for less than 0.
    NeverNegative {
        /// The item.
        item: String,
    },
    /// An item is tested, but nothing sets it.
    NeverSet {
        /// The item.
        item: String,
        /// Its VALUE, which it always has; none if its contents are undefined.
        value: Option<String>,
    },
    /// An SQL statement passes an item to the database that nothing sets.
    UnsetInput {
        /// The item.
        item: String,
        /// The statement: `DECLARE CURSOR`.
        command: String,
    },
    /// An item is tested for values, but statements only set it to others.
    NeverHolds {
        /// The item.
        item: String,
        /// The values, each with its condition name.
        values: Vec<String>,
    },
    /// A phrase for the success of a statement belongs to another, which stands last in the phrase for its failure.
    NestedPhrase {
        /// The phrase: `NOT INVALID KEY`.
        phrase: String,
        /// The verb of the statement that it belongs to.
        verb: Verb,
        /// The verb of the statement around that, which has no such phrase.
        around: Verb,
    },
    /// A condition joins two equal tests.
    RepeatedTest {
        /// The test, as written.
        test: String,
    },
    /// Of two values of an item that OR joins, the tests that AND adds apply to one alone.
    OrBesideAnd {
        /// The test of the other value, which is enough.
        test: String,
        /// The tests that do not apply to it.
        others: String,
    },
    /// A communication area is used, but nothing asks whether there is one.
    UncheckedArea {
        /// The area.
        item: String,
    },
    /// A subscript lies outside its table.
    BeyondTable {
        /// The item with its subscripts, as written.
        subscripted: String,
        /// The value of the subscript.
        value: u64,
        /// The number of entries.
        entries: u32,
    },
    /// An item that is counted up without a limit is the subscript of a table.
    UncheckedSubscript {
        /// The item.
        item: String,
        /// The table.
        table: String,
        /// Its number of entries.
        entries: u32,
    },
    /// A redefinition is larger than what it redefines.
    LargerRedefinition {
        /// The redefinition.
        item: String,
        /// Its length in bytes.
        length: u64,
        /// The redefined item.
        redefined: String,
        /// The length of the redefined item.
        room: u64,
    },
    /// A MOVE cuts what it moves.
    Truncated {
        /// The sending item or literal.
        from: String,
        /// Its length in characters, or its digits before the decimal point.
        length: u64,
        /// The receiving item.
        to: String,
        /// The same for the receiving item.
        room: u64,
        /// Whether both are numbers, of which the leading digits are lost.
        is_numeric: bool,
    },
    /// A number is moved to a text that has room for its first digits alone.
    LastDigits {
        /// The number.
        item: String,
        /// Its digits.
        digits: u64,
        /// The text.
        to: String,
        /// Its characters.
        room: u64,
    },
    /// A difference is moved to a number without a sign.
    LostSign {
        /// The item that gets the difference.
        item: String,
        /// The number.
        to: String,
    },
    /// A MOVE cuts a group, which another MOVE brings back.
    GroupCut {
        /// The group.
        from: String,
        /// Its length in bytes.
        length: u64,
        /// The receiving item.
        to: String,
        /// Its length in bytes.
        room: u64,
        /// The items that do not fit, in order.
        lost: Vec<String>,
    },
    /// An edited item shows fewer digits than the numbers have that are moved to it.
    ShownCut {
        /// The most digits before the decimal point of what is moved to it.
        digits: u64,
        /// The edited item.
        item: String,
        /// The digits that it shows before the decimal point.
        room: u64,
    },
    /// What a STRING puts together is longer than the receiving item, and nothing tests for that.
    StringTooLong {
        /// The least number of characters that it puts together.
        length: u64,
        /// The receiving item.
        item: String,
        /// The characters of the receiving item.
        room: u64,
    },
    /// A MOVE moves an item to itself.
    MovedToItself {
        /// The item.
        item: String,
    },
    /// A CICS command gives an item a value of another length.
    OtherLength {
        /// The option: `ABSTIME`.
        option: &'static str,
        /// The item.
        item: String,
        /// Its length in bytes.
        length: u64,
        /// The bytes that CICS writes.
        written: u64,
    },
    /// An item is set again before anything reads it.
    SetTwice {
        /// The item.
        item: String,
    },
    /// The result of a calculation may have more digits than the receiving item, and nothing tests for that.
    MayOverflow {
        /// The expression.
        expression: String,
        /// The digits before the decimal point of its largest result.
        digits: u64,
        /// The receiving item.
        item: String,
        /// The digits before the decimal point of the receiving item.
        room: u64,
    },
    /// A counter of records may need more digits than it has.
    CountsTooFar {
        /// The counter.
        item: String,
        /// Its digits before the decimal point.
        room: u64,
    },
    /// A STRING fills an item that nothing ever clears: what it does not overwrite stays.
    NeverCleared {
        /// The item.
        item: String,
    },
    /// A file is opened, but never read or written.
    OpenedInVain {
        /// The file.
        file: String,
    },
    /// A file is declared, but never opened.
    NeverOpened {
        /// The file.
        file: String,
    },
    /// A batch program changes tables, but states no COMMIT and no ROLLBACK.
    NoCommit,
    /// The code states a date.
    HardCodedDate {
        /// The date, as written.
        date: String,
    },
    /// The code states the year from which a year of two digits belongs to another century.
    CenturyWindow {
        /// The condition.
        condition: String,
    },
    /// A comment states another length of a record than the record has.
    CommentedLength {
        /// The record or the file.
        record: String,
        /// The length in the comment.
        stated: u64,
        /// Its length in bytes.
        length: u64,
    },
    /// A comment names a paragraph that the source does not have.
    CommentedName {
        /// The name.
        name: String,
    },
    /// Control never reaches a paragraph.
    Unreached {
        /// The paragraph.
        paragraph: String,
    },
    /// An item is set, but nothing reads it.
    NeverRead {
        /// The item.
        item: String,
    },
    /// An item is declared, but never named again.
    NeverUsed {
        /// The item.
        item: String,
    },
    /// A copybook is copied, but none of its items is named.
    CopiedInVain {
        /// The copybook.
        copybook: String,
    },
}

/// A place that a maintainer should look at twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hazard {
    /// What it is about.
    pub kind: HazardKind,
    /// Its lines in the source.
    pub lines: Vec<LineRange>,
    /// The index of the program; none in a fragment.
    pub program: Option<usize>,
    /// Its place among those of its kind, in the order of statements and declarations: tells those of one line apart.
    order: usize,
}

/// Hazards of one source, equal ones as one with all their places.
#[derive(Default)]
struct FoundHazards(BTreeMap<(Option<usize>, HazardKind), FoundPlaces>);

/// Where a hazard was found.
struct FoundPlaces {
    lines: BTreeSet<LineRange>,
    order: usize,
}

impl FoundHazards {
    /// Adds one that is found in the order of statements or declarations.
    fn add(&mut self, kind: HazardKind, program: Option<usize>, lines: LineRange) {
        self.add_at(self.0.len(), kind, program, lines);
    }

    /// Adds one of a kind that is found in another order: `order` is that of the statements.
    fn add_at(&mut self, order: usize, kind: HazardKind, program: Option<usize>, lines: LineRange) {
        let places = self.0.entry((program, kind)).or_insert_with(|| FoundPlaces { lines: BTreeSet::new(), order });
        places.order = places.order.min(order);
        places.lines.insert(lines);
    }

    /// Returns the hazards in their order. That nothing sets an item is part of a loop that nothing ends.
    fn into_hazards(mut self) -> Vec<Hazard> {
        let looped: HashSet<(Option<usize>, String)> = self
            .0
            .keys()
            .filter_map(|(program, kind)| match kind {
                HazardKind::EndlessLoop { items, .. } => Some(items.iter().map(|item| (*program, item.clone()))),
                _ => None,
            })
            .flatten()
            .collect();
        self.0.retain(|(program, kind), _| match kind {
            HazardKind::NeverSet { item, .. } => !looped.contains(&(*program, item.clone())),
            _ => true,
        });
        let hazard = |((program, kind), FoundPlaces { lines, order })| Hazard {
            kind,
            lines: lines.into_iter().collect(),
            program,
            order,
        };
        self.0.into_iter().map(hazard).collect()
    }
}

/// What the search for hazards needs of a source.
#[derive(Clone, Copy)]
struct HazardContext<'a> {
    analysis: &'a Analysis,
    parsed: &'a ParsedCobol,
    items: &'a UniqueItems<'a>,
    storage: &'a Storage,
    limits: &'a NumberLimits,
}

/// Whether a loop asks behind each round: WITH TEST AFTER.
fn tests_after(words: WordSlice<'_>) -> bool {
    words.iter().zip(words.iter().skip(1)).any(|(word, next)| word.is("TEST") && next.is("AFTER"))
}

impl<'a> HazardContext<'a> {
    /// Returns the branch of an inline loop; none if the loop performs paragraphs.
    fn loop_branch(&self, perform: usize) -> Option<&'a Branch> {
        let branches = self.analysis.decisions().branches_of(perform).iter();
        branches.map(|branch| &self.parsed.branches[*branch]).find(|branch| branch.kind == BranchKind::Loop)
    }

    /// Returns the loops of a PERFORM, outermost first: the text before UNTIL and the condition.
    fn loops(&self, perform: usize) -> Vec<(WordSlice<'a>, Option<Condition>)> {
        let (parsed, statement) = (self.parsed, &self.parsed.statements[perform]);
        let inline = self.loop_branch(perform).map(|branch| parsed.condition(branch));
        self.analysis.decisions().loops(inline.unwrap_or_else(|| parsed.words(statement)), statement.program)
    }
}

/// Returns all hazards of a source, those in its comments too: the weightiest kinds first, within a kind in the order of the lines, those of one
/// line in that of the statements.
pub(crate) fn all_hazards(analysis: &Analysis, source: &SourceText) -> Vec<Hazard> {
    let mut all = hazards(analysis);
    all.extend(comment_hazards(analysis, source));
    all.sort_by(|one, other| (one.program, &one.kind).cmp(&(other.program, &other.kind)));
    let is_alike = |one: &Hazard, other: &Hazard| {
        (one.program, discriminant(&one.kind)) == (other.program, discriminant(&other.kind))
    };
    for alike in all.chunk_by_mut(is_alike) {
        alike.sort_by_key(|found| (found.lines.first().copied(), found.order));
    }
    all
}

/// Returns the hazards of each program; none in a fragment, whose data other sources may use.
pub(crate) fn hazards(analysis: &Analysis) -> Vec<Hazard> {
    let parsed = analysis.parsed();
    let mut found = FoundHazards::default();
    if parsed.programs.is_empty() {
        return Vec::new();
    }
    let (items, storage) = (UniqueItems::of(parsed), Storage::of(parsed));
    let limits = NumberLimits::of(analysis, &items, &storage);
    let context = HazardContext { analysis, parsed, items: &items, storage: &storage, limits: &limits };
    statuses::find(&context, &mut found);
    null_values::find(&context, &mut found);
    mistaken::find(&context, &mut found);
    short_codes::find(&context, &mut found);
    excluded_tests::find(&context, &mut found);
    signs::find(&context, &mut found);
    moves::find(&context, &mut found);
    cut_groups::find(&context, &mut found);
    overwritten::find(&context, &mut found);
    repeated_tests(&context, &mut found);
    arithmetic::find(&context, &mut found);
    dates::find(&context, &mut found);
    redefinitions::find(&context, &mut found);
    undeclared::find(&context, &mut found);
    // Statements that are missing may use and reach everything.
    if !parsed.is_copybook_missing("PROCEDURE") {
        let named = NamedWords::of(parsed);
        commarea::find(&context, &named, &mut found);
        unused::find(&context, &named, &mut found);
        values::find(&context, &mut found);
        dead_branches::find(&context, &mut found);
        unreached(&context, &mut found);
        error_paths::find(&context, &mut found);
        let mut bodies = LoopBodies::of(analysis);
        loops::find(&context, &mut bodies, &mut found);
        counters::find(&context, &mut bodies, &mut found);
        tables::find(&context, &mut bodies, &mut found);
        tables::find_unchecked(&context, &mut bodies, &mut found);
    }
    found.into_hazards()
}

impl ParsedCobol {
    /// Returns whether other programs share an item: it, or a group around it, is EXTERNAL or GLOBAL.
    fn is_shared(&self, item: usize) -> bool {
        let above = std::iter::successors(Some(item), |item| self.data_items[*item].parent);
        above.map(|item| self.data_items[item].attributes).any(|item| item.external || item.global)
    }
}

fn repeated_tests(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let (parsed, decisions) = (context.parsed, context.analysis.decisions());
    for (index, branch) in parsed.branches.iter().enumerate() {
        let statement = &parsed.statements[branch.statement];
        if statement.file.is_some() || branch.kind == BranchKind::Phrase {
            continue;
        }
        let Some(Condition::All(tests) | Condition::Any(tests)) = decisions.condition(index) else { continue };
        for (at, test) in tests.iter().enumerate() {
            if tests[..at].contains(test) {
                let kind = HazardKind::RepeatedTest { test: test.to_string() };
                found.add(kind, statement.program, LineRange::single(branch.lines.start()));
            }
        }
    }
}

fn unreached(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let (parsed, flow) = (context.parsed, context.analysis.control_flow());
    // ALTER sends control where no statement shows it.
    if parsed.references.iter().any(|reference| reference.kind == ReferenceKind::Alter) {
        return;
    }
    for (index, paragraph) in parsed.paragraphs.iter().enumerate() {
        let is_own = paragraph.file.is_none() && paragraph.has_label();
        if is_own && !flow.is_reachable(index) && !flow.is_label_only(index) {
            found.add(HazardKind::Unreached { paragraph: paragraph.name.clone() }, paragraph.program, paragraph.lines);
        }
    }
}
