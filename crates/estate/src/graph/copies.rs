//! Sources that define one name: which of them represents the name, and which are copies of it.
//!
//! An estate often contains several versions of a member in different folders. A whole source goes before a fragment, then the content
//! that most of the sources have, then the longest source, then the first path. A copybook is the file that most COPYs find.

use super::node::{Node, NodeId, NodeKind, SourceLocation};
use super::survey::Survey;
use super::{EstateGraph, GraphBuilder};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use war_rig_text::{ContentHash, LineNumber, member_name};

/// The kinds of nodes that a member defines alone, so that two definitions are two versions of the member.
const KINDS: [NodeKind; 4] = [NodeKind::Copybook, NodeKind::Job, NodeKind::MapSet, NodeKind::Map];

/// Whether several definitions of such a node are versions of it.
pub(super) fn has_versions(kind: NodeKind) -> bool {
    KINDS.contains(&kind)
}

/// Returns the indices of the surveys; the source that represents a name best comes first.
pub(super) fn best_first(surveys: &[Survey]) -> Vec<usize> {
    let mut equal: HashMap<ContentHash, usize> = HashMap::new();
    for survey in surveys {
        *equal.entry(survey.content).or_default() += 1;
    }
    let mut order: Vec<usize> = (0..surveys.len()).collect();
    order.sort_by_key(|place| {
        let survey = &surveys[*place];
        (!survey.is_whole, Reverse(equal[&survey.content]), Reverse(survey.figures.lines), *place)
    });
    order
}

/// A job in a source.
struct JobSource<'a> {
    file: &'a Arc<str>,
    card: LineNumber,
    member: String,
    /// The place of the job among those of its name in its file, and their number.
    place: usize,
    jobs_in_file: usize,
    has_steps: bool,
    content: ContentHash,
    lines: u32,
}

/// The name under which a job is in the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JobName {
    pub(super) name: String,
    /// Whether its steps are in the graph under this name. Those of another source with the same steps are not repeated.
    pub(super) has_steps: bool,
    /// The job that it is another version of.
    pub(super) version_of: Option<String>,
}

/// The names of all jobs, by file and line of the card, in order.
pub(super) type JobNames = BTreeMap<(Arc<str>, LineNumber), JobName>;

/// The source that has each member name, in upper case, and its jobs.
pub(super) type JobsByMember = HashMap<String, (Arc<str>, BTreeSet<NodeId>)>;

/// Returns the jobs of each member. If two sources have one name, the first in order wins, as it does among procedures. A job that is another version
/// of one stands for that.
pub(super) fn jobs_by_member(names: &JobNames) -> JobsByMember {
    let mut members = JobsByMember::new();
    for ((file, _), job) in names {
        let id = NodeId::new(NodeKind::Job, job.version_of.as_deref().unwrap_or(&job.name));
        let member = member_name(file).to_uppercase();
        let (first, jobs) = members.entry(member).or_insert_with(|| (Arc::clone(file), BTreeSet::new()));
        if first == file {
            jobs.insert(id);
        }
    }
    members
}

/// Names the jobs of an estate. Jobs of one name in different members are different jobs, and the member distinguishes them. Jobs of one
/// name in members of one name are versions of one job, and so are jobs with the same steps.
pub(super) fn name_jobs(surveys: &[Survey]) -> JobNames {
    let mut by_name: BTreeMap<String, Vec<JobSource<'_>>> = BTreeMap::new();
    for survey in surveys {
        let Some(jcl) = &survey.jcl else { continue };
        let mut in_file: HashMap<String, usize> = HashMap::new();
        for job in &jcl.jobs {
            *in_file.entry(job.name.to_uppercase()).or_default() += 1;
        }
        let mut seen: HashMap<String, usize> = HashMap::new();
        for (job, content) in jcl.jobs.iter().zip(&survey.job_contents) {
            let name = job.name.to_uppercase();
            let place = seen.entry(name.clone()).or_default();
            *place += 1;
            by_name.entry(name.clone()).or_default().push(JobSource {
                file: &survey.file,
                card: job.card.start(),
                member: member_name(&survey.file).to_uppercase(),
                place: *place,
                jobs_in_file: in_file[&name],
                has_steps: !job.body.steps.is_empty() || !job.body.includes.is_empty(),
                content: *content,
                lines: job.lines.count(),
            });
        }
    }
    let mut names = JobNames::new();
    for (name, sources) in by_name {
        name_versions(&name, sources, &mut names);
    }
    names
}

fn name_versions(name: &str, sources: Vec<JobSource<'_>>, names: &mut JobNames) {
    let mut equal: HashMap<ContentHash, usize> = HashMap::new();
    for source in &sources {
        *equal.entry(source.content).or_default() += 1;
    }
    let mut members: BTreeMap<(String, usize), Vec<JobSource<'_>>> = BTreeMap::new();
    for source in sources {
        members.entry((source.member.clone(), source.place)).or_default().push(source);
    }
    // A job whose steps another member has too is one job with that.
    let mut jobs: Vec<Vec<JobSource<'_>>> = Vec::new();
    let mut by_content: HashMap<ContentHash, usize> = HashMap::new();
    for mut sources in members.into_values() {
        let worth = |source: &JobSource<'_>| {
            (!source.has_steps, Reverse(equal[&source.content]), Reverse(source.lines), Arc::clone(source.file))
        };
        sources.sort_by_key(worth);
        match by_content.get(&sources[0].content).filter(|_| sources[0].has_steps) {
            Some(known) => jobs[*known].extend(sources),
            None => {
                by_content.insert(sources[0].content, jobs.len());
                jobs.push(sources);
            }
        }
    }
    let is_shared = jobs.len() > 1;
    for sources in jobs {
        let first = &sources[0];
        let member = match (is_shared, first.jobs_in_file) {
            (false, _) => None,
            (true, 1) => Some(first.member.replace('.', "_")),
            (true, _) => Some(format!("{}:{}", first.member.replace('.', "_"), first.card)),
        };
        let mut versions: HashMap<ContentHash, usize> = HashMap::new();
        for source in &sources {
            let next = versions.len() + 1;
            let known = versions.get(&source.content).copied();
            let number = known.unwrap_or(next);
            let of_version = (number > 1).then(|| format!("version {number}"));
            let parts = |version: Option<String>| {
                let parts: Vec<String> = member.iter().cloned().chain(version).collect();
                if parts.is_empty() { name.to_owned() } else { format!("{name} ({})", parts.join(", ")) }
            };
            let job = JobName {
                version_of: of_version.is_some().then(|| parts(None)),
                name: parts(of_version),
                has_steps: known.is_none(),
            };
            names.insert((Arc::clone(source.file), source.card), job);
            versions.insert(source.content, number);
        }
    }
}

/// The sources of one name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Versions<'a> {
    /// The source that represents the name.
    pub first: Option<&'a SourceLocation>,
    /// Other sources with the same content; of a job, those with the same steps.
    pub same: Vec<&'a SourceLocation>,
    /// Other sources, which differ from the first.
    pub different: Vec<&'a SourceLocation>,
    /// How many different contents the sources have.
    pub contents: usize,
}

impl Versions<'_> {
    /// Returns how many sources there are.
    pub fn sources(&self) -> usize {
        usize::from(self.first.is_some()) + self.same.len() + self.different.len()
    }
}

impl GraphBuilder {
    /// Adds what the sources define. The source that represents a name best is the first of its definitions.
    pub(super) fn declare_all(&mut self, surveys: &[Survey], jobs: &JobNames) {
        for place in best_first(surveys) {
            self.declare(&surveys[place], |found| has_versions(found.id.kind));
            self.graph.contents.insert(Arc::clone(&surveys[place].file), surveys[place].content);
        }
        surveys.iter().for_each(|survey| self.declare(survey, |found| !has_versions(found.id.kind)));
        let mut copied: HashMap<&Arc<str>, usize> = HashMap::new();
        for (_, file) in surveys.iter().flat_map(|survey| &survey.found_copybooks) {
            *copied.entry(file).or_default() += 1;
        }
        for node in self.nodes.values_mut().filter(|node| node.id.kind == NodeKind::Copybook) {
            node.defined.sort_by_key(|place| Reverse(copied.get(&place.file)));
        }
        for (version, first) in self.graph.program_names.versions() {
            let node = self.nodes.get_mut(version).expect("a program of a name is declared");
            node.version_of = Some(first.clone());
        }
        for ((file, line), job) in jobs {
            let id = NodeId::new(NodeKind::Job, &job.name);
            let Some(node) = self.nodes.get_mut(&id) else { continue };
            node.version_of = job.version_of.as_deref().map(|name| NodeId::new(NodeKind::Job, name));
            let told = node.defined.iter().position(|place| place.file == *file && place.line == *line);
            if let Some(told) = told.filter(|_| job.has_steps) {
                node.defined[..=told].rotate_right(1);
            }
        }
    }
}

impl EstateGraph {
    /// Returns the sources of a name. A name that is not defined has none.
    pub fn versions(&self, id: &NodeId) -> Versions<'_> {
        let Some(node) = self.node(id) else { return Versions::default() };
        let mut files = HashSet::new();
        if id.kind == NodeKind::Job {
            let others = self.other_versions.get(id).map(Vec::as_slice).unwrap_or_default();
            let of_others = others.iter().filter_map(|other| self.node(other)).flat_map(|node| &node.defined);
            let mut same = node.defined.iter().filter(|place| files.insert(&place.file));
            return Versions {
                first: same.next(),
                same: same.collect(),
                different: of_others.collect(),
                contents: 1 + others.len(),
            };
        }
        let of_programs = self.program_names.files(id).filter_map(|(_, program)| self.node(program));
        let of_programs = of_programs.flat_map(|node| &node.defined);
        let mut places = node.defined.iter().chain(of_programs).filter(|place| files.insert(&place.file));
        let Some(first) = places.next() else { return Versions::default() };
        let content = |place: &SourceLocation| self.contents.get(&place.file);
        let (same, different): (Vec<_>, Vec<_>) = places.partition(|place| content(place) == content(first));
        let contents: HashSet<_> = different.iter().map(|place| content(place)).collect();
        Versions { first: Some(first), same, different, contents: 1 + contents.len() }
    }

    /// Whether two sources have the same bytes.
    pub fn have_same_content(&self, one: &str, other: &str) -> bool {
        self.contents.get(one).is_some_and(|content| self.contents.get(other) == Some(content))
    }

    /// Returns the node that has the plain name of a program, and with other kinds the job or table that a node is a version of, or the node itself.
    pub fn of_plain_name(&self, id: &NodeId) -> NodeId {
        match id.kind {
            NodeKind::Program => NodeId::new(NodeKind::Program, id.plain_name()),
            _ => self.first_version(id).clone(),
        }
    }

    /// Returns the program, job or table that a node is a version of, or the node itself.
    pub fn first_version<'a>(&'a self, id: &'a NodeId) -> &'a NodeId {
        self.node(id).and_then(|node| node.version_of.as_ref()).unwrap_or(id)
    }

    /// Returns the jobs of a name, with those that a member or a version distinguishes.
    pub fn jobs_of_name(&self, name: &str) -> impl Iterator<Item = &Node> {
        let first = NodeId::new(NodeKind::Job, name);
        // Nodes are sorted, and a blank comes before everything that a name may contain.
        let from = self.nodes.partition_point(|node| node.id < first);
        self.nodes[from..].iter().take_while(move |node| {
            let rest = node.id.name.strip_prefix(&*first.name);
            node.id.kind == NodeKind::Job && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
        })
    }

    /// Returns the jobs that sources define, without other versions of them.
    pub fn jobs(&self) -> impl Iterator<Item = &Node> {
        self.nodes_of_kind(NodeKind::Job).filter(|node| !node.defined.is_empty() && node.version_of.is_none())
    }
}
