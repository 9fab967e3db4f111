//! Which of the literals that an item may contain reaches a call or a command.
//!
//! A program that passes control by the name in one item usually sets the item right before, or before it performs the paragraph that
//! passes control. The statements before the call are followed backwards, through its conditions, to the statements that enter its paragraph.
//! Assignments under conditions, in loops and in performed paragraphs count beside earlier ones; an assignment that always runs ends the search.
//! What is not followed to its end leaves all literals.

use crate::control_flow::ControlFlowGraph;
use crate::decisions::{MoveOperands, assigned_items, is_whole_item, move_operands};
use crate::embedded_sql::HostVariable;
use crate::model::{BranchKind, ParsedCobol, ReferenceKind};
use crate::operands::OperandPhrase;
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use war_rig_text::LineNumber;

/// How many statements and paragraphs are looked at for all calls of a source.
const LOOKED_AT: usize = 400_000;

/// An item of a program, by name.
pub(crate) type ItemKey = (Option<usize>, String);

/// Literals, or items, with the lines that assign them: a MOVE, or the item's VALUE.
type Literals = [(String, LineNumber)];

/// The lines of the statements that may set an item before a call.
type Reaching = BTreeSet<LineNumber>;

/// The items that are moved to one, by the lines of the MOVEs.
type MovesByLine = BTreeMap<LineNumber, Vec<String>>;

/// A list of statements of which the first ones run before the call: those directly in a paragraph, or under a branch.
type Before = ((Option<usize>, Option<usize>), usize);

/// The statements of a source by where they run.
struct StatementOrder<'a> {
    parsed: &'a ParsedCobol,
    flow: ControlFlowGraph,
    /// The statements directly in a paragraph or under a branch, in order.
    siblings: HashMap<(Option<usize>, Option<usize>), Vec<usize>>,
    /// The index behind the last statement inside each.
    ends: Vec<usize>,
    /// The references from each statement.
    references: BTreeMap<usize, Vec<usize>>,
    /// The references that enter each paragraph.
    entries: HashMap<usize, Vec<usize>>,
    /// The statements of each paragraph.
    of_paragraph: HashMap<usize, (usize, usize)>,
    /// The statements that assign each item of interest.
    assigns: HashMap<ItemKey, BTreeSet<usize>>,
    /// The items of interest that something else may change: what is called, EXEC blocks, and what shares their storage.
    changed_otherwise: HashSet<ItemKey>,
    room: Cell<usize>,
}

/// Leaves each call and command by the name in an item only those literals that reach it. `given` has the literals of each item with the lines of
/// their MOVEs and of its VALUE.
pub(crate) fn keep_reaching(parsed: &mut ParsedCobol, given: &HashMap<ItemKey, Vec<(String, LineNumber)>>) {
    let literals = |key: &ItemKey| given.get(key).map_or(0, Vec::len);
    let calls = parsed.calls.iter().filter(|call| !call.is_literal && call.file.is_none());
    let calls = calls.map(|call| ((call.program, name_of(&call.target)), call.lines.start()));
    let execs = parsed.execs.iter().filter(|exec| !exec.is_literal && exec.file.is_none());
    let execs = execs.filter_map(|exec| Some(((exec.program, name_of(exec.resource.as_deref()?)), exec.lines.start())));
    let execs = execs.filter(|(key, _)| literals(key) > 1);
    let wanted: HashSet<(ItemKey, LineNumber)> = calls.chain(execs).collect();
    if wanted.is_empty() {
        return;
    }
    let starts: HashMap<LineNumber, usize> = parsed
        .statements
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, statement)| statement.file.is_none())
        .map(|(index, statement)| (statement.lines.start(), index))
        .collect();
    let order = StatementOrder::of(parsed, wanted.iter().map(|(key, _)| key));
    let mut wanted: Vec<(ItemKey, LineNumber)> = wanted.into_iter().collect();
    wanted.sort();
    let mut kept: HashMap<(ItemKey, LineNumber), HashSet<String>> = HashMap::new();
    let mut certain: HashSet<(ItemKey, LineNumber)> = HashSet::new();
    let mut moved: HashMap<(ItemKey, LineNumber), Arc<Literals>> = HashMap::new();
    let mut moves: HashMap<ItemKey, (MovesByLine, Arc<Literals>)> = HashMap::new();
    for (key, line) in wanted {
        if !order.assigns.contains_key(&key) {
            continue;
        }
        let literals: &Literals = given.get(&key).map_or(&[], Vec::as_slice);
        let lines = starts.get(&line).and_then(|at| order.before(*at, &key));
        let (all, every) = moves.entry(key.clone()).or_insert_with(|| {
            let all = order.moves_to(&key, literals);
            let every = items_on(all.keys(), &all);
            (all, every)
        });
        let items = lines.as_ref().map_or_else(|| Arc::clone(every), |lines| items_on(lines.iter(), all));
        let has_items = !items.is_empty();
        moved.insert((key.clone(), line), items);
        let Some(lines) = lines else { continue };
        let reaching = literals.iter().filter(|(_, at)| lines.contains(at)).map(|(value, _)| value.clone());
        let values: HashSet<String> = reaching.collect();
        // Where only other items reach the call, none of the literals does.
        if !lines.is_empty() {
            let is_alone = !values.is_empty() && !has_items && !order.changed_otherwise.contains(&key);
            if is_alone && lines.iter().all(|line| literals.iter().any(|(_, at)| at == line)) {
                certain.insert((key.clone(), line));
            }
            kept.insert((key, line), values);
        }
    }
    let narrowed = |candidates: &mut Arc<Literals>, key: ItemKey, line: LineNumber| {
        if let Some(values) = kept.get(&(key, line)) {
            *candidates = candidates.iter().filter(|(value, _)| values.contains(value)).cloned().collect();
        }
    };
    for call in parsed.calls.iter_mut().filter(|call| !call.is_literal && call.file.is_none()) {
        let place = ((call.program, name_of(&call.target)), call.lines.start());
        call.is_certain = certain.contains(&place);
        call.moved_items = moved.get(&place).cloned().unwrap_or_default();
        narrowed(&mut call.candidates, place.0, place.1);
    }
    for exec in parsed.execs.iter_mut().filter(|exec| !exec.is_literal && exec.file.is_none()) {
        if let Some(resource) = exec.resource.as_deref() {
            narrowed(&mut exec.candidates, (exec.program, name_of(resource)), exec.lines.start());
        }
    }
}

/// Returns the items that are moved on some lines, each with its first line.
fn items_on<'l>(lines: impl Iterator<Item = &'l LineNumber>, moves: &MovesByLine) -> Arc<Literals> {
    let mut found: Vec<(String, LineNumber)> = Vec::new();
    let mut known: HashSet<&str> = HashSet::new();
    for line in lines {
        let names = moves.get(line).into_iter().flatten();
        found.extend(names.filter(|name| known.insert(name)).map(|name| (name.clone(), *line)));
    }
    found.into()
}

/// Returns, for each item whose assignment sets items of interest, these: an item itself, and the groups around it.
fn holders<'k>(parsed: &ParsedCobol, wanted: impl Iterator<Item = &'k ItemKey>) -> HashMap<ItemKey, Vec<ItemKey>> {
    let wanted: HashSet<&ItemKey> = wanted.collect();
    let mut found: HashMap<ItemKey, Vec<ItemKey>> =
        wanted.iter().map(|key| ((*key).clone(), vec![(*key).clone()])).collect();
    for item in &parsed.data_items {
        let key = (item.program, item.name.to_string());
        if !wanted.contains(&key) {
            continue;
        }
        let mut above = item.parent;
        while let Some(group) = above.map(|index| &parsed.data_items[index]) {
            let held = found.entry((group.program, group.name.to_string())).or_default();
            if !held.contains(&key) {
                held.push(key.clone());
            }
            above = group.parent;
        }
    }
    found
}

/// Returns the items of interest that may change without an assignment by their names or those of the groups around them: handed to a program or
/// returned by one, named in an EXEC block, divided into parts, or of shared storage.
fn changed_otherwise(parsed: &ParsedCobol, items: &HashMap<ItemKey, Vec<ItemKey>>) -> HashSet<ItemKey> {
    let mut found: HashSet<ItemKey> = HashSet::new();
    let mut add = |program: Option<usize>, name: &str| {
        let keys = items.get(&(program, name_of(&name.to_uppercase())));
        found.extend(keys.into_iter().flatten().cloned());
    };
    for call in &parsed.calls {
        call.using.iter().for_each(|item| add(call.program, item));
    }
    for statement in parsed.statements.iter().filter(|statement| statement.verb == Verb::Call) {
        let returned = parsed.operands(statement).filter(|operand| operand.phrase() == OperandPhrase::Returning);
        returned.for_each(|operand| add(statement.program, operand.name()));
    }
    for exec in &parsed.execs {
        let hosts = exec.sql.iter().flat_map(|sql| &sql.host_variables).map(HostVariable::item_name);
        let options = exec.options.iter().filter_map(|(_, value)| value.as_deref().map(str::trim));
        hosts.chain(options).for_each(|name| add(exec.program, name));
    }
    for item in &parsed.data_items {
        if let Some(other) = item.redefines.as_deref() {
            add(item.program, other);
            add(item.program, &item.name);
        }
    }
    // A part of an item may be set by itself.
    for parent in parsed.data_items.iter().filter(|item| item.level != 88).filter_map(|item| item.parent) {
        let group = &parsed.data_items[parent];
        let own = (group.program, group.name.to_string());
        if items.get(&own).is_some_and(|keys| keys.contains(&own)) {
            found.insert(own);
        }
    }
    found
}

/// Returns the name of an operand without its qualifiers and subscripts.
pub(crate) fn name_of(operand: &str) -> String {
    operand.split([' ', '(']).next().unwrap_or_default().to_owned()
}

impl<'a> StatementOrder<'a> {
    fn of<'k>(parsed: &'a ParsedCobol, wanted: impl Iterator<Item = &'k ItemKey>) -> Self {
        let items = holders(parsed, wanted);
        let mut order = Self {
            parsed,
            flow: ControlFlowGraph::of(parsed),
            siblings: HashMap::new(),
            ends: vec![0; parsed.statements.len()],
            references: BTreeMap::new(),
            entries: HashMap::new(),
            of_paragraph: HashMap::new(),
            assigns: HashMap::new(),
            changed_otherwise: HashSet::new(),
            room: Cell::new(LOOKED_AT),
        };
        let mut open: Vec<usize> = Vec::new();
        for (index, statement) in parsed.statements.iter().enumerate() {
            while open.last().is_some_and(|last| parsed.statements[*last].depth >= statement.depth) {
                order.ends[open.pop().expect("one is open")] = index;
            }
            open.push(index);
            order.siblings.entry((statement.paragraph, statement.branch)).or_default().push(index);
            if let Some(paragraph) = statement.paragraph {
                order.of_paragraph.entry(paragraph).or_insert((index, index)).1 = index + 1;
            }
            for item in assigned_items(parsed, statement) {
                for key in items.get(&(statement.program, item)).into_iter().flatten() {
                    order.assigns.entry(key.clone()).or_default().insert(index);
                }
            }
        }
        order.changed_otherwise = changed_otherwise(parsed, &items);
        open.into_iter().for_each(|last| order.ends[last] = parsed.statements.len());
        for (index, reference) in parsed.references.iter().enumerate() {
            let Some(statement) = reference.statement else { continue };
            order.references.entry(statement).or_default().push(index);
            if let Some((first, _)) = order.flow.reference_span(index) {
                order.entries.entry(first).or_default().push(index);
            }
        }
        order
    }

    /// Returns the other items that are moved to an item, by the lines of the MOVEs. What always holds one of the literals is told as that.
    fn moves_to(&self, key: &ItemKey, literals: &Literals) -> MovesByLine {
        let mut all: BTreeMap<LineNumber, (usize, Vec<String>)> = BTreeMap::new();
        let setters = self.assigns.get(key).into_iter().flatten().map(|index| &self.parsed.statements[*index]);
        for statement in setters.filter(|statement| statement.file.is_none()) {
            let (count, names) = all.entry(statement.lines.start()).or_default();
            *count += 1;
            let moved = move_operands(self.parsed, statement).filter(|moved| is_whole_item(moved.from));
            let is_whole = |moved: &MoveOperands<'_>| {
                moved.to.iter().any(|to| is_whole_item(*to) && to.name().eq_ignore_ascii_case(&key.1))
            };
            names.extend(moved.filter(is_whole).map(|moved| moved.from.name().to_uppercase()));
        }
        let mut given: HashMap<LineNumber, usize> = HashMap::new();
        literals.iter().for_each(|(_, line)| *given.entry(*line).or_default() += 1);
        // One line may have several statements.
        all.retain(|line, (count, _)| given.get(line).is_none_or(|literals| literals < count));
        all.into_iter().map(|(line, (_, names))| (line, names)).collect()
    }

    /// Counts a step; none if there were too many.
    fn step(&self) -> Option<()> {
        let left = self.room.get().checked_sub(1)?;
        self.room.set(left);
        Some(())
    }

    /// Returns what may set an item before a statement runs; none if that cannot be followed.
    fn before(&self, statement: usize, key: &ItemKey) -> Option<Reaching> {
        let mut reaching = Reaching::default();
        let mut open: Vec<Before> = vec![self.place_of(statement)];
        let mut seen: HashSet<Before> = open.iter().copied().collect();
        while let Some((list, place)) = open.pop() {
            let statements = self.siblings.get(&list).map(Vec::as_slice).unwrap_or_default();
            let mut is_set = false;
            for before in statements[..place].iter().rev() {
                self.step()?;
                if self.sets(*before, key, &mut reaching)? {
                    is_set = true;
                    break;
                }
            }
            if is_set {
                continue;
            }
            let mut next: Vec<Before> = Vec::new();
            match list {
                (_, Some(branch)) => {
                    let around = &self.parsed.branches[branch];
                    if around.kind == BranchKind::Loop {
                        // The round before.
                        self.sets(around.statement, key, &mut reaching)?;
                    }
                    next.push(self.place_of(around.statement));
                }
                (Some(paragraph), None) => self.enter(paragraph, &mut next)?,
                (None, None) => return None,
            }
            open.extend(next.into_iter().filter(|before| seen.insert(*before)));
        }
        Some(reaching)
    }

    fn place_of(&self, statement: usize) -> Before {
        let found = &self.parsed.statements[statement];
        let list = (found.paragraph, found.branch);
        let place = self.siblings.get(&list).map_or(0, |all| all.partition_point(|other| *other < statement));
        (list, place)
    }

    /// Adds the places from which control comes to a paragraph; none if that is the start of the program, which may have set the item when it ran
    /// before, or if a handler leads there.
    fn enter(&self, paragraph: usize, next: &mut Vec<Before>) -> Option<()> {
        for reference in self.entries.get(&paragraph).into_iter().flatten() {
            let reference = &self.parsed.references[*reference];
            match reference.kind {
                ReferenceKind::Perform | ReferenceKind::GoTo | ReferenceKind::Sort | ReferenceKind::XmlParse => {
                    next.extend(reference.statement.map(|statement| self.place_of(statement)));
                }
                ReferenceKind::Alter | ReferenceKind::Handle => return None,
            }
        }
        // A section, or a range that began before, is entered at its first paragraph, and control falls from there.
        let program = self.parsed.paragraphs[paragraph].program;
        let before = paragraph.checked_sub(1).filter(|before| self.parsed.paragraphs[*before].program == program);
        let before = before?;
        if self.falls_out_of(before) {
            let list = (Some(before), None);
            next.push((list, self.siblings.get(&list).map_or(0, Vec::len)));
        }
        Some(())
    }

    /// Whether control may leave a paragraph at its end: its last statement is no GO TO, and nothing that ends the program.
    fn falls_out_of(&self, paragraph: usize) -> bool {
        let last = self.siblings.get(&(Some(paragraph), None)).and_then(|statements| statements.last());
        let Some(last) = last.map(|last| &self.parsed.statements[*last]) else { return true };
        let is_in_range = || {
            self.parsed.references.iter().enumerate().any(|(index, _)| {
                self.flow.reference_span(index).is_some_and(|(first, end)| first <= paragraph && paragraph < end)
            })
        };
        last.verb != Verb::Go
            && crate::control_flow::ending(self.parsed, last).is_none()
            && (self.flow.falls_through(paragraph) || is_in_range())
    }

    /// Adds where a statement, or what it performs, assigns an item, and returns whether it always does; none if that cannot be told.
    fn sets(&self, statement: usize, key: &ItemKey, reaching: &mut Reaching) -> Option<bool> {
        let Some(assigns) = self.assigns.get(key) else { return Some(false) };
        let found = &self.parsed.statements[statement];
        if assigns.contains(&statement) {
            // What copied code assigns has lines of its own.
            if found.file.is_some() {
                return None;
            }
            reaching.insert(found.lines.start());
            return Some(true);
        }
        let end = self.ends[statement];
        let mut directly: HashSet<bool> = HashSet::new();
        for at in assigns.range(statement..end) {
            reaching.insert(self.parsed.statements[*at].lines.start());
            let branch = self.parsed.statements[*at].branch.map(|branch| &self.parsed.branches[branch]);
            let own = branch.filter(|branch| branch.statement == statement);
            directly.extend(own.map(|branch| branch.kind == BranchKind::Else));
        }
        self.performed(statement, end, assigns, reaching)?;
        // Both branches of an IF that assign at once always assign.
        Some(found.verb == Verb::If && directly.len() == 2)
    }

    /// Adds the assignments in the paragraphs that statements perform.
    fn performed(
        &self,
        statement: usize,
        end: usize,
        assigns: &BTreeSet<usize>,
        reaching: &mut Reaching,
    ) -> Option<()> {
        let mut open: Vec<usize> = Vec::new();
        let add = |open: &mut Vec<usize>, from: usize, to: usize| {
            for reference in self.references.range(from..to).flat_map(|(_, references)| references) {
                if let Some((first, last)) = self.flow.reference_span(*reference) {
                    open.extend(first..=last);
                }
            }
        };
        let is_performed = |index: &usize| self.parsed.references[*index].kind != ReferenceKind::GoTo;
        let own = self.references.range(statement..end).flat_map(|(_, references)| references);
        for reference in own.filter(|index| is_performed(index)) {
            if let Some((first, last)) = self.flow.reference_span(*reference) {
                open.extend(first..=last);
            }
        }
        let mut known: HashSet<usize> = HashSet::new();
        while let Some(paragraph) = open.pop() {
            if !known.insert(paragraph) {
                continue;
            }
            self.step()?;
            let Some((from, to)) = self.of_paragraph.get(&paragraph) else { continue };
            let inside = assigns.range(*from..*to).map(|at| self.parsed.statements[*at].lines.start());
            reaching.extend(inside);
            add(&mut open, *from, *to);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{LexedSource, NoCopybooks, ProgramCall, parse};
    use std::sync::Arc;
    use war_rig_text::{ReadOptions, SourceFormat, SourceText};

    /// Checks which programs the calls of a program may name, by line.
    #[track_caller]
    fn check(code: &str, expected: &[(u32, &[&str])]) {
        let text = format!(
            "IDENTIFICATION DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 N PIC X(8) VALUE 'FIRST'.\nPROCEDURE DIVISION.\n{code}"
        );
        let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
        let source = SourceText::read("T.cbl", text.into_bytes(), &options).unwrap();
        let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
        let found: Vec<(u32, Vec<&str>)> = parsed
            .calls
            .iter()
            .map(|call| (call.lines.start().get() - 6, call.candidates.iter().map(|(name, _)| name.as_str()).collect()))
            .collect();
        let expected: Vec<(u32, Vec<&str>)> = expected.iter().map(|(line, names)| (*line, names.to_vec())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_last_assignment_before_a_call_counts() {
        check(
            "MAIN.\n  MOVE 'A' TO N.\n  CALL N.\n  MOVE 'B' TO N.\n  CALL N.\n  GOBACK.\n",
            &[(3, &["A"]), (5, &["B"])],
        );
    }

    #[test]
    fn an_assignment_under_a_condition_counts_beside_the_one_before() {
        check("MAIN.\n  MOVE 'A' TO N.\n  IF X = 1 MOVE 'B' TO N.\n  CALL N.\n  GOBACK.\n", &[(4, &["A", "B"])]);
        check(
            "MAIN.\n  MOVE 'C' TO N.\n  IF X = 1 MOVE 'A' TO N ELSE MOVE 'B' TO N.\n  CALL N.\n  GOBACK.\n",
            &[(4, &["A", "B"])],
        );
    }

    #[test]
    fn the_assignments_before_each_perform_reach_the_paragraph() {
        check(
            "MAIN.\n  IF X = 1 MOVE 'A' TO N PERFORM GO-ON.\n  IF X = 2 MOVE 'B' TO N PERFORM GO-ON.\n  MOVE 'C' TO N.\n  CALL N.\n  GOBACK.\nGO-ON.\n  CALL N.\n",
            &[(5, &["C"]), (8, &["A", "B"])],
        );
    }

    #[test]
    fn what_a_performed_paragraph_or_an_earlier_round_sets_counts() {
        check(
            "MAIN.\n  MOVE 'A' TO N.\n  PERFORM SETS.\n  CALL N.\n  GOBACK.\nSETS.\n  IF X = 1 MOVE 'B' TO N.\n",
            &[(4, &["A", "B"])],
        );
        check(
            "MAIN.\n  MOVE 'A' TO N.\n  PERFORM UNTIL X = 1\n    CALL N\n    MOVE 'B' TO N\n  END-PERFORM.\n  MOVE 'C' TO N.\n  GOBACK.\n",
            &[(4, &["A", "B"])],
        );
    }

    #[test]
    fn all_may_be_meant_where_nothing_was_assigned_since_the_start() {
        check("MAIN.\n  CALL N.\n  MOVE 'A' TO N.\n  CALL N.\n  GOBACK.\n", &[(2, &["FIRST", "A"]), (4, &["A"])]);
    }

    #[test]
    fn literals_that_another_item_replaces_do_not_reach_the_call() {
        check(
            "MAIN.\n  MOVE 'A' TO N.\n  DISPLAY N.\n  MOVE M TO N.\n  CALL N.\n  MOVE 'B' TO N.\n  CALL N.\n  GOBACK.\n",
            &[(5, &[]), (7, &["B"])],
        );
    }

    /// Returns the calls of a program with an item N of a group, and an item M that is read.
    fn calls(code: &str) -> Vec<ProgramCall> {
        let text = format!(
            "IDENTIFICATION DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 G.\n05 N PIC X(8).\n01 M PIC X(8).\nPROCEDURE DIVISION.\nMAIN.\nACCEPT M.\n{code}  GOBACK.\n"
        );
        let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
        let source = SourceText::read("T.cbl", text.into_bytes(), &options).unwrap();
        parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks).calls
    }

    #[test]
    fn items_that_may_reach_a_call_are_told_beside_literals() {
        let moved = |code: &str| calls(code).iter().map(|call| call.moved_items.len()).collect::<Vec<_>>();
        assert_eq!(moved("  MOVE M TO N.\n  CALL N.\n"), [1]);
        assert_eq!(moved("  IF M = ' ' MOVE 'A' TO N ELSE MOVE M TO N.\n  CALL N.\n"), [1]);
        assert_eq!(moved("  MOVE M TO N.\n  MOVE 'A' TO N.\n  CALL N.\n"), [0]);
        assert_eq!(moved("  CALL N.\n  MOVE M TO N.\n"), [1]);
    }

    #[test]
    fn a_call_is_certain_where_nothing_else_reaches_it() {
        let certain = |code: &str| calls(code).iter().map(|call| call.is_certain).collect::<Vec<_>>();
        assert_eq!(certain("  MOVE 'A' TO N.\n  CALL N.\n"), [true]);
        assert_eq!(certain("  MOVE 'A' TO N.\n  MOVE M TO G.\n  CALL N.\n"), [false]);
        assert_eq!(certain("  MOVE 'A' TO N.\n  IF M = 'X' MOVE M TO N.\n  CALL N.\n"), [false]);
        assert_eq!(certain("  MOVE 'A' TO N.\n  CALL 'SUB' USING G.\n  CALL N.\n"), [false, false]);
        let sql = "EXEC SQL SELECT P INTO :N FROM T END-EXEC";
        assert_eq!(certain(&format!("  MOVE 'A' TO N.\n  {sql}.\n  CALL N.\n")), [false]);
    }
}
