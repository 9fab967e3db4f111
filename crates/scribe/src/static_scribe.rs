//! The Scribe without a model: the parser's facts in sentences.
//!
//! It says nothing that the parser does not know, and quotes the program's own comments as such. What it writes of an item is
//! the same whichever chunk it is asked about, so that the plan of chunks does not show in the document.

use crate::phrases::{count, exec_phrase, in_words, list, sentence, shorten, statement};
use crate::{ChunkFacts, Scribe, ScribeError};
use std::collections::HashSet;
use war_rig_cobol::{Branch, BranchKind, CallKind, ExecKind, Parsed, Resource, ResourceKind, resources};
use war_rig_llm::BudgetedPrompt;
use war_rig_template::{
    BlockCitation, PartialCall, PartialCics, PartialCopybook, PartialDataFlow, PartialErrorHandling, PartialFlow, PartialInterface,
    PartialParagraph, PartialPurpose, PartialQuestion, PartialRule, PartialSql, PartialTemplate,
};
use war_rig_text::{Line, LineNumber, LineRange};

/// Writes documentation from the parser's facts alone, on the embedded default.
#[derive(Debug, Clone, Copy, Default)]
pub struct StaticScribe;

/// How many actions the sentence about a paragraph names before it only counts them.
const ACTIONS_NAMED: usize = 6;

/// What a nested IF comes to in a list of effects; it is a decision of its own.
const FURTHER: &str = "decides further";

/// How many lines of a decision are cited at most: what it decides stands at its head.
const DECISION_LINES: u32 = 100;

/// How many lines of the program's own first comment are quoted.
const COMMENT_LINES: usize = 3;

impl Scribe for StaticScribe {
    fn produced_by(&self) -> &str {
        "static"
    }

    fn speaks_for_the_parser(&self) -> bool {
        true
    }

    async fn write(&self, _prompt: &BudgetedPrompt, facts: &ChunkFacts<'_>) -> Result<PartialTemplate, ScribeError> {
        Ok(Writer::new(facts).write())
    }
}

struct Writer<'f, 'a> {
    facts: &'f ChunkFacts<'a>,
    parsed: &'a Parsed,
    resources: Vec<Resource>,
    /// The statements and branches under each branch, in order.
    under: Vec<Vec<usize>>,
    /// Data items whose value tells whether an operation went well.
    status_items: HashSet<String>,
}

impl<'f, 'a> Writer<'f, 'a> {
    fn new(facts: &'f ChunkFacts<'a>) -> Self {
        let parsed = facts.parsed;
        let mut under = vec![Vec::new(); parsed.branches.len()];
        for (index, statement) in parsed.statements.iter().enumerate() {
            if let Some(branch) = statement.branch {
                under[branch].push(index);
            }
        }
        let mut status_items: HashSet<String> =
            ["SQLCODE", "SQLSTATE", "EIBRESP", "EIBRESP2", "RETURN-CODE"].into_iter().map(str::to_owned).collect();
        status_items.extend(parsed.files.iter().filter_map(|file| file.status.clone()));
        for exec in &parsed.execs {
            let responses = exec.options.iter().filter(|(option, _)| option.starts_with("RESP"));
            status_items.extend(responses.filter_map(|(_, value)| value.as_deref().map(str::to_uppercase)));
        }
        Self { facts, parsed, resources: resources(parsed), under, status_items }
    }

    fn write(&self) -> PartialTemplate {
        let (business_rules, error_handling) = self.decisions();
        PartialTemplate {
            purpose: self.purpose(),
            inputs: self.interfaces(|resource| resource.is_read),
            outputs: self.interfaces(|resource| resource.is_written),
            called_programs: self.calls(),
            business_rules,
            data_flow: self.data_flow(),
            copybooks_used: self.copybooks(),
            paragraphs: self.paragraphs(),
            error_handling,
            sql_operations: self.sql(),
            cics_operations: self.cics(),
            open_questions: self.questions(),
        }
    }

    fn cite(&self, lines: LineRange) -> Vec<BlockCitation> {
        self.facts.cite(lines).into_iter().collect()
    }

    /// A citation of a decision: its first lines, with the words of the very first as a quote. A chunk that holds only what follows
    /// gives no quote, and the merge joins both.
    fn cite_decision(&self, lines: LineRange) -> Vec<BlockCitation> {
        let end = lines.end().min(lines.start().plus(DECISION_LINES - 1));
        let mut citations = self.cite(LineRange::spanning(lines.start(), end));
        if self.facts.owned().contains(lines.start()) {
            let quote = self.facts.source.line(lines.start()).map(|line| line.code().trim().to_owned());
            citations.iter_mut().for_each(|citation| citation.quote.clone_from(&quote));
        }
        citations
    }

    /// The purpose is written with the lines that name the first program, or with the first words of a copybook.
    fn purpose(&self) -> Option<PartialPurpose> {
        let program = self.parsed.programs.first();
        let citations = match program {
            Some(program) => {
                let division = self.parsed.divisions.iter().find(|d| d.name == "IDENTIFICATION" && d.program == Some(0));
                self.cite(division.map_or(program.lines, |division| division.lines))
            }
            None => {
                let words = |line: &Line<'_>| line.shown().chars().filter(|c| c.is_alphabetic()).count() >= 3;
                let first = self.facts.source.lines().find(words).map_or(LineNumber::FIRST, Line::number);
                self.cite_decision(LineRange::single(first))
            }
        };
        if citations.is_empty() {
            return None;
        }
        let kind = self.program_type();
        let mut sentences = Vec::new();
        match program {
            Some(program) => sentences.push(format!(
                "{} is {} {kind} program of {}",
                program.name,
                if kind.starts_with("online") { "an" } else { "a" },
                count(self.facts.source.line_count(), "line")
            )),
            None => sentences.push(format!("A copybook of {}", count(self.facts.source.line_count(), "line"))),
        }
        sentences.extend(self.reads_and_writes());
        sentences.extend(self.calls_in_a_sentence());
        sentences.push(self.size());
        let mut summary: String = sentences.iter().map(|text| sentence(text)).collect::<Vec<_>>().join(" ");
        if let Some(comment) = self.own_comment() {
            summary = format!("Its own comment begins: \"{comment}\". {summary}");
        }
        Some(PartialPurpose { summary, business_context: None, program_type: Some(kind), citations })
    }

    fn program_type(&self) -> String {
        let parsed = self.parsed;
        if parsed.programs.is_empty() {
            return "copybook".to_owned();
        }
        let uses = |kind: ExecKind| parsed.execs.iter().any(|exec| exec.kind == kind);
        let base = if uses(ExecKind::Cics) {
            "online (CICS)"
        } else if parsed.programs[0].parameters.is_empty() {
            "batch"
        } else {
            // Parameters come from a caller or from the PARM of a job step; the program alone does not tell which.
            "batch or called"
        };
        let database = match (uses(ExecKind::Sql), uses(ExecKind::Dli)) {
            (true, true) => " SQL and DL/I",
            (true, false) => " SQL",
            (false, true) => " DL/I",
            (false, false) => "",
        };
        format!("{base}{database}")
    }

    fn reads_and_writes(&self) -> Vec<String> {
        let named = |wanted: &dyn Fn(&Resource) -> bool| {
            let mut names: Vec<String> = Vec::new();
            for resource in self.resources.iter().filter(|r| r.kind != ResourceKind::Parameter && wanted(r)) {
                let name = format!("{} {}", resource.kind.in_words(), resource.name);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            names
        };
        let read = named(&|resource| resource.is_read && !resource.is_written);
        let both = named(&|resource| resource.is_read && resource.is_written);
        let written = named(&|resource| resource.is_written && !resource.is_read);
        let mut sentences = Vec::new();
        for (names, verb) in [(read, "reads"), (both, "reads and changes"), (written, "writes")] {
            if !names.is_empty() {
                sentences.push(format!("it {verb} {}", list(&names)));
            }
        }
        sentences
    }

    fn calls_in_a_sentence(&self) -> Option<String> {
        let mut names: Vec<String> = Vec::new();
        for call in &self.parsed.calls {
            let name = match call.kind {
                CallKind::Static | CallKind::CicsLink | CallKind::CicsXctl => call.target.clone(),
                CallKind::Dynamic => format!("whatever program {} names", call.target),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        (!names.is_empty()).then(|| format!("it passes control to {}", list(&names)))
    }

    /// How much there is of it; of a copybook, what it holds.
    fn size(&self) -> String {
        let own: Vec<String> = self.parsed.paragraphs.iter().filter(|p| p.file.is_none()).map(|p| p.name.clone()).collect();
        if !self.parsed.programs.is_empty() {
            return format!("it has {} and {}", count(own.len(), "paragraph"), count(self.parsed.statements.len(), "statement"));
        }
        let level = self.parsed.data_items.iter().map(|item| item.level).min().unwrap_or(1);
        let records = self.parsed.data_items.iter().filter(|item| item.level == level && item.name != "FILLER");
        let records: Vec<String> = records.map(|item| item.name.clone()).collect();
        match (own.is_empty(), records.is_empty()) {
            (true, true) => format!("it has {}", count(self.parsed.statements.len(), "statement")),
            (true, false) => format!("it describes {}", name_list(&records)),
            (false, _) => format!("it holds the {} {}", if own.len() == 1 { "paragraph" } else { "paragraphs" }, name_list(&own)),
        }
    }

    /// The first lines with words in the comments before or in the IDENTIFICATION DIVISION.
    fn own_comment(&self) -> Option<String> {
        let division = self.parsed.divisions.iter().find(|division| division.name != "IDENTIFICATION");
        let end = division.map_or(self.facts.source.line_count(), |division| division.lines.start().index());
        let mut lines = Vec::new();
        for line in self.facts.source.lines().take(end).filter(|line| line.is_comment()) {
            let text = line.shown().trim_start_matches(['*', '/', '>', ' ']).trim_matches(|c: char| !c.is_alphanumeric() && c != ')');
            if text.chars().filter(|c| c.is_alphabetic()).count() >= 3 {
                lines.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
            } else if !lines.is_empty() {
                break;
            }
            if lines.len() == COMMENT_LINES {
                break;
            }
        }
        (!lines.is_empty()).then(|| lines.join(" / "))
    }

    fn interfaces(&self, wanted: impl Fn(&Resource) -> bool) -> Vec<PartialInterface> {
        self.resources
            .iter()
            .filter(|resource| wanted(resource))
            .filter_map(|resource| {
                let citations: Vec<_> = resource.operations.iter().filter_map(|(_, lines)| self.facts.cite(*lines)).collect();
                (!citations.is_empty()).then(|| PartialInterface {
                    name: resource.name.clone(),
                    io_type: resource.kind.in_words().to_owned(),
                    description: self.describe(resource),
                    copybook: resource.copybook.clone(),
                    citations,
                })
            })
            .collect()
    }

    fn describe(&self, resource: &Resource) -> String {
        let mut operations: Vec<String> = Vec::new();
        for (operation, _) in &resource.operations {
            if !operations.contains(operation) {
                operations.push(operation.clone());
            }
        }
        let what = match &resource.kind {
            ResourceKind::File(index) => {
                let file = &self.parsed.files[*index];
                let kind = if file.sort { "Sort file".to_owned() } else { sentence(&format!("{} file", file.organization.to_lowercase())).trim_end_matches('.').to_owned() };
                let assigned = file.assign.as_deref().map(|assign| format!(" assigned to {assign}")).unwrap_or_default();
                let key = file.key.as_deref().map(|key| format!(", key {key}")).unwrap_or_default();
                let status = file.status.as_deref().map(|status| format!(", status in {status}")).unwrap_or_default();
                format!("{kind}{assigned}{key}{status}")
            }
            ResourceKind::Parameter => return "Handed over by the caller (PROCEDURE DIVISION USING).".to_owned(),
            kind => {
                let named = self.parsed.data_items.iter().find(|item| item.name == resource.name);
                let value = named.and_then(|item| item.value.as_deref()).map(|value| format!(" named by the value {value}")).unwrap_or_default();
                format!("{}{value}", sentence(kind.in_words()).trim_end_matches('.'))
            }
        };
        format!("{what}; {}.", list(&operations))
    }

    fn calls(&self) -> Vec<PartialCall> {
        let mut calls = Vec::new();
        for call in self.parsed.calls.iter().filter(|call| call.file.is_none()) {
            let citations = self.cite(call.lines);
            if citations.is_empty() {
                continue;
            }
            let from = call.paragraph.map(|paragraph| format!(" in {}", self.parsed.paragraphs[paragraph].name)).unwrap_or_default();
            let with = if call.using.is_empty() { String::new() } else { format!(" with {}", list(&call.using)) };
            let how = match call.kind {
                CallKind::Static => "Called",
                CallKind::Dynamic => "Called by the name in this item",
                CallKind::CicsLink => "Linked to",
                CallKind::CicsXctl => "Control passed on (XCTL)",
            };
            calls.push(PartialCall {
                program_name: call.target.clone(),
                call_type: match call.kind {
                    CallKind::Static => "static",
                    CallKind::Dynamic => "dynamic",
                    CallKind::CicsLink => "cics_link",
                    CallKind::CicsXctl => "cics_xctl",
                }
                .to_owned(),
                purpose: format!("{how}{from}{with}."),
                citations,
            });
        }
        calls
    }

    /// Every condition as a rule, or as error handling where it tests a status or follows an operation.
    fn decisions(&self) -> (Vec<PartialRule>, Vec<PartialErrorHandling>) {
        let (mut rules, mut errors) = (Vec::new(), Vec::new());
        for (index, branch) in self.parsed.branches.iter().enumerate() {
            let owner = &self.parsed.statements[branch.statement];
            if owner.file.is_some() || branch.kind == BranchKind::Loop {
                continue;
            }
            let citations = self.cite_decision(branch.lines);
            if citations.is_empty() {
                continue;
            }
            let condition = self.condition(branch);
            let effects = self.effects(index);
            // A default that does nothing and an ELSE that only leads to further decisions decide nothing themselves.
            let other = branch.kind == BranchKind::When && branch.condition.eq_ignore_ascii_case("OTHER");
            if (other && effects.is_empty()) || (branch.kind == BranchKind::Else && effects == FURTHER) {
                continue;
            }
            let action = if effects.is_empty() { "nothing is done".to_owned() } else { effects };
            if branch.kind == BranchKind::Phrase || self.tests_a_status(branch) {
                errors.push(PartialErrorHandling { condition: sentence(&condition), action: sentence(&action), citations });
            } else {
                rules.push(PartialRule {
                    description: sentence(&format!("when {condition}: {action}")),
                    logic_summary: None,
                    conditions: vec![condition],
                    citations,
                });
            }
        }
        (rules, errors)
    }

    fn condition(&self, branch: &Branch) -> String {
        let owner = &self.parsed.statements[branch.statement];
        let subject = owner.text.get(owner.verb.len()..).unwrap_or_default().trim();
        match branch.kind {
            BranchKind::If | BranchKind::Loop => shorten(&in_words(&branch.condition)),
            BranchKind::Else => {
                let test = self.parsed.branches.iter().find(|other| other.statement == branch.statement && other.kind == BranchKind::If);
                format!("not ({})", shorten(&in_words(test.map_or("", |test| &test.condition))))
            }
            BranchKind::When if owner.verb == "SEARCH" => {
                format!("the SEARCH of {} finds {}", shorten(&in_words(subject)), shorten(&in_words(&branch.condition)))
            }
            BranchKind::When if branch.condition.eq_ignore_ascii_case("OTHER") => {
                format!("no other case of the EVALUATE of {} holds", shorten(&in_words(subject)))
            }
            BranchKind::When if subject.eq_ignore_ascii_case("TRUE") => shorten(&in_words(&branch.condition)),
            BranchKind::When => format!("{} is {}", shorten(&in_words(subject)), shorten(&in_words(&branch.condition))),
            BranchKind::Phrase => {
                format!("{} of {}", in_words(&branch.condition), shorten(&in_words(&owner.text)))
            }
        }
    }

    fn tests_a_status(&self, branch: &Branch) -> bool {
        let owner = &self.parsed.statements[branch.statement];
        let condition = match branch.kind {
            BranchKind::Else => self
                .parsed
                .branches
                .iter()
                .find(|other| other.statement == branch.statement && other.kind == BranchKind::If)
                .map_or("", |test| test.condition.as_str()),
            _ => branch.condition.as_str(),
        };
        [condition, owner.text.as_str()].iter().any(|text| {
            text.split(|c: char| !(c.is_alphanumeric() || c == '-')).any(|word| self.status_items.contains(&word.to_uppercase()))
        })
    }

    /// What happens under a branch: its statements as phrases, nested decisions counted.
    fn effects(&self, branch: usize) -> String {
        let phrases: Vec<String> = self.under[branch].iter().filter_map(|index| self.phrase(*index)).collect();
        name_some(phrases, "statement")
    }

    fn phrase(&self, index: usize) -> Option<String> {
        let found = &self.parsed.statements[index];
        match found.verb.as_str() {
            "IF" => Some(FURTHER.to_owned()),
            "EVALUATE" => Some(format!("decides by {}", shorten(&in_words(found.text.get(8..).unwrap_or_default().trim())))),
            "EXEC" => {
                let exec = self.parsed.execs.iter().find(|exec| exec.lines == found.lines && exec.file == found.file);
                exec.map(exec_phrase)
            }
            _ => statement(found, None),
        }
    }

    fn data_flow(&self) -> PartialDataFlow {
        let flows = |wanted: &dyn Fn(&Resource) -> bool, verb: &str| {
            let mut flows = Vec::new();
            for resource in self.resources.iter().filter(|resource| resource.kind != ResourceKind::Parameter && wanted(resource)) {
                let citations: Vec<_> = resource.operations.iter().filter_map(|(_, lines)| self.facts.cite(*lines)).collect();
                if !citations.is_empty() {
                    let description = format!("{verb} the {} {}.", resource.kind.in_words(), resource.name);
                    flows.push(PartialFlow { name: resource.name.clone(), description, citations });
                }
            }
            flows
        };
        let mut transforms = Vec::new();
        for found in self.parsed.statements.iter().filter(|found| found.verb == "COMPUTE" && found.file.is_none()) {
            let citations = self.cite(found.lines);
            if let Some((target, formula)) = found.text[7..].split_once('=').filter(|_| !citations.is_empty()) {
                transforms.push(PartialFlow {
                    name: in_words(target.trim()),
                    description: sentence(&format!("computed as {}", shorten(&in_words(formula.trim())))),
                    citations,
                });
            }
        }
        PartialDataFlow {
            reads_from: flows(&|resource| resource.is_read, "Read from"),
            writes_to: flows(&|resource| resource.is_written, "Written to"),
            transforms,
        }
    }

    fn copybooks(&self) -> Vec<PartialCopybook> {
        let mut copybooks = Vec::new();
        for copy in self.parsed.copies.iter().filter(|copy| copy.file.is_none()) {
            let citations = self.cite(copy.lines);
            if citations.is_empty() {
                continue;
            }
            let records: Vec<String> = match &copy.resolved {
                Some(file) => self
                    .parsed
                    .data_items
                    .iter()
                    .filter(|item| item.file.as_ref() == Some(file) && item.level == 1)
                    .map(|item| item.name.clone())
                    .collect::<HashSet<_>>()
                    .into_iter()
                    .collect(),
                None => Vec::new(),
            };
            let mut records = records;
            records.sort();
            let purpose = match (&copy.resolved, records.is_empty()) {
                (None, _) => "Not among the sources.".to_owned(),
                (Some(file), true) => format!("Copied from {file}."),
                (Some(file), false) => format!("Copied from {file}; brings {}.", list(&records)),
            };
            copybooks.push(PartialCopybook { copybook_name: copy.name.clone(), purpose, citations });
        }
        copybooks
    }

    fn paragraphs(&self) -> Vec<PartialParagraph> {
        let mut of_paragraph = vec![Vec::new(); self.parsed.paragraphs.len()];
        for (index, statement) in self.parsed.statements.iter().enumerate() {
            if let Some(paragraph) = statement.paragraph {
                of_paragraph[paragraph].push(index);
            }
        }
        let own = self.parsed.paragraphs.iter().zip(of_paragraph).filter(|(paragraph, _)| paragraph.file.is_none());
        own.filter_map(|(paragraph, statements)| {
            let citations = self.cite(paragraph.lines);
            (!citations.is_empty()).then(|| PartialParagraph {
                paragraph_name: paragraph.name.clone(),
                summary: self.actions(&statements),
                purpose: None,
                citations,
            })
        })
        .collect()
    }

    /// What a paragraph does: the statements that reach beyond it, else its first ones.
    fn actions(&self, statements: &[usize]) -> String {
        const TELLING: &[&str] = &[
            "PERFORM", "CALL", "EXEC", "OPEN", "READ", "WRITE", "REWRITE", "DELETE", "START", "CLOSE", "RETURN", "RELEASE", "SORT",
            "MERGE", "SEARCH", "COMPUTE", "GO", "GOBACK", "STOP", "ACCEPT", "STRING", "UNSTRING", "XML", "JSON",
        ];
        let phrases = |telling: bool| {
            let mut phrases: Vec<String> = Vec::new();
            for index in statements {
                let verb = self.parsed.statements[*index].verb.as_str();
                let chosen = TELLING.contains(&verb) || (verb == "EXIT" && self.parsed.statements[*index].text.len() > 4);
                if chosen == telling
                    && let Some(phrase) = self.phrase(*index)
                    && !phrases.contains(&phrase)
                {
                    phrases.push(phrase);
                }
            }
            phrases
        };
        let mut told = join_performs(phrases(true));
        if told.is_empty() {
            told = phrases(false);
        }
        if told.is_empty() {
            return "Only a label: it holds no statement that does anything.".to_owned();
        }
        sentence(&name_some(told, "action"))
    }

    fn sql(&self) -> Vec<PartialSql> {
        self.execs(ExecKind::Sql)
            .map(|(exec, purpose, citations)| PartialSql {
                operation: exec.command.clone(),
                table: exec.resource.clone(),
                purpose,
                citations,
            })
            .collect()
    }

    fn cics(&self) -> Vec<PartialCics> {
        self.execs(ExecKind::Cics)
            .map(|(exec, purpose, citations)| PartialCics {
                command: exec.command.clone(),
                resource: exec.resource.clone(),
                purpose,
                citations,
            })
            .collect()
    }

    fn execs(&self, kind: ExecKind) -> impl Iterator<Item = (&'a war_rig_cobol::Exec, String, Vec<BlockCitation>)> + '_ {
        self.parsed.execs.iter().filter(move |exec| exec.kind == kind && exec.file.is_none()).filter_map(|exec| {
            let citations = self.cite(exec.lines);
            let place = exec.paragraph.map(|paragraph| format!(" in {}", self.parsed.paragraphs[paragraph].name)).unwrap_or_default();
            (!citations.is_empty()).then(|| (exec, sentence(&format!("{}{place}", exec_phrase(exec))), citations))
        })
    }

    fn questions(&self) -> Vec<PartialQuestion> {
        let mut questions = Vec::new();
        for call in self.parsed.calls.iter().filter(|call| call.kind == CallKind::Dynamic && call.file.is_none()) {
            let values: Vec<String> = call.candidates.iter().map(|(name, line)| format!("{name} (line {line})")).collect();
            let context = if values.is_empty() {
                "No literal is moved to it in this program.".to_owned()
            } else {
                format!("Values moved to it here: {}.", list(&values))
            };
            questions.push((call.lines, format!("Which programs can {} name when it is called?", call.target), context));
        }
        for copy in self.parsed.copies.iter().filter(|copy| copy.resolved.is_none() && copy.file.is_none()) {
            let context = "It is not among the sources, so what it defines is not documented here.".to_owned();
            questions.push((copy.lines, format!("What does copybook {} hold?", copy.name), context));
        }
        for (index, reference) in self.parsed.references.iter().enumerate() {
            if self.facts.flow.target(index).is_none() && reference.file.is_none() {
                let context = "No paragraph or section of that name was found; a copybook that is missing may hold it.".to_owned();
                questions.push((LineRange::single(reference.line), format!("Where is {}?", reference.target), context));
            }
        }
        questions
            .into_iter()
            .filter_map(|(lines, question, context)| {
                let citations = self.cite(lines);
                (!citations.is_empty()).then_some(PartialQuestion { question, context: Some(context), suggestion: None, citations })
            })
            .collect()
    }
}

/// Joins the names of neighbouring `performs` phrases, so that a sentence lists them once.
fn join_performs(phrases: Vec<String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    let mut run: Vec<String> = Vec::new();
    let flush = |run: &mut Vec<String>, joined: &mut Vec<String>| {
        if !run.is_empty() {
            joined.push(format!("performs {}", list(run)));
            run.clear();
        }
    };
    for phrase in phrases {
        match phrase.strip_prefix("performs ") {
            Some(name) => run.push(name.to_owned()),
            None => {
                flush(&mut run, &mut joined);
                joined.push(phrase);
            }
        }
    }
    flush(&mut run, &mut joined);
    joined
}

/// The first names in one list, the others counted.
fn name_list(names: &[String]) -> String {
    match names.get(..ACTIONS_NAMED).filter(|_| names.len() > ACTIONS_NAMED + 1) {
        Some(first) => format!("{} and {} more", first.join(", "), names.len() - ACTIONS_NAMED),
        None => list(names),
    }
}

/// The first phrases in one list, the others counted.
fn name_some(phrases: Vec<String>, what: &str) -> String {
    if phrases.len() <= ACTIONS_NAMED {
        return phrases.join("; ");
    }
    let more = phrases.len() - ACTIONS_NAMED;
    format!("{}; and {}", phrases[..ACTIONS_NAMED].join("; "), count(more, &format!("more {what}")))
}
