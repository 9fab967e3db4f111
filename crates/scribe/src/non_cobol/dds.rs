//! Describes DDs, and what a step does with the data of each.

use super::job_data::DataSetTracker;
use super::writer::{NonCobolWriter, access_in_words};
use std::sync::Arc;
use war_rig_estate::jcl::{Allocation, AllocationKind, Dd, DdUsage, StepPrograms, UtilityKind, is_library};
use war_rig_estate::{DdUse, NodeId, NodeKind};
use war_rig_template::{DdData, DdFile, StepDd};

/// How many lines of data in the job are shown.
const LINES_SHOWN: usize = 6;

/// The access of a step to data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DataAccess {
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) deletes: bool,
    /// Whether it only makes the entry of the catalog.
    pub(super) defines: bool,
    /// Whether it uses the data without a known direction.
    pub(super) uses: bool,
}

/// The facts that determine what a step does with its DDs.
pub(super) struct StepData<'s> {
    pub(super) runs: &'s StepPrograms,
    /// The programs whose names it hands to something that is not in the sources.
    pub(super) inferred: &'s [NodeId],
    /// The files of the programs that it runs.
    pub(super) files: &'s [&'s DdUse],
}

impl StepData<'_> {
    /// Returns the access of the step to an allocation: that of its program's own file, else that of the graph.
    pub(super) fn access(&self, dd: &Dd, allocation: &Allocation) -> DataAccess {
        let known = self.runs.access(&dd.name, allocation);
        let letters: String = self.files_of(dd).map(|used| used.access.as_str()).collect();
        let (reads, writes) = match (letters.contains('R'), letters.contains(['C', 'U', 'D'])) {
            // DISP does not show what a program does with a data set that exists, unless the program opens it as a file.
            (false, false) => (known.reads && !(known.is_guess && self.files_of(dd).next().is_none()), known.writes),
            by_file => by_file,
        };
        let is_unused = self.runs.usage(&dd.name, allocation) == DdUsage::Nothing;
        DataAccess { reads, writes, deletes: known.deletes, defines: false, uses: !(reads || writes || is_unused) }
    }

    /// Whether a file of its programs writes to a DD.
    pub(super) fn writes_file(&self, dd: &str) -> bool {
        self.files.iter().any(|used| used.dd == dd && used.access.contains(['C', 'U']))
    }

    /// Returns the files that the programs assign to a DD.
    fn files_of(&self, dd: &Dd) -> impl Iterator<Item = &DdUse> {
        self.files.iter().copied().filter(|used| used.dd == dd.name)
    }

    /// Whether it passes definitions or SQL to a program that processes them.
    fn takes_definitions(&self) -> bool {
        self.runs_any(&CSD_PROGRAMS) || self.runs_any(&SQL_PROGRAMS)
    }

    /// Whether it runs any of these programs.
    pub(super) fn runs_any(&self, names: &[&str]) -> bool {
        self.runs.programs.iter().any(|run| names.contains(&run.program.as_str()))
    }

    /// Returns the data sets with control statements for a utility that are not available.
    pub(super) fn told_by(&self, dds: &[Dd]) -> Vec<String> {
        let is_utility = self.runs.programs.first().is_some_and(|run| run.utility.is_some());
        let control = dds.iter().filter(|dd| is_utility && is_control_dd(&dd.name));
        control.flat_map(|dd| &dd.allocations).filter_map(name_of).collect()
    }

    /// Says of control statements that their symbols are replaced though nothing asks for it. What a program that they run is called says so itself.
    pub(super) fn assumption(&self, dds: &[Dd]) -> Option<&'static str> {
        let is_assumed = |found: &Allocation| found.in_stream.as_ref().is_some_and(|data| data.is_assumed);
        let mut control = dds.iter().filter(|dd| dd.allocations.iter().any(is_assumed) && is_control(dd, self));
        let is_told = self.runs.applications().next().is_some() || control.next().is_none();
        (!is_told).then_some("its control statements are told as a replacement of their symbols would give them")
    }

    fn is(&self, kind: UtilityKind) -> bool {
        self.runs.programs.iter().any(|run| run.utility.is_some_and(|utility| utility.kind == kind))
    }
}

/// Whether a utility reads its control statements from a DD of this name.
pub(super) fn is_control_dd(dd: &str) -> bool {
    matches!(dd, "SYSIN" | "SYSTSIN" | "TOOLIN" | "DFSPARM" | "SORTCNTL")
}

/// Returns the name of the allocated data set with its generation and member; none if it is not a data set.
pub(super) fn name_of(allocation: &Allocation) -> Option<String> {
    let data_set = allocation.dataset.as_ref()?;
    if data_set.resolved.is_empty() || allocation.kind == AllocationKind::Path {
        return None;
    }
    let member = allocation.member.as_ref().map(|member| format!("({member})"));
    let generation = allocation.generation.map(|number| match number {
        1.. => format!("(+{number})"),
        number => format!("({number})"),
    });
    let behind = member.or(generation).unwrap_or_default();
    Some(format!("{}{behind}", data_set.resolved))
}

impl NonCobolWriter<'_> {
    /// Describes a DD of a step, with what the steps before it made.
    pub(super) fn dd(&self, dd: &Dd, step: &StepData<'_>, before: &DataSetTracker) -> StepDd {
        let is_own = dd.file.is_none();
        let written: Vec<&str> =
            dd.allocations.iter().filter_map(|found| Some(found.dataset.as_ref()?.written.as_str())).collect();
        // Data that stand in the job without a statement have no name there.
        let first = self.source.lines_in(dd.lines).map(|line| line.visible().trim()).find(|line| !line.is_empty());
        let data = first.filter(|line| !line.starts_with("//"));
        let anchors: Vec<&str> = std::iter::once(dd.name.as_str()).chain(written).chain(["DD"]).chain(data).collect();
        let program_file = |used: &DdUse| DdFile {
            program: self.mention_of(&used.program, None),
            file_name: used.file.clone(),
            access: access_in_words(&used.access),
        };
        StepDd {
            dd_name: dd.name.clone(),
            data: dd.allocations.iter().map(|found| self.allocation(dd, found, step, before)).collect(),
            program_files: step.files_of(dd).map(program_file).collect(),
            file: dd.file.as_deref().map(str::to_owned),
            citations: if is_own { self.cite(dd.lines, &anchors) } else { Vec::new() },
        }
    }

    fn allocation(&self, dd: &Dd, allocation: &Allocation, step: &StepData<'_>, before: &DataSetTracker) -> DdData {
        let name = name_of(allocation);
        let is_library = is_library(&dd.name) && allocation.kind == AllocationKind::Dataset;
        let lines = allocation.in_stream.as_ref().map(|data| data.text.lines().count());
        let is_control = allocation.kind == AllocationKind::InStream && is_control(dd, step);
        let first_lines = match &allocation.in_stream {
            // A utility's data may contain a password under any name.
            Some(data) if !is_control && shows_data(dd, step) => first_lines(&data.text),
            _ => Vec::new(),
        };
        let shown = match allocation.kind {
            AllocationKind::InStream => match lines.unwrap_or_default() {
                1 => "1 line in the job".to_owned(),
                lines if (1..lines).contains(&first_lines.len()) => {
                    format!("{lines} lines in the job, among them {}", first_lines.len())
                }
                lines => format!("{lines} lines in the job"),
            },
            AllocationKind::Sysout => sysout(allocation.sysout.as_deref().unwrap_or_default()),
            AllocationKind::Dummy => "DUMMY".to_owned(),
            AllocationKind::Path => allocation.dataset.as_ref().map(|path| path.resolved.clone()).unwrap_or_default(),
            AllocationKind::Temporary => name.clone().unwrap_or_else(|| "work space".to_owned()),
            AllocationKind::Reference => {
                let to = allocation.refers_to.as_deref().unwrap_or_default();
                name.clone().unwrap_or_else(|| format!("what {to} has"))
            }
            AllocationKind::Dataset | AllocationKind::Nothing | AllocationKind::Other => {
                name.clone().unwrap_or_default()
            }
        };
        let written = allocation.dataset.as_ref().filter(|name| !same(&name.written, &name.resolved));
        DdData {
            kind: match is_library {
                true => "library".to_owned(),
                false if is_control => "control".to_owned(),
                false => allocation.kind.as_str().to_owned(),
            },
            written: written.map(|name| name.written.clone()).filter(|_| name.is_some()),
            usage: if is_library { String::new() } else { usage(dd, allocation, step) },
            record: record(allocation),
            made_by: (name.as_deref().filter(|_| allocation.usage != DdUsage::Created))
                .map(|name| before.made_by(name))
                .unwrap_or_default(),
            generation_note: before.generation_note(allocation),
            name: shown,
            first_lines,
        }
    }
}

/// Whether the lines are an application's own data, or field names for a sort.
fn shows_data(dd: &Dd, step: &StepData<'_>) -> bool {
    dd.name == "SYMNAMES" || step.runs.applications().next().is_some() || !step.inferred.is_empty()
}

/// Returns the first lines of in-stream data.
fn first_lines(text: &str) -> Vec<String> {
    let count = |line: &str, is_counted: fn(char) -> bool| line.chars().filter(|c| is_counted(*c)).count();
    let tells = |line: &&str| count(line, char::is_alphanumeric) * 3 > count(line, |c| !c.is_whitespace());
    let lines = text.lines().map(str::trim_end).filter(tells);
    lines.take(LINES_SHOWN).map(str::to_owned).collect()
}

/// Whether the lines of a DD are control statements that are described as such.
fn is_control(dd: &Dd, step: &StepData<'_>) -> bool {
    let stands_here = |file: &Option<Arc<str>>, lines: war_rig_text::LineRange| {
        *file == dd.file && dd.lines.start() <= lines.start() && lines.end() <= dd.lines.end()
    };
    step.runs.sort.iter().any(|statement| stands_here(&statement.file, statement.lines))
        || step.runs.db2.iter().any(|statement| stands_here(&statement.file, statement.lines))
        || step.runs.idcams.iter().any(|command| stands_here(&command.file, command.lines))
        || step.runs.tso.iter().any(|command| command.bind().is_some() && stands_here(&command.file, command.lines))
        || (dd.name == "SYSTSIN" && step.runs.programs.len() > 1)
        || (dd.name == "SYSIN" && step.takes_definitions())
}

/// Programs that process CICS definitions, and those that process SQL.
pub(super) const CSD_PROGRAMS: [&str; 1] = ["DFHCSDUP"];
pub(super) const SQL_PROGRAMS: [&str; 4] = ["DSNTEP2", "DSNTEP4", "DSNTIAD", "DSNTIAUL"];

/// Whether a name as written equals the resolved name, ignoring member and generation.
fn same(written: &str, resolved: &str) -> bool {
    let plain = written.trim_matches('\'');
    plain.split('(').next().unwrap_or(plain).eq_ignore_ascii_case(resolved)
}

/// Words what the step does with an allocation, and DISP.
fn usage(dd: &Dd, allocation: &Allocation, step: &StepData<'_>) -> String {
    match allocation.kind {
        AllocationKind::Dataset | AllocationKind::Temporary | AllocationKind::Reference => {}
        AllocationKind::Path => return step.runs.usage(&dd.name, allocation).in_words().to_owned(),
        AllocationKind::InStream if allocation.in_stream.as_ref().is_some_and(|data| data.is_assumed) => {
            return "as a replacement of its symbols would give it".to_owned();
        }
        _ => return String::new(),
    }
    let Some(disposition) = &allocation.disposition else {
        let is_work_space = allocation.kind == AllocationKind::Temporary && allocation.dataset.is_none();
        return if is_work_space { String::new() } else { allocation.usage.in_words().to_owned() };
    };
    let status = disposition.status.as_deref().unwrap_or_default();
    let normal = disposition.normal.as_deref().unwrap_or_default();
    let abnormal = disposition.abnormal.as_deref().unwrap_or_default();
    if normal == "DELETE" && step.is(UtilityKind::Nothing) {
        return if status == "MOD" { "is deleted where it exists" } else { "is deleted" }.to_owned();
    }
    // If the files of the programs are known, their access need not be guessed from DISP.
    let is_known =
        !step.files.is_empty() && step.runs.known_usage(&dd.name).is_none() || step.files_of(dd).next().is_some();
    let mut words = match allocation.usage {
        DdUsage::Exclusive if is_known => "is held alone",
        DdUsage::Shared if is_known => "is shared",
        // A new data set is created, whatever then writes it.
        by_disp @ (DdUsage::Created | DdUsage::Extended) => by_disp.in_words(),
        _ => step.runs.usage(&dd.name, allocation).in_words(),
    }
    .to_owned();
    words.push_str(match normal {
        "CATLG" => ", then catalogued",
        "UNCATLG" => ", then taken out of the catalog",
        "DELETE" => ", then deleted",
        "PASS" => ", then passed on",
        "KEEP" if status == "NEW" => ", then kept",
        _ => "",
    });
    words.push_str(match abnormal {
        "DELETE" if normal != "DELETE" => "; deleted after an abend",
        "KEEP" | "CATLG" if !matches!(normal, "KEEP" | "CATLG" | "") => "; kept after an abend",
        _ => "",
    });
    words
}

/// Returns the format and length of records from the DD: `FB, 350 bytes`.
fn record(allocation: &Allocation) -> Option<String> {
    let of_dcb = allocation.operand("DCB").map(|dcb| dcb.value.resolved.as_str()).unwrap_or_default();
    let find = |keyword: &str| {
        let own = allocation.operand(keyword).map(|operand| operand.value.resolved.clone());
        own.or_else(|| {
            let words = of_dcb.trim_start_matches('(').trim_end_matches(')').split(',');
            let found = words.filter_map(|word| word.trim().split_once('=')).find(|(name, _)| *name == keyword);
            found.map(|(_, value)| value.to_owned())
        })
    };
    let length = find("LRECL").filter(|length| !length.is_empty()).map(|length| match length.parse::<u32>() {
        Ok(bytes) => format!("{bytes} bytes"),
        Err(_) => format!("LRECL {length}"),
    });
    let parts: Vec<String> = find("RECFM").into_iter().chain(length).filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Words output to print or hold: `printed, class A, form CASH`.
fn sysout(written: &str) -> String {
    let inner = written.trim().trim_start_matches('(').trim_end_matches(')');
    let mut words = inner.split(',').map(str::trim);
    let class = words.next().unwrap_or_default();
    let writer = words.next().unwrap_or_default();
    let form = words.next().unwrap_or_default();
    let mut text = match class {
        "*" | "" => "printed".to_owned(),
        class => format!("printed, class {class}"),
    };
    if writer.eq_ignore_ascii_case("INTRDR") {
        return "submitted as a job (internal reader)".to_owned();
    }
    if !writer.is_empty() {
        text.push_str(&format!(", by writer {writer}"));
    }
    if !form.is_empty() {
        text.push_str(&format!(", form {form}"));
    }
    text
}

/// Returns the data set's node in the graph: without generation and member.
pub(super) fn node_of(allocation: &Allocation) -> Option<NodeId> {
    let data_set = allocation.dataset.as_ref().filter(|_| allocation.kind == AllocationKind::Dataset)?;
    Some(NodeId::new(NodeKind::Dataset, &data_set.resolved))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_told_by_class_and_form() {
        assert_eq!(sysout("*"), "printed");
        assert_eq!(sysout("(A,,CASH)"), "printed, class A, form CASH");
        assert_eq!(sysout("(A,INTRDR)"), "submitted as a job (internal reader)");
    }
}
