//! Laying what Scribes write over the frame.

use crate::claims::{Claimed, Spans, claims, join};
use crate::conflicts::Said;
use crate::frame::{Entries, Entry, Frame, kind_of};
use crate::merge::ChunkOutcome;
use war_rig_template::{
    BlockCitation, Conflict, PartialErrorHandling, PartialFlow, PartialInterface, PartialPurpose,
    PartialQuestion, PartialRule, PartialTemplate,
};
use war_rig_text::{LineMap, LineRange};

/// Items of which the parser has no frame: each is what a Scribe said.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) purpose: Purpose,
    pub(crate) rules: Entries,
    pub(crate) errors: Entries,
    pub(crate) reads: Entries,
    pub(crate) writes: Entries,
    pub(crate) transforms: Entries,
    pub(crate) questions: Entries,
    pub(crate) conflicts: Vec<Conflict>,
}

#[derive(Default)]
pub(crate) struct Purpose {
    pub(crate) summary: Said,
    pub(crate) context: Said,
    pub(crate) kind: Said,
    pub(crate) claims: Vec<Claimed>,
}

/// Lays one chunk's answer over what is known.
pub(crate) fn overlay(
    frame: &mut Frame,
    written: &mut Written,
    chunk: &ChunkOutcome,
    partial: &PartialTemplate,
    spans: &Spans,
) {
    let mut layer = Layer {
        chunk: &chunk.chunk_id,
        map: LineMap::new(chunk.lines),
        spans,
        conflicts: std::mem::take(&mut written.conflicts),
    };
    if let Some(purpose) = &partial.purpose {
        layer.purpose(&mut written.purpose, purpose);
    }
    layer.interfaces(&mut frame.inputs, &partial.inputs, "inputs");
    layer.interfaces(&mut frame.outputs, &partial.outputs, "outputs");
    for call in &partial.called_programs {
        let found = layer.at_site(&frame.calls, &call.program_name, None, &call.citations);
        layer.put(
            &mut frame.calls,
            found,
            "called_programs",
            &call.program_name,
            Some(&call.call_type),
            &call.purpose,
            &call.citations,
        );
    }
    for copy in &partial.copybooks_used {
        let found = layer.by_name(&frame.copybooks, &copy.copybook_name, None, &copy.citations);
        layer.put(
            &mut frame.copybooks,
            found,
            "copybooks_used",
            &copy.copybook_name,
            None,
            &copy.purpose,
            &copy.citations,
        );
    }
    for paragraph in &partial.paragraphs {
        let name = &paragraph.paragraph_name;
        let found = layer.by_name(&frame.paragraphs, name, None, &paragraph.citations);
        let at = layer.put(
            &mut frame.paragraphs,
            found,
            "paragraphs",
            name,
            None,
            &paragraph.summary,
            &paragraph.citations,
        );
        let more = paragraph.purpose.as_deref().unwrap_or_default();
        frame.paragraphs.get_mut(at).more.say(
            more,
            layer.chunk,
            || format!("paragraphs.{name}.purpose"),
            &mut layer.conflicts,
        );
    }
    for sql in &partial.sql_operations {
        let found = layer.at_site(&frame.sql, &sql.operation, sql.table.as_deref(), &sql.citations);
        layer.put(
            &mut frame.sql,
            found,
            "sql_operations",
            &sql.operation,
            sql.table.as_deref(),
            &sql.purpose,
            &sql.citations,
        );
    }
    for cics in &partial.cics_operations {
        let found = layer.at_site(&frame.cics, &cics.command, cics.resource.as_deref(), &cics.citations);
        layer.put(
            &mut frame.cics,
            found,
            "cics_operations",
            &cics.command,
            cics.resource.as_deref(),
            &cics.purpose,
            &cics.citations,
        );
    }
    layer.rules(&mut written.rules, &partial.business_rules);
    layer.errors(&mut written.errors, &partial.error_handling);
    layer.flows(&mut written.reads, &partial.data_flow.reads_from, "data_flow.reads_from");
    layer.flows(&mut written.writes, &partial.data_flow.writes_to, "data_flow.writes_to");
    layer.flows(&mut written.transforms, &partial.data_flow.transforms, "data_flow.transforms");
    layer.questions(&mut written.questions, &partial.open_questions);
    written.conflicts = layer.conflicts;
}

struct Layer<'a> {
    chunk: &'a str,
    map: LineMap,
    spans: &'a Spans,
    conflicts: Vec<Conflict>,
}

impl Layer<'_> {
    /// The summary of the first chunk that has one, augmented by what the others add.
    fn purpose(&mut self, purpose: &mut Purpose, said: &PartialPurpose) {
        purpose.summary.add(&said.summary, self.chunk);
        purpose.context.add(said.business_context.as_deref().unwrap_or_default(), self.chunk);
        let kind = said.program_type.as_deref().unwrap_or_default();
        purpose.kind.say(kind, self.chunk, || "purpose.program_type".to_owned(), &mut self.conflicts);
        join(&mut purpose.claims, claims(&said.citations, self.map), self.spans);
    }

    /// The entry of this name that stands where the item is cited; without a hit there, the only one of the name. Two
    /// paragraphs, calls or operations of one name stay two.
    fn at_site(
        &self,
        entries: &Entries,
        name: &str,
        detail: Option<&str>,
        citations: &[BlockCitation],
    ) -> Option<usize> {
        let cited: Vec<LineRange> =
            claims(citations, self.map).into_iter().map(|claim| claim.lines).collect();
        let fits = |entry: &Entry| {
            entry.parsed
                && (detail.is_none() || entry.detail.is_none() || same(entry.detail.as_deref(), detail))
        };
        // Nearly every item begins where the parser has it.
        let there = cited.iter().flat_map(|lines| entries.at_place(name, lines.start())).copied();
        if let Some(found) = there.into_iter().find(|index| fits(entries.get(*index))) {
            return Some(found);
        }
        let candidates: Vec<usize> =
            entries.named(name).iter().copied().filter(|index| fits(entries.get(*index))).collect();
        let overlaps = |index: &&usize| {
            let own = &entries.get(**index).claims;
            own.iter().any(|own| cited.iter().any(|lines| own.lines.intersection(*lines).is_some()))
        };
        match (candidates.iter().find(overlaps), candidates.as_slice()) {
            (Some(found), _) => Some(*found),
            (None, [only]) => Some(*only),
            (None, _) => None,
        }
    }

    /// As [`Layer::at_site`], and else what an earlier chunk has said of a thing that the parser does not know.
    fn by_name(
        &self,
        entries: &Entries,
        name: &str,
        detail: Option<&str>,
        citations: &[BlockCitation],
    ) -> Option<usize> {
        let unknown = || entries.named(name).iter().copied().find(|index| !entries.get(*index).parsed);
        self.at_site(entries, name, detail, citations).or_else(unknown)
    }

    /// Writes an item into the entry that was found for it, or into a new one. Gives back its index.
    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one item, which differ from kind to kind only in name"
    )]
    fn put(
        &mut self,
        entries: &mut Entries,
        found: Option<usize>,
        field: &str,
        name: &str,
        detail: Option<&str>,
        text: &str,
        citations: &[BlockCitation],
    ) -> usize {
        let new = || Entry { name: name.to_owned(), detail: detail.map(str::to_owned), ..Entry::default() };
        let index = found.unwrap_or_else(|| entries.push(new()));
        let entry = entries.get_mut(index);
        entry.written |= !text.trim().is_empty();
        let path = || format!("{field}.{}", entry.name);
        entry.text.say(text, self.chunk, path, &mut self.conflicts);
        // The parser's own citation is exact; a Scribe's is needed where the parser has none.
        if !entry.parsed {
            join(&mut entry.claims, claims(citations, self.map), self.spans);
        }
        index
    }

    fn interfaces(&mut self, entries: &mut Entries, items: &[PartialInterface], field: &str) {
        for item in items {
            let found = self.by_name(entries, &item.name, kind_of(&item.io_type), &item.citations);
            let index = self.put(
                entries,
                found,
                field,
                &item.name,
                Some(&item.io_type),
                &item.description,
                &item.citations,
            );
            let place = &mut entries.get_mut(index).place;
            if place.is_none() {
                place.clone_from(&item.copybook);
            }
        }
    }

    /// A thing read, written or computed in two ways is two flows; said twice in the same words, it is one.
    fn flows(&mut self, entries: &mut Entries, items: &[PartialFlow], field: &str) {
        for item in items {
            let found = with_text(entries, &item.name, &item.description);
            self.put(entries, found, field, &item.name, None, &item.description, &item.citations);
        }
    }

    /// All rules, one for each description.
    fn rules(&mut self, entries: &mut Entries, items: &[PartialRule]) {
        for item in items {
            let description = item.description.trim();
            let found = entries.named(description).first().copied();
            let logic = item.logic_summary.as_deref().unwrap_or_default();
            let index = self.put(entries, found, "business_rules", description, None, logic, &item.citations);
            for condition in &item.conditions {
                let known = &mut entries.get_mut(index).list;
                if !known.contains(condition) {
                    known.push(condition.clone());
                }
            }
        }
    }

    /// All error handling, one entry for each condition with its action.
    fn errors(&mut self, entries: &mut Entries, items: &[PartialErrorHandling]) {
        for item in items {
            let (condition, action) = (item.condition.trim(), item.action.trim());
            let found = with_text(entries, condition, action);
            self.put(entries, found, "error_handling", condition, None, action, &item.citations);
        }
    }

    fn questions(&mut self, entries: &mut Entries, items: &[PartialQuestion]) {
        for item in items {
            let question = item.question.trim();
            let found = entries.named(question).first().copied();
            let context = item.context.as_deref().unwrap_or_default();
            let index = self.put(entries, found, "open_questions", question, None, context, &item.citations);
            entries.get_mut(index).more.add(item.suggestion.as_deref().unwrap_or_default(), self.chunk);
        }
    }
}

/// The entry of this name that says this.
fn with_text(entries: &Entries, name: &str, text: &str) -> Option<usize> {
    entries.named(name).iter().copied().find(|index| entries.get(*index).text.text() == text.trim())
}

fn same(a: Option<&str>, b: Option<&str>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.eq_ignore_ascii_case(b.trim_matches(['\'', '"'])),
        _ => false,
    }
}
