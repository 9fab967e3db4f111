//! DDs of steps that do not fit the files of the programs that these run.
//!
//! Nothing is said where a step may have DDs that are not seen: a procedure or a member is missing, or a file names its data itself.

use super::dds::StepData;
use super::writer::NonCobolWriter;
use crate::phrases::list;
use war_rig_estate::jcl::{self, AllocationKind, Dd, DdUsage, EffectiveStep, EffectiveSteps};
use war_rig_estate::{DdUse, NodeId, NodeKind, is_alternate_index, is_system_dd};
use war_rig_template::{Citation, Document, DocumentItem, Hazard};

/// The maximum number of findings of a source.
const TOLD: usize = 60;

impl NonCobolWriter<'_> {
    /// Tells which DDs of a job's steps, or a procedure's, do not fit. Who executes a procedure may give it more DDs; `job` is none for one.
    pub(super) fn misfit_dds(&self, effective: &EffectiveSteps, job: Option<&str>, document: &mut Document) {
        if effective.diagnostics.iter().any(|found| found.code == "missing-member") {
            return;
        }
        for (step, runs) in effective.steps.iter().zip(jcl::programs_of_steps(&effective.steps)) {
            let [run] = runs.applications().collect::<Vec<_>>()[..] else { continue };
            let program = self.program_meant(&run.program);
            if self.document_of(&program).is_none() || runs.named_utility().is_some() {
                continue;
            }
            let files = self.graph.files_of([program.clone()]);
            let data = StepData { runs: &runs, inferred: &[], files: &files };
            let own = files.iter().copied().filter(|used| used.program == program && !used.is_of_sort);
            let own: Vec<&DdUse> = own.collect();
            if let Some(job) = job {
                self.missing_dds(step, &own, document);
                self.dds_in_vain(step, (job, &program), &data, document);
            }
            self.new_data_that_is_read(step, &own, document);
        }
    }

    /// Tells the files that a program opens and that the step has no DD for.
    fn missing_dds(&self, step: &EffectiveStep, files: &[&DdUse], document: &mut Document) {
        let has = |dd: &str| step.step.dds.iter().any(|found| found.name == dd);
        let missing = files.iter().filter(|used| {
            let is_named = !used.dd.is_empty() && used.path.is_none() && !is_system_dd(&used.dd);
            is_named && !used.access.is_empty() && !has(&used.dd)
        });
        for used in missing {
            let finding = format!(
                "{} opens {}, but step {} has no DD {} for it.",
                used.program.plain_name(),
                used.file,
                step.qualified_name(),
                used.dd
            );
            self.tell("no_dd", finding, &used.dd, self.cite_step(step), document);
        }
    }

    /// Tells the DDs of data that no file of the programs has.
    fn dds_in_vain(
        &self,
        step: &EffectiveStep,
        (job, program): (&str, &NodeId),
        data: &StepData<'_>,
        document: &mut Document,
    ) {
        if !self.graph.has_known_files(&NodeId::new(NodeKind::Step, &format!("{job}.{}", step.qualified_name()))) {
            return;
        }
        let is_data = |dd: &Dd| {
            let mut kinds = dd.allocations.iter().map(|allocation| allocation.kind);
            kinds.any(|kind| matches!(kind, AllocationKind::Dataset | AllocationKind::InStream | AllocationKind::Path))
        };
        let is_of_file =
            |dd: &Dd| data.files.iter().any(|used| used.dd == dd.name || is_alternate_index(&dd.name, &used.dd));
        for dd in step.step.dds.iter().filter(|dd| is_data(dd) && !is_system_dd(&dd.name) && !is_of_file(dd)) {
            let (name, step_name) = (program.plain_name(), step.qualified_name());
            let finding = format!("{name} has no file for DD {} of step {step_name}, nor has what it calls.", dd.name);
            self.tell("dd_in_vain", finding, &dd.name, self.cite_dd(dd, step), document);
        }
    }

    /// Tells the files that a program only reads, but that the step creates.
    fn new_data_that_is_read(&self, step: &EffectiveStep, files: &[&DdUse], document: &mut Document) {
        for dd in &step.step.dds {
            let [allocation] = &dd.allocations[..] else { continue };
            let of_dd: Vec<&&DdUse> = files.iter().filter(|used| used.dd == dd.name).collect();
            let is_read = !of_dd.is_empty() && of_dd.iter().all(|used| used.access == "R");
            if is_read && allocation.usage == DdUsage::Created && allocation.kind == AllocationKind::Dataset {
                let names: Vec<String> = of_dd.iter().map(|used| used.file.clone()).collect();
                let finding = format!(
                    "{} only reads {}, but step {} creates the data set of DD {} anew, so that it is empty.",
                    of_dd[0].program.plain_name(),
                    list(&names),
                    step.qualified_name(),
                    dd.name
                );
                self.tell("read_while_new", finding, &dd.name, self.cite_dd(dd, step), document);
            }
        }
    }

    fn tell(&self, kind: &str, finding: String, dd: &str, citations: Vec<Citation>, document: &mut Document) {
        if document.hazards.len() < TOLD {
            let hazard = Hazard { kind: kind.to_owned(), finding, about: vec![dd.to_owned()] };
            document.hazards.push(DocumentItem::parsed(hazard, citations));
        }
    }

    /// Cites a DD, or the step that executes the procedure with it.
    fn cite_dd(&self, dd: &Dd, step: &EffectiveStep) -> Vec<Citation> {
        match dd.file {
            None => self.cite(dd.lines, &[dd.name.as_str(), "DD"]),
            Some(_) => self.cite_step(step),
        }
    }
}
