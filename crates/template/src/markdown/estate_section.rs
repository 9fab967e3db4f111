//! The place of a program or copybook in its estate: who runs, calls and copies it, whom it calls, and what it uses.

use super::links::PageLinks;
use super::sections::{manner, section};
use super::table::MarkdownTable;
use super::{code, listed, names, optional, prose, resources};
use crate::{CalledProgram, CallingContext, DataSetUse, Document, OtherData, RunBy, StartedTransaction};
use war_rig_text::LineRange;

/// The number of programs that a call through an item may name before a row counts the others.
const PROGRAMS_NAMED: usize = 8;

/// The number of names that a sentence lists.
const NAMES_LISTED: usize = 12;

/// The number of callers, or of sources that copy a copybook, that a sentence lists: a change of it concerns them all.
const USERS_LISTED: usize = 60;

/// Returns the section.
pub(super) fn where_it_sits(document: &Document, links: &PageLinks) -> String {
    let context = &document.calling_context;
    let sits = EstateSection { context, links };
    let mut sentences = sits.reached(document);
    let only_itself =
        matches!(&context.entry_points[..], [entry] if Some(entry) == document.header.program_id.as_ref());
    if !context.entry_points.is_empty() && !only_itself {
        sentences.push(format!("Entered at {}.", names(&context.entry_points)));
    }
    // Every CICS program has this one.
    if context.linkage_section.iter().any(|record| record != "DFHCOMMAREA") {
        sentences.push(format!("Its LINKAGE SECTION describes {}.", names(&context.linkage_section)));
    }
    let mut calls = MarkdownTable::new(["it calls", "how", "with", "what for", "where", "program"]);
    for call in &document.called_programs {
        let mut name = sits.called(call);
        let others = || call.may_call.iter().filter(|name| **name != call.program_name);
        if others().next().is_some() {
            let named = others().take(PROGRAMS_NAMED).map(|name| sits.name("program", name));
            let more = others().count().saturating_sub(PROGRAMS_NAMED);
            let more = (more > 0).then(|| format!("and {more} more"));
            let may = if call.is_certain { "names" } else { "may name" };
            name.push_str(&format!(" ({may} {})", named.chain(more).collect::<Vec<_>>().join(", ")));
        }
        calls.row([
            name,
            manner(&call.call_type),
            names(&call.parameters),
            prose(&call.purpose),
            links.citations(&call.citations),
            optional(&call.program),
        ]);
    }
    let (uses, fields) = (resources::uses(document, links), resources::fields(document));
    section("Where it sits", [sentences.join(" "), calls.render(), uses, fields, sits.data_sets()])
}

/// The estate's facts about a document, and the links.
struct EstateSection<'a> {
    context: &'a CallingContext,
    links: &'a PageLinks<'a>,
}

impl EstateSection<'_> {
    /// Returns a name of the estate, linked to the page of the source that defines it.
    fn name(&self, kind: &str, name: &str) -> String {
        self.links.name(name, self.context.defined_in.get(&format!("{kind}:{name}")).map(String::as_str))
    }

    /// Names a called program as the source writes it, with a link to its page.
    fn called(&self, call: &CalledProgram) -> String {
        let document = self.context.defined_in.get(&format!("program:{}", call.program_name));
        let shown = if call.written.is_empty() { &call.program_name } else { &call.written };
        self.links.name(shown, document.map(String::as_str))
    }

    /// Returns who runs, starts, calls and copies it.
    fn reached(&self, document: &Document) -> Vec<String> {
        let context = self.context;
        let mut sentences = Vec::new();
        let of_kind = |kind: &str| context.run_by.iter().filter(|run| run.kind == kind).collect::<Vec<&RunBy>>();
        let (steps, transactions, programs) = (of_kind("step"), of_kind("transaction"), of_kind("program"));
        if !steps.is_empty() {
            sentences.push(format!("Run by {}.", listed(&steps, NAMES_LISTED, |run| self.step(run))));
        }
        if !transactions.is_empty() {
            let told = listed(&transactions, NAMES_LISTED, |run| {
                format!("{} ({})", self.name("transaction", &run.name), self.at(&run.file, run))
            });
            let noun = if transactions.len() == 1 { "transaction" } else { "transactions" };
            sentences.push(format!("Started by {noun} {told}."));
        }
        if !programs.is_empty() {
            let told = listed(&programs, NAMES_LISTED, |run| {
                let how = run.how.as_deref().unwrap_or_default();
                format!("{} ({how}, {})", self.name("program", &run.name), self.at(&run.file, run))
            });
            sentences.push(format!("Its transactions are started by {told}."));
        }
        if !context.called_by.is_empty() {
            let callers = listed(&context.called_by, USERS_LISTED, |name| self.name("program", name));
            sentences.push(format!("Called by {callers}."));
        } else if !document.programs.is_empty() && context.run_by.is_empty() {
            sentences.push("No job, transaction or other program of these sources is seen to run it.".to_owned());
        } else if !document.programs.is_empty() && programs.is_empty() {
            sentences.push("No program is seen to call it.".to_owned());
        }
        if !context.starts.is_empty() {
            let told = listed(&context.starts, NAMES_LISTED, |started| self.started(started));
            sentences.push(format!(
                "Starts {} {told}.",
                if context.starts.len() == 1 { "transaction" } else { "transactions" }
            ));
        }
        if !context.used_by.is_empty() {
            let users = listed(&context.used_by, USERS_LISTED, |user| self.name(&user.kind, &user.name));
            let count = match context.used_by.len() {
                1 => String::new(),
                count => format!("{count} sources: "),
            };
            sentences.push(format!("Copied by {count}{users}."));
        } else if document.header.file_type == "copybook" {
            sentences.push("No source is seen to copy it.".to_owned());
        }
        sentences
    }

    /// Returns a transaction that the program starts, and the programs that it runs: `ICCK (CRDTCHK, as a child)`. The steps tell where.
    fn started(&self, started: &StartedTransaction) -> String {
        let mut told: Vec<String> = started.programs.iter().map(|program| self.name("program", program)).collect();
        told.extend((started.how == "RUN").then(|| "as a child".to_owned()));
        let told = if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) };
        format!("{}{told}", self.name("transaction", &started.name))
    }

    /// Returns a step of a job: `MTHEND, step STEP030, through IKJEFT01 (jcl/MTHEND.jcl:41)`.
    fn step(&self, run: &RunBy) -> String {
        let (job, step) = run.name.split_once('.').unwrap_or((&run.name, ""));
        let how = run.how.as_deref().map(|how| format!(" {}", prose(how))).unwrap_or_default();
        let job = self.links.name(job, self.context.defined_in.get(&format!("step:{}", run.name)).map(String::as_str));
        format!("job {job}, step {}{how} ({})", code(step), self.at(&run.file, run))
    }

    fn at(&self, file: &str, run: &RunBy) -> String {
        self.links.lines(file, LineRange::single(run.line))
    }

    /// Returns the data sets of its files where it runs.
    fn data_sets(&self) -> String {
        let mut table = MarkdownTable::new(["file", "DD name", "data set", "does", "in step"]);
        for used in &self.context.data_sets {
            table.row([code(&used.file), code(&used.dd), assigned(used), in_words(&used.access), code(&used.step)]);
        }
        table.render()
    }
}

/// Returns what a step assigns to a file: a data set with its generation, lines of the job, or output.
fn assigned(used: &DataSetUse) -> String {
    let generation = match used.generation {
        Some(number @ 1..) => format!("(+{number})"),
        Some(number) => format!("({number})"),
        None => String::new(),
    };
    match used.other {
        Some(OtherData::InStream) => "lines of the job".to_owned(),
        Some(OtherData::Sysout) => "printed".to_owned(),
        Some(OtherData::Dummy) => "nothing (DUMMY)".to_owned(),
        None => code(&format!("{}{generation}", used.data_set)),
    }
}

/// Returns letters of `CRUD` in words.
fn in_words(access: &str) -> String {
    let words = access.chars().filter_map(|letter| match letter {
        'C' => Some("creates"),
        'R' => Some("reads"),
        'U' => Some("updates"),
        'D' => Some("deletes"),
        _ => None,
    });
    words.collect::<Vec<_>>().join(", ")
}
