//! Which job hands data to which: one changes a data set, and another reads it.

use std::collections::{BTreeMap, BTreeSet};
use war_rig_estate::jcl::is_shared_library;
use war_rig_estate::{DataVersion, Edge, EdgeKind, EstateGraph, NodeId, NodeKind};

/// The jobs that use one data set.
#[derive(Default)]
struct DataSetUsers<'a> {
    writers: BTreeMap<&'a NodeId, DataSetChange>,
    readers: BTreeMap<&'a NodeId, DataSetRead>,
    definers: BTreeSet<&'a NodeId>,
}

/// How a job changes a data set.
#[derive(Clone, Copy)]
struct DataSetChange {
    /// How many generations it makes; one for other data sets.
    generations: i32,
    /// Whether all that it does is to add to what is there.
    only_appends: bool,
}

/// How a job reads a data set.
#[derive(Clone, Copy)]
struct DataSetRead {
    /// How many generations lie between the current one and the youngest that it reads.
    age: i32,
    /// Whether it only gives the data set, shared, to programs: no statement that is known reads it.
    only_gives: bool,
}

impl DataSetUsers<'_> {
    /// Whether a job reads what another one changes. Relative generations hold for a whole job: the one before the current one is this run's if the other
    /// job makes two. Jobs that add to one data set do not wait for each other.
    fn hands_on(&self, writer: &NodeId, reader: &NodeId) -> bool {
        let (Some(change), Some(read)) = (self.writers.get(writer), self.readers.get(reader)) else { return false };
        let appends = |change: &DataSetChange| change.only_appends;
        writer != reader
            && change.generations > read.age
            && !(appends(change) && self.writers.get(reader).is_some_and(appends))
    }
}

/// The most pairs of jobs that one data set can connect: what every job uses says nothing of their order.
const PAIRS: usize = 2_500;

/// Jobs with the data that they share with one job.
pub(super) type SharedWith<'a> = BTreeMap<&'a NodeId, BTreeSet<&'a NodeId>>;

/// The flow of data between jobs.
#[derive(Default)]
pub(super) struct JobFlow<'a> {
    before: BTreeMap<&'a NodeId, SharedWith<'a>>,
    after: BTreeMap<&'a NodeId, SharedWith<'a>>,
    defined: BTreeMap<&'a NodeId, SharedWith<'a>>,
    /// The jobs with the data that they only give, shared, to programs: no statement that is known reads it.
    given: BTreeSet<(&'a NodeId, &'a NodeId)>,
}

impl<'a> JobFlow<'a> {
    /// Finds the flow in an estate.
    pub(super) fn of(graph: &'a EstateGraph) -> Self {
        let mut users: BTreeMap<&NodeId, DataSetUsers<'_>> = BTreeMap::new();
        for job in graph.jobs() {
            // What a job has deleted, or has made in an earlier step, before it reads it does not come from another job.
            let mut made_anew: BTreeSet<&NodeId> = BTreeSet::new();
            let steps = graph.steps_of(&job.id).iter().enumerate();
            let edges = steps.flat_map(|(at, step)| graph.outgoing_edges(step).map(move |edge| (at, edge)));
            // Jobs that link programs into one library, or copy from it, do not wait for each other.
            let is_of_flow = |(_, edge): &(usize, &Edge)| {
                let is_library = edge.detail.as_deref().is_some_and(is_shared_library);
                edge.relation == EdgeKind::Accesses && edge.to.kind == NodeKind::Dataset && !is_library
            };
            let mut made: Vec<(usize, &NodeId)> = Vec::new();
            for (at, edge) in edges.filter(is_of_flow) {
                made_anew.extend(made.extract_if(.., |(step, _)| *step < at).map(|(_, data)| data));
                let of_data = users.entry(&edge.to).or_default();
                // What reads a data set waits for the job that defines it, too.
                if edge.access.contains(['C', 'U']) || edge.defines() {
                    let only_appends = edge.version == DataVersion::Extended;
                    let first = DataSetChange { generations: 1, only_appends };
                    let change = of_data.writers.entry(&job.id).or_insert(first);
                    change.generations = change.generations.max(edge.generation.unwrap_or_default());
                    change.only_appends &= only_appends;
                }
                if edge.defines() {
                    of_data.definers.insert(&job.id);
                }
                let is_own = edge.version == DataVersion::NewGeneration || made_anew.contains(&edge.to);
                if edge.access.contains('R') && !is_own {
                    let age = edge.generation.unwrap_or_default().saturating_neg().max(0);
                    let read = of_data.readers.entry(&job.id).or_insert(DataSetRead { age, only_gives: true });
                    read.age = read.age.min(age);
                    read.only_gives &= edge.is_guess();
                }
                if edge.access.contains('D') {
                    made_anew.insert(&edge.to);
                }
                if edge.version == DataVersion::New {
                    made.push((at, &edge.to));
                }
            }
        }
        let mut flow = Self::default();
        for (data, DataSetUsers { writers, readers, definers }) in &users {
            let given = readers.iter().filter(|(_, read)| read.only_gives);
            flow.given.extend(given.map(|(job, _)| (*job, *data)));
            let reads = |job: &NodeId| readers.get(job).is_some_and(|read| read.age == 0);
            let only_writes = |job: &&&NodeId| !reads(job) && !definers.contains(**job);
            for writer in writers.keys().filter(only_writes).take(PAIRS / (definers.len() + 1)) {
                for definer in definers {
                    flow.defined.entry(*writer).or_default().entry(*definer).or_default().insert(*data);
                }
            }
        }
        for (data, users) in users.iter().filter(|(_, users)| users.writers.len() * users.readers.len() <= PAIRS) {
            for writer in users.writers.keys() {
                for reader in users.readers.keys().filter(|reader| users.hands_on(writer, reader)) {
                    flow.after.entry(*writer).or_default().entry(*reader).or_default().insert(*data);
                    flow.before.entry(*reader).or_default().entry(*writer).or_default().insert(*data);
                }
            }
        }
        flow
    }

    /// Returns the jobs that hand data to this one.
    pub(super) fn before(&self, job: &NodeId) -> Option<&SharedWith<'a>> {
        self.before.get(job)
    }

    /// Whether a job only gives data, shared, to its programs: it may read it.
    pub(super) fn only_gives(&self, job: &NodeId, data: &NodeId) -> bool {
        self.given.contains(&(job, data))
    }

    /// Returns the jobs that define what this one only writes.
    pub(super) fn definers(&self, job: &NodeId) -> Option<&SharedWith<'a>> {
        self.defined.get(job)
    }

    /// Returns the jobs that this one hands data to.
    pub(super) fn after(&self, job: &NodeId) -> Option<&SharedWith<'a>> {
        self.after.get(job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_estate::{ParsedNonCobol, SourceKind, Survey};
    use war_rig_text::{ReadOptions, SourceText};

    #[test]
    fn a_library_of_programs_puts_no_job_behind_another() {
        let read = |name: &str, steps: &str| {
            let text = format!("//{name} JOB\n{steps}").into_bytes();
            let source = SourceText::read(format!("{name}.jcl"), text, &ReadOptions::default()).unwrap();
            Survey::from_non_cobol(&source, &ParsedNonCobol::parse(SourceKind::Jcl, &source).unwrap())
        };
        let graph = EstateGraph::of(vec![
            read("LINK", "//A EXEC PGM=IEWL\n//SYSLMOD DD DSN=X.LOAD,DISP=SHR\n"),
            read("OTHER", "//A EXEC PGM=IEWL\n//SYSLIB DD DSN=X.LOAD,DISP=SHR\n"),
            read("MAKE", "//A EXEC PGM=SORT\n//SORTOUT DD DSN=X.DATA,DISP=SHR\n"),
            read("USE", "//A EXEC PGM=SORT\n//SORTIN DD DSN=X.DATA,DISP=SHR\n"),
        ]);
        let flow = JobFlow::of(&graph);
        let of = |name| NodeId::new(NodeKind::Job, name);
        assert!(flow.after(&of("LINK")).is_none() && flow.before(&of("OTHER")).is_none());
        assert!(flow.after(&of("MAKE")).unwrap().contains_key(&of("USE")));
    }

    #[test]
    fn what_a_job_makes_anew_does_not_come_from_another() {
        let job = |name: &str, made: &str, used: &str| {
            let text = format!(
                "//{name} JOB\n//A EXEC PGM=SORT\n//SORTOUT DD DSN={made}\n//B EXEC PGM=SORT\n//SORTIN DD DSN={used}\n"
            );
            let source = SourceText::read(format!("{name}.jcl"), text.into_bytes(), &ReadOptions::default()).unwrap();
            Survey::from_non_cobol(&source, &ParsedNonCobol::parse(SourceKind::Jcl, &source).unwrap())
        };
        let comes_from_another = |made: &str, used: &str| {
            let graph = EstateGraph::of(vec![job("OTHER", "X.D,DISP=OLD", "X.E,DISP=SHR"), job("OWN", made, used)]);
            JobFlow::of(&graph).before(&NodeId::new(NodeKind::Job, "OWN")).is_some()
        };
        assert!(!comes_from_another("X.D,DISP=(NEW,CATLG)", "X.D,DISP=SHR"));
        assert!(!comes_from_another("X.D(+1),DISP=(NEW,CATLG)", "X.D(+1),DISP=SHR"));
        assert!(comes_from_another("X.D(+1),DISP=(NEW,CATLG)", "X.D(0),DISP=SHR"));
        assert!(comes_from_another("X.D,DISP=MOD", "X.D,DISP=SHR"));
    }

    #[test]
    fn what_a_job_only_gives_to_a_program_is_known_as_given() {
        let read = |name: &str, steps: &str| {
            let text = format!("//{name} JOB\n{steps}").into_bytes();
            let source = SourceText::read(format!("{name}.jcl"), text, &ReadOptions::default()).unwrap();
            Survey::from_non_cobol(&source, &ParsedNonCobol::parse(SourceKind::Jcl, &source).unwrap())
        };
        let given = "//A EXEC PGM=OWN\n//DATA DD DSN=X.DATA,DISP=SHR\n";
        let sorted = "//B EXEC PGM=SORT\n//SORTIN DD DSN=X.DATA,DISP=SHR\n";
        let graph = EstateGraph::of(vec![
            read("MAKE", "//A EXEC PGM=SORT\n//SORTOUT DD DSN=X.DATA,DISP=OLD\n"),
            read("GIVE", given),
            read("USE", &format!("{given}{sorted}")),
        ]);
        let flow = JobFlow::of(&graph);
        let of = |name| NodeId::new(NodeKind::Job, name);
        let data = NodeId::new(NodeKind::Dataset, "X.DATA");
        assert!(flow.after(&of("MAKE")).unwrap().contains_key(&of("GIVE")));
        assert!(flow.only_gives(&of("GIVE"), &data) && !flow.only_gives(&of("USE"), &data));
    }

    /// Returns whether the second job is told to need the first, and the first the second.
    fn order(first: &str, second: &str) -> (bool, bool) {
        let read = |name: &str, steps: &str| {
            let source = SourceText::read(
                format!("{name}.jcl"),
                format!("//{name} JOB\n{steps}").into_bytes(),
                &ReadOptions::default(),
            );
            let source = source.unwrap();
            Survey::from_non_cobol(&source, &ParsedNonCobol::parse(SourceKind::Jcl, &source).unwrap())
        };
        let graph = EstateGraph::of(vec![read("ONE", first), read("TWO", second)]);
        let flow = JobFlow::of(&graph);
        let needs = |job| flow.before(&NodeId::new(NodeKind::Job, job)).is_some();
        (needs("TWO"), needs("ONE"))
    }

    #[test]
    fn a_generation_before_the_current_one_is_this_runs_where_a_job_makes_two() {
        let make = |number: u32| format!("//A{number} EXEC PGM=SORT\n//SORTOUT DD DSN=X.G(+{number}),DISP=(,CATLG)\n");
        let read = |generation: &str| format!("//A EXEC PGM=SORT\n//SORTIN DD DSN=X.G({generation}),DISP=SHR\n");
        let (one, two) = (make(1), make(1) + &make(2));
        assert_eq!(order(&one, &read("0")), (true, false));
        assert_eq!(order(&one, &read("-1")), (false, false));
        assert_eq!(order(&two, &read("-1")), (true, false));
        assert_eq!(order(&two, &read("-2")), (false, false));
        assert_eq!(order(&one, &(read("-1") + &read("0"))), (true, false));
    }

    #[test]
    fn jobs_that_add_to_one_data_set_do_not_wait_for_each_other() {
        let append = "//A EXEC PGM=SORT\n//SORTOUT DD DSN=X.LOG,DISP=MOD\n";
        let read = "//B EXEC PGM=SORT\n//SORTIN DD DSN=X.LOG,DISP=SHR\n";
        let replace = "//C EXEC PGM=SORT\n//SORTOUT DD DSN=X.LOG,DISP=OLD\n";
        let both = format!("{append}{read}");
        assert_eq!(order(&both, &both), (false, false));
        assert_eq!(order(&both, read), (true, false));
        assert_eq!(order(append, &both), (false, false));
        assert_eq!(order(&both, &format!("{read}{replace}")), (true, true));
    }
}
