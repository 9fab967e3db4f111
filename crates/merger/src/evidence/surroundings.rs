//! What is connected with cited lines: what they perform and what leads to them.

use super::{EvidenceIndex, Region, is_part};
use foldhash::HashSet;
use war_rig_text::{LineNumber, LineRange};

impl EvidenceIndex<'_> {
    /// Returns what is connected with cited lines: the paragraphs that they perform, the conditions under which their own paragraphs
    /// are entered, and the programs and resources that all of these use.
    pub(super) fn surroundings(&self, cited: &[LineRange]) -> Region {
        let (parsed, flow) = (self.parsed(), self.analysis.control_flow());
        let is_cited = |lines: LineRange| cited.iter().any(|range| range.intersection(lines).is_some());
        let own = |index: &usize| {
            let unit = &parsed.paragraphs[*index];
            unit.file.is_none() && is_cited(unit.lines)
        };
        let paragraphs: Vec<usize> = (0..parsed.paragraphs.len()).filter(own).collect();
        let mut found = Region::default();
        let mut users: HashSet<usize> = paragraphs.iter().copied().collect();
        for (index, reference) in parsed.references.iter().enumerate().filter(|(_, reference)| reference.file.is_none())
        {
            let Some((first, last)) = flow.reference_span(index) else { continue };
            let entered = first..=last.max(first);
            if is_cited(LineRange::single(reference.line)) {
                users.extend(entered.clone());
            }
            if paragraphs.iter().any(|paragraph| entered.contains(paragraph)) {
                let mut around = self.branches.get(reference.line.index()).copied().flatten();
                while let Some(branch) = around {
                    self.push_condition(branch, &mut found);
                    around = parsed.statements[parsed.branches[branch].statement].branch;
                }
            }
        }
        // What is performed performs others itself.
        let below = parsed.references.iter().filter(|reference| {
            reference.file.is_none()
                && reference.paragraph.is_some_and(|index| users.contains(&index) && !paragraphs.contains(&index))
        });
        found.names.extend(below.map(|reference| reference.target.to_uppercase()));
        // What happens behind a PERFORM is often told as what happens after it.
        for paragraph in &paragraphs {
            let mut own = parsed.references.iter().filter(|reference| reference.paragraph == Some(*paragraph));
            let is_before = |line: LineNumber| cited.iter().any(|range| range.start() > line);
            let before = own.rfind(|reference| reference.file.is_none() && is_before(reference.line));
            found.names.extend(before.map(|reference| reference.target.to_uppercase()));
        }
        let uses = |paragraph: Option<usize>| paragraph.is_some_and(|index| users.contains(&index));
        let files = parsed.file_uses.iter().filter(|used| uses(used.paragraph)).map(|used| &used.file);
        let calls = parsed.calls.iter().filter(|call| uses(call.paragraph)).map(|call| &call.target);
        let execs = parsed.execs.iter().filter(|exec| exec.file.is_none());
        let execs = execs.filter(|exec| uses(exec.paragraph) || is_cited(exec.lines));
        let execs = execs.flat_map(|exec| exec.resource.iter().chain(&exec.tables).chain(&exec.cursor));
        let all: Vec<&String> = files.chain(calls).chain(execs).collect();
        // A table is also known without its schema.
        let bare = all.iter().filter_map(|name| name.rsplit_once('.')).map(|(_, table)| table.to_uppercase());
        found.names.extend(bare.chain(all.iter().map(|name| name.to_uppercase())));
        let performed = self.performed(cited).into_iter().flat_map(|lines| &self.on_line[lines.indices()]);
        found.names.extend(performed.flatten().cloned());
        found
    }

    /// Whether an item is in a group that evidence names, or a column is that of a host variable there.
    pub(super) fn is_within(&self, region: &Region, name: &str) -> bool {
        let items = &self.parsed().data_items;
        let is_below = |item: usize| {
            let mut above = items[item].parent;
            std::iter::from_fn(|| {
                let group = above?;
                above = items[group].parent;
                Some(group)
            })
            .any(|group| items[group].parent.is_some() && region.names.contains(&items[group].name))
        };
        let mut same = (0..items.len()).filter(|item| items[*item].name == name);
        same.any(is_below)
            || (name.contains('_') && region.names.iter().any(|own| is_part(&name.replace('_', "-"), own)))
    }
}
