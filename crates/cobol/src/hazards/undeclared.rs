//! Names in statements that nothing declares, in sources of which every copybook is known: a compiler refuses such a program.

use super::{FoundHazards, HazardContext, HazardKind};
use crate::named_words::may_declare_unseen;
use crate::operands::{Operand, OperandKind, OperandRole};
use crate::verb::Verb;
use foldhash::HashSet;
use war_rig_text::LineRange;

/// How the names of the copybooks of CICS and Db2, of special registers and of run-time systems begin.
const PREFIXES: &[&str] = &[
    "DFH", "EIB", "SQL", "DIB", "JSON-", "XML-", "SORT-", "DEBUG-", "SHIFT-", "COB-", "LINAGE-", "COMP-", "END-",
    "EXCEPTION-", "MODULE-", "SECONDS-PAST-",
];

/// The other special registers of IBM, ISO and older compilers.
const REGISTERS: &[&str] = &[
    "ADDRESS",
    "CURRENT-DATE",
    "LENGTH",
    "LINE-COUNTER",
    "NUMBER-OF-CALL-PARAMETERS",
    "PAGE-COUNTER",
    "RETURN-CODE",
    "TALLY",
    "TIME-OF-DAY",
    "WHEN-COMPILED",
    "DATE",
    "DAY",
    "TIME",
    "DAY-OF-WEEK",
    "OMITTED",
];

/// How names end that precompilers of SQL make of the names of items.
const MADE_BY_PRECOMPILERS: &[&str] = &["-LENGTH", "-LEN", "-DATA", "-ARR", "-NAME", "-TEXT"];

/// Verbs whose operands are data and nothing else.
const OF_DATA: &[Verb] = &[
    Verb::Move,
    Verb::Add,
    Verb::Subtract,
    Verb::Multiply,
    Verb::Divide,
    Verb::Compute,
    Verb::Initialize,
    Verb::String,
    Verb::Search,
];

pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let parsed = context.parsed;
    if may_declare_unseen(parsed) {
        return;
    }
    let indexes = parsed.data_items.iter().flat_map(|item| item.table.iter().flat_map(|table| &table.indexed_by));
    let mut declared: HashSet<&str> = parsed.data_items.iter().map(|item| item.name.as_str()).collect();
    declared.extend(indexes.map(AsRef::<str>::as_ref));
    declared.extend(parsed.files.iter().map(|file| file.name.as_str()));
    let is_data = |operand: &Operand<'_>| {
        operand.kind() == OperandKind::Name && !matches!(operand.role(), OperandRole::Ignored | OperandRole::Label)
    };
    for statement in parsed.statements.iter().filter(|found| found.file.is_none() && OF_DATA.contains(&found.verb)) {
        for operand in parsed.operands(statement).filter(is_data) {
            let name = operand.name().to_uppercase();
            let is_made = || {
                let base = MADE_BY_PRECOMPILERS.iter().find_map(|suffix| name.strip_suffix(suffix));
                base.is_some_and(|base| declared.contains(base))
            };
            let is_known = declared.contains(name.as_str())
                || is_made()
                || REGISTERS.contains(&name.as_str())
                || PREFIXES.iter().any(|prefix| name.starts_with(prefix));
            if !is_known && is_of_a_user(&name) && !operand.text().contains('(') {
                let line = LineRange::single(statement.lines.start());
                found.add(HazardKind::Undeclared { item: name }, statement.program, line);
            }
        }
    }
}

/// Whether a name cannot be a word of some compiler: it has letters and a hyphen, an underscore or a digit.
fn is_of_a_user(name: &str) -> bool {
    let is_mark = |c: char| c.is_ascii_digit() || matches!(c, '-' | '_');
    name.chars().all(|c| c.is_alphanumeric() || is_mark(c))
        && name.starts_with(char::is_alphabetic)
        && name.contains(is_mark)
}
