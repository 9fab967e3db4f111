//! Merges what Scribes write into the skeleton.
//!
//! The parser knows all calls, copybooks, paragraphs, SQL and CICS. A model's text about one of them is added to the parser's
//! entry. A model's item that the parser does not know is not a fact: it is kept but never verified if the chunk's source contains
//! its name, and otherwise left out and listed.

use crate::claims::{ChunkClaim, ConstructSpans, claims, join_claims};
use crate::conflicts::{MergedText, ProgramType};
use crate::matching::ParserOwned;
use crate::merge::ChunkOutcome;
use crate::skeleton::{DraftItem, DraftItems, Skeleton, kind_of};
use foldhash::{HashMap, HashMapExt};
use war_rig_template::{
    BusinessRule, Citation, CitationStatus, Claim, CopybookUse, DataFlowStep, DocumentConflict, ErrorHandling,
    Interface, ItemBody, OpenQuestion, Paragraph, PartialItem, PartialTemplate, RejectedItem, SqlOperation,
};
use war_rig_text::{LineMap, LineNumber, LineRange, SourceText};

/// Items for which the parser has no entry: only a Scribe describes them.
#[derive(Default)]
pub(crate) struct ScribeItems {
    pub(crate) purpose: DraftPurpose,
    pub(crate) rules: DraftItems<BusinessRule>,
    pub(crate) errors: DraftItems<ErrorHandling>,
    pub(crate) reads: DraftItems<DataFlowStep>,
    pub(crate) writes: DraftItems<DataFlowStep>,
    pub(crate) transforms: DraftItems<DataFlowStep>,
    pub(crate) questions: DraftItems<OpenQuestion>,
    pub(crate) conflicts: Vec<DocumentConflict>,
    pub(crate) rejected: Vec<RejectedItem>,
}

#[derive(Default)]
pub(crate) struct DraftPurpose {
    pub(crate) summary: MergedText,
    pub(crate) context: MergedText,
    pub(crate) kind: ProgramType,
    pub(crate) claims: Vec<ChunkClaim>,
    /// Whether the summary is in the parser's words.
    pub(crate) known: bool,
    /// Whether the parser's facts refute the type of the program.
    pub(crate) is_refuted: bool,
}

/// What every chunk is merged with.
pub(crate) struct MergeContext<'a> {
    pub(crate) source: &'a SourceText,
    pub(crate) spans: &'a ConstructSpans,
    /// Whether the parser's own facts are being written.
    pub(crate) is_parser_only: bool,
}

/// Merges one chunk's answer into what is known.
pub(crate) fn merge_chunk(
    frame: &mut Skeleton,
    written: &mut ScribeItems,
    chunk: &ChunkOutcome,
    partial: &PartialTemplate,
    ground: &MergeContext<'_>,
) {
    let mut layer = ChunkMerge::of(chunk, ground, written);
    if let Some(purpose) = &partial.purpose {
        layer.purpose(&mut written.purpose, purpose);
    }
    layer.interfaces(&mut frame.inputs, &frame.copybooks, &partial.inputs);
    layer.interfaces(&mut frame.outputs, &frame.copybooks, &partial.outputs);
    layer.parts(&mut frame.calls, &partial.called_programs);
    let (included, statements) = without_includes(&partial.sql_operations);
    layer.parts(&mut frame.copybooks, &partial.copybooks_used);
    layer.parts(&mut frame.copybooks, &included);
    layer.parts(&mut frame.sql, &statements);
    layer.parts(&mut frame.cics, &partial.cics_operations);
    layer.parts(&mut frame.dli, &partial.dli_operations);
    for paragraph in &partial.paragraphs {
        layer.paragraph(&mut frame.paragraphs, paragraph);
    }
    layer.rules(&mut written.rules, &partial.business_rules);
    layer.errors(&mut written.errors, &partial.error_handling);
    layer.flows(&mut written.reads, &partial.data_flow.reads_from);
    layer.flows(&mut written.writes, &partial.data_flow.writes_to);
    layer.flows(&mut written.transforms, &partial.data_flow.transforms);
    layer.questions(&mut written.questions, &partial.open_questions);
    (written.conflicts, written.rejected) = (layer.conflicts, layer.rejected);
}

/// Adds the parser's words where a model was silent: to the parser's own entries and to whole lists that the model left empty.
pub(crate) fn fill_from_parser(
    frame: &mut Skeleton,
    written: &mut ScribeItems,
    chunk: &ChunkOutcome,
    known: &PartialTemplate,
    ground: &MergeContext<'_>,
) {
    let nothing = PartialTemplate::default();
    let said = chunk.partial.as_ref().unwrap_or(&nothing);
    let ground = MergeContext { is_parser_only: true, ..*ground };
    let mut layer = ChunkMerge { known: true, ..ChunkMerge::of(chunk, &ground, written) };
    let purpose = &mut written.purpose;
    if let Some(ours) = &known.purpose {
        if purpose.known || purpose.summary.is_empty() {
            purpose.known = true;
            layer.purpose(purpose, ours);
        } else if purpose.kind.words().is_empty() {
            purpose.kind.take(&ours.program_type, layer.chunk, &mut layer.conflicts);
        } else if purpose.kind.contradicts(&ours.program_type) {
            purpose.kind.correct(&ours.program_type, &mut layer.conflicts);
            purpose.is_refuted = true;
        }
    }
    layer.fill(&mut frame.inputs, &known.inputs, |item| kind_of(&item.io_type));
    layer.fill(&mut frame.outputs, &known.outputs, |item| kind_of(&item.io_type));
    layer.fill(&mut frame.calls, &known.called_programs, |_| None);
    layer.fill(&mut frame.copybooks, &known.copybooks_used, |_| None);
    layer.fill(&mut frame.sql, &known.sql_operations, |_| None);
    layer.fill(&mut frame.cics, &known.cics_operations, |_| None);
    layer.fill(&mut frame.dli, &known.dli_operations, |_| None);
    layer.fill(&mut frame.paragraphs, &known.paragraphs, |_| None);
    let (ours, theirs) = (&known.data_flow, &said.data_flow);
    match said.business_rules.is_empty() {
        true => layer.rules(&mut written.rules, &known.business_rules),
        false => layer.decided(&mut written.rules, &known.business_rules),
    }
    match said.error_handling.is_empty() {
        true => layer.errors(&mut written.errors, &known.error_handling),
        false => layer.add_outcomes(&mut written.errors, &known.error_handling),
    }
    if theirs.reads_from.is_empty() {
        layer.flows(&mut written.reads, &ours.reads_from);
    }
    if theirs.writes_to.is_empty() {
        layer.flows(&mut written.writes, &ours.writes_to);
    }
    if theirs.transforms.is_empty() {
        layer.flows(&mut written.transforms, &ours.transforms);
    }
    if said.open_questions.is_empty() {
        layer.questions(&mut written.questions, &known.open_questions);
    }
    (written.conflicts, written.rejected) = (layer.conflicts, layer.rejected);
}

pub(crate) struct ChunkMerge<'a> {
    chunk: &'a str,
    pub(crate) lines: LineRange,
    pub(crate) map: LineMap,
    ground: &'a MergeContext<'a>,
    /// Whether the text is the parser's, which fills gaps in a model's.
    known: bool,
    conflicts: Vec<DocumentConflict>,
    rejected: Vec<RejectedItem>,
}

impl<'a> ChunkMerge<'a> {
    fn of(chunk: &'a ChunkOutcome, ground: &'a MergeContext<'a>, written: &mut ScribeItems) -> Self {
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

impl ChunkMerge<'_> {
    /// The summaries of all chunks, in order.
    fn purpose(&mut self, purpose: &mut DraftPurpose, said: &PartialItem<war_rig_template::Purpose>) {
        let line = Some(self.lines.start());
        purpose.summary.join(&said.summary, line);
        purpose.context.join(said.business_context.as_deref().unwrap_or_default(), line);
        purpose.kind.take(&said.program_type, self.chunk, &mut self.conflicts);
        join_claims(&mut purpose.claims, claims(&said.citations, self.map), self.ground.spans);
    }

    /// Returns the first line that an item is about.
    fn line_of<B>(&self, item: &PartialItem<B>) -> Option<LineNumber> {
        claims(&item.citations, self.map).iter().map(|claim| claim.lines.start()).min().or(Some(self.lines.start()))
    }

    /// Merges calls, copybooks, SQL statements or commands into the parser's. An item that cites several statements speaks for each.
    fn parts<B: ParserOwned>(&mut self, entries: &mut DraftItems<B>, items: &[PartialItem<B>]) {
        for item in items {
            let name = item.plain_name();
            let found = match self.ground.is_parser_only {
                true => self
                    .among(entries, false, name, item.detail().filter(|_| B::IS_TOLD_APART), &item.citations)
                    .into_iter()
                    .collect(),
                false => self.sites(entries, item),
            };
            if !found.is_empty() {
                for index in found {
                    self.put(entries, Some(index), item);
                    entries.list[index].body.join(item, self.ground.is_parser_only);
                }
            } else if self.ground.is_parser_only {
                self.put(entries, None, item);
            } else if entries.parsed_by_name(name).next().is_some() {
                self.reject(item, "it cites no line where the source has one of this name");
            } else if !self.stands_in_chunk(name) {
                self.reject(item, "the source has no such name there");
            } else {
                let index = self.put(entries, None, item);
                entries.list[index].is_disputed = !B::is_known_elsewhere(name);
            }
        }
    }

    fn paragraph(&mut self, entries: &mut DraftItems<Paragraph>, item: &PartialItem<Paragraph>) {
        let name = item.plain_name();
        let found = match self.ground.is_parser_only {
            true => self.by_name(entries, name, None, &item.citations),
            false => self
                .among(entries, true, name, None, &item.citations)
                .or_else(|| self.beginning_at(entries, item))
                .or_else(|| self.only_mentioned(entries, name)),
        };
        if found.is_none() && !self.ground.is_parser_only {
            // A stub contains nothing that could be lost.
            if !item.is_stub() {
                self.reject(item, "the source has no paragraph of this name there");
            }
            return;
        }
        let at = self.put(entries, found, item);
        entries.list[at].more.join(item.more(), self.line_of(item));
    }

    fn reject<B: ItemBody>(&mut self, item: &PartialItem<B>, reason: &str) {
        self.rejected.push(RejectedItem {
            field: B::KIND.lists[0].path.to_owned(),
            name: item.plain_name().to_owned(),
            text: item.text().trim().to_owned(),
            reason: reason.to_owned(),
            chunk_id: self.chunk.to_owned(),
        });
    }

    /// Whether a name occurs in the chunk as a whole word.
    pub(crate) fn stands_in_chunk(&self, name: &str) -> bool {
        let claim = Claim { lines: self.lines, quote: None };
        let citation = Citation::verify(&claim, self.ground.source, self.lines, &[name.to_owned()]);
        citation.status() == CitationStatus::Verified
    }

    /// Fills the parser's entries that nobody has described.
    fn fill<B: ItemBody>(
        &mut self,
        entries: &mut DraftItems<B>,
        items: &[PartialItem<B>],
        detail: impl Fn(&B) -> Option<&str>,
    ) {
        for item in items {
            let found = self.among(entries, false, item.plain_name(), detail(item), &item.citations);
            let Some(entry) = found.map(|index| &mut entries.list[index]) else { continue };
            entry.body.join(item, true);
            if entry.text.is_empty() {
                entry.text.join(item.text(), self.line_of(item));
            }
        }
    }

    /// Writes an item into the entry found for it, or into a new one. Returns its index.
    fn put<B: ItemBody>(&mut self, entries: &mut DraftItems<B>, found: Option<usize>, item: &PartialItem<B>) -> usize {
        self.put_text(entries, found, item, item.text())
    }

    /// Like `put`, with this text.
    fn put_text<B: ItemBody>(
        &mut self,
        entries: &mut DraftItems<B>,
        found: Option<usize>,
        item: &PartialItem<B>,
        text: &str,
    ) -> usize {
        let new = || DraftItem {
            body: B::named(item.plain_name(), item.detail()),
            in_parser_words: self.known,
            ..DraftItem::default()
        };
        let line = self.line_of(item);
        let index = found.unwrap_or_else(|| entries.push(new()));
        let entry = &mut entries.list[index];
        entry.is_written |= !text.trim().is_empty();
        entry.text.join(text, line);
        // The parser's own citation is exact; a Scribe's is needed only if the parser has none.
        let theirs = if entry.parsed { &mut entry.model_claims } else { &mut entry.claims };
        join_claims(theirs, claims(&item.citations, self.map), self.ground.spans);
        index
    }

    fn interfaces(
        &mut self,
        entries: &mut DraftItems<Interface>,
        copybooks: &DraftItems<CopybookUse>,
        items: &[PartialItem<Interface>],
    ) {
        for item in items {
            let found = self.by_name(entries, &item.name, kind_of(&item.io_type), &item.citations);
            let mut found: Vec<usize> = found.into_iter().collect();
            if !self.ground.is_parser_only && found.iter().all(|index| !entries.list[*index].parsed) {
                found.splice(0..0, self.resources(entries, item));
                found.truncate(found.iter().filter(|index| entries.list[**index].parsed).count().max(1));
            }
            if found.is_empty() {
                found.push(self.put(entries, None, item));
            } else {
                for index in &found {
                    self.put(entries, Some(*index), item);
                }
            }
            let is_known = |name: &&String| !copybooks.indices_by_name(name).is_empty();
            for index in found {
                let copybook = &mut entries.list[index].body.copybook;
                if copybook.is_none() {
                    *copybook = item.copybook.as_ref().filter(is_known).cloned();
                }
            }
        }
    }

    /// Requires a model's item to cite one of its texts, and not only some name that the item mentions. A text that it has from the
    /// parser by its id needs no proof.
    fn hold_to<B: ItemBody>(&self, entries: &mut DraftItems<B>, index: usize, item: &PartialItem<B>, text: &str) {
        let entry = &mut entries.list[index];
        let texts = if item.id.is_some() { &mut entry.given } else { &mut entry.required_texts };
        if !self.ground.is_parser_only && !texts.iter().any(|known| known == text) {
            texts.push(text.to_owned());
        }
    }

    /// Merges flows: a thing read, written or computed in two ways is two flows; the same words twice are one.
    fn flows(&mut self, entries: &mut DraftItems<DataFlowStep>, items: &[PartialItem<DataFlowStep>]) {
        for item in items {
            let found = with_text(entries, item).next();
            let index = self.put(entries, found, item);
            self.hold_to(entries, index, item, &item.name);
        }
    }

    /// Merges rules, one for each description in a paragraph.
    fn rules(&mut self, entries: &mut DraftItems<BusinessRule>, items: &[PartialItem<BusinessRule>]) {
        for item in items {
            let description = item.plain_name();
            let mut alike = entries.indices_by_name(description).iter().copied();
            let found = alike.find(|index| {
                let own = &entries.list[*index].body.paragraph;
                own.is_none() || item.body.paragraph.is_none() || *own == item.body.paragraph
            });
            // If the parser's words are the same in two places, the first one shows how it is written.
            let is_told = found.is_some() && self.ground.is_parser_only;
            let logic = if is_told { "" } else { item.text() };
            let index = self.put_text(entries, found, item, logic);
            let entry = &mut entries.list[index];
            entry.is_written |= !description.is_empty();
            entry.body.join(item, self.ground.is_parser_only);
            for condition in &item.conditions {
                self.hold_to(entries, index, item, condition);
            }
        }
    }

    /// Adds to a model's rules what only the parser knows, from the parser's rule that begins on the same line: what they decide, the items
    /// that they depend on, their paragraph, keys and outcome.
    fn decided(&mut self, entries: &mut DraftItems<BusinessRule>, known: &[PartialItem<BusinessRule>]) {
        let by_line = self.by_first_line(known);
        for entry in entries.list.iter_mut().filter(|entry| entry.body.decides.is_none() && !entry.in_parser_words) {
            let found = entry.claims.iter().find_map(|claim| by_line.get(&claim.lines.start()).copied());
            if let Some(rule) = found {
                let conditions = std::mem::take(&mut entry.body.conditions);
                entry.body.join(rule, true);
                entry.body.conditions = conditions;
            }
        }
    }

    /// Adds to a model's words about errors what the caller or a user sees, from the parser's error that begins on the same line.
    fn add_outcomes(&mut self, entries: &mut DraftItems<ErrorHandling>, known: &[PartialItem<ErrorHandling>]) {
        let by_line = self.by_first_line(known);
        for entry in entries.list.iter_mut().filter(|entry| !entry.in_parser_words) {
            if let Some(error) = entry.claims.iter().find_map(|claim| by_line.get(&claim.lines.start()).copied()) {
                entry.body.join(error, true);
            }
        }
    }

    fn by_first_line<'i, B>(&self, items: &'i [PartialItem<B>]) -> HashMap<LineNumber, &'i PartialItem<B>> {
        let mut by_line = HashMap::new();
        for item in items {
            if let Some(claim) = claims(&item.citations, self.map).first() {
                by_line.entry(claim.lines.start()).or_insert(item);
            }
        }
        by_line
    }

    /// Merges error handling, one entry for each condition with its action. The parser's words are also told apart by when they hold.
    fn errors(&mut self, entries: &mut DraftItems<ErrorHandling>, items: &[PartialItem<ErrorHandling>]) {
        for item in items {
            let holds_alike = |own: &ErrorHandling| {
                !self.ground.is_parser_only || (&own.runs, &own.outcome) == (&item.runs, &item.outcome)
            };
            let found = with_text(entries, item).find(|index| holds_alike(&entries.list[*index].body));
            let index = self.put(entries, found, item);
            entries.list[index].body.join(item, self.ground.is_parser_only);
            self.hold_to(entries, index, item, item.plain_name());
        }
    }

    fn questions(&mut self, entries: &mut DraftItems<OpenQuestion>, items: &[PartialItem<OpenQuestion>]) {
        for item in items {
            let question = item.plain_name();
            let found = entries.indices_by_name(question).first().copied();
            let line = self.line_of(item);
            let index = self.put(entries, found, item);
            let entry = &mut entries.list[index];
            entry.is_written |= !question.is_empty();
            entry.more.join(item.more(), line);
        }
    }
}

/// Divides an answer's SQL statements into those that include copybooks, as copybooks, and the others.
fn without_includes(
    statements: &[PartialItem<SqlOperation>],
) -> (Vec<PartialItem<CopybookUse>>, Vec<PartialItem<SqlOperation>>) {
    let (mut included, mut others) = (Vec::new(), Vec::new());
    for statement in statements {
        let mut words = statement.operation.split_whitespace();
        let is_include = words.next().is_some_and(|word| word.eq_ignore_ascii_case("INCLUDE"));
        match words.next().map(str::to_owned).or_else(|| statement.table.clone()).filter(|_| is_include) {
            Some(copybook_name) => {
                let body = CopybookUse { copybook_name, purpose: statement.purpose.clone(), ..CopybookUse::default() };
                included.push(PartialItem::new(body, statement.citations.clone()));
            }
            None => others.push(statement.clone()),
        }
    }
    (included, others)
}

/// Returns the entries with the same name and text.
fn with_text<B: ItemBody>(entries: &DraftItems<B>, item: &B) -> impl Iterator<Item = usize> {
    let says_it = |index: &usize| entries.list[*index].text.text() == item.text().trim();
    entries.indices_by_name(item.plain_name()).iter().copied().filter(says_it)
}
