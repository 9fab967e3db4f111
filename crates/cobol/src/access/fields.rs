//! The fields through which a program talks to its caller and to its users: the items of its parameters and screens.
//!
//! The record of a parameter is the item after USING, or DFHCOMMAREA; a record that it is moved to, that is moved to it, or that CICS keeps as
//! COMMAREA for the next task carries its contents as well. What is read in such a record comes from the caller only if the parameter is moved to it, and
//! what is set there goes to the caller only if it is moved back, or kept for the next task. The records of a map are those of INTO and FROM, or else the map's name with I and O; records
//! that share their storage are one.

use super::{Resource, ResourceKind};
use crate::analysis::Analysis;
use crate::decisions::move_operands;
use crate::def_use::ItemUse;
use crate::model::{DataItem, ExecKind, ParsedCobol};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use war_rig_text::LineNumber;

/// A field, and where the program uses it so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterfaceField {
    /// Its name.
    pub name: String,
    /// The first line of the first statement.
    pub line: LineNumber,
    /// The first lines of the others, in order.
    pub more_lines: Vec<LineNumber>,
    /// The record that contains it, if that is another one, which carries the parameter's contents.
    pub record: Option<String>,
    /// Whether it is only handed to what the program calls, which may set it.
    pub is_handed_on: bool,
}

/// The place of a use: whether it only hands the item on, the statement, whether it is the statement's own and not its condition's, and the place
/// among the uses there.
type UseOrder = (bool, usize, bool, usize);

/// Adds to parameters and maps the fields that the source's own statements read and set.
pub(super) fn add_fields(analysis: &Analysis, resources: &mut [Resource]) {
    let parsed = analysis.parsed();
    let records = Records::of(parsed);
    let mut resource_of: HashMap<usize, (usize, Crossing)> = HashMap::new();
    for (index, resource) in resources.iter().enumerate() {
        let of = match resource.kind {
            ResourceKind::Parameter => records.of_parameter(resource),
            ResourceKind::Map => records.of_map(resource),
            _ => Vec::new(),
        };
        for (record, crossing) in of {
            let (at, known) = resource_of.entry(record).or_insert((index, crossing));
            if *at == index {
                known.comes_in |= crossing.comes_in;
                known.goes_out |= crossing.goes_out;
            }
        }
    }
    if resource_of.is_empty() {
        return;
    }
    // In the order of the statements, which does not depend on how these share lines.
    let mut places: HashMap<(usize, usize, bool), Vec<(UseOrder, LineNumber)>> = HashMap::new();
    let mut note = |used: &ItemUse, order: (usize, bool, usize), line: LineNumber| {
        let item = used.item();
        // Nobody knows whether a macro changes what it is given.
        let is_macro = used.is_passed() && order.1 && parsed.statements[order.0].verb == Verb::Macro;
        let is_handed_on = used.is_passed() && order.1;
        let Some((at, crossing)) = resource_of.get(&records.roots[item]) else { return };
        let name = &parsed.data_items[item].name;
        if parsed.data_items[item].parent.is_none()
            || name == "FILLER"
            || records.is_attribute(parsed, item, &resources[*at].kind)
        {
            return;
        }
        let reads = used.is_read() && crossing.comes_in;
        let sets = used.is_set() && !is_macro && crossing.goes_out;
        for (is_used, is_set) in [(reads, false), (sets, true)] {
            if is_used {
                let order = (is_set && is_handed_on, order.0, order.1, order.2);
                places.entry((*at, item, is_set)).or_default().push((order, line));
            }
        }
    };
    let (uses, decisions) = (analysis.def_use(), analysis.decisions());
    for (index, statement) in parsed.statements.iter().enumerate().filter(|(_, statement)| statement.file.is_none()) {
        let own = uses.of_statement(index).iter().enumerate();
        own.for_each(|(place, used)| note(used, (index, true, place), statement.lines.start()));
    }
    for (index, branch) in parsed.branches.iter().enumerate() {
        if parsed.statements[branch.statement].file.is_none() {
            // A condition stands before the statements under it.
            let under = decisions.statements_under(index).first().copied().unwrap_or(branch.statement + 1);
            let own = uses.of_branch(index).iter().enumerate();
            own.for_each(|(place, used)| note(used, (under, false, place), branch.lines.start()));
        }
    }
    places.values_mut().for_each(|places| places.sort_unstable());
    let mut found: Vec<_> = places.into_iter().collect();
    found.sort_unstable_by_key(|(_, places)| {
        let ((_, statement, is_own, place), line) = places[0];
        (statement, is_own, place, line)
    });
    for ((at, item, is_set), places) in found {
        let ((is_handed_on, ..), line) = places[0];
        let others = places.iter().filter(|((is_handed, ..), other)| *is_handed == is_handed_on && *other != line);
        let mut more_lines: Vec<LineNumber> = others.map(|(_, line)| *line).collect();
        more_lines.sort_unstable();
        more_lines.dedup();
        let resource = &mut resources[at];
        let record = &parsed.data_items[records.roots[item]].name;
        let is_other = resource.kind == ResourceKind::Parameter && !record.eq_ignore_ascii_case(&resource.name);
        let name = parsed.data_items[item].name.clone();
        let record = is_other.then(|| record.clone());
        let field = InterfaceField { name, line, more_lines, record, is_handed_on };
        let fields = if is_set { &mut resource.fields_set } else { &mut resource.fields_read };
        fields.push(field);
    }
    for resource in resources {
        if resource.kind == ResourceKind::Parameter {
            let sets = !resource.fields_set.is_empty();
            resource.is_written |= sets;
            resource.accesses.update |= sets;
        }
    }
}

/// Whether what a record contains comes from the caller or user, and whether it goes to them.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    comes_in: bool,
    goes_out: bool,
}

/// The records of a source, by program and name, and what is moved between them.
struct Records<'a> {
    parsed: &'a ParsedCobol,
    /// For each item, the record that contains it; of records that share storage the first.
    roots: Vec<usize>,
    by_name: HashMap<(Option<usize>, &'a str), usize>,
    /// The items by their records and names.
    fields: HashSet<(usize, &'a str)>,
    /// The records that one of the LINKAGE SECTION is moved to, or that are moved to it, by this one.
    carriers: HashMap<usize, Vec<(usize, Crossing)>>,
    /// The records that CICS keeps as COMMAREA for the next task, by program.
    handed_on: HashMap<Option<usize>, Vec<usize>>,
    /// The items after INTO and FROM, by program and map.
    of_maps: HashMap<(Option<usize>, String), Vec<String>>,
}

impl<'a> Records<'a> {
    fn of(parsed: &'a ParsedCobol) -> Self {
        let mut by_name: HashMap<(Option<usize>, &'a str), usize> = HashMap::new();
        let mut roots: Vec<usize> = Vec::with_capacity(parsed.data_items.len());
        let mut fields = HashSet::new();
        for (index, item) in parsed.data_items.iter().enumerate() {
            let shared = item.redefines.as_deref().filter(|_| item.parent.is_none());
            let shared = shared.and_then(|name| by_name.get(&(item.program, name)).copied());
            let root = item.parent.map(|parent| roots[parent]).or(shared).unwrap_or(index);
            roots.push(root);
            fields.insert((root, item.name.as_str()));
            if item.parent.is_none() {
                by_name.entry((item.program, item.name.as_str())).or_insert(root);
            }
        }
        let (carriers, handed_on, of_maps) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut records = Self { parsed, roots, by_name, fields, carriers, handed_on, of_maps };
        records.follow();
        records
    }

    fn record(&self, program: Option<usize>, name: &str) -> Option<usize> {
        self.by_name.get(&(program, name.to_uppercase().as_str())).copied()
    }

    /// Finds the records that carry the contents of those of the LINKAGE SECTION.
    fn follow(&mut self) {
        let is_linkage = |item: &DataItem| item.section.as_deref() == Some("LINKAGE");
        for statement in &self.parsed.statements {
            let Some(moved) = move_operands(self.parsed, statement) else { continue };
            let Some(from) = self.record(statement.program, moved.from.name()) else { continue };
            for to in moved.to {
                let Some(to) = self.record(statement.program, to.name()) else { continue };
                let is_given = |record: usize| is_linkage(&self.parsed.data_items[record]);
                match (is_given(from), is_given(to)) {
                    (true, false) => {
                        self.carriers.entry(from).or_default().push((to, Crossing { comes_in: true, goes_out: false }));
                    }
                    (false, true) => {
                        self.carriers.entry(to).or_default().push((from, Crossing { comes_in: false, goes_out: true }));
                    }
                    _ => {}
                }
            }
        }
        for exec in self.parsed.execs.iter().filter(|exec| exec.kind == ExecKind::Cics) {
            let area = exec.option("COMMAREA").filter(|_| exec.command == "RETURN");
            if let Some(record) = area.and_then(|area| self.record(exec.program, area.trim())) {
                self.handed_on.entry(exec.program).or_default().push(record);
            }
            if let Some(map) = exec.option("MAP") {
                let named = [exec.option("INTO"), exec.option("FROM")].into_iter().flatten().map(super::bare);
                self.of_maps.entry((exec.program, super::bare(map))).or_default().extend(named);
            }
        }
    }

    fn of_parameter(&self, resource: &Resource) -> Vec<(usize, Crossing)> {
        let Some(own) = self.record(resource.program, &resource.name) else { return Vec::new() };
        let carriers = self.carriers.get(&own).into_iter().flatten();
        let mut all: Vec<(usize, Crossing)> = carriers.copied().collect();
        all.push((own, Crossing { comes_in: true, goes_out: resource.is_written }));
        // What the program itself has put there before comes from nobody.
        all.iter_mut().for_each(|(_, crossing)| crossing.comes_in &= resource.is_read);
        if resource.name == super::parameters::COMMAREA {
            let kept = self.handed_on.get(&resource.program).into_iter().flatten();
            all.extend(kept.map(|record| (*record, Crossing { comes_in: false, goes_out: true })));
        }
        all
    }

    fn of_map(&self, resource: &Resource) -> Vec<(usize, Crossing)> {
        let key = (resource.program, resource.name.clone());
        let mut names = self.of_maps.get(&key).cloned().unwrap_or_default();
        names.extend(["I", "O"].map(|side| format!("{}{side}", resource.name)));
        let own = names.iter().filter_map(|name| self.record(resource.program, name));
        own.map(|record| (record, Crossing { comes_in: true, goes_out: true })).collect()
    }

    /// Returns whether an item of a map is the length or an attribute of a field: its name is that of a field but for the last letter.
    fn is_attribute(&self, parsed: &ParsedCobol, item: usize, kind: &ResourceKind) -> bool {
        let name = &parsed.data_items[item].name;
        let Some(base) = name.get(..name.len().saturating_sub(1)).filter(|_| *kind == ResourceKind::Map) else {
            return false;
        };
        let is_field = |side: char| self.fields.contains(&(self.roots[item], format!("{base}{side}").as_str()));
        !name.ends_with(['I', 'O']) && (is_field('I') || is_field('O'))
    }
}

#[cfg(test)]
mod tests {
    use super::InterfaceField;
    use crate::{Analysis, LexedSource, NoCopybooks, parse};
    use std::sync::Arc;
    use war_rig_text::{LineNumber, ReadOptions, SourceText};

    fn analysed(data: &str, statements: &str) -> Analysis {
        let indented = |text: &str| text.lines().map(|line| format!("           {line}\n")).collect::<String>();
        let text = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n{}\
             \x20      PROCEDURE DIVISION.\n{}",
            indented(data),
            indented(statements)
        );
        let source = SourceText::read("P.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
        Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks))
    }

    /// Checks the fields that a resource of a program with these data and statements has: read, and set.
    #[track_caller]
    fn check(data: &str, statements: &str, resource: &str, expected: [&str; 2]) {
        let analysis = analysed(data, statements);
        let found = analysis.resources().iter().find(|found| found.name == resource).unwrap();
        let names = [&found.fields_read, &found.fields_set]
            .map(|fields| fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(" "));
        assert_eq!(names, expected);
    }

    #[test]
    fn a_commarea_is_read_and_set_where_it_is_and_where_it_is_moved() {
        let area = "LINKAGE SECTION.\n01 DFHCOMMAREA.\n05 ASKED PIC X.\n05 ANSWER PIC X.\n05 OTHER PIC X.";
        let end = "EXEC CICS RETURN END-EXEC.";
        check(area, &format!("IF ASKED = 'A' MOVE 'B' TO ANSWER.\n{end}"), "DFHCOMMAREA", ["ASKED", "ANSWER"]);
        let copy = "01 OWN.\n05 OWN-ASKED PIC X.\n05 OWN-ANSWER PIC X.\nLINKAGE SECTION.\n01 DFHCOMMAREA PIC X(2).";
        let moves = "MOVE DFHCOMMAREA TO OWN.\nIF OWN-ASKED = 'A' MOVE 'B' TO OWN-ANSWER.\n";
        check(copy, &format!("{moves}MOVE OWN TO DFHCOMMAREA.\n{end}"), "DFHCOMMAREA", ["OWN-ASKED", "OWN-ANSWER"]);
        // The copy does not go back.
        check(copy, &format!("{moves}{end}"), "DFHCOMMAREA", ["OWN-ASKED", ""]);
        // Another field goes to the caller, and the copy all the same does not.
        let owns = copy.replace("DFHCOMMAREA PIC X(2).", "DFHCOMMAREA.\n05 CODE PIC X.\n05 MORE PIC X.");
        check(&owns, &format!("{moves}MOVE 'X' TO CODE.\n{end}"), "DFHCOMMAREA", ["OWN-ASKED", "CODE"]);
        let gives = "IF OWN-ASKED = 'A' MOVE 'B' TO OWN-ANSWER.\nMOVE OWN TO DFHCOMMAREA.\n";
        check(copy, &format!("{gives}{end}"), "DFHCOMMAREA", ["", "OWN-ANSWER"]);
        let hands = "MOVE 'B' TO OWN-ANSWER.\nEXEC CICS RETURN TRANSID('T') COMMAREA(OWN) END-EXEC.";
        check(copy, hands, "DFHCOMMAREA", ["", "OWN-ANSWER"]);
    }

    #[test]
    fn a_field_has_all_lines_that_use_it() {
        let area = "LINKAGE SECTION.\n01 DFHCOMMAREA.\n05 ASKED PIC X.\n05 ANSWER PIC X.";
        let analysis = analysed(
            area,
            "IF ASKED = 'A' OR ASKED = 'B'\nMOVE ASKED TO ANSWER\nMOVE 'C' TO ANSWER.\nIF ASKED = 'D'\nEXEC CICS RETURN END-EXEC.",
        );
        let found = analysis.resources().iter().find(|found| found.name == "DFHCOMMAREA").unwrap();
        let lines = |field: &InterfaceField| {
            std::iter::once(field.line).chain(field.more_lines.iter().copied()).map(LineNumber::get).collect::<Vec<_>>()
        };
        assert_eq!(lines(&found.fields_read[0]), [10, 11, 13]);
        assert_eq!(lines(&found.fields_set[0]), [11, 12]);
    }

    #[test]
    fn a_map_has_fields_and_no_attributes() {
        let map = "01 MI.\n05 NAMEL PIC S9(4) COMP.\n05 NAMEF PIC X.\n05 NAMEI PIC X(9).\n05 IDI PIC X.\n\
                   01 MO REDEFINES MI.\n05 FILLER PIC X(3).\n05 NAMEO PIC X(9).\n05 IDO PIC X.";
        let statements = "EXEC CICS RECEIVE MAP('M') END-EXEC.\nIF IDI = 'A' MOVE 'B' TO NAMEO.\nMOVE -1 TO NAMEL.\n\
                          EXEC CICS SEND MAP('M') END-EXEC.";
        check(map, statements, "M", ["IDI", "NAMEO"]);
        let named = "EXEC CICS RECEIVE MAP('X') INTO(MI) END-EXEC.\nIF IDI = 'A' MOVE 'B' TO NAMEI.";
        check(map, named, "X", ["IDI", "NAMEI"]);
    }
}
