//! The pages of entry points: what happens from the start of a transaction or job to its end.

use super::estate_page::{EstatePage, plain, section, some};
use super::way::{self, Passed, access_in_words, programs_on_the_way};
use super::{Overview, versions};
use crate::non_cobol::restart_sentence;
use std::collections::{BTreeMap, BTreeSet};
use war_rig_cobol::CallKind;
use war_rig_estate::{AssignedData, DdUse, Edge, EdgeKind, NodeId, NodeKind};
use war_rig_template::{IndexEntry, MarkdownTable, OutlinedStep, escape_code, escape_data, escape_prose, rows_of_keys};
use war_rig_text::LineNumber;

/// The maximum number of steps of a job on its page.
const STEPS_TOLD: usize = 60;

/// Renders the page of a transaction or a job.
pub(super) fn render<'a>(overview: &'a Overview<'a>, id: &'a NodeId, path: &str) -> String {
    let page = EstatePage::new(overview, path);
    match id.kind {
        NodeKind::Job => job(&page, id),
        _ => transaction(&page, id),
    }
}

/// Tells what an entry point is, where it is defined and which function it belongs to.
fn heading(page: &EstatePage<'_>, id: &NodeId) -> String {
    let node = page.overview.graph.node(id);
    let mut facts = Vec::new();
    let function = page.function_of(id);
    if !function.is_empty() {
        facts.push(format!("function {function}"));
    }
    if let Some(place) = node.and_then(|node| node.inferred.as_ref()) {
        facts.push(format!("not defined in these sources; only this program returns to it {}", page.place(place)));
    } else if let Some(place) = node.and_then(|node| node.defined.first()) {
        facts.push(format!("defined in {} {}", page.defined(id, &place.file), page.place(place)));
        let others = if id.kind == NodeKind::Job { versions::others_of(page, id, &place.file) } else { String::new() };
        facts.extend((!others.is_empty()).then(|| format!("other sources of the job: {others}")));
    }
    if let Some(about) = node.and_then(|node| node.about.as_deref()).filter(|about| !about.is_empty()) {
        facts.push(format!("\"{}\"", escape_prose(about)));
    }
    let source = node.filter(|_| id.kind == NodeKind::Job).and_then(|node| node.defined.first());
    let purpose = source.and_then(|place| page.overview.document(&place.file)).map(|document| &document.purpose);
    // A source of several jobs says what all of them do.
    let is_own = |purpose: &&String| purpose.contains(id.name.split(' ').next().unwrap_or_default());
    facts.extend(
        purpose
            .filter(|purpose| purpose.starts_with('"') || is_own(purpose))
            .map(|purpose| escape_prose(purpose.trim_end_matches('.'))),
    );
    let (one, _) = id.kind.in_words();
    let restart = page.overview.graph.restart_of(id).map(|step| escape_prose(&restart_sentence(step)));
    facts.splice(0..0, restart);
    let title = format!("# {}{} {}", one[..1].to_uppercase(), &one[1..], escape_prose(&id.name));
    let facts = if facts.is_empty() { String::new() } else { format!("{}. ", facts.join(" · ")) };
    format!("{title}\n\n{facts}{}.", page.page("All entry points", "entry-points"))
}

fn transaction<'a>(page: &EstatePage<'a>, id: &'a NodeId) -> String {
    let overview = page.overview;
    let mut starts: Vec<&Edge> =
        overview.graph.outgoing_edges(id).filter(|edge| edge.relation == EdgeKind::Starts).collect();
    // Several definitions may start the same program.
    starts.dedup_by(|next, first| next.to == first.to);
    let mut sections = vec![heading(page, id)];
    for start in &starts {
        let passed = programs_on_the_way(overview, &start.to);
        let entry = overview.entry_of(&start.to);
        sections.push(way_through(page, start, entry));
        sections.push(other_transactions(page, id, start));
        if let Some((file, document)) = entry {
            sections.push(keys(page, file, document));
        }
        sections.push(screens(page, &start.to));
        sections.push(way::called(page, &passed));
        sections.push(way::data(page, &passed, |_| true));
        sections.push(way::commits(page, &passed, &at_the_end_of_a_task(page, &passed)));
        if let Some((file, document)) = entry {
            sections.push(section(
                "Where it may end, and what it sets for the user to see",
                &[way::endings(page, file, document)],
            ));
        }
        sections.push(next_of_transaction(page, &way::handed_on(overview, &passed)));
    }
    sections.push(reached_from(page, id, &starts));
    page.render(sections)
}

/// Tells what becomes of changes when a task ends, and which of the files that programs change are recovered: CICS takes those back after an abend
/// whose definitions have RECOVERY(ALL) or RECOVERY(BACKOUTONLY) (CICS Transaction Server for z/OS, Resource Definition Guide, FILE attributes).
fn at_the_end_of_a_task(page: &EstatePage<'_>, passed: &[Passed<'_>]) -> String {
    let programs: Vec<&NodeId> = passed.iter().map(|passed| passed.program).collect();
    let data = way::data_of(page.overview, &programs);
    let changed = data.iter().filter(|(id, uses)| id.kind == NodeKind::File && uses.is_change());
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (id, _) in changed {
        let stored: Vec<&Edge> =
            page.overview.graph.outgoing_edges(id).filter(|edge| edge.relation == EdgeKind::StoredIn).collect();
        let said: BTreeSet<Option<&str>> = stored.iter().map(|edge| edge.detail.as_deref()).collect();
        // Definitions that differ say nothing.
        let Some(recovery) = said.first().copied().flatten().filter(|_| said.len() == 1) else { continue };
        let fate = match recovery {
            "RECOVERY(NONE)" => {
                format!("not recovered, by definition ({recovery}), so that changes stay after an abend")
            }
            _ => format!("recovered, by definition ({recovery})"),
        };
        let place = stored.first().map(|edge| page.place(&edge.place)).unwrap_or_default();
        files.entry(fate).or_default().push(format!("{} {place}", page.node(id)));
    }
    let fates: Vec<String> =
        files.into_iter().map(|(fate, files)| format!("{}: {fate}.", some(&files, Clone::clone))).collect();
    let end = "When the task ends, CICS makes final what it recovers, and takes it back after an abend";
    match fates.is_empty() {
        true => format!("{end}; whether a file is recovered, its definition says."),
        false => format!("{end}. {}", fates.join(" ")),
    }
}

fn way_through(page: &EstatePage<'_>, start: &Edge, entry: Option<(&str, &IndexEntry)>) -> String {
    let begin = format!("1. CICS starts {} {}.", page.node(&start.to), page.place(&start.place));
    let Some((file, document)) = entry else {
        let note = format!("{begin} It is not in the sources, so that nothing is known of what happens then.");
        return section("The way through it", &[note]);
    };
    let mut lines = vec![format!("{begin} {}", escape_prose(&document.purpose))];
    lines.push(way::steps(page, &start.to, file, document));
    section("The way through it", &[lines.join("\n")])
}

fn keys(page: &EstatePage<'_>, file: &str, document: &IndexEntry) -> String {
    let mut table = MarkdownTable::new(["key", "what happens", "only when", "where"]);
    let tests = document.outline.unpack().keys;
    for row in rows_of_keys(tests.iter()) {
        let places: Vec<String> = row.tests.iter().map(|test| page.line(file, tests[*test].line)).collect();
        table.row([
            escape_prose(&row.keys.join(", ")),
            escape_prose(&row.action),
            escape_prose(&row.condition),
            places.join(" "),
        ]);
    }
    section("Keys", &[table.render()])
}

/// Says that a program runs for other transactions too, so that what its conditions on EIBTRNID decide may belong to one of them alone.
fn other_transactions(page: &EstatePage<'_>, id: &NodeId, start: &Edge) -> String {
    let all = page.overview.transactions_of(&start.to);
    let others: Vec<&NodeId> = all.into_iter().filter(|other| *other != id).collect();
    match others.is_empty() {
        true => String::new(),
        false => format!(
            "{} also runs for {}: what stands under a condition on EIBTRNID, and the calls and data there, may belong to one of them alone.",
            page.node(&start.to),
            some(&others, |other| page.node(other))
        ),
    }
}

fn screens(page: &EstatePage<'_>, program: &NodeId) -> String {
    let mut table = MarkdownTable::new(["screen", "how", "where"]);
    for edge in page.overview.graph.outgoing_edges(program).filter(|edge| edge.to.kind == NodeKind::Map) {
        table.row([
            page.node(&edge.to),
            escape_prose(edge.detail.as_deref().unwrap_or_default()),
            page.place(&edge.place),
        ]);
    }
    section("Screens", &[table.render()])
}

fn next_of_transaction(page: &EstatePage<'_>, edges: &[&Edge]) -> String {
    let mut ways: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for edge in edges {
        let how = match edge.relation {
            EdgeKind::Calls(_) => "passes control to",
            EdgeKind::UsesProcedure => "submits a job that executes",
            _ if edge.detail.as_deref() == Some("RETURN") => "ends and goes on, at the user's next key, with",
            _ if edge.detail.as_deref() == Some("RETURN IMMEDIATE") => "ends and goes on at once with",
            _ if edge.detail.as_deref() == Some("RUN") => "starts, to run beside it,",
            _ => "starts",
        };
        let by = match (&edge.detail, edge.relation) {
            (Some(detail), EdgeKind::Calls(_)) => format!(" ({})", escape_prose(detail)),
            _ => String::new(),
        };
        let entries: Vec<&NodeId> = match edge.to.kind {
            NodeKind::Program => page.overview.transactions_of(&edge.to),
            _ => Vec::new(),
        };
        let entries = match entries.is_empty() {
            true => String::new(),
            false => format!(", which is {}", some(&entries, |id| page.described(id))),
        };
        let way = format!("{how} {}{by}{entries}", page.described(&edge.to));
        ways.entry(way).or_default().push(page.place(&edge.place));
    }
    let lines: Vec<String> =
        ways.into_iter().map(|(way, places)| format!("- {way} {}", some(&places, Clone::clone))).collect();
    section("What runs next", &[lines.join("\n")])
}

/// Lists what leads to a transaction: programs that name it, and those that pass control to its program.
fn reached_from(page: &EstatePage<'_>, id: &NodeId, starts: &[&Edge]) -> String {
    let graph = page.overview.graph;
    let named = graph.incoming_edges(id).filter(|edge| edge.relation == EdgeKind::Starts);
    let passed = starts.iter().flat_map(|start| graph.incoming_edges(&start.to));
    let passed = passed.filter(|edge| matches!(edge.relation, EdgeKind::Calls(_)));
    let mut lines: Vec<String> = named
        .chain(passed)
        .filter(|edge| !starts.iter().any(|start| start.to == edge.from))
        .map(|edge| {
            let how = match edge.relation {
                // The transaction of the caller goes on: only XCTL leaves its program for this one.
                EdgeKind::Calls(kind) if kind != CallKind::CicsXctl => {
                    let how = if kind == CallKind::CicsLink { "LINK" } else { "CALL" };
                    format!("calls its program by {how}, without this transaction")
                }
                EdgeKind::Calls(kind) => kind.as_str().replace('_', " "),
                _ => edge.detail.clone().unwrap_or_default(),
            };
            format!("- {} ({}) {}", page.described(&edge.from), escape_prose(&how), page.place(&edge.place))
        })
        .collect();
    lines.sort();
    lines.dedup();
    section("What leads here", &[lines.join("\n")])
}

fn job<'a>(page: &EstatePage<'a>, id: &'a NodeId) -> String {
    let overview = page.overview;
    let steps = overview.graph.steps_of(id);
    let outlined = outlined(overview, id);
    let mut lines = Vec::new();
    let mut sections = vec![heading(page, id)];
    let mut programs: BTreeSet<&NodeId> = BTreeSet::new();
    for (place, step) in steps.iter().take(STEPS_TOLD).enumerate() {
        lines.push(step_in_words(page, id, place, step, outlined[place]));
        let runs = overview.graph.outgoing_edges(step).filter(|edge| edge.relation == EdgeKind::Runs);
        for run in runs {
            let entry = overview.entry_of(&run.to);
            if let Some((file, document)) = entry.filter(|_| programs.insert(&run.to)) {
                lines.push(way::steps(page, &run.to, file, document));
            }
        }
    }
    if steps.len() > STEPS_TOLD {
        lines.push(format!("{} more steps stand on the page of the source.", steps.len() - STEPS_TOLD));
    }
    sections.push(section("The way through it", &[lines.join("\n")]));
    let passed: Vec<_> = programs.iter().flat_map(|program| programs_on_the_way(overview, program)).collect();
    sections.push(way::called(page, &passed));
    if !passed.is_empty() {
        sections.push(way::data(page, &passed, |kind| kind != NodeKind::Dataset));
        sections.push(way::commits(page, &passed, ""));
    }
    let mut endings = Vec::new();
    for program in &programs {
        let Some((file, document)) = overview.entry_of(program) else { continue };
        let told = way::endings(page, file, document);
        if !told.is_empty() {
            endings.push(format!("{}:\n\n{told}", page.node(program)));
        }
    }
    sections.push(section("Where it may end, and what it sets for the operator to see", &endings));
    sections.push(submissions(page, id));
    sections.push(neighbours(page, id));
    page.render(sections)
}

/// Tells which jobs submit a job, and which it submits, each in the order of its steps.
fn submissions(page: &EstatePage<'_>, id: &NodeId) -> String {
    let graph = page.overview.graph;
    let is_submission = |edge: &&Edge| edge.relation == EdgeKind::Submits;
    let how = |edge: &Edge| edge.detail.as_deref().map(|how| format!(" {}", escape_prose(how))).unwrap_or_default();
    let by = graph.incoming_edges(id).filter(is_submission).map(|edge| {
        let (job, step) = edge.from.name.split_once('.').unwrap_or((&edge.from.name, ""));
        let job = page.described(&NodeId::new(NodeKind::Job, job));
        format!("- submitted by {job} in step {}{} {}", escape_code(step), how(edge), page.place(&edge.place))
    });
    let steps = graph.steps_of(id).iter().flat_map(|step| graph.outgoing_edges(step));
    let submits = steps
        .filter(is_submission)
        .map(|edge| format!("- submits {}{} {}", page.described(&edge.to), how(edge), page.place(&edge.place)));
    section("Jobs that start others", &[by.chain(submits).collect::<Vec<_>>().join("\n")])
}

/// Returns what a job's document says of each of its steps: in their order or, if procedures make the graph's steps others, by name.
fn outlined<'a>(overview: &'a Overview<'a>, job: &NodeId) -> Vec<Option<&'a OutlinedStep>> {
    let file = overview.graph.node(job).and_then(|node| node.defined.first()).map(|place| place.file.as_ref());
    let document = file.and_then(|file| overview.document(file));
    let all = document.map(|document| document.steps.as_slice()).unwrap_or_default();
    let name = job.name.split(' ').next().unwrap_or_default();
    let of_job: Vec<&OutlinedStep> = all.iter().filter(|step| step.job.eq_ignore_ascii_case(name)).collect();
    let steps = overview.graph.steps_of(job);
    if of_job.len() == steps.len() {
        return of_job.into_iter().map(Some).collect();
    }
    let named = |id: &NodeId| of_job.iter().find(|step| step.step.eq_ignore_ascii_case(last_part(&id.name))).copied();
    steps.iter().map(named).collect()
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn step_in_words(
    page: &EstatePage<'_>,
    job: &NodeId,
    place: usize,
    step: &NodeId,
    outlined: Option<&OutlinedStep>,
) -> String {
    let graph = page.overview.graph;
    let name = step.name.strip_prefix(&*job.name).unwrap_or(&step.name).trim_start_matches('.');
    let at = graph.node(step).and_then(|node| node.defined.first()).map(|at| page.place(at)).unwrap_or_default();
    let runs: Vec<&Edge> = graph.outgoing_edges(step).filter(|edge| edge.relation == EdgeKind::Runs).collect();
    let is_defined = |id: &NodeId| graph.node(id).is_some_and(|node| !node.defined.is_empty());
    // What a sort calls at an exit stands in the words about the sort.
    let own: Vec<&&Edge> = runs.iter().filter(|edge| is_defined(&edge.to) && !edge.is_exit()).collect();
    let what = match (outlined, own.is_empty()) {
        (Some(outlined), true) => {
            let told = escape_prose(outlined.summary.trim_end_matches('.'));
            let is_named = runs.iter().any(|edge| outlined.summary.contains(&*edge.to.name));
            let names = some(&runs, |edge| plain(&edge.to));
            if is_named || runs.is_empty() { told } else { format!("{told} ({names})") }
        }
        (_, false) => {
            let how = |edge: &Edge| match &edge.detail {
                Some(detail) if edge.is_inferred() => format!(" {}", escape_prose(detail)),
                _ => String::new(),
            };
            format!("runs {}", some(&own, |edge| format!("{}{}", page.node(&edge.to), how(edge))))
        }
        (None, true) if runs.is_empty() => "runs nothing that is known".to_owned(),
        (None, true) => format!("runs {}", some(&runs, |edge| page.node(&edge.to))),
    };
    let mut text = format!("{}. **{}** {at}: {what}", place + 1, escape_prose(name));
    if let Some(outlined) = outlined {
        text.push_str(&given_in_words(outlined, own.is_empty()));
        if own.is_empty() {
            return text;
        }
    }
    let dd_names = outlined.map(|outlined| outlined.dd_names.as_slice()).unwrap_or_default();
    let files = graph.files_of(own.iter().map(|run| run.to.clone()));
    // DDs of one data set that name other generations or members of it are not used alike.
    let mut data: BTreeMap<(&NodeId, Vec<&str>), StepDataUse<'_>> = BTreeMap::new();
    for edge in graph.outgoing_edges(step).filter(|edge| edge.relation == EdgeKind::Accesses) {
        let names = edge.detail.as_deref().map(|dd| names_in_dd(dd_names, dd, &edge.to.name)).unwrap_or_default();
        let uses = data.entry((&edge.to, names)).or_insert_with(|| StepDataUse::at(edge.place.line));
        uses.letters.extend(edge.access.chars());
        uses.is_guess &= edge.is_guess();
        uses.defines |= edge.defines();
        uses.names.extend(edge.detail.as_deref());
        uses.line = uses.line.min(edge.place.line);
    }
    // What goes in is told before what comes out, each in the order of the job.
    let mut data: Vec<_> = data.into_iter().collect();
    data.sort_by_key(|(_, uses)| (uses.is_output(), uses.line));
    for ((id, written), StepDataUse { letters, names, defines, is_guess, .. }) in data {
        let names: Vec<&str> = names.into_iter().collect();
        let by = if names.is_empty() { String::new() } else { format!(" ({})", escape_prose(&names.join(", "))) };
        let does = match (defines, letters.is_empty()) {
            (true, true) => "defines".to_owned(),
            (true, false) => format!("defines and {}", access_in_words(id.kind, &letters)),
            // DISP does not say what a program does whose files are not known.
            (false, _) if is_guess || letters.is_empty() && files.is_empty() => "gives it".to_owned(),
            (false, true) if own.len() == runs.len() => "has, for a file that none of its programs selects,".to_owned(),
            (false, _) => access_in_words(id.kind, &letters),
        };
        let name = if written.is_empty() { plain(id) } else { generations_in_words(&written) };
        text.push_str(&format!("\n   - {does} {name}{by}"));
    }
    text.push_str(&printed_in_words(page, step, &files));
    text
}

/// Tells which of these files a step prints.
fn printed_in_words(page: &EstatePage<'_>, step: &NodeId, files: &[&DdUse]) -> String {
    let programs: BTreeSet<&NodeId> = files.iter().map(|used| &used.program).collect();
    let files = programs.into_iter().flat_map(|program| page.overview.graph.assigned_data_sets(program));
    let printed: BTreeSet<(&str, &str)> = files
        .filter(|given| given.step == *step && given.data == AssignedData::Sysout && given.access.contains(['C', 'U']))
        .map(|given| (given.file.as_str(), given.dd.as_str()))
        .collect();
    printed.iter().map(|(file, dd)| format!("\n   - prints {} ({})", escape_code(file), escape_prose(dd))).collect()
}

/// Returns the names with a generation or a member that a DD gives to a data set, in its order.
fn names_in_dd<'a>(dd_names: &'a [(String, String)], dd: &str, data_set: &str) -> Vec<&'a str> {
    let is_of = |written: &str| written.split('(').next() == Some(data_set);
    let of_dd = dd_names.iter().filter(|(name, written)| name == dd && is_of(written));
    of_dd.map(|(_, written)| written.as_str()).collect()
}

/// Names generations of one data set; several that follow each other by the first and the last: `A.B(0)` to `(-3)`.
fn generations_in_words(names: &[&str]) -> String {
    let number = |name: &&str| name.split_once('(')?.1.trim_end_matches(')').parse::<i32>().ok();
    let numbers: Option<Vec<i32>> = names.iter().map(number).collect();
    let follow = |numbers: Vec<i32>| {
        let steps: Vec<i32> = numbers.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
        steps.len() > 1 && steps.iter().all(|step| *step == steps[0] && step.abs() == 1)
    };
    let bare = |name: &str| name.split_once('(').map_or(name.to_owned(), |(_, number)| format!("({number}"));
    match names {
        [first, .., last] if numbers.is_some_and(follow) => {
            format!("{} to {}", escape_code(first), escape_code(&bare(last)))
        }
        names => some(names, |name| escape_code(name)),
    }
}

/// What a step does with one piece of data.
struct StepDataUse<'a> {
    letters: BTreeSet<char>,
    /// The DDs.
    names: BTreeSet<&'a str>,
    defines: bool,
    /// Whether only DISP suggests what it does.
    is_guess: bool,
    /// The line of the first DD.
    line: LineNumber,
}

impl StepDataUse<'_> {
    fn at(line: LineNumber) -> Self {
        Self { letters: BTreeSet::new(), names: BTreeSet::new(), defines: false, is_guess: true, line }
    }

    fn is_output(&self) -> bool {
        !self.letters.contains(&'R') && (self.defines || !self.letters.is_empty())
    }
}

/// Tells how a step reaches its program, what it gives to it in the job, and when it runs. A summary says itself how the program is reached.
fn given_in_words(step: &OutlinedStep, has_summary: bool) -> String {
    let mut text = String::new();
    if let Some(how) = step.how.as_deref().filter(|_| !has_summary) {
        text.push_str(&format!(" {}", escape_prose(how)));
    }
    if let Some(parameter) = &step.parameter {
        text.push_str(&format!(" with the parameter {}", escape_code(parameter)));
    }
    for condition in &step.conditions {
        text.push_str(&format!("; {}", escape_prose(condition)));
    }
    let notes: BTreeSet<&(String, String)> = step.generation_notes.iter().collect();
    for (data_set, note) in notes {
        text.push_str(&format!("\n   - {}: {}", escape_code(data_set), escape_prose(note)));
    }
    for (dd, lines) in &step.given {
        text.push_str(&format!("\n   - {} in the job: {}", escape_prose(dd), some(lines, |line| escape_data(line))));
    }
    text
}

/// Lists the jobs that hand data to a job, and those that it hands data to.
fn neighbours(page: &EstatePage<'_>, id: &NodeId) -> String {
    let mut lines = Vec::new();
    let flow = &page.overview.job_flow;
    for (title, flows, is_reader) in [
        ("Jobs that write or define what it reads", flow.before(id), true),
        ("Jobs that define what it writes", flow.definers(id), false),
        ("Jobs that read what it writes", flow.after(id), false),
    ] {
        let Some(flows) = flows else { continue };
        // What only DISP suggests is told as on the page of the data.
        let in_words = |job: &NodeId, data: &NodeId| {
            let is_given = flow.only_gives(if is_reader { id } else { job }, data);
            format!("{}{}", plain(data), if is_given { " (given)" } else { "" })
        };
        lines.push(format!("{title}:"));
        let rows: Vec<String> = flows
            .iter()
            .map(|(job, data)| {
                let data: Vec<&&NodeId> = data.iter().collect();
                format!("- {}: {}", page.node(job), some(&data, |data| in_words(job, data)))
            })
            .collect();
        lines.push(rows.join("\n"));
    }
    section("Jobs that it shares data with", &lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_of_a_data_set_are_told_by_dd() {
        let pair = |dd: &str, name: &str| (dd.to_owned(), name.to_owned());
        let names = [
            pair("IN", "A.B(0)"),
            pair("IN", "A.B(-1)"),
            pair("IN", "A.B(-2)"),
            pair("OUT", "A.B(+1)"),
            pair("IN", "A.BC(0)"),
        ];
        let told = |dd: &str| generations_in_words(&names_in_dd(&names, dd, "A.B"));
        assert_eq!(told("IN"), "`A.B(0)` to `(-2)`");
        assert_eq!(told("OUT"), "`A.B(+1)`");
        assert_eq!(generations_in_words(&["A.LIB(X&Y)", "A.LIB(Z)"]), "A.LIB(X&amp;Y), `A.LIB(Z)`");
        assert_eq!(names_in_dd(&names, "OTHER", "A.B"), [""; 0]);
        assert_eq!(generations_in_words(&["A.B(0)", "A.B(-2)"]), "`A.B(0)`, `A.B(-2)`");
    }
}
