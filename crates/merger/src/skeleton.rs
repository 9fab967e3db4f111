//! The skeleton of a document: the parser's facts with exact citations.

use crate::claims::ChunkClaim;
use crate::conflicts::MergedText;
use crate::operations;
use crate::paragraph_uses::add_uses;
use crate::unreached::unreached_reason;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::collections::BTreeMap;
use war_rig_cobol::comments::program_comment;
use war_rig_cobol::{
    Analysis, BranchKind, ControlFlowGraph, ExecKind, MAIN_LINE, OperandPhrase, OperationStatus, ParagraphHead,
    ParsedCobol, ProgramExit, ReferenceKind, Resource, ResourceKind, Verb, WordSlice,
};
use war_rig_template::{
    CalledProgram, CallingContext, CicsOperation, ControlEdge, CopybookUse, DliOperation, DocumentHeader, Interface,
    InterfaceField, ItemBody, ItemOrigin, Paragraph, ParagraphStep, PartialStep, PartialTemplate, PerformedEnd,
    ProgramUnit, SqlOperation,
};
use war_rig_text::{LineNumber, LineRange, SourceText};

/// An item under construction.
#[derive(Debug, Clone, Default)]
pub(crate) struct DraftItem<B> {
    /// Its identity and what the parser knows of it.
    pub(crate) body: B,
    pub(crate) text: MergedText,
    pub(crate) more: MergedText,
    pub(crate) claims: Vec<ChunkClaim>,
    /// Whether the parser knows it.
    pub(crate) parsed: bool,
    /// Whether a Scribe has described it.
    pub(crate) is_written: bool,
    pub(crate) program: Option<String>,
    /// Other names for it in the lines that it cites.
    pub(crate) aliases: Vec<String>,
    /// The names under which others know it: the value of the data item that names it, the DD name of a file.
    pub(crate) known_as: Vec<String>,
    /// Whether none of its cited lines contains its name: a main line.
    pub(crate) is_nameless: bool,
    /// The texts that must occur where the item is cited: its conditions, what it reads or writes.
    pub(crate) required_texts: Vec<String>,
    /// Names and conditions that an item has from the parser, because a model gave an id in their place.
    pub(crate) given: Vec<String>,
    /// A model's claims about an item for which the parser has its own citation.
    pub(crate) model_claims: Vec<ChunkClaim>,
    /// Whether the text beyond the parser's facts is at least in the parser's words.
    pub(crate) in_parser_words: bool,
    /// Whether a model adds it to a kind of which the parser knows all.
    pub(crate) is_disputed: bool,
}

impl<B: ItemBody> DraftItem<B> {
    /// Creates an entry that the parser knows.
    pub(crate) fn parsed(body: B, claims: Vec<ChunkClaim>, program: Option<String>) -> Self {
        Self { body, claims, program, parsed: true, ..Self::default() }
    }

    /// Returns the item's origin, given whether the Scribe's words are the parser's.
    pub(crate) fn origin(&self, parsers_words: bool) -> ItemOrigin {
        match (self.parsed, self.is_written && !parsers_words) {
            (true, true) => ItemOrigin::Both,
            (true, false) => ItemOrigin::Parser,
            (false, _) if parsers_words || self.in_parser_words => ItemOrigin::Parser,
            (false, _) => ItemOrigin::Model,
        }
    }
}

/// Entries of one kind, found by name in any case.
#[derive(Debug, Clone, Default)]
pub(crate) struct DraftItems<B> {
    /// In order. Entries are added by [`DraftItems::push`].
    pub(crate) list: Vec<DraftItem<B>>,
    by_name: HashMap<String, Vec<usize>>,
    /// The parser's entries by name and the line where one of their claims begins.
    by_place: HashMap<(String, LineNumber), Vec<usize>>,
    by_line: BTreeMap<LineNumber, Vec<usize>>,
}

impl<B: ItemBody> DraftItems<B> {
    /// Returns the indices of the entries of this name, in order.
    pub(crate) fn indices_by_name(&self, name: &str) -> &[usize] {
        self.by_name.get(&name.to_uppercase()).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the indices of the parser's entries of this name, in order.
    pub(crate) fn parsed_by_name(&self, name: &str) -> impl Iterator<Item = usize> {
        self.indices_by_name(name).iter().copied().filter(|index| self.list[*index].parsed)
    }

    /// Returns the indices of the parser's entries of this name with a claim that begins on this line.
    pub(crate) fn indices_at(&self, name: &str, line: LineNumber) -> &[usize] {
        self.by_place.get(&(name.to_uppercase(), line)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the indices of the parser's entries with a claim that begins on this line.
    pub(crate) fn indices_at_line(&self, line: LineNumber) -> &[usize] {
        self.by_line.get(&line).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the indices of the parser's entries of which a claim touches these lines, in line order.
    pub(crate) fn indices_in(&self, lines: LineRange) -> Vec<usize> {
        let before = self.by_line.range(..lines.start()).next_back();
        let inside = self.by_line.range(lines.start()..=lines.end());
        let touches =
            |index: &usize| self.list[*index].claims.iter().any(|claim| claim.lines.intersection(lines).is_some());
        before.into_iter().chain(inside).flat_map(|(_, found)| found).copied().filter(touches).collect()
    }

    pub(crate) fn push(&mut self, entry: DraftItem<B>) -> usize {
        let index = self.list.len();
        let name = entry.body.name().to_uppercase();
        for claim in entry.claims.iter().filter(|_| entry.parsed) {
            self.by_place.entry((name.clone(), claim.lines.start())).or_default().push(index);
            self.by_line.entry(claim.lines.start()).or_default().push(index);
        }
        self.by_name.entry(name).or_default().push(index);
        self.list.push(entry);
        index
    }
}

impl<B: ItemBody> FromIterator<DraftItem<B>> for DraftItems<B> {
    fn from_iter<I: IntoIterator<Item = DraftItem<B>>>(entries: I) -> Self {
        let mut all = Self::default();
        for entry in entries {
            all.push(entry);
        }
        all
    }
}

/// All entries of a document under construction.
pub(crate) struct Skeleton {
    pub(crate) inputs: DraftItems<Interface>,
    pub(crate) outputs: DraftItems<Interface>,
    pub(crate) calls: DraftItems<CalledProgram>,
    pub(crate) copybooks: DraftItems<CopybookUse>,
    pub(crate) paragraphs: DraftItems<Paragraph>,
    pub(crate) sql: DraftItems<SqlOperation>,
    pub(crate) cics: DraftItems<CicsOperation>,
    pub(crate) dli: DraftItems<DliOperation>,
    /// The indices of the paragraphs in the source's own file.
    own_paragraphs: Vec<usize>,
}

impl Skeleton {
    pub(crate) fn of(analysis: &Analysis, all: LineRange) -> Self {
        let parsed = analysis.parsed();
        let claim = |lines: LineRange| ChunkClaim { lines, quote: None, seen: all };
        let resources = analysis.resources();
        let interface = |resource: &Resource, fields: &[war_rig_cobol::InterfaceField]| {
            let fields = fields.iter().map(|field| InterfaceField {
                name: field.name.clone(),
                line: field.line,
                more_lines: field.more_lines.clone(),
                record: field.record.clone(),
                is_handed_on: field.is_handed_on,
            });
            let body = Interface {
                name: resource.name.clone(),
                io_type: resource.kind.in_words().to_owned(),
                copybook: resource.copybook.clone(),
                fields: fields.collect(),
                ..Interface::default()
            };
            let claims = resource.operations.iter().map(|(_, lines)| claim(*lines)).collect();
            // Blanks are displayed without any name.
            let displayed = (resource.kind == ResourceKind::SystemOutput).then(|| Verb::Display.to_string());
            DraftItem {
                // PROCEDURE DIVISION USING COPY X names the parameters in X.
                aliases: copied_into(parsed, resource)
                    .into_iter()
                    .chain(spoken_of(resource))
                    .chain(displayed)
                    .collect(),
                known_as: resource.estate_names.iter().chain(&resource.aliases).cloned().collect(),
                ..DraftItem::parsed(body, claims, program_name(parsed, resource.program))
            }
        };
        let execs = |kind: ExecKind| {
            let all = parsed.execs.iter().enumerate();
            let own = all.filter(move |(_, exec)| exec.kind == kind && exec.file.is_none());
            // A block without words is not an operation.
            own.filter(|(_, exec)| !exec.command.is_empty())
        };
        let sql = execs(ExecKind::Sql).map(|(_, exec)| {
            DraftItem::parsed(operations::sql(exec), vec![claim(exec.lines)], program_name(parsed, exec.program))
        });
        let cics = execs(ExecKind::Cics).map(|(index, exec)| {
            let body = operations::cics(exec, analysis.responses().of_exec(index), analysis.decisions());
            DraftItem::parsed(body, vec![claim(exec.lines)], program_name(parsed, exec.program))
        });
        let dli = analysis.dli_operations().iter().filter(|operation| operation.file.is_none());
        let dli = dli.map(|operation| DraftItem {
            // The names in its statement if it is a CALL.
            aliases: operations::statement_names(operation),
            ..DraftItem::parsed(
                operations::dli(operation),
                vec![claim(operation.lines)],
                program_name(parsed, operation.program),
            )
        });
        let calls = parsed.calls.iter().filter(|call| call.file.is_none()).map(|call| {
            let body = CalledProgram {
                program_name: call.target.clone(),
                written: call.spelling.clone().unwrap_or_default(),
                call_type: call.kind.as_str().to_owned(),
                parameters: call.using.clone(),
                may_call: call.candidates.iter().map(|(name, _)| name.clone()).collect(),
                is_certain: call.candidates.len() == 1
                    && (call.is_certain || analysis.decisions().constant(&call.target, call.program).is_some()),
                ..CalledProgram::default()
            };
            DraftItem::parsed(body, vec![claim(call.lines)], program_name(parsed, call.program))
        });
        let own = parsed.paragraphs.iter().enumerate().filter(|(_, paragraph)| paragraph.file.is_none());
        let read = resources.iter().filter(|resource| resource.is_read);
        let written = resources.iter().filter(|resource| resource.is_written);
        Self {
            inputs: read.map(|resource| interface(resource, &resource.fields_read)).collect(),
            outputs: written.map(|resource| interface(resource, &resource.fields_set)).collect(),
            calls: calls.collect(),
            copybooks: copybooks(parsed, claim).into_iter().collect(),
            paragraphs: paragraphs(analysis, claim).into_iter().collect(),
            sql: sql.collect(),
            cics: cics.collect(),
            dli: dli.collect(),
            own_paragraphs: own.map(|(index, _)| index).collect(),
        }
    }

    /// Adds the steps of each chunk, in order, to the paragraphs.
    pub(crate) fn add_steps<'p>(&mut self, chunks: impl Iterator<Item = &'p PartialTemplate>) {
        let mut all: HashMap<usize, Vec<ParagraphStep>> = HashMap::new();
        for PartialStep { paragraph, step } in chunks.flat_map(|chunk| &chunk.steps) {
            all.entry(*paragraph).or_default().push(step.clone());
        }
        for (entry, index) in self.paragraphs.list.iter_mut().zip(&self.own_paragraphs) {
            entry.body.steps = all.remove(index).unwrap_or_default();
        }
    }
}

/// Returns other names for a resource in statements: a cursor, a segment search argument, what is displayed.
fn spoken_of(resource: &Resource) -> impl Iterator<Item = String> {
    use ResourceKind::{Database, Segment, SystemInput, SystemOutput, Table};
    let is_other = matches!(resource.kind, Table | Segment | Database | SystemInput | SystemOutput);
    resource.aliases.iter().filter(move |_| is_other).cloned()
}

/// Returns the copybooks copied into the header that names a parameter.
fn copied_into(parsed: &ParsedCobol, resource: &Resource) -> Vec<String> {
    if resource.kind != ResourceKind::Parameter {
        return Vec::new();
    }
    let inside = |lines: LineRange| resource.operations.iter().any(|(_, header)| header.covers(lines));
    let copies = parsed.copies.iter().filter(|copy| copy.file.is_none() && inside(copy.lines));
    copies.map(|copy| copy.name.clone()).collect()
}

/// Returns the name of a program in a file with several programs.
pub(crate) fn program_name(parsed: &ParsedCobol, program: Option<usize>) -> Option<String> {
    program.filter(|_| parsed.programs.len() > 1).map(|program| parsed.programs[program].name.clone())
}

/// Builds one entry per copybook and program, which cites every COPY of it.
fn copybooks(parsed: &ParsedCobol, claim: impl Fn(LineRange) -> ChunkClaim) -> Vec<DraftItem<CopybookUse>> {
    let mut entries: Vec<DraftItem<CopybookUse>> = Vec::new();
    let mut known: HashMap<(&str, Option<String>), usize> = HashMap::new();
    for copy in parsed.copies.iter().filter(|copy| copy.file.is_none()) {
        let program = program_name(parsed, copy.program);
        let index = *known.entry((&copy.name, program.clone())).or_insert_with(|| {
            let body = CopybookUse {
                copybook_name: copy.name.clone(),
                location: place(parsed, copy.lines),
                ..CopybookUse::default()
            };
            entries.push(DraftItem::parsed(body, Vec::new(), program));
            entries.len() - 1
        });
        entries[index].claims.push(claim(copy.lines));
    }
    entries
}

/// Names the section or division that contains the lines.
fn place(parsed: &ParsedCobol, lines: LineRange) -> String {
    let section = parsed.sections.iter().rfind(|section| section.file.is_none() && section.lines.covers(lines));
    let division = parsed.divisions.iter().rfind(|division| division.file.is_none() && division.lines.covers(lines));
    match (section, division) {
        (Some(section), _) => format!("{} SECTION", section.name),
        (None, Some(division)) => format!("{} DIVISION", division.name),
        (None, None) => String::new(),
    }
}

/// The longest range of paragraphs that is expanded; a longer one is entered at its first paragraph.
const RANGE_TAKEN_APART: usize = 100;

fn paragraphs(analysis: &Analysis, claim: impl Fn(LineRange) -> ChunkClaim) -> Vec<DraftItem<Paragraph>> {
    let (parsed, flow) = (analysis.parsed(), analysis.control_flow());
    let mut places = vec![Paragraph::default(); parsed.paragraphs.len()];
    // A name that occurs in several sections is qualified as in COBOL.
    let mut counts: HashMap<(Option<usize>, &str), usize> = HashMap::new();
    for paragraph in &parsed.paragraphs {
        *counts.entry((paragraph.program, paragraph.name.as_str())).or_default() += 1;
    }
    let qualified = |index: usize| {
        let paragraph = &parsed.paragraphs[index];
        let section = paragraph.section.map(|section| &parsed.sections[section].name);
        match section.filter(|_| counts[&(paragraph.program, paragraph.name.as_str())] > 1) {
            Some(section) => format!("{} OF {section}", paragraph.name),
            None => paragraph.name.clone(),
        }
    };
    let mut seen: HashSet<(usize, Option<usize>)> = HashSet::new();
    let mut named = HashSet::new();
    for (index, reference) in parsed.references.iter().enumerate() {
        if let Some(from) = reference.paragraph
            && named.insert((from, reference.target.as_str()))
        {
            places[from].calls.push(reference.target.clone());
        }
        let Some((first, last)) = flow.reference_span(index) else { continue };
        // PERFORM runs a whole range or section, GO TO leads to its beginning.
        let returns = reference.kind.returns();
        let last = if returns && last >= first && last - first < RANGE_TAKEN_APART { last } else { first };
        for (target, place) in (first..).zip(&mut places[first..=last]) {
            if seen.insert((target, reference.paragraph)) {
                let caller = reference.paragraph.map(qualified);
                place.called_by.push(caller.unwrap_or_else(|| MAIN_LINE.to_owned()));
            }
        }
    }
    for program in &parsed.programs {
        // The run-time system enters the procedures of DECLARATIVES.
        let declaratives = program.after_declaratives.unwrap_or(0).min(places.len());
        let own = parsed.paragraphs.iter().zip(&mut places).take(declaratives);
        for (_, place) in
            own.filter(|(paragraph, _)| paragraph.program.map(|at| &parsed.programs[at].name) == Some(&program.name))
        {
            place.called_by.push("USE".to_owned());
        }
    }
    add_uses(analysis, &mut places);
    // What a missing copybook contains may perform any paragraph.
    let is_whole = !parsed.is_copybook_missing("PROCEDURE");
    for (index, place) in places.iter_mut().enumerate() {
        let paragraph = &parsed.paragraphs[index];
        place.paragraph_name.clone_from(&paragraph.name);
        place.section = paragraph.section.map(|section| parsed.sections[section].name.clone());
        place.headed_by = match paragraph.head {
            ParagraphHead::Label => None,
            ParagraphHead::Section => Some("section".to_owned()),
            ParagraphHead::Division => Some("division".to_owned()),
            ParagraphHead::Entry => Some("entry".to_owned()),
        };
        place.is_label_only = flow.is_label_only(index);
        let unreached = flow.unreachable_reason(index).filter(|_| is_whole);
        place.dead_because = unreached.map(|reason| unreached_reason(parsed, reason));
        place.is_dead_code = place.dead_because.is_some();
    }
    let own = parsed.paragraphs.iter().zip(places).filter(|(paragraph, _)| paragraph.file.is_none());
    own.map(|(paragraph, body)| DraftItem {
        is_nameless: paragraph.head == ParagraphHead::Division,
        ..DraftItem::parsed(body, vec![claim(paragraph.lines)], program_name(parsed, paragraph.program))
    })
    .collect()
}

/// Returns how control passes between the paragraphs of a file.
pub(crate) fn control_flow(analysis: &Analysis) -> Vec<ControlEdge> {
    let (parsed, flow) = (analysis.parsed(), analysis.control_flow());
    let around = BranchContext::of(analysis);
    let section_of =
        |paragraph: usize| parsed.paragraphs[paragraph].section.map(|section| parsed.sections[section].name.clone());
    // A main line has no name.
    let name = |paragraph: usize| {
        let paragraph = &parsed.paragraphs[paragraph];
        (paragraph.head != ParagraphHead::Division).then(|| paragraph.name.clone())
    };
    let own = parsed.references.iter().enumerate().filter(|(_, reference)| reference.file.is_none());
    let references = own.map(|(index, reference)| {
        let entered = flow.reference_span(index).map(|(first, _)| first);
        let jump = reference.statement.zip(entered).and_then(|(from, label)| flow.jump_target(from, label));
        let behind = jump.map(|jump| jump.into).filter(|into| Some(*into) != entered);
        let statement = reference.statement.map(|index| &parsed.statements[index]);
        let branch = statement.and_then(|found| found.branch);
        let BranchContext { until, on_failure } = branch.map(|branch| around[branch]).unwrap_or_default();
        let until = until.and_then(|at| phrase_of_loop(parsed.condition(&parsed.branches[at])));
        let own_loop = statement.and_then(|found| phrase_of_loop(parsed.words(found)));
        let jump_statement = statement.filter(|_| reference.kind == ReferenceKind::GoTo);
        let mut operands = jump_statement.into_iter().flat_map(|found| parsed.operands(found));
        let depending_on = operands.find(|operand| operand.phrase() == OperandPhrase::Depending);
        ControlEdge {
            from: reference.paragraph.and_then(name),
            from_section: reference.paragraph.and_then(section_of),
            to: reference.target.clone(),
            enters: entered.and_then(name),
            enters_section: entered.and_then(section_of),
            goes_on_in: behind.and_then(name),
            goes_on_in_section: behind.and_then(section_of),
            goes_on_behind: jump.is_some_and(|jump| jump.goes_on),
            through: reference.through.clone(),
            through_section: reference.through_section.clone(),
            kind: match reference.kind {
                ReferenceKind::Alter => "altered".to_owned(),
                kind => kind.as_str().to_owned(),
            },
            until: own_loop.or(until),
            program_end: reference
                .statement
                .and_then(|statement| end_of_performed(flow, statement, reference.kind, entered)),
            depending_on: depending_on.map(|item| item.text().to_owned()),
            on_failure,
            line: reference.line,
            program: program_name(parsed, reference.program),
        }
    });
    let falling = (0..parsed.paragraphs.len()).flat_map(|from| {
        let next = flow.falls_through(from).then_some(from + 1);
        next.into_iter().chain(flow.exits_to(from)).map(move |to| (from, to))
    });
    // A paragraph falls through to the next without a statement.
    let own = |from: usize| parsed.paragraphs[from].file.is_none();
    let edge = |from: usize, to: usize, kind: &str, line: LineNumber| ControlEdge {
        from: name(from),
        from_section: section_of(from),
        to: parsed.paragraphs[to].name.clone(),
        enters: name(to),
        enters_section: section_of(to),
        goes_on_in: None,
        goes_on_in_section: None,
        goes_on_behind: false,
        through: None,
        through_section: None,
        kind: kind.to_owned(),
        until: None,
        program_end: None,
        depending_on: None,
        on_failure: false,
        line,
        program: program_name(parsed, parsed.paragraphs[from].program),
    };
    let falls = falling.filter(|(from, _)| own(*from));
    let falls = falls.map(|(from, to)| edge(from, to, "fall_through", parsed.paragraphs[from].lines.end()));
    let mut edges: Vec<ControlEdge> = Vec::new();
    // ALTER names a paragraph and the new target of its GO TO, so the edge starts at that paragraph.
    let first = |index: usize| flow.reference_span(index).map(|(first, _)| first);
    for (paragraph, target) in parsed.altered() {
        let (Some(from), Some(to)) = (first(paragraph).filter(|from| own(*from)), first(target)) else { continue };
        edges.push(edge(from, to, ReferenceKind::Alter.as_str(), parsed.paragraphs[from].lines.start()));
    }
    // On one line, the paragraph comes before its statements.
    edges.extend(references.chain(falls));
    edges.sort_by_key(|edge| edge.line);
    edges
}

/// Returns how the program ends in what a statement performs, if it does or may.
fn end_of_performed(
    flow: &ControlFlowGraph,
    statement: usize,
    kind: ReferenceKind,
    entered: Option<usize>,
) -> Option<PerformedEnd> {
    if kind != ReferenceKind::Perform {
        return None;
    }
    match entered.and_then(|entered| flow.program_exit(entered)) {
        Some(ProgramExit::Abends) => Some(PerformedEnd::Abends),
        Some(ProgramExit::StopsRun) => Some(PerformedEnd::StopsRun),
        Some(ProgramExit::Returns) => Some(PerformedEnd::Returns),
        Some(ProgramExit::TransfersControl) => Some(PerformedEnd::TransfersControl),
        None => flow.may_end_below(statement).then_some(PerformedEnd::MayEnd),
    }
}

/// What a branch and those around it imply for the statements under it.
#[derive(Debug, Clone, Copy, Default)]
struct BranchContext {
    /// The innermost loop with UNTIL.
    until: Option<usize>,
    /// Whether a branch is taken when an operation failed.
    on_failure: bool,
}

impl BranchContext {
    /// Computes the context of every branch. A branch comes after those around it, so each context is computed once.
    fn of(analysis: &Analysis) -> Vec<Self> {
        let (parsed, outcomes) = (analysis.parsed(), analysis.status_checks());
        let mut found: Vec<Self> = Vec::with_capacity(parsed.branches.len());
        for (index, branch) in parsed.branches.iter().enumerate() {
            let outer = parsed.statements[branch.statement].branch.map(|outer| found[outer]);
            let mut around = outer.unwrap_or_default();
            around.on_failure |= outcomes.of_branch(index) == Some(OperationStatus::Failure);
            if branch.kind == BranchKind::Loop && phrase_of_loop(parsed.condition(branch)).is_some() {
                around.until = Some(index);
            }
            found.push(around);
        }
        found
    }
}

/// Returns the condition after UNTIL in a PERFORM.
fn phrase_of_loop(words: WordSlice<'_>) -> Option<String> {
    let last = (0..words.len()).rev().find(|at| words.get(*at).is_some_and(|word| word.is("UNTIL")))?;
    Some(words.from(last + 1).text().to_owned()).filter(|until| !until.is_empty())
}

/// Builds the header of a document.
pub(crate) fn header(source: &SourceText, parsed: &ParsedCobol, produced_by: &str) -> DocumentHeader {
    let file_type = if parsed.programs.is_empty() { "copybook" } else { "program" };
    DocumentHeader {
        program_id: parsed.programs.first().map(|program| program.name.clone()),
        ..DocumentHeader::of(source, file_type, produced_by)
    }
}

/// Lists the programs of a file. Of several, each is told by its own comment if it has one.
pub(crate) fn programs(source: &SourceText, parsed: &ParsedCobol) -> Vec<ProgramUnit> {
    let mut counts = vec![0; parsed.programs.len()];
    for paragraph in parsed.paragraphs.iter().filter(|found| found.has_label() && found.file.is_none()) {
        if let Some(count) = paragraph.program.and_then(|program| counts.get_mut(program)) {
            *count += 1;
        }
    }
    parsed
        .programs
        .iter()
        .enumerate()
        .map(|(index, program)| {
            let paragraphs = counts[index];
            let nested = program
                .nested_in
                .map(|outer| format!("Nested in {}; ", parsed.programs[outer].name))
                .unwrap_or_default();
            let plural = if paragraphs == 1 { "" } else { "s" };
            let size = format!("{paragraphs} paragraph{plural}.");
            let is_one_of_several = parsed.programs.len() > 1;
            let comment = is_one_of_several.then(|| program_comment(source, parsed, index)).flatten();
            let told = match comment {
                Some((comment, _)) if paragraphs == 0 => own_comment(&comment),
                Some((comment, _)) => format!("{} {size}", own_comment(&comment)),
                None => size,
            };
            ProgramUnit { program_id: program.name.clone(), lines: program.lines, summary: format!("{nested}{told}") }
        })
        .collect()
}

/// Quotes what a program says of itself.
fn own_comment(comment: &str) -> String {
    format!("\"{}\" (its own comment).", comment.trim_end_matches('.'))
}

/// Adds what the source shows about how it is reached to the context from the estate.
pub(crate) fn calling_context(parsed: &ParsedCobol, context: &CallingContext) -> CallingContext {
    let mut entry_points = Vec::new();
    for program in &parsed.programs {
        entry_points.push(program.name.clone());
        entry_points.extend(program.entries.iter().cloned());
    }
    let linkage = parsed.data_items.iter().filter(|item| {
        item.section.as_deref() == Some("LINKAGE") && matches!(item.level, 1 | 77) && item.name != "FILLER"
    });
    CallingContext { entry_points, linkage_section: linkage.map(|item| item.name.clone()).collect(), ..context.clone() }
}

/// Returns the resource kind in an answer if it is one of the parser's: it distinguishes two resources of one name.
pub(crate) fn kind_of(io_type: &str) -> Option<&str> {
    use ResourceKind::{
        CicsFile, Container, Database, Journal, Map, Parameter, Segment, SystemInput, SystemOutput, Table,
        TemporaryQueue, TransientQueue,
    };
    let known = [
        CicsFile, Map, TemporaryQueue, TransientQueue, Container, Journal, Table, Segment, Database, Parameter,
        SystemInput, SystemOutput,
    ];
    (io_type == "file" || known.iter().any(|kind| kind.in_words() == io_type)).then_some(io_type)
}
