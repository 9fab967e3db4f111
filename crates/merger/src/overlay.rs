//! Laying what Scribes write over the frame.
//!
//! Of calls, copybooks, paragraphs, SQL and CICS the parser knows all there are: what a model says of one is laid over the parser's
//! entry, and what it says of one that the parser does not know is no fact. If the source has its name in the chunk, the item is kept
//! and never verified; if not, it is left out and listed.

use crate::claims::{Claimed, Spans, claims, join};
use crate::conflicts::Said;
use crate::frame::{Entries, Entry, Frame, kind_of};
use crate::items::{Item, PartKind, parts};
use crate::merge::ChunkOutcome;
use std::collections::HashMap;
use war_rig_template::{
    BlockCitation, Citation, CitationStatus, Claim, Conflict, PartialErrorHandling, PartialFlow,
    PartialInterface, PartialParagraph, PartialPurpose, PartialQuestion, PartialRule, PartialTemplate,
    Rejected,
};
use war_rig_text::{LineMap, LineNumber, LineRange, SourceText};

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
    pub(crate) rejected: Vec<Rejected>,
}

#[derive(Default)]
pub(crate) struct Purpose {
    pub(crate) summary: Said,
    pub(crate) context: Said,
    pub(crate) kind: Said,
    pub(crate) claims: Vec<Claimed>,
    /// Whether the summary is in the parser's words.
    pub(crate) known: bool,
}

impl Purpose {
    /// Takes what the parts come to when they are read together in place of the parts.
    pub(crate) fn replace(&mut self, whole: &PartialPurpose) {
        let put = |said: &mut Said, text: Option<&str>| {
            if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
                *said = Said::default();
                said.add(text, "");
            }
        };
        put(&mut self.summary, Some(&whole.summary));
        put(&mut self.context, whole.business_context.as_deref());
        put(&mut self.kind, whole.program_type.as_deref());
    }
}

/// What every layer is laid over.
pub(crate) struct Ground<'a> {
    pub(crate) source: &'a SourceText,
    pub(crate) spans: &'a Spans,
    /// Whether what is written is the parser's own.
    pub(crate) trusted: bool,
}

/// Lays one chunk's answer over what is known.
pub(crate) fn overlay(
    frame: &mut Frame,
    written: &mut Written,
    chunk: &ChunkOutcome,
    partial: &PartialTemplate,
    ground: &Ground<'_>,
) {
    let mut layer = Layer::of(chunk, ground, written);
    if let Some(purpose) = &partial.purpose {
        layer.purpose(&mut written.purpose, purpose);
    }
    layer.interfaces(&mut frame.inputs, &frame.copybooks, &partial.inputs, "inputs");
    layer.interfaces(&mut frame.outputs, &frame.copybooks, &partial.outputs, "outputs");
    for (kind, item) in parts(partial) {
        layer.part(frame, kind, &item);
    }
    for paragraph in &partial.paragraphs {
        layer.paragraph(&mut frame.paragraphs, paragraph);
    }
    layer.rules(&mut written.rules, &partial.business_rules);
    layer.errors(&mut written.errors, &partial.error_handling);
    layer.flows(&mut written.reads, &partial.data_flow.reads_from, "data_flow.reads_from");
    layer.flows(&mut written.writes, &partial.data_flow.writes_to, "data_flow.writes_to");
    layer.flows(&mut written.transforms, &partial.data_flow.transforms, "data_flow.transforms");
    layer.questions(&mut written.questions, &partial.open_questions);
    (written.conflicts, written.rejected) = (layer.conflicts, layer.rejected);
}

/// Says in the parser's words what a model has not said: of the parser's own entries, and of whole lists that it left empty.
pub(crate) fn fill(
    frame: &mut Frame,
    written: &mut Written,
    chunk: &ChunkOutcome,
    known: &PartialTemplate,
    ground: &Ground<'_>,
) {
    let nothing = PartialTemplate::default();
    let said = chunk.partial.as_ref().unwrap_or(&nothing);
    let ground = Ground { trusted: true, ..*ground };
    let mut layer = Layer { known: true, ..Layer::of(chunk, &ground, written) };
    let purpose = &mut written.purpose;
    if let Some(ours) = &known.purpose {
        if purpose.known || purpose.summary.is_empty() {
            purpose.known = true;
            layer.purpose(purpose, ours);
        } else {
            layer.kind(purpose, ours);
        }
    }
    let interfaces =
        [(&mut frame.inputs, &known.inputs, "inputs"), (&mut frame.outputs, &known.outputs, "outputs")];
    for (entries, items, field) in interfaces {
        for item in items {
            layer.fill(entries, &Item::of_interface(field, item), kind_of(&item.io_type));
        }
    }
    for (kind, item) in parts(known) {
        layer.fill(kind.entries(frame), &item, None);
    }
    for paragraph in &known.paragraphs {
        layer.fill(&mut frame.paragraphs, &Item::of_paragraph(paragraph), None);
    }
    let (ours, theirs) = (&known.data_flow, &said.data_flow);
    match said.business_rules.is_empty() {
        true => layer.rules(&mut written.rules, &known.business_rules),
        false => layer.decided(&mut written.rules, &known.business_rules),
    }
    if said.error_handling.is_empty() {
        layer.errors(&mut written.errors, &known.error_handling);
    }
    if theirs.reads_from.is_empty() {
        layer.flows(&mut written.reads, &ours.reads_from, "data_flow.reads_from");
    }
    if theirs.writes_to.is_empty() {
        layer.flows(&mut written.writes, &ours.writes_to, "data_flow.writes_to");
    }
    if theirs.transforms.is_empty() {
        layer.flows(&mut written.transforms, &ours.transforms, "data_flow.transforms");
    }
    if said.open_questions.is_empty() {
        layer.questions(&mut written.questions, &known.open_questions);
    }
    (written.conflicts, written.rejected) = (layer.conflicts, layer.rejected);
}

struct Layer<'a> {
    chunk: &'a str,
    lines: LineRange,
    map: LineMap,
    ground: &'a Ground<'a>,
    /// Whether it is in the parser's words, under those of a model.
    known: bool,
    conflicts: Vec<Conflict>,
    rejected: Vec<Rejected>,
}

impl<'a> Layer<'a> {
    fn of(chunk: &'a ChunkOutcome, ground: &'a Ground<'a>, written: &mut Written) -> Self {
        Self {
            chunk: &chunk.chunk_id,
            lines: chunk.lines,
            map: LineMap::new(chunk.lines),
            ground,
            known: false,
            conflicts: std::mem::take(&mut written.conflicts),
            rejected: std::mem::take(&mut written.rejected),
        }
    }
}

impl Layer<'_> {
    /// The summary of the first chunk that has one, augmented by what the others add.
    fn purpose(&mut self, purpose: &mut Purpose, said: &PartialPurpose) {
        purpose.summary.add(&said.summary, self.chunk);
        purpose.context.add(said.business_context.as_deref().unwrap_or_default(), self.chunk);
        self.kind(purpose, said);
        join(&mut purpose.claims, claims(&said.citations, self.map), self.ground.spans);
    }

    /// The kind of program. What a model has said of it stays what it has said.
    fn kind(&mut self, purpose: &mut Purpose, said: &PartialPurpose) {
        let kind = said.program_type.as_deref().unwrap_or_default();
        if !self.known || purpose.kind.is_empty() {
            let path = || "purpose.program_type".to_owned();
            purpose.kind.say(kind, self.chunk, path, &mut self.conflicts);
        }
    }

    /// The parser's entry of which an item speaks: the one of its name that begins where it is cited; else one that it cites a part
    /// of; else the only one of the name. Two paragraphs, calls or operations of one name stay two.
    fn at_site(
        &self,
        entries: &Entries,
        name: &str,
        detail: Option<&str>,
        citations: &[BlockCitation],
    ) -> Option<usize> {
        self.among(entries, None, name, detail, citations)
    }

    /// As [`Layer::at_site`], of things that stand in the chunk: a model that has not seen one has nothing to say of it.
    fn in_chunk(
        &self,
        entries: &Entries,
        name: &str,
        detail: Option<&str>,
        citations: &[BlockCitation],
    ) -> Option<usize> {
        self.among(entries, Some(self.lines), name, detail, citations)
    }

    fn among(
        &self,
        entries: &Entries,
        within: Option<LineRange>,
        name: &str,
        detail: Option<&str>,
        citations: &[BlockCitation],
    ) -> Option<usize> {
        let cited: Vec<LineRange> =
            claims(citations, self.map).into_iter().map(|claim| claim.lines).collect();
        let fits = |index: &usize| {
            let own = entries.get(*index).detail.as_deref();
            detail.is_none() || own.is_none() || same(own, detail)
        };
        let stands_here = |index: &usize| {
            let own = &entries.get(*index).claims;
            within.is_none_or(|within| own.iter().any(|own| own.lines.intersection(within).is_some()))
        };
        // Nearly every item begins where the parser has it.
        let there = cited.iter().flat_map(|lines| entries.at_place(name, lines.start())).copied();
        let there: Vec<usize> = there.filter(stands_here).collect();
        if let Some(found) = there.iter().find(|index| fits(index)).or(there.first()) {
            return Some(*found);
        }
        let named = entries.named(name).iter().copied().filter(|index| entries.get(*index).parsed);
        let named: Vec<usize> = named.filter(stands_here).collect();
        // Of several of one name, a citation that is merely off could touch the wrong one.
        let touches = |own: LineRange, cited: LineRange| match named.len() {
            1 => own.intersection(cited).is_some(),
            _ => own.covers(cited) || cited.covers(own),
        };
        let overlaps = |index: &usize| {
            let own = &entries.get(*index).claims;
            own.iter().any(|own| cited.iter().any(|lines| touches(own.lines, *lines)))
        };
        let candidates: Vec<usize> = named.iter().copied().filter(fits).collect();
        let over = |among: &[usize]| among.iter().copied().find(|index| overlaps(index));
        match (over(&candidates).or_else(|| over(&named)), candidates.as_slice(), named.as_slice()) {
            (Some(found), _, _) => Some(found),
            (None, [only], _) | (None, _, [only]) => Some(*only),
            (None, _, _) => None,
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

    /// The only entry on a cited line, where an item may call it otherwise than the parser does: a command by fewer words or more, a
    /// dynamic call by the program that it reaches, a copybook by its file.
    fn under_another_name(&self, entries: &Entries, kind: PartKind, item: &Item<'_>) -> Option<usize> {
        let first = |text: &str| text.split_whitespace().next().map(str::to_uppercase);
        claims(item.citations, self.map).iter().find_map(|claim| {
            let [only] = entries.at_line(claim.lines.start()) else { return None };
            let entry = entries.get(*only);
            let same = match kind {
                PartKind::Sql | PartKind::Cics | PartKind::Dli => first(&entry.name) == first(item.name),
                PartKind::Call => entry.detail.as_deref() == Some("dynamic"),
                // `COPY "BANKREC.CPY"` names a file, and the parser the copybook in it.
                PartKind::Copybook => item
                    .name
                    .rsplit('/')
                    .next()
                    .and_then(|file| file.split('.').next())
                    .is_some_and(|stem| stem.eq_ignore_ascii_case(&entry.name)),
            };
            same.then_some(*only)
        })
    }

    /// Lays a call, a copybook, an SQL statement or a CICS command over the parser's.
    fn part(&mut self, frame: &mut Frame, kind: PartKind, item: &Item<'_>) {
        let entries = kind.entries(frame);
        let detail = match kind {
            // How a program is called tells no two calls apart.
            PartKind::Call | PartKind::Copybook => None,
            PartKind::Sql | PartKind::Cics | PartKind::Dli => item.detail,
        };
        let found = self
            .in_chunk(entries, item.name, detail, item.citations)
            .or_else(|| self.under_another_name(entries, kind, item));
        if found.is_some() || self.ground.trusted {
            self.put(entries, found, item);
        } else if entries.named(item.name).iter().any(|index| entries.get(*index).parsed) {
            self.reject(item, "it cites no line where the source has one of this name");
        } else if !self.stands_in_chunk(item.name) {
            self.reject(item, "the source has no such name there");
        } else {
            let index = self.put(entries, None, item);
            entries.get_mut(index).disputed = true;
        }
    }

    fn paragraph(&mut self, entries: &mut Entries, paragraph: &PartialParagraph) {
        let item = Item::of_paragraph(paragraph);
        let found = match self.ground.trusted {
            true => self.by_name(entries, item.name, None, item.citations),
            false => self.in_chunk(entries, item.name, None, item.citations),
        };
        if found.is_none() && !self.ground.trusted {
            // A stub says nothing that could be lost.
            if !paragraph.is_stub() {
                self.reject(&item, "the source has no paragraph of this name there");
            }
            return;
        }
        let at = self.put(entries, found, &item);
        let more = paragraph.purpose.as_deref().unwrap_or_default();
        let path = || format!("paragraphs.{}.purpose", item.name);
        entries.get_mut(at).more.say(more, self.chunk, path, &mut self.conflicts);
    }

    fn reject(&mut self, item: &Item<'_>, reason: &str) {
        self.rejected.push(Rejected {
            field: item.field.to_owned(),
            name: item.name.to_owned(),
            text: item.text.trim().to_owned(),
            reason: reason.to_owned(),
            chunk_id: self.chunk.to_owned(),
        });
    }

    /// Whether a name stands in the chunk as a whole word.
    fn stands_in_chunk(&self, name: &str) -> bool {
        let claim = Claim { lines: self.lines, quote: None };
        let citation = Citation::verify(&claim, self.ground.source, self.lines, &[name.to_owned()]);
        citation.status() == CitationStatus::Verified
    }

    /// Says of the parser's entry what nobody has said of it.
    fn fill(&mut self, entries: &mut Entries, item: &Item<'_>, detail: Option<&str>) {
        let found = self.at_site(entries, item.name, detail, item.citations);
        if let Some(entry) = found.map(|index| entries.get_mut(index)).filter(|entry| entry.text.is_empty()) {
            entry.text.add(item.text, self.chunk);
        }
    }

    /// Writes an item into the entry that was found for it, or into a new one. Gives back its index.
    fn put(&mut self, entries: &mut Entries, found: Option<usize>, item: &Item<'_>) -> usize {
        let new = || Entry {
            name: item.name.to_owned(),
            detail: item.detail.map(str::to_owned),
            known: self.known,
            ..Entry::default()
        };
        let index = found.unwrap_or_else(|| entries.push(new()));
        let entry = entries.get_mut(index);
        entry.written |= !item.text.trim().is_empty();
        let path = || format!("{}.{}", item.field, entry.name);
        entry.text.say(item.text, self.chunk, path, &mut self.conflicts);
        // The parser's own citation is exact; a Scribe's is needed where the parser has none.
        let theirs = if entry.parsed { &mut entry.said } else { &mut entry.claims };
        join(theirs, claims(item.citations, self.map), self.ground.spans);
        index
    }

    fn interfaces(
        &mut self,
        entries: &mut Entries,
        copybooks: &Entries,
        items: &[PartialInterface],
        field: &'static str,
    ) {
        for item in items {
            let found = self.by_name(entries, &item.name, kind_of(&item.io_type), &item.citations);
            let index = self.put(entries, found, &Item::of_interface(field, item));
            self.dispute(entries, index);
            let is_known = |name: &&String| !copybooks.named(name).is_empty();
            let place = &mut entries.get_mut(index).place;
            if place.is_none() {
                *place = item.copybook.as_ref().filter(is_known).cloned();
            }
        }
    }

    /// An item of a list of which the parser has no frame.
    fn free(
        &mut self,
        entries: &mut Entries,
        found: Option<usize>,
        field: &'static str,
        (name, text): (&str, &str),
        citations: &[BlockCitation],
    ) -> usize {
        self.put(entries, found, &Item { field, name, detail: None, text, citations })
    }

    /// Takes a model's item that the parser does not have for disputed, where the source has no such name in the chunk.
    fn dispute(&self, entries: &mut Entries, index: usize) {
        let entry = entries.get(index);
        if !self.ground.trusted && !entry.parsed && !self.stands_in_chunk(&entry.name) {
            entries.get_mut(index).disputed = true;
        }
    }

    /// Holds a model's item to one of its texts: what it cites must have that, and not only some name that the item mentions.
    fn hold_to(&self, entries: &mut Entries, index: usize, text: &str) {
        let principal = &mut entries.get_mut(index).principal;
        if !self.ground.trusted && !principal.iter().any(|known| known == text) {
            principal.push(text.to_owned());
        }
    }

    /// A thing read, written or computed in two ways is two flows; said twice in the same words, it is one.
    fn flows(&mut self, entries: &mut Entries, items: &[PartialFlow], field: &'static str) {
        for item in items {
            let found = with_text(entries, &item.name, &item.description);
            let index = self.free(entries, found, field, (&item.name, &item.description), &item.citations);
            self.hold_to(entries, index, &item.name);
            self.dispute(entries, index);
        }
    }

    /// All rules, one for each description.
    fn rules(&mut self, entries: &mut Entries, items: &[PartialRule]) {
        for item in items {
            let description = item.description.trim();
            let found = entries.named(description).first().copied();
            // Of two places where the parser's words are the same, the first says how it is written.
            let said = found.filter(|_| self.ground.trusted).is_some();
            let logic = item.logic_summary.as_deref().filter(|_| !said).unwrap_or_default();
            let index = self.free(entries, found, "business_rules", (description, logic), &item.citations);
            let entry = entries.get_mut(index);
            entry.written |= !description.is_empty();
            for condition in &item.conditions {
                if !entry.list.contains(condition) {
                    entry.list.push(condition.clone());
                }
            }
            if self.ground.trusted {
                entry.decides = entry.decides.take().or_else(|| item.decides.clone());
                let new = item.data_items.iter().filter(|name| !entry.items.contains(name));
                let new: Vec<String> = new.cloned().collect();
                entry.items.extend(new);
            }
            for condition in &item.conditions {
                self.hold_to(entries, index, condition);
            }
        }
    }

    /// Says of a model's rules what they decide and which items they turn on: as the parser has it of the rule that begins on
    /// the same line.
    fn decided(&mut self, entries: &mut Entries, known: &[PartialRule]) {
        let own = |rule: &PartialRule| claims(&rule.citations, self.map).first().map(|claim| claim.lines);
        let mut by_line: HashMap<LineNumber, &PartialRule> = HashMap::new();
        for rule in known {
            if let Some(lines) = own(rule) {
                by_line.entry(lines.start()).or_insert(rule);
            }
        }
        for entry in entries.iter_mut().filter(|entry| entry.decides.is_none() && !entry.known) {
            let found = entry.claims.iter().find_map(|claim| by_line.get(&claim.lines.start()).copied());
            if let Some(rule) = found {
                entry.decides.clone_from(&rule.decides);
                entry.items.clone_from(&rule.data_items);
            }
        }
    }

    /// All error handling, one entry for each condition with its action.
    fn errors(&mut self, entries: &mut Entries, items: &[PartialErrorHandling]) {
        for item in items {
            let (condition, action) = (item.condition.trim(), item.action.trim());
            let found = with_text(entries, condition, action);
            let index = self.free(entries, found, "error_handling", (condition, action), &item.citations);
            self.hold_to(entries, index, condition);
        }
    }

    fn questions(&mut self, entries: &mut Entries, items: &[PartialQuestion]) {
        for item in items {
            let question = item.question.trim();
            let found = entries.named(question).first().copied();
            let context = item.context.as_deref().unwrap_or_default();
            let index = self.free(entries, found, "open_questions", (question, context), &item.citations);
            let entry = entries.get_mut(index);
            entry.written |= !question.is_empty();
            entry.more.add(item.suggestion.as_deref().unwrap_or_default(), self.chunk);
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
