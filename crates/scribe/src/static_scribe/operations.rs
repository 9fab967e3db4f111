//! Describes calls, copybooks and embedded commands, and the questions that they leave open.

use super::conditions::SHORT;
use super::outcomes::reported;
use super::{StaticWriter, name_list};
use crate::phrases::{count, exec_phrase, in_full, list, sentence, shorten, shorten_to, statement};
use std::collections::HashSet;
use war_rig_cobol::{
    AssignedConstant, BranchKind, CopybookReference, DliOperation as Dli, DliSegment, ExecBlock, ExecKind, OperandRole,
    OperationStatus, ParagraphHead, ProgramCall, Statement, Verb,
};
use war_rig_template::{
    BlockCitation, CalledProgram, CicsOperation, CopybookUse, DliOperation, OpenQuestion, PartialItem, SqlOperation,
};
use war_rig_text::{LineNumber, LineRange};

/// How many lines of a chunk are named that were not read as they were meant.
const UNREAD_TOLD: usize = 100;

/// What the most frequently called services of the run-time systems do. Sources: IBM z/OS Language Environment
/// Programming Reference; IBM MQ, MQI calls; IMS application programming, DL/I calls; Db2 for z/OS, DSNTIAR.
const SYSTEM_PROGRAMS: &[(&str, &str)] = &[
    ("AIBTDLI", "IMS: a DL/I call."),
    ("CBLTDLI", "IMS: a DL/I call."),
    ("CEE3ABD", "Language Environment: ends the program with an abend."),
    ("CEE3DMP", "Language Environment: writes a dump."),
    ("CEEDATE", "Language Environment: turns a Lilian day into a date."),
    ("CEEDAYS", "Language Environment: turns a date into a Lilian day, and so checks it."),
    ("CEELOCT", "Language Environment: the local time."),
    ("CEEMSG", "Language Environment: writes the message of a condition."),
    ("DSNTIAR", "Db2: turns the SQLCA into a message."),
    ("ILBOABN0", "Run-time library: ends the program with an abend."),
    ("MQCLOSE", "MQ: closes an object."),
    ("MQCONN", "MQ: connects to a queue manager."),
    ("MQDISC", "MQ: disconnects from the queue manager."),
    ("MQGET", "MQ: takes a message from a queue."),
    ("MQOPEN", "MQ: opens an object."),
    ("MQPUT", "MQ: puts a message on a queue."),
    ("MQPUT1", "MQ: puts one message on a queue."),
];

/// Copybooks that a system brings along, so that no estate has them. Sources: CICS Transaction Server, Developing CICS Applications; Db2 for z/OS,
/// SQL Reference; IBM MQ, Developing Applications Reference.
const SYSTEM_COPYBOOKS: &[(&str, &str)] = &[
    ("CMQGMOV", "Supplied with MQ: options of MQGET."),
    ("CMQMDV", "Supplied with MQ: the descriptor of a message."),
    ("CMQODV", "Supplied with MQ: the descriptor of an object."),
    ("CMQPMOV", "Supplied with MQ: options of MQPUT."),
    ("CMQTML", "Supplied with MQ: the message of a trigger."),
    ("CMQTMV", "Supplied with MQ: the message of a trigger."),
    ("CMQV", "Supplied with MQ: its constants."),
    ("DFHAID", "Supplied with CICS: the keys of a terminal."),
    ("DFHBMSCA", "Supplied with CICS: the attributes of screen fields."),
    ("DFHEIBLK", "Supplied with CICS: what it knows of the running task."),
    ("SQLCA", "Supplied with Db2: how an SQL statement ended."),
    ("SQLDA", "Supplied with Db2: the descriptors of dynamic SQL."),
];

fn system_copybook(name: &str) -> Option<&'static str> {
    SYSTEM_COPYBOOKS.iter().find(|(known, _)| *known == name).map(|(_, what)| *what)
}

fn system_program(name: &str) -> Option<&'static str> {
    SYSTEM_PROGRAMS.iter().find(|(known, _)| *known == name).map(|(_, what)| *what)
}

/// How many statements before a call are searched for what it hands over.
const GIVEN_LOOKED_AT: usize = 20;

/// The longest words about the case in which a call is made.
const OF_CASE: usize = 200;

/// The longest comment that tells what a call is for; a longer one stands with its paragraph alone, in characters.
const OF_PURPOSE: usize = 60;

/// How many literals that a call hands over are named.
const GIVEN_NAMED: usize = 4;

/// How many values of a dynamic call are named; the rest are counted.
const CANDIDATES_NAMED: usize = 20;

impl<'a> StaticWriter<'_, 'a> {
    pub(super) fn calls(&self) -> Vec<PartialItem<CalledProgram>> {
        let own = self.reading.calls_on.on(self.facts.owned());
        own.map(|index| {
            let call = &self.reading.parsed.calls[index];
            let body = CalledProgram {
                program_name: call.target.clone(),
                call_type: call.kind.as_str().to_owned(),
                purpose: self.called(call),
                ..CalledProgram::default()
            };
            PartialItem::new(body, self.cite(call.lines))
        })
        .collect()
    }

    /// Describes a statement: CALL by its target, others by their words.
    pub(super) fn phrase(&self, index: usize) -> Option<String> {
        let found = &self.reading.parsed.statements[index];
        match self.reading.call(index).filter(|_| found.verb == Verb::Call) {
            Some(call) if call.is_literal => Some(format!("calls {}", call.shown())),
            Some(call) => Some(format!("calls the program that {} names", call.target)),
            None => self.start(found).or_else(|| statement(self.reading.parsed, found)),
        }
    }

    /// Describes START by its key condition: `starts F where its key is at least F-KEY`.
    fn start(&self, found: &Statement) -> Option<String> {
        let condition = self.reading.decisions.start_key_condition(found)?;
        let asked = self.wording(found.program, SHORT).tell(&condition, SHORT);
        let file = self.reading.parsed.operands(found).find(|operand| operand.role() == OperandRole::File)?;
        Some(format!("starts {} where its key{}", file.text(), asked.strip_prefix("key")?))
    }

    /// Like `phrase`, without cuts.
    pub(super) fn phrase_in_full(&self, index: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        let found = &parsed.statements[index];
        self.start(found).or_else(|| in_full(parsed, found))
    }

    /// Returns whether control never comes to a call. What a missing copybook contains may lead there.
    pub(super) fn is_never_reached(&self, call: &ProgramCall) -> bool {
        let flow = self.reading.flow;
        let is_dead = call.paragraph.is_some_and(|paragraph| !flow.is_reachable(paragraph))
            || call.statement.is_some_and(|statement| flow.never_runs(statement));
        is_dead && !self.reading.parsed.is_copybook_missing("PROCEDURE")
    }

    /// Describes the paragraph and condition of a call, and a called program of the run-time system.
    fn called(&self, call: &ProgramCall) -> String {
        let parsed = self.reading.parsed;
        let from = match self.place(call.paragraph) {
            place if place.is_empty() => "in the main line".to_owned(),
            place if self.is_never_reached(call) => format!("{} (never reached)", place.trim_start()),
            place => place.trim_start().to_owned(),
        };
        let branch = call.statement.and_then(|index| parsed.statements[index].branch);
        let when = branch.map(|at| match self.reading.outcomes.of_branch(at) {
            Some(OperationStatus::Failure) => match self.checked_operation(at) {
                Some(operation) => format!(", when {operation} fails"),
                None => ", when something failed".to_owned(),
            },
            _ => match parsed.branches[at].kind {
                BranchKind::Loop => ", again and again".to_owned(),
                _ => {
                    let condition = self.condition(&parsed.branches[at], SHORT);
                    let when = self.with_around(&parsed.branches[at], condition, 1);
                    format!(", when {}", shorten_to(&when, OF_CASE))
                }
            },
        });
        let program = self.only_program(call).unwrap_or(&call.target);
        let said = self.reading.glossary(self.facts.file.source).get(program);
        let said = said.map(|said| format!("\"{}\" (head comment). ", said.trim_end_matches('.'))).unwrap_or_default();
        let known = system_program(&call.target).filter(|_| call.is_literal);
        let operation = self.reading.dli_of(call.lines).find(|found| found.interface.as_ref() == Some(&call.target));
        let known = match operation {
            Some(operation) if call.is_literal => Some(format!("IMS: {}.", issued(operation))),
            _ => known.map(str::to_owned),
        };
        let known = known.map(|what| format!(" {what}")).unwrap_or_default();
        let given = self.constants_given(call).map(|given| format!(", with {given}")).unwrap_or_default();
        let is_told = !said.is_empty() || !known.is_empty();
        let comment = if is_told { None } else { self.comment_at(call) };
        let comment = comment.map(|text| format!(" Comment: \"{text}\".")).unwrap_or_default();
        format!("{said}{}{known}{comment}", sentence(&format!("{from}{}{given}", when.unwrap_or_default())))
    }

    /// Returns the comment of the paragraph that makes a call and no other.
    fn comment_at(&self, call: &ProgramCall) -> Option<String> {
        let paragraph = call.paragraph?;
        let is_other = |other: &&ProgramCall| other.paragraph == Some(paragraph) && other.lines != call.lines;
        let comments = self.facts.file.comments(|| self.comments());
        let text = comments.get(&paragraph).filter(|text| text.chars().count() <= OF_PURPOSE)?;
        self.reading.parsed.calls.iter().find(is_other).is_none().then(|| text.trim_end_matches('.').to_owned())
    }

    /// Names the literals that the statements directly before a call put into what it hands over.
    fn constants_given(&self, call: &ProgramCall) -> Option<String> {
        let (parsed, decisions) = (self.reading.parsed, self.reading.decisions);
        let at = call.statement?;
        let own = &parsed.statements[at];
        let is_named = |name: &str| call.using.iter().any(|given| given.eq_ignore_ascii_case(name));
        let mut known: HashSet<&str> = HashSet::new();
        let mut given: Vec<AssignedConstant<'_>> = Vec::new();
        for index in (0..at).rev().take(GIVEN_LOOKED_AT) {
            let found = &parsed.statements[index];
            let is_plain = matches!(found.verb, Verb::Move | Verb::Set | Verb::Initialize);
            if !is_plain || found.paragraph != own.paragraph || found.branch != own.branch {
                break;
            }
            // Blanks and figurative constants only clear.
            let is_literal = |value: &str| {
                let content = value.trim_matches(['\'', '"']).trim();
                !content.is_empty() && (content.len() < value.len() || value.starts_with(|c: char| c.is_ascii_digit()))
            };
            given.extend(decisions.assigned_constants(found).into_iter().filter(|constant| {
                let is_handed =
                    is_named(&constant.item) || self.reading.record_of(&constant.item).is_some_and(is_named);
                is_handed && is_literal(&constant.value) && !known.contains(&*constant.item)
            }));
            let sets = self.reading.effects.of_statement(index).iter().filter(|used| used.is_set());
            known.extend(sets.map(|used| parsed.data_items[used.item()].name.as_str()));
            // What an item of it held before is lost with the whole.
            if known.iter().any(|name| is_named(name)) {
                break;
            }
        }
        given.truncate(GIVEN_NAMED);
        given.reverse();
        (!given.is_empty()).then(|| list(&given.iter().map(reported).collect::<Vec<_>>()))
    }

    pub(super) fn copybooks(&self) -> Vec<PartialItem<CopybookUse>> {
        let own = self.reading.copies_on.on(self.facts.owned());
        own.map(|index| {
            let copy = &self.reading.parsed.copies[index];
            let brought = copy.resolved.as_deref().and_then(|file| self.reading.brought.get(file));
            let records: Vec<String> = brought.into_iter().flatten().map(|name| (*name).clone()).collect();
            let labels = copy.resolved.as_deref().and_then(|file| self.reading.brought_labels.get(file));
            let labels: Vec<String> = labels.into_iter().flatten().map(|name| (*name).to_owned()).collect();
            let items = copy.resolved.as_deref().and_then(|file| self.reading.brought_items.get(file));
            let items = items.into_iter().flatten().map(|(record, items)| {
                format!("{} of {}", count(*items, "item"), self.reading.parsed.data_items[*record].name)
            });
            let brings = match (records.is_empty(), labels.is_empty()) {
                (true, true) => name_list(&items.collect::<Vec<_>>()),
                (true, false) => format!("the code of {}", name_list(&labels)),
                (false, true) => name_list(&records),
                (false, false) => format!("{} and the code of {}", name_list(&records), name_list(&labels)),
            };
            let told = if brings.is_empty() { String::new() } else { format!("; brings {brings}") };
            let purpose = match (&copy.resolved, copy.shadowed.as_slice()) {
                (None, _) => system_copybook(&copy.name).unwrap_or("Not among the sources.").to_owned(),
                (Some(file), []) => format!("Copied from {file}{told}."),
                (Some(file), others) => {
                    format!("Copied from {file} (other files of that name differ: {}){told}.", name_list(others))
                }
            };
            let brings = (copy.resolved.is_some() && copy.shadowed.is_empty()).then_some(brings);
            let body = CopybookUse { copybook_name: copy.name.clone(), purpose, brings, ..CopybookUse::default() };
            PartialItem::new(body, self.cite(copy.lines))
        })
        .collect()
    }

    pub(super) fn sql(&self) -> Vec<PartialItem<SqlOperation>> {
        self.execs(ExecKind::Sql)
            .map(|(exec, purpose, citations)| {
                let (operation, table) = (exec.command.clone(), exec.resource.clone());
                PartialItem::new(SqlOperation { operation, table, purpose, ..SqlOperation::default() }, citations)
            })
            .collect()
    }

    pub(super) fn cics(&self) -> Vec<PartialItem<CicsOperation>> {
        self.execs(ExecKind::Cics)
            .map(|(exec, purpose, citations)| {
                let (command, resource) = (exec.command.clone(), exec.resource.clone());
                PartialItem::new(CicsOperation { command, resource, purpose, ..CicsOperation::default() }, citations)
            })
            .collect()
    }

    pub(super) fn dli(&self) -> Vec<PartialItem<DliOperation>> {
        let own = self.reading.dli_on.on(self.facts.owned()).map(|index| &self.reading.dli[index]);
        own.map(|operation| {
            let body = DliOperation {
                function: operation.function(),
                segment: operation.targets().next().map(|segment| segment.name.clone()),
                purpose: sentence(&format!("{}{}", done(operation), self.place(operation.paragraph))),
                ..DliOperation::default()
            };
            PartialItem::new(body, self.cite(operation.lines))
        })
        .collect()
    }

    /// Names the location of a statement: ` in MAIN`.
    fn place(&self, paragraph: Option<usize>) -> String {
        let paragraph = paragraph.map(|paragraph| &self.reading.parsed.paragraphs[paragraph]);
        let named = paragraph.filter(|paragraph| paragraph.head != ParagraphHead::Division);
        named.map(|paragraph| &paragraph.name).map(|name| format!(" in {name}")).unwrap_or_default()
    }

    fn execs(&self, kind: ExecKind) -> impl Iterator<Item = (&'a ExecBlock, String, Vec<BlockCitation>)> + '_ {
        let own = self.reading.execs_on.on(self.facts.owned()).map(|index| &self.reading.parsed.execs[index]);
        own.filter(move |exec| exec.kind == kind && !exec.command.is_empty()).map(|exec| {
            let (place, more) = (self.place(exec.paragraph), more_of_sql(exec));
            (exec, sentence(&format!("{}{more}{place}", exec_phrase(exec))), self.cite(exec.lines))
        })
    }

    /// Returns the program that a call through an item always names: nothing else reaches the call, or the item has it as its VALUE and
    /// nothing changes it.
    pub(super) fn only_program<'c>(&self, call: &'c ProgramCall) -> Option<&'c str> {
        let [(name, _)] = call.candidates.as_ref() else { return None };
        let is_constant = self.reading.decisions.constant(&call.target, call.program).is_some();
        (!call.is_literal && (call.is_certain || is_constant)).then_some(name)
    }

    pub(super) fn questions(&self) -> Vec<PartialItem<OpenQuestion>> {
        let (parsed, owned) = (self.reading.parsed, self.facts.owned());
        let ask = |lines, question, context: &str| {
            let body = OpenQuestion { question, context: Some(context.to_owned()), suggestion: None };
            PartialItem::new(body, self.cite(lines))
        };
        let calls = self.reading.calls_on.on(owned).map(|index| &parsed.calls[index]);
        let calls = calls.filter(|call| !call.is_literal && self.only_program(call).is_none()).map(|call| {
            let values = candidates_named(call, |name, line| format!("{name} (line {line})"));
            let context = match values.is_empty() {
                true => "No literal is moved to it in this program.".to_owned(),
                false => format!("Values given here: {}.", list(&values)),
            };
            ask(call.lines, format!("Which programs can {} name?", call.target), &context)
        });
        let is_missing = |copy: &&CopybookReference| copy.resolved.is_none() && system_copybook(&copy.name).is_none();
        let is_whole = !parsed.copies.iter().any(|copy| is_missing(&copy));
        let missing = self.reading.copies_on.on(owned).map(|index| &parsed.copies[index]);
        let missing = missing.filter(is_missing).map(|copy| {
            let context = "It is not among the sources, so what it defines is not documented here.";
            ask(copy.lines, format!("What does copybook {} hold?", copy.name), context)
        });
        let unknown = self.reading.references_on.on(owned);
        let unknown =
            unknown.flat_map(|index| self.reading.flow.unknown_labels(parsed, index).map(move |label| (index, label)));
        let unknown = unknown.map(|(index, label)| {
            let context = match is_whole {
                true => "No paragraph or section of that name was found, and no copybook is missing: a compiler would refuse it.",
                false => "No paragraph or section of that name was found; a copybook that is missing may hold it.",
            };
            let reference = &parsed.references[index];
            let lines = reference
                .statement
                .map_or(LineRange::single(reference.line), |statement| parsed.statements[statement].own_lines());
            ask(lines, format!("Where is {label}?"), context)
        });
        let unread = parsed.diagnostics.iter().filter(|found| found.is_of_reading());
        let unread = unread.filter_map(|found| Some((found.line.filter(|line| owned.contains(*line))?, found)));
        let unread = unread.take(UNREAD_TOLD).map(|(line, found)| {
            // The line is quoted whole, as it may have no name. One of signs alone proves nothing, and is told by its number.
            let quote = self.facts.file.source.line(line).map(|line| line.code().trim().to_owned());
            let quote = quote.filter(|quote| quote.contains(char::is_alphanumeric));
            let context = quote.is_none().then(|| format!("Line {line}."));
            let citation = self.facts.cite(LineRange::single(line)).filter(|_| quote.is_some());
            let body = OpenQuestion { question: sentence(&found.message), context, suggestion: None };
            PartialItem::new(body, citation.map(|citation| BlockCitation { quote, ..citation }).into_iter().collect())
        });
        calls.chain(missing).chain(unknown).chain(unread).collect()
    }
}

/// Lists the programs that a call may name, each in words, and the items that are moved to its own; many are cut to the first ones, and the other
/// programs counted.
pub(super) fn candidates_named(call: &ProgramCall, tell: impl Fn(&str, LineNumber) -> String) -> Vec<String> {
    let named = call.candidates.iter().take(CANDIDATES_NAMED).map(|(name, line)| tell(name, *line));
    let more = call.candidates.len().saturating_sub(CANDIDATES_NAMED);
    let items =
        call.moved_items.iter().take(CANDIDATES_NAMED).map(|(item, line)| tell(&format!("what {item} holds"), *line));
    named.chain((more > 0).then(|| format!("{more} more"))).chain(items).collect()
}

/// Names the program that a call passes control to: by its name, or by the item that has it, with what is moved to that.
pub(super) fn program_named(call: &ProgramCall) -> String {
    let literals = call.candidates.iter().map(|(name, _)| format!("'{name}'"));
    let moved: Vec<String> = literals.chain(call.moved_items.iter().map(|(item, _)| item.clone())).collect();
    let of_item = format!("the program that {} names", call.target);
    match (moved.as_slice(), call.moved_items.as_ref()) {
        ([], _) => of_item,
        ([only], []) => format!("{of_item} (it may hold {only})"),
        ([only], _) => format!("{of_item} ({only} is moved to it)"),
        (several, _) => format!("{of_item} ({} are moved to it)", name_list(several)),
    }
}

/// Describes further objects of an SQL statement: the tables of its cursor, the item that contains its text.
fn more_of_sql(exec: &ExecBlock) -> String {
    let Some(sql) = &exec.sql else { return String::new() };
    let of_cursor = matches!(exec.command.as_str(), "OPEN" | "FETCH" | "CLOSE") && !exec.tables.is_empty();
    let tables = if of_cursor { format!(" on {}", name_list(&exec.tables)) } else { String::new() };
    let cursor = match (&exec.cursor, exec.command.as_str()) {
        (Some(cursor), "UPDATE" | "DELETE") => format!(" at the row of cursor {cursor}"),
        _ => String::new(),
    };
    let dynamic = match (&sql.text_source, &sql.prepared) {
        _ if !sql.is_dynamic || of_cursor => String::new(),
        (Some(text), _) => format!(", whose text is in {}", shorten(text)),
        (None, Some(prepared)) => format!(" {prepared}, whose text is put together while the program runs"),
        (None, None) => ", whose text is put together while the program runs".to_owned(),
    };
    format!("{tables}{cursor}{dynamic}")
}

/// Describes a DL/I function, as a phrase without its object.
fn verb(function: &str) -> Option<(&'static str, &'static str)> {
    Some(match function {
        "GU" => ("gets", ""),
        "GN" => ("gets the next", ""),
        "GNP" => ("gets the next", " under its parent"),
        "GHU" => ("gets and holds", ""),
        "GHN" => ("gets and holds the next", ""),
        "GHNP" => ("gets and holds the next", " under its parent"),
        "ISRT" => ("inserts", ""),
        "REPL" => ("replaces", ""),
        "DLET" => ("deletes", ""),
        _ => return None,
    })
}

/// Describes a call that receives or sends a message of a transaction.
fn exchanged(operation: &Dli, function: &str) -> Option<String> {
    let area = operation.area.as_deref().filter(|_| operation.is_message)?;
    let pcb = operation.pcb.as_deref().unwrap_or_default();
    match function {
        "GU" => Some(format!("receives a message into {area} (IMS GU, {pcb})")),
        "GN" => Some(format!("receives the next part of the message into {area} (IMS GN, {pcb})")),
        "ISRT" => Some(format!("sends the message {area} (IMS ISRT, {pcb})")),
        _ => None,
    }
}

/// Describes a DL/I operation: `gets the next PAUTDTL1 under its parent into PENDING-AUTH-DETAILS (DL/I GNP, PCB 1)`.
pub(super) fn done(operation: &Dli) -> String {
    let [function] = operation.functions.as_slice() else {
        return format!("issues DL/I {}", issued(operation));
    };
    if let Some(does) = exchanged(operation, function) {
        return does;
    }
    let Some((does, behind)) = verb(function) else {
        let psb = operation.psb.as_ref().filter(|_| function.as_str() == "SCHD" || function.ends_with("PSB"));
        return match (function.as_str(), psb) {
            ("SCHD" | "APSB" | "PCB", Some(psb)) => format!("schedules PSB {psb} (DL/I {function})"),
            // The end of a PSB is a sync point. Source: IMS Application Programming APIs, EXEC DLI TERM.
            ("TERM", _) => "terminates its PSB, which commits its changes (DL/I TERM)".to_owned(),
            ("DPSB", _) => "ends the use of its PSB (DL/I DPSB)".to_owned(),
            ("CHKP" | "SYMCHKP", _) => format!("takes a checkpoint, which commits its changes (DL/I {function})"),
            _ => format!("issues DL/I {}", issued(operation)),
        };
    };
    let named = |segment: &DliSegment| match &segment.qualified_by {
        Some(condition) => format!("{} where {condition}", segment.name),
        None => segment.name.clone(),
    };
    let targets: Vec<String> = operation.targets().map(named).collect();
    let object = if targets.is_empty() { "a record".to_owned() } else { name_list(&targets) };
    let area = operation.targets().find_map(|segment| segment.area.as_ref()).or(operation.area.as_ref());
    // A segment is deleted from its database, whatever area is named.
    let to = match function.as_str() {
        "DLET" => "with area",
        _ if operation.accesses().read => "into",
        _ => "from",
    };
    let area = area.map(|area| format!(" {to} {area}")).unwrap_or_default();
    let parents: Vec<String> = operation.parents().map(named).collect();
    let parents = if parents.is_empty() { String::new() } else { format!(" below {}", name_list(&parents)) };
    let pcb = operation.pcb.as_ref().map(|pcb| format!(", PCB {pcb}")).unwrap_or_default();
    format!("{does} {object}{behind}{parents}{area} (DL/I {function}{pcb})")
}

/// Names a DL/I operation by its function and segments: `GU of LIFEROOT`.
fn issued(operation: &Dli) -> String {
    let targets: Vec<String> = operation.targets().map(|segment| segment.name.clone()).collect();
    match targets.is_empty() {
        true => operation.function(),
        false => format!("{} of {}", operation.function(), name_list(&targets)),
    }
}
