//! What the parser knows in the lines of a chunk, as items with short ids that an answer about the chunk can name.
//!
//! An id is the letter of a kind and a number: `P3` is the third paragraph of the chunk. Numbers count the items of a kind in the
//! order of their lines, so an edit outside the chunk changes no id in it. Who shows the list and who reads the ids build the same one.

use crate::Analysis;
use crate::access::ResourceKind;
use crate::control_flow::ControlFlowGraph;
use crate::decisions::{Decision, DecisionEffect, Decisions};
use crate::model::{BranchKind, CallKind, ExecBlock, ExecKind, FileControl, ParagraphHead, ParsedCobol};
use crate::operands::OperandPhrase;
use crate::status_check::OperationStatus;
use foldhash::{HashMap, HashMapExt, HashSet};
use war_rig_text::{LineNumber, LineRange, LineSpans};

/// How many consequences of one decision are named.
const NAMED: usize = 2;

/// The kind of a listed item. The most useful kinds come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ListedKind {
    /// A paragraph or a main line.
    Paragraph,
    /// A call: CALL, LINK or XCTL.
    Call,
    /// A CICS command other than a call.
    CicsCommand,
    /// An SQL statement.
    SqlStatement,
    /// A file, table, map, queue, segment or parameter, whatever its direction.
    Resource,
    /// A test that finds that an operation failed or has no more data.
    StatusTest,
    /// A decision, or a figure that is computed without a condition.
    Decision,
    /// A copybook.
    Copybook,
}

impl ListedKind {
    /// Returns the letter that begins its ids.
    pub fn letter(self) -> char {
        match self {
            ListedKind::Paragraph => 'P',
            ListedKind::Call => 'L',
            ListedKind::CicsCommand => 'C',
            ListedKind::SqlStatement => 'S',
            ListedKind::Resource => 'F',
            ListedKind::StatusTest => 'E',
            ListedKind::Decision => 'D',
            ListedKind::Copybook => 'B',
        }
    }
}

/// A thing in the lines of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedItem {
    /// Its kind.
    pub kind: ListedKind,
    /// Its number among the items of its kind in the chunk, from 1.
    pub number: usize,
    /// Its lines of the file in the chunk, in order; never empty. A resource has those of each operation.
    pub lines: Vec<LineRange>,
    /// The name under which a document has it; for a figure its first target, for other decisions and tests the condition.
    pub name: String,
    /// What distinguishes it from others of its name in a document: a section, a kind of call, a table or resource.
    pub detail: Option<String>,
    /// The condition of a decision or test, close to the words of the source.
    pub condition: Option<String>,
    /// A description in the words of the source.
    pub text: String,
    /// Whether it is only a label, about which there is little to say.
    pub is_label_only: bool,
}

impl ListedItem {
    /// Returns its id: `P3`.
    pub fn id(&self) -> String {
        format!("{}{}", self.kind.letter(), self.number)
    }

    /// Returns its description after its id and its rows, counted from the first line of the chunk: `L1 57 CALL 'DATECALC' (static)`. A
    /// resource is named on many rows, so that its own are not listed.
    pub fn row(&self, first: LineNumber) -> String {
        let row = |line: LineNumber| line.get().saturating_sub(first.get()) + 1;
        let rows = match self.lines.first().filter(|_| self.kind != ListedKind::Resource) {
            Some(lines) if lines.start() == lines.end() => format!(" {}", row(lines.start())),
            Some(lines) => format!(" {}-{}", row(lines.start()), row(lines.end())),
            None => String::new(),
        };
        format!("{}{rows} {}", self.id(), self.text)
    }
}

/// The things of a file that can be listed, each kind in the order of its lines.
#[derive(Debug)]
pub struct ListedItems<'a> {
    parsed: &'a ParsedCobol,
    flow: &'a ControlFlowGraph,
    decisions: Decisions<'a>,
    paragraphs: LineSpans<usize>,
    calls: LineSpans<usize>,
    cics: LineSpans<usize>,
    sql: LineSpans<usize>,
    copies: LineSpans<usize>,
    uses: LineSpans<ResourceUse<'a>>,
    tests: LineSpans<usize>,
    decided: LineSpans<DecisionAnchor>,
}

/// The use of a resource in one place.
#[derive(Debug, Clone, Copy)]
struct ResourceUse<'a> {
    kind: &'a ResourceKind,
    name: &'a str,
    /// `READ NEXT`; none where a file is only selected.
    operation: Option<&'a str>,
}

/// What decides.
#[derive(Debug, Clone, Copy)]
enum DecisionAnchor {
    /// A branch; for an ELSE also the line of the IF that it is listed with.
    Branch(usize, Option<LineNumber>),
    /// A statement that computes a figure.
    Figure(usize),
}

impl<'a> ListedItems<'a> {
    /// Indexes a file.
    pub fn of(analysis: &'a Analysis) -> Self {
        let parsed = analysis.parsed();
        let paragraphs = parsed.paragraphs.iter().enumerate().filter(|(_, found)| found.file.is_none());
        let calls = parsed.calls.iter().enumerate().filter(|(_, found)| found.file.is_none());
        let as_calls: HashSet<LineRange> = calls
            .clone()
            .filter(|(_, call)| matches!(call.kind, CallKind::CicsLink | CallKind::CicsXctl))
            .map(|(_, call)| call.lines)
            .collect();
        let execs = |kind: ExecKind| {
            let own = parsed.execs.iter().enumerate().filter(move |(_, exec)| exec.kind == kind);
            own.filter(|(_, exec)| exec.file.is_none() && !exec.command.is_empty())
        };
        let is_call = |exec: &ExecBlock| matches!(&*exec.command, "LINK" | "XCTL") && as_calls.contains(&exec.lines);
        let copies = parsed.copies.iter().enumerate().filter(|(_, found)| found.file.is_none());
        Self {
            parsed,
            flow: analysis.control_flow(),
            decisions: analysis.decisions(),
            paragraphs: LineSpans::of(paragraphs.map(|(index, found)| (found.lines, index))),
            calls: LineSpans::of(calls.map(|(index, found)| (found.lines, index))),
            cics: LineSpans::of(
                execs(ExecKind::Cics).filter(|(_, exec)| !is_call(exec)).map(|(index, exec)| (exec.lines, index)),
            ),
            sql: LineSpans::of(execs(ExecKind::Sql).map(|(index, exec)| (exec.lines, index))),
            copies: LineSpans::of(copies.map(|(index, found)| (found.lines, index))),
            uses: LineSpans::of(uses(analysis)),
            tests: LineSpans::of(tests(analysis)),
            decided: LineSpans::of(decided(analysis)),
        }
    }

    /// Returns the items of a chunk by kind, each kind in the order of its lines: paragraphs that have lines in it, and other things that
    /// begin in it.
    pub fn in_chunk(&self, chunk: LineRange) -> Vec<ListedItem> {
        let parsed = self.parsed;
        let mut items = Vec::new();
        let mut add = |kind: ListedKind, mut listed: Vec<ListedItem>| {
            for (number, item) in (1..).zip(&mut listed) {
                (item.kind, item.number) = (kind, number);
                item.lines = item.lines.iter().filter_map(|lines| lines.intersection(chunk)).collect();
            }
            items.extend(listed);
        };
        let touching = self.paragraphs.touching(chunk).iter();
        add(ListedKind::Paragraph, touching.map(|(lines, index)| self.paragraph(*index, *lines, chunk)).collect());
        add(
            ListedKind::Call,
            self.calls.beginning_in(chunk).iter().map(|(lines, index)| self.call(*index, *lines)).collect(),
        );
        let exec = |(lines, index): &(LineRange, usize)| operation(&parsed.execs[*index], *lines);
        add(ListedKind::CicsCommand, self.cics.beginning_in(chunk).iter().map(exec).collect());
        add(ListedKind::SqlStatement, self.sql.beginning_in(chunk).iter().map(exec).collect());
        add(ListedKind::Resource, self.resources(chunk));
        let test = |(lines, branch): &(LineRange, usize)| self.branch(*branch, *lines);
        add(ListedKind::StatusTest, self.tests.beginning_in(chunk).iter().filter_map(test).collect());
        // An ELSE is part of its IF where the chunk has both.
        let is_told =
            |anchor: &DecisionAnchor| matches!(anchor, DecisionAnchor::Branch(_, Some(line)) if chunk.contains(*line));
        let decided = self.decided.beginning_in(chunk).iter().filter(|(_, anchor)| !is_told(anchor));
        let decided = decided.filter_map(|(lines, anchor)| match *anchor {
            DecisionAnchor::Branch(branch, _) => self.branch(branch, *lines),
            DecisionAnchor::Figure(statement) => self.figure(statement, *lines),
        });
        add(ListedKind::Decision, decided.collect());
        let copy = |(lines, index): &(LineRange, usize)| {
            let name = parsed.copies[*index].name.clone();
            ListedItem { text: format!("COPY {name}"), ..listed(name, *lines) }
        };
        add(ListedKind::Copybook, self.copies.beginning_in(chunk).iter().map(copy).collect());
        items
    }

    fn paragraph(&self, index: usize, lines: LineRange, chunk: LineRange) -> ListedItem {
        let paragraph = &self.parsed.paragraphs[index];
        let head = match paragraph.head {
            ParagraphHead::Label => "",
            ParagraphHead::Section => " (section)",
            ParagraphHead::Division => " (main line)",
            ParagraphHead::Entry => " (entry)",
        };
        let goes_on = if lines.start() < chunk.start() { ", goes on" } else { "" };
        ListedItem {
            detail: paragraph.section.map(|section| self.parsed.sections[section].name.clone()),
            text: format!("{}{head}{goes_on}", paragraph.name),
            is_label_only: self.flow.is_label_only(index),
            ..listed(paragraph.name.clone(), lines)
        }
    }

    fn call(&self, index: usize, lines: LineRange) -> ListedItem {
        let call = &self.parsed.calls[index];
        let verb = match call.kind {
            CallKind::CicsLink => "LINK",
            CallKind::CicsXctl => "XCTL",
            CallKind::Static | CallKind::Dynamic | CallKind::Macro => "CALL",
        };
        let target = if call.is_literal { format!("'{}'", call.target) } else { call.target.clone() };
        ListedItem {
            detail: Some(call.kind.as_str().to_owned()),
            text: format!("{verb} {target} ({})", call.kind.as_str()),
            ..listed(call.target.clone(), lines)
        }
    }

    /// Returns the resources that a chunk uses, in the order of their first use, each with the lines of its uses.
    fn resources(&self, chunk: LineRange) -> Vec<ListedItem> {
        let mut places: HashMap<(&ResourceKind, &str), usize> = HashMap::new();
        let mut found: Vec<(ResourceUse<'a>, ListedItem, [bool; 2])> = Vec::new();
        for (lines, used) in self.uses.beginning_in(chunk).iter() {
            let place = *places.entry((used.kind, used.name)).or_insert_with(|| {
                let item = ListedItem { lines: Vec::new(), ..listed(used.name.to_owned(), *lines) };
                found.push((*used, item, [false; 2]));
                found.len() - 1
            });
            let (_, item, [reads, writes]) = &mut found[place];
            if item.lines.last() != Some(lines) {
                item.lines.push(*lines);
            }
            *reads |= used.operation.is_some_and(is_input);
            *writes |= used.operation.is_some_and(is_output);
        }
        let described = found.into_iter().map(|(used, item, directions)| {
            let kind = match used.kind {
                ResourceKind::File(index) => {
                    self.parsed.files.get(*index).map_or_else(|| "file".to_owned(), FileControl::in_words)
                }
                other => other.in_words().to_owned(),
            };
            let direction = match directions {
                [true, true] => ", input and output",
                [true, false] => ", input",
                [false, true] => ", output",
                [false, false] => "",
            };
            ListedItem {
                detail: Some(used.kind.in_words().to_owned()),
                text: format!("{} {kind}{direction}", item.name),
                ..item
            }
        });
        described.collect()
    }

    fn branch(&self, branch: usize, lines: LineRange) -> Option<ListedItem> {
        let decision = self.decisions.of_branch(branch)?;
        let asked = match (&decision.condition, decision.before.len() + decision.preceding_omitted) {
            (Some(condition), _) => format!("when {condition}"),
            (None, _) if self.parsed.branches[branch].kind == BranchKind::Phrase => {
                format!("when {}", self.phrase(branch))
            }
            (None, 0) => "in every case".to_owned(),
            (None, count) => format!("when none of the {count} WHENs before it holds"),
        };
        let condition = self.condition(branch, &decision);
        Some(ListedItem {
            condition: Some(condition.clone()),
            text: format!("{} {asked}", named(&decision)),
            ..listed(condition, lines)
        })
    }

    /// Returns the condition of a branch: as the source has it where it stands there in one piece, else in normal form.
    fn condition(&self, branch: usize, decision: &Decision) -> String {
        let found = &self.parsed.branches[branch];
        match (found.kind, &decision.condition) {
            (BranchKind::If, _) => self.parsed.condition(found).text().to_owned(),
            (BranchKind::Phrase, _) => self.phrase(branch),
            (_, Some(condition)) => condition.to_string(),
            (_, None) => "WHEN OTHER".to_owned(),
        }
    }

    /// Returns a phrase after the statement that it belongs to: `READ PAY-FILE AT END`.
    fn phrase(&self, branch: usize) -> String {
        let found = &self.parsed.branches[branch];
        let owner = &self.parsed.statements[found.statement];
        let first = self.parsed.operands(owner).find(|operand| operand.phrase() == OperandPhrase::First);
        let first = first.map(|first| format!("{} ", first.text())).unwrap_or_default();
        format!("{} {first}{}", owner.verb, self.parsed.condition(found).text())
    }

    fn figure(&self, statement: usize, lines: LineRange) -> Option<ListedItem> {
        let formula = self.decisions.formula_decision(statement)?.formula?;
        let text = format!("{} = {}", formula.targets.join(", "), formula.expression);
        Some(ListedItem { text, ..listed(formula.targets.first().cloned().unwrap_or_default(), lines) })
    }
}

/// Creates an item with only a name and its lines.
fn listed(name: String, lines: LineRange) -> ListedItem {
    ListedItem {
        kind: ListedKind::Paragraph,
        number: 0,
        lines: vec![lines],
        name,
        detail: None,
        condition: None,
        text: String::new(),
        is_label_only: false,
    }
}

fn operation(exec: &ExecBlock, lines: LineRange) -> ListedItem {
    let kind = exec.cics_resource().map(|kind| kind.in_words().to_uppercase());
    // SEND MAP names the kind itself.
    let kind = kind.filter(|kind| !exec.command.ends_with(kind.as_str()));
    let words = [Some(&exec.command), kind.as_ref(), exec.resource.as_ref()];
    let text = words.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ");
    ListedItem { detail: exec.resource.clone(), text, ..listed(exec.command.clone(), lines) }
}

/// Returns the uses of resources. System streams are left out: the parser counts only their first uses, wherever these are.
fn uses(analysis: &Analysis) -> Vec<(LineRange, ResourceUse<'_>)> {
    let resources = analysis.resources().iter();
    let resources =
        resources.filter(|found| !matches!(found.kind, ResourceKind::SystemInput | ResourceKind::SystemOutput));
    let mut uses: Vec<(LineRange, ResourceUse<'_>)> = Vec::new();
    for resource in resources {
        let used = |operation| ResourceUse { kind: &resource.kind, name: &resource.name, operation };
        let selected = match resource.kind {
            ResourceKind::File(index) => analysis.parsed().files.get(index).and_then(|file| file.line),
            _ => None,
        };
        uses.extend(selected.map(|line| (LineRange::single(line), used(None))));
        uses.extend(resource.operations.iter().map(|(operation, lines)| (*lines, used(Some(operation.as_str())))));
    }
    uses
}

fn is_input(operation: &str) -> bool {
    const FIRST: [&str; 7] = ["READ", "RETURN", "START", "SELECT", "FETCH", "RECEIVE", "G"];
    FIRST.iter().any(|verb| operation.starts_with(verb)) || matches!(operation, "OPEN INPUT" | "OPEN I-O")
}

fn is_output(operation: &str) -> bool {
    const FIRST: [&str; 12] =
        ["WRITE", "REWRITE", "DELETE", "RELEASE", "INSERT", "UPDATE", "MERGE", "SEND", "PUT", "ISRT", "REPL", "DLET"];
    FIRST.iter().any(|verb| operation.starts_with(verb)) || matches!(operation, "OPEN OUTPUT" | "OPEN EXTEND")
}

/// Returns the branches taken after a failed operation or at the end of the data, if they have an effect.
fn tests(analysis: &Analysis) -> Vec<(LineRange, usize)> {
    let (parsed, decisions, outcomes) = (analysis.parsed(), analysis.decisions(), analysis.status_checks());
    let branches = parsed.branches.iter().enumerate();
    let own = branches.filter(|(_, branch)| parsed.statements[branch.statement].file.is_none());
    let failing = own.filter(|(index, branch)| {
        let outcome = outcomes.of_branch(*index);
        branch.kind != BranchKind::Loop
            && matches!(outcome, Some(OperationStatus::Failure | OperationStatus::EndOfData))
            && has_effect(&decisions, *index)
    });
    let lines = |index: usize| {
        let branch = &parsed.branches[index];
        match branch.kind {
            // The statement names what has no more data.
            BranchKind::Phrase => {
                LineRange::spanning(parsed.statements[branch.statement].lines.start(), branch.lines.end())
            }
            _ => lines_of(parsed, &decisions, index),
        }
    };
    failing.map(|(index, _)| (lines(index), index)).collect()
}

fn has_effect(decisions: &Decisions<'_>, branch: usize) -> bool {
    decisions.have_effects(decisions.statements_under(branch).iter().copied())
}

/// Returns the lines of a branch; for a deep one only the condition, so that lines grow with the source and not with its depth.
fn lines_of(parsed: &ParsedCobol, decisions: &Decisions<'_>, branch: usize) -> LineRange {
    let found = &parsed.branches[branch];
    let start = found.lines.start();
    let first = decisions.statements_under(branch).first().filter(|_| parsed.statements[found.statement].is_deep());
    let last = first.map(|first| parsed.statements[*first].lines.start());
    let last = last.map_or(found.lines.end(), |first| first.previous().unwrap_or(first));
    LineRange::spanning(start, last.max(start))
}

/// Returns what decides, without tests of how an operation ended.
fn decided(analysis: &Analysis) -> Vec<(LineRange, DecisionAnchor)> {
    let (parsed, decisions, outcomes) = (analysis.parsed(), analysis.decisions(), analysis.status_checks());
    let own = |statement: usize| parsed.statements[statement].file.is_none();
    let mut found: Vec<(LineRange, DecisionAnchor)> = Vec::new();
    // The IFs whose own branch has a consequence, with their places in the list.
    let mut told: HashMap<usize, usize> = HashMap::new();
    for (index, branch) in parsed.branches.iter().enumerate().filter(|(_, branch)| own(branch.statement)) {
        let is_technical = outcomes.of_branch(index).is_some();
        if is_technical || matches!(branch.kind, BranchKind::Loop | BranchKind::Phrase) {
            continue;
        }
        if !has_effect(&decisions, index) {
            continue;
        }
        let lines = lines_of(parsed, &decisions, index);
        let told_with = told.get(&branch.statement).copied().filter(|_| branch.kind == BranchKind::Else);
        // An IF is described with its ELSE.
        if let Some(place) = told_with.filter(|_| !parsed.statements[branch.statement].is_deep()) {
            found[place].0 = LineRange::spanning(found[place].0.start(), lines.end());
        }
        told.insert(branch.statement, found.len());
        let with = told_with.map(|place| found[place].0.start());
        found.push((lines, DecisionAnchor::Branch(index, with)));
    }
    for (index, statement) in parsed.statements.iter().enumerate() {
        if own(index) && decisions.computes_figure(index) {
            found.push((statement.lines, DecisionAnchor::Figure(index)));
        }
    }
    found
}

/// Names the consequences of a decision, the most significant first.
fn named(decision: &Decision) -> String {
    let mut told: Vec<String> = Vec::new();
    for decided in &decision.effects {
        let words = match decided {
            DecisionEffect::Paragraph(name) if !name.is_empty() => format!("runs {name}"),
            decided => decided.in_words(),
        };
        if !told.contains(&words) {
            told.push(words);
        }
    }
    told.truncate(NAMED);
    told.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LexedSource, NoCopybooks, parse};
    use std::sync::Arc;
    use war_rig_text::{ReadOptions, SourceText};

    const HEAD: &str = "IDENTIFICATION DIVISION.
PROGRAM-ID. T.
ENVIRONMENT DIVISION.
INPUT-OUTPUT SECTION.
FILE-CONTROL.
    SELECT ACCT-FILE ASSIGN TO ACCTIN
        ORGANIZATION INDEXED FILE STATUS FS.
DATA DIVISION.
FILE SECTION.
FD ACCT-FILE.
01 ACCT-REC PIC X(9).
WORKING-STORAGE SECTION.
01 FS PIC XX.
01 STATE PIC X.
01 TOTAL PIC 9(5).
01 RATE PIC 9(3).
01 RESP-CODE PIC S9(8) COMP.
PROCEDURE DIVISION.
";

    /// The rows of the lines of a procedure from one number to another, counted from its first line.
    fn rows(procedure: &str, from: u32, to: u32) -> Vec<String> {
        let code: String = HEAD.lines().chain(procedure.lines()).map(|line| format!("       {line}\n")).collect();
        let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
        let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
        let line = |row: u32| LineNumber::new(HEAD.lines().count() as u32 + row).unwrap();
        let chunk = LineRange::spanning(line(from), line(to));
        ListedItems::of(&analysis).in_chunk(chunk).iter().map(|item| item.row(chunk.start())).collect()
    }

    #[track_caller]
    fn check(procedure: &str, expected: &[&str]) {
        assert_eq!(rows(procedure, 1, procedure.lines().count() as u32), expected);
    }

    #[test]
    fn each_kind_is_numbered_from_one_in_the_order_of_its_lines() {
        check(
            "MAIN.\n    CALL 'B'.\n    CALL STATE.\n    COMPUTE TOTAL = RATE * 12.\nNEXT-ONE.\n    CALL 'A'.\n    COPY BOOK.",
            &[
                "P1 1-4 MAIN",
                "P2 5-7 NEXT-ONE",
                "L1 2 CALL 'B' (static)",
                "L2 3 CALL STATE (dynamic)",
                "L3 6 CALL 'A' (static)",
                "D1 4 TOTAL = RATE * 12",
                "B1 7 COPY BOOK",
            ],
        );
    }

    #[test]
    fn links_are_calls_and_other_commands_name_what_they_work_on() {
        check(
            "    EXEC CICS LINK PROGRAM('SUB') END-EXEC.\n    EXEC CICS READ FILE('ACCT')\n      INTO(ACCT-REC) RESP(RESP-CODE) END-EXEC.\n    EXEC CICS SEND MAP('M1') END-EXEC.\n    EXEC SQL SELECT A INTO :TOTAL FROM POL END-EXEC.",
            &[
                "P1 1-5 PROCEDURE DIVISION (main line), goes on",
                "L1 1 LINK 'SUB' (cics_link)",
                "C1 2-3 READ FILE ACCT",
                "C2 4 SEND MAP M1",
                "S1 5 SELECT POL",
                "F1 ACCT CICS file, input",
                "F2 M1 screen map, output",
                "F3 POL table, input",
            ],
        );
    }

    #[test]
    fn tests_of_a_status_and_decisions_are_told_apart() {
        let procedure = "MAIN.
    READ ACCT-FILE INVALID KEY DISPLAY 'None.'.
    IF FS NOT = '00'
        MOVE 8 TO RETURN-CODE
    END-IF.
    IF STATE = 'A' OR 'B'
        MOVE 1 TO TOTAL
    ELSE
        MOVE 2 TO TOTAL
    END-IF.
    REWRITE ACCT-REC.
    EVALUATE STATE
        WHEN 'X' CONTINUE
        WHEN 'Y' MOVE 3 TO TOTAL
        WHEN OTHER MOVE 4 TO TOTAL
    END-EVALUATE.";
        check(
            procedure,
            &[
                "P1 1-16 MAIN",
                "F1 ACCT-FILE indexed file, input and output",
                "E1 2 which message is given when READ ACCT-FILE INVALID KEY",
                "E2 3-4 how the program ends when FS NOT = '00'",
                "D1 6-9 sets TOTAL when STATE = 'A' OR STATE = 'B'",
                "D2 14 sets TOTAL when STATE = 'Y'",
                "D3 15 sets TOTAL when none of the 2 WHENs before it holds",
            ],
        );
        // In a part that begins within it, the paragraph goes on and the ELSE is a decision of its own.
        assert_eq!(
            rows(procedure, 8, 11),
            [
                "P1 1-4 MAIN, goes on",
                "F1 ACCT-FILE indexed file, output",
                "D1 1-2 sets TOTAL when STATE NOT = 'A' AND STATE NOT = 'B'",
            ]
        );
    }
}
