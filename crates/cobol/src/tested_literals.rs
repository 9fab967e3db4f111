//! Which of the literals that an item may contain are left where the program has tested it: under `WHEN TARGET = 'A'` only that one, and in the
//! cases behind it all others.

use crate::decisions::assigned_items;
use crate::def_use::DefUse;
use crate::index_groups::IndexGroups;
use crate::model::{Branch, BranchKind, ParsedCobol, Statement};
use crate::reaching_literals::ItemKey;
use crate::verb::Verb;
use foldhash::{HashMap, HashSet};
use std::cell::OnceCell;
use std::sync::Arc;
use war_rig_text::LineNumber;

/// Leaves each call and command by the name in an item the literals that the conditions around it leave.
pub(crate) fn keep_tested(parsed: &mut ParsedCobol) {
    let calls = parsed.calls.iter().filter(|call| call.candidates.len() > 1 && call.file.is_none());
    let calls = calls.map(|call| (call.lines.start(), call.target.clone()));
    let execs = parsed.execs.iter().filter(|exec| exec.candidates.len() > 1 && exec.file.is_none());
    let execs = execs.filter_map(|exec| Some((exec.lines.start(), exec.resource.clone()?)));
    let wanted: HashMap<LineNumber, String> = calls.chain(execs).collect();
    if wanted.is_empty() {
        return;
    }
    let tests = TestedItems::of(parsed);
    let statements = parsed.statements.iter().enumerate().filter(|(_, statement)| statement.file.is_none());
    let left: HashMap<LineNumber, LeftLiterals> = statements
        .filter_map(|(index, statement)| {
            let line = statement.lines.start();
            let target = wanted.get(&line)?;
            // A CALL has its target without subscripts.
            let written = parsed.operands(statement).next().filter(|_| statement.verb == Verb::Call);
            Some((line, tests.left_at(index, written.map_or(target, |operand| operand.text()))))
        })
        .collect();
    let keep = |candidates: &mut Arc<[(String, LineNumber)]>, line: LineNumber| {
        let Some(left) = left.get(&line) else { return };
        let kept: Vec<_> = candidates.iter().filter(|(value, _)| left.has(value)).cloned().collect();
        // A value that is not among the literals says that not all of them are known.
        if !kept.is_empty() && kept.len() < candidates.len() {
            *candidates = kept.into();
        }
    };
    parsed.calls.iter_mut().for_each(|call| keep(&mut call.candidates, call.lines.start()));
    parsed.execs.iter_mut().for_each(|exec| keep(&mut exec.candidates, exec.lines.start()));
}

/// What the conditions around a statement say of an item.
#[derive(Default)]
struct LeftLiterals {
    only: Option<String>,
    excluded: HashSet<String>,
}

impl LeftLiterals {
    fn has(&self, value: &str) -> bool {
        let value = value.trim().to_uppercase();
        self.only.as_ref().is_none_or(|only| *only == value) && !self.excluded.contains(&value)
    }
}

struct TestedItems<'a> {
    parsed: &'a ParsedCobol,
    /// The items that any statement assigns.
    assigned: HashSet<ItemKey>,
    /// The branches of each statement, in order.
    branches: IndexGroups,
    /// What the statements set, and the record in which each item lies, if an EXEC block asks for it.
    sets: OnceCell<(DefUse, Vec<usize>)>,
}

impl<'a> TestedItems<'a> {
    fn of(parsed: &'a ParsedCobol) -> Self {
        let items = |statement: &Statement| {
            let program = statement.program;
            assigned_items(parsed, statement).into_iter().map(move |item| (program, item))
        };
        let assigned = parsed.statements.iter().flat_map(items).collect();
        Self { parsed, assigned, branches: IndexGroups::of_branches(parsed), sets: OnceCell::new() }
    }

    /// Returns what the conditions around a statement leave of the literals of an operand.
    fn left_at(&self, statement: usize, target: &str) -> LeftLiterals {
        let mut left = LeftLiterals::default();
        let mut at = statement;
        while let Some(branch) = self.parsed.statements[at].branch {
            let around = &self.parsed.branches[branch];
            if self.may_change(around.statement, statement, target) {
                break;
            }
            if let Some(literal) = self.equal_literal(around, target) {
                left.only.get_or_insert(literal);
            }
            let cases = self.branches.get(around.statement);
            let before = cases.iter().take_while(|case| **case < branch).map(|case| &self.parsed.branches[*case]);
            left.excluded.extend(before.filter_map(|case| self.equal_literal(case, target)));
            at = around.statement;
        }
        left
    }

    /// Whether a statement between a condition and a later statement may assign the operand, or what it is subscripted with.
    fn may_change(&self, condition: usize, statement: usize, target: &str) -> bool {
        let program = self.parsed.statements[statement].program;
        let is_assigned = |name: &str| self.assigned.contains(&(program, name.to_uppercase()));
        names(target).filter(|name| is_assigned(name)).any(|name| {
            (condition + 1..statement).any(|at| {
                let other = &self.parsed.statements[at];
                match other.verb {
                    Verb::Perform | Verb::Call => true,
                    Verb::Exec => self.exec_sets(at, name),
                    _ => assigned_items(self.parsed, other).iter().any(|item| item.eq_ignore_ascii_case(name)),
                }
            })
        })
    }

    /// Whether an EXEC block sets something in the record of an item of this name.
    fn exec_sets(&self, statement: usize, name: &str) -> bool {
        let (uses, records) = self.sets.get_or_init(|| (DefUse::of(self.parsed), self.parsed.records_by_storage()));
        let set = uses.of_statement(statement).iter().filter(|used| used.is_set()).map(|used| records[used.item()]);
        let set: HashSet<usize> = set.collect();
        let mut items = self.parsed.data_items.iter().zip(records);
        items.any(|(item, record)| set.contains(record) && item.name.eq_ignore_ascii_case(name))
    }

    /// Returns the literal that the operand has where a branch is taken, if that is all that its condition says.
    fn equal_literal(&self, branch: &Branch, target: &str) -> Option<String> {
        let words = self.parsed.condition(branch);
        let mut operands = self.parsed.condition_operands(branch).filter(|operand| !operand.is_inner());
        let (first, second) = (operands.next()?, operands.next());
        let literal = match (branch.kind, second) {
            (BranchKind::If | BranchKind::When, Some(literal)) if is_same(first.text(), target) => {
                let relation = words.slice(first.end()..literal.start());
                let is_equal = !relation.is_empty()
                    && relation.iter().all(|word| word.is_any(&["IS", "EQUAL", "EQUALS", "TO"]) || word.is_sign("="));
                (is_equal && first.start() == 0).then_some(literal)?
            }
            (BranchKind::When, None) => {
                let mut subjects = self.parsed.operands(&self.parsed.statements[branch.statement]);
                subjects.next().filter(|subject| is_same(subject.text(), target))?;
                (first.start() == 0).then_some(first)?
            }
            _ => return None,
        };
        let is_all = literal.end() == words.len() && literal.text().starts_with(['\'', '"']);
        is_all.then(|| literal.text().trim_matches(['\'', '"']).trim().to_uppercase())
    }
}

/// Whether two operands are written alike, but for blanks and the case of letters.
fn is_same(one: &str, other: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    letters(one).eq_ignore_ascii_case(&letters(other))
}

/// Returns the names in an operand: its own, its qualifiers and its subscripts.
fn names(operand: &str) -> impl Iterator<Item = &str> {
    operand.split([' ', '(', ')', ',', ':', '+']).filter(|name| name.contains(|c: char| c.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use crate::{LexedSource, NoCopybooks, parse};
    use std::sync::Arc;
    use war_rig_text::{ReadOptions, SourceFormat, SourceText};

    /// Checks which programs the calls of a program may name.
    #[track_caller]
    fn check(code: &str, expected: &[&[&str]]) {
        let text = format!(
            "IDENTIFICATION DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 I PIC 9.\n\
             01 V.\n  05 PIC X(8) VALUE 'A'.\n  05 PIC X(8) VALUE 'B'.\n  05 PIC X(8) VALUE 'C'.\n\
             01 T REDEFINES V.\n  05 N PIC X(8) OCCURS 3.\nPROCEDURE DIVISION.\n{code}"
        );
        let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
        let source = SourceText::read("T.cbl", text.into_bytes(), &options).unwrap();
        let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
        let found = parsed.calls.iter().map(|call| call.candidates.iter().map(|(name, _)| name.as_str()).collect());
        let found: Vec<Vec<&str>> = found.collect();
        assert_eq!(found, expected.iter().map(|names| names.to_vec()).collect::<Vec<_>>());
    }

    #[test]
    fn a_tested_name_is_the_only_one_and_no_other_case_has_it() {
        check(
            "EVALUATE TRUE\n  WHEN N(I) = 'B' CALL N(I)\n  WHEN N (I) IS EQUAL TO 'A' CONTINUE\n  WHEN OTHER CALL N(I)\nEND-EVALUATE.\n",
            &[&["B"], &["C"]],
        );
        check("EVALUATE N(I)\n  WHEN 'B' CALL N(I)\n  WHEN OTHER CALL N(I)\nEND-EVALUATE.\n", &[&["B"], &["A", "C"]]);
        let inquire = |option: &str| format!("EXEC CICS INQUIRE PROGRAM(N(I)) {option} END-EXEC");
        check(&format!("IF N(I) = 'A'\n  {} CALL N(I).\nMOVE 1 TO I.\n", inquire("NOHANDLE")), &[&["A"]]);
        check(
            "IF N(I) = 'A'\n  CALL N(I)\nELSE\n  CALL N(I)\nEND-IF\nCALL N(I).\n",
            &[&["A"], &["B", "C"], &["A", "B", "C"]],
        );
    }

    #[test]
    fn what_says_more_or_less_leaves_all() {
        let all: &[&str] = &["A", "B", "C"];
        check("IF N(I) NOT = 'A' CALL N(I).\n", &[all]);
        check("IF N(I) = 'A' OR I = 2 CALL N(I).\n", &[all]);
        check("IF N(2) = 'A' CALL N(I).\n", &[all]);
        check("IF N(I) = 'A' ADD 1 TO I CALL N(I).\n", &[all]);
        check("IF N(I) = 'A' PERFORM P CALL N(I).\nGOBACK.\nP. MOVE 2 TO I.\n", &[all]);
        check("IF N(I) = 'Z' CALL N(I).\n", &[all]);
        check("IF N(I) = 'A' EXEC CICS ASSIGN ABCODE(I) END-EXEC CALL N(I).\nMOVE 1 TO I.\n", &[all]);
    }
}
