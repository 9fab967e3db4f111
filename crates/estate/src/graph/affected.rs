//! Finds the sources that use something changed other than copybooks: jobs use procedures and members, programs use maps and PSBs,
//! and PSBs and views use what they are based on.
//!
//! Calling, running or accessing does not count as use here: a program does not change because a program that it calls changes.

use super::node::{EdgeKind, NodeId, NodeKind};
use super::survey::Survey;
use super::{GraphBuilder, ProcedureIndex};
use crate::changes::{ChangedFile, ChangedFiles};
use crate::jcl::{JclSource, ProcedureKind, ProcedureLibrary};
use crate::source_kind::SourceKind;
use foldhash::HashSet;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Returns the files of the sources that use changed files. Copybooks are excluded because a survey does not record everything that a
/// COPY finds. Sources that have changed themselves are also excluded.
pub fn affected_by(surveys: &[&Survey], changes: &ChangedFiles) -> BTreeSet<Arc<str>> {
    if changes.is_empty() {
        return BTreeSet::new();
    }
    let estate = ChangedEstate::of(surveys, changes);
    let touched = surveys.iter().filter(|survey| estate.touches(survey));
    touched.map(|survey| Arc::clone(&survey.file)).collect()
}

/// The current estate and what has changed in it.
struct ChangedEstate<'a> {
    changes: &'a ChangedFiles,
    procedures: ProcedureIndex,
    /// Resolves names.
    builder: GraphBuilder,
    /// The nodes that changed files define.
    declared: HashSet<&'a NodeId>,
    /// Whether job control has changed.
    has_job_control: bool,
}

impl<'a> ChangedEstate<'a> {
    fn of(surveys: &[&'a Survey], changes: &'a ChangedFiles) -> Self {
        let mut builder = GraphBuilder::default();
        surveys.iter().for_each(|survey| builder.declare(survey, |_| true));
        let changed = surveys.iter().filter(|survey| changes.contains(&survey.file));
        Self {
            changes,
            procedures: ProcedureIndex::of(surveys.iter().copied()),
            builder,
            declared: changed.flat_map(|survey| &survey.declared).map(|declared| &declared.id).collect(),
            has_job_control: changes.files().any(|file| file.kind == SourceKind::Jcl),
        }
    }

    fn touches(&self, survey: &Survey) -> bool {
        let uses = |relation: EdgeKind, kind: NodeKind| match relation {
            EdgeKind::Accesses => matches!(kind, NodeKind::Map | NodeKind::MapSet),
            EdgeKind::Uses | EdgeKind::UsesPsb => true,
            _ => false,
        };
        let links = survey.links.iter().filter(|link| uses(link.relation, link.to.kind));
        links.into_iter().any(|link| self.has_changed(&link.to, &survey.file, link.is_certain))
            || survey.missing_copybooks.iter().any(|name| self.is_changed_set(name))
            || (self.has_job_control && survey.jcl.as_ref().is_some_and(|jcl| self.members_changed(jcl)))
    }

    /// Whether the definition that a name refers to has changed or is gone.
    fn has_changed(&self, id: &NodeId, file: &str, is_certain: bool) -> bool {
        self.builder.meant(id, file).iter().any(|meant| {
            self.declared.contains(meant) || (is_certain && !self.builder.is_defined(meant) && self.is_gone(meant))
        })
    }

    /// Whether a deleted file, or the former content of a changed file, may have defined something that now has no definition.
    fn is_gone(&self, id: &NodeId) -> bool {
        let gone = |kind: SourceKind| move |file: &&ChangedFile| file.is_deleted && file.kind == kind;
        let member_is_gone = |name: &str, kind: SourceKind| self.changes.by_member(name).any(|file| gone(kind)(&file));
        let owner = id.name.split_once('.').map_or(&*id.name, |(owner, _)| owner);
        match id.kind {
            NodeKind::Map | NodeKind::MapSet => self.is_changed_set(owner),
            NodeKind::Psb | NodeKind::Database | NodeKind::Segment => {
                let database = NodeId::new(NodeKind::Database, owner);
                member_is_gone(owner, SourceKind::Ims) || self.declared.contains(&database)
            }
            // A table's file seldom has the table's name.
            NodeKind::Table => self.changes.deleted_files().any(|file| gone(SourceKind::Ddl)(&file)),
            _ => false,
        }
    }

    /// Whether a map set has changed. A deleted one is recognized by its member name, which is usually the set's name. If the copybook
    /// of a symbolic map is not among the sources, its map set represents it.
    fn is_changed_set(&self, name: &str) -> bool {
        let id = NodeId::new(NodeKind::MapSet, name);
        let mut of_member = self.changes.by_member(&id.name);
        self.declared.contains(&id)
            || (!self.builder.is_defined(&id) && of_member.any(|file| file.is_deleted && file.kind == SourceKind::Bms))
    }

    /// Whether a procedure or member that the jobs and procedures of a source use, at any depth, has changed.
    fn members_changed(&self, jcl: &JclSource) -> bool {
        let noting = LookupRecorder { procedures: &self.procedures, found: RefCell::default() };
        let mut expanded = jcl.expansion(&noting);
        for job in &jcl.jobs {
            expanded.job(job);
        }
        // An in-stream procedure is followed where the job executes it.
        let catalogued = jcl.procedures.iter().filter(|procedure| procedure.kind != ProcedureKind::InStream);
        for procedure in catalogued {
            expanded.procedure(procedure);
        }
        drop(expanded);
        let found = noting.found.into_inner();
        found.iter().any(|(name, found)| {
            let mut changed = self.changes.by_member(name).filter(|file| file.kind == SourceKind::Jcl);
            changed.any(|file| match found {
                // Among members with one name, the first in order wins.
                Some(found) if file.is_deleted => *file.name < **found,
                Some(found) => *file.name == **found,
                None => true,
            })
        })
    }
}

/// A library that records each lookup, by the name in upper case: the file found, if any.
struct LookupRecorder<'a> {
    procedures: &'a ProcedureIndex,
    found: RefCell<BTreeMap<String, Option<Arc<str>>>>,
}

impl ProcedureLibrary for LookupRecorder<'_> {
    fn find(&self, name: &str, libraries: &[String]) -> Option<Arc<JclSource>> {
        let found = self.procedures.find(name, libraries);
        let file = found.as_ref().map(|found| Arc::clone(&found.file));
        self.found.borrow_mut().insert(name.to_uppercase(), file);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ParsedNonCobol;
    use war_rig_cobol::{Analysis, LexedSource, NoCopybooks, parse};
    use war_rig_text::{ReadOptions, SourceFormat, SourceText};

    fn survey(name: &str, text: &str) -> Survey {
        let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
        let source = SourceText::read(name, text.as_bytes().to_vec(), &options).unwrap();
        let kind = SourceKind::from_file_name(name);
        match ParsedNonCobol::parse(kind, &source) {
            Some(found) => Survey::from_non_cobol(&source, &found),
            None => {
                let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
                Survey::from_cobol(&source, &Analysis::of(parsed), kind)
            }
        }
    }

    /// Surveys a program that sends this map, `SET.MAP` or `MAP`, and copies the symbolic map of the set.
    fn sends(name: &str, map: &str) -> Survey {
        let operands = match map.split_once('.') {
            Some((set, map)) => format!("MAP('{map}') MAPSET('{set}')"),
            None => format!("MAP('{map}')"),
        };
        let text = format!(
            "IDENTIFICATION DIVISION.\nPROGRAM-ID. {name}.\nPROCEDURE DIVISION.\nMAIN.\n    EXEC CICS SEND {operands} END-EXEC.\n    GOBACK.\n"
        );
        survey(&format!("{name}.cbl"), &text)
    }

    fn map_set(set: &str, map: &str) -> Survey {
        let text = format!(
            "{set:8} DFHMSD TYPE=MAP\n{map:8} DFHMDI SIZE=(24,80)\nF        DFHMDF POS=(1,1),LENGTH=4\n         DFHMSD TYPE=FINAL\n"
        );
        survey(&format!("bms/{set}.bms"), &text)
    }

    fn job(name: &str, executes: &str) -> Survey {
        survey(&format!("jcl/{name}.jcl"), &format!("//{name} JOB\n//S1 EXEC {executes}\n"))
    }

    fn procedure(name: &str, line: &str) -> Survey {
        survey(&format!("jcl/{name}.prc"), &format!("//{name} PROC\n{line}\n// PEND\n"))
    }

    /// `-` before a name marks a deleted file.
    #[track_caller]
    fn check(surveys: &[Survey], changed: &[&str], expected: &[&str]) {
        let file = |name: &&str| ChangedFile {
            name: name.trim_start_matches('-').to_owned(),
            kind: SourceKind::from_file_name(name),
            is_deleted: name.starts_with('-'),
        };
        let changes = ChangedFiles::of(changed.iter().map(file));
        let surveys: Vec<&Survey> = surveys.iter().collect();
        let touched: Vec<String> = affected_by(&surveys, &changes).into_iter().map(|file| file.to_string()).collect();
        assert_eq!(touched, expected, "{changed:?}");
    }

    #[test]
    fn a_program_is_touched_by_the_map_set_whose_map_it_sends() {
        let estate = [
            sends("A", "SETA.MAP1"),
            sends("B", "SETB.MAP2"),
            sends("C", "MAP1"),
            sends("D", "SETD.MAP4"),
            sends("E", "SETA.OLDMAP"),
            map_set("SETA", "MAP1"),
            map_set("SETB", "MAP2"),
        ];
        check(&estate, &["bms/SETA.bms"], &["A.cbl", "C.cbl", "E.cbl"]);
        check(&estate, &["bms/SETB.bms"], &["B.cbl"]);
        check(&estate, &["-bms/SETD.bms"], &["D.cbl"]);
        // A moved member is now defined by another file, which has changed as well.
        check(&estate, &["-maps/SETB.bms"], &[]);
        check(&estate, &["A.cbl", "bms/SETC.bms"], &[]);
        check(&estate, &[], &[]);
    }

    #[test]
    fn a_copy_of_a_symbolic_map_that_is_not_there_is_one_of_its_map_set() {
        let text = "IDENTIFICATION DIVISION.\nPROGRAM-ID. A.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n    COPY SETA.\nPROCEDURE DIVISION.\n    GOBACK.\n";
        let estate = [survey("A.cbl", text), map_set("SETA", "MAP1")];
        check(&estate, &["bms/SETA.bms"], &["A.cbl"]);
        check(&estate[..1], &["-bms/SETA.bms"], &["A.cbl"]);
    }

    #[test]
    fn a_job_is_touched_by_procedures_and_members_at_any_depth() {
        let estate = [
            job("DAILY", "OUTER"),
            job("OTHER", "PGM=B"),
            job("LOST", "GONE"),
            procedure("OUTER", "//P1 EXEC INNER"),
            procedure("INNER", "// INCLUDE MEMBER=LIBS"),
            survey("jcl/LIBS.prc", "//P2 EXEC PGM=A\n//STEPLIB DD DSN=PROD.LOAD,DISP=SHR\n"),
        ];
        let both = ["jcl/DAILY.jcl", "jcl/INNER.prc", "jcl/OUTER.prc"];
        check(&estate, &["jcl/LIBS.prc"], &both);
        check(&estate, &["jcl/INNER.prc"], &["jcl/DAILY.jcl", "jcl/OUTER.prc"]);
        check(&estate, &["-jcl/GONE.prc"], &["jcl/LOST.jcl"]);
        // The deleted file came after the one that wins, or before it.
        check(&estate, &["-proc/INNER.prc"], &[]);
        check(&estate, &["-app/INNER.prc"], &["jcl/DAILY.jcl", "jcl/OUTER.prc"]);
        check(&estate, &["jcl/OTHER.jcl", "cbl/LIBS.cbl"], &[]);
    }

    #[test]
    fn what_rests_on_a_table_or_database_is_touched_by_it_and_what_reads_it_is_not() {
        let reads = "IDENTIFICATION DIVISION.\nPROGRAM-ID. R.\nPROCEDURE DIVISION.\n    EXEC SQL SELECT A INTO :X FROM TA END-EXEC.\n    GOBACK.\n";
        let estate = [
            survey("R.cbl", reads),
            survey("ddl/TA.sql", "CREATE TABLE TA (A INTEGER);\n"),
            survey("ddl/VA.sql", "CREATE VIEW VA AS SELECT A FROM TA;\n"),
        ];
        check(&estate, &["ddl/TA.sql"], &["ddl/VA.sql"]);
        check(&[estate[0].clone(), estate[2].clone()], &["-ddl/TA.sql"], &["ddl/VA.sql"]);
    }
}
