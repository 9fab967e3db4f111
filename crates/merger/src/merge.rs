//! Merges facts and partial templates into one document.

use crate::anchors::SourceNames;
use crate::claims::{ChunkClaim, ConstructSpans, claims, verify_claims, verify_quoted_claims};
use crate::data::{CopybookItems, data_items};
use crate::merge_chunk::{MergeContext, ScribeItems, fill_from_parser, merge_chunk};
use crate::skeleton::{self, DraftItem, DraftItems, Skeleton};
use war_rig_cobol::{Analysis, ParsedCobol, ResourceKind};
use war_rig_template::{
    CallingContext, ChunkRecord, ChunkStatus, Citation, CitationStatus, Coverage, DataFlow, Document, DocumentItem,
    DocumentStatus, ItemBody, PartialTemplate, Purpose,
};
use war_rig_text::{LineMap, LineRange, SourceText};

/// The author of the partial templates.
#[derive(Debug, Clone, Copy)]
pub struct Author<'a> {
    /// `static`, or a model's name.
    pub produced_by: &'a str,
    /// Whether its text counts as the parser's.
    pub is_parser_only: bool,
}

/// The result of one chunk.
#[derive(Debug, Clone)]
pub struct ChunkOutcome {
    /// The chunk's id.
    pub chunk_id: String,
    /// The lines it owns, which its prompt numbered from 1.
    pub lines: LineRange,
    /// The partial template written for it; none if it failed.
    pub partial: Option<PartialTemplate>,
    /// The parser's facts in words, used where a model left something out; none if the parser's words were written.
    pub parser_template: Option<PartialTemplate>,
    /// Notes about unusable parts of the answer.
    pub notes: Vec<String>,
    /// The usable share of the answer's items, from 0 to 1.
    pub usable_share: f64,
}

impl ChunkOutcome {
    /// Builds the outcome of a chunk whose template is fully usable.
    pub fn new(chunk_id: impl Into<String>, lines: LineRange, partial: Option<PartialTemplate>) -> Self {
        Self { chunk_id: chunk_id.into(), lines, partial, parser_template: None, notes: Vec::new(), usable_share: 1.0 }
    }
}

/// What is known about a source beyond its chunks.
#[derive(Debug, Clone, Default)]
pub struct FileContext {
    /// How the rest of the estate reaches it, without what the source itself shows.
    pub context: CallingContext,
    /// The purpose summarized from the purposes of all parts; none if they were not read together.
    pub purpose: Option<Purpose>,
    /// The data items that the documents of its copybooks show: the source's document refers to them.
    pub documented: CopybookItems,
}

/// Merges the outcomes of a source's chunks, in order, into its document.
pub fn merge(
    source: &SourceText,
    analysis: &Analysis,
    outcomes: &[ChunkOutcome],
    author: Author<'_>,
    estate: &FileContext,
) -> Document {
    let parsed = analysis.parsed();
    let mut document = Document::new(skeleton::header(source, parsed, author.produced_by));
    let Some(all) = source.line_range() else { return document };
    let mut frame = Skeleton::of(analysis, all);
    let mut written = ScribeItems::default();
    let spans = ConstructSpans::of(parsed);
    let ground = MergeContext { source, spans: &spans, is_parser_only: author.is_parser_only };
    for outcome in outcomes {
        if let Some(partial) = &outcome.partial {
            merge_chunk(&mut frame, &mut written, outcome, partial, &ground);
        }
    }
    for outcome in outcomes {
        if let Some(known) = &outcome.parser_template {
            fill_from_parser(&mut frame, &mut written, outcome, known, &ground);
        }
    }
    frame
        .add_steps(outcomes.iter().filter_map(|outcome| outcome.parser_template.as_ref().or(outcome.partial.as_ref())));
    if let Some(purpose) = &estate.purpose {
        written.purpose.replace_with(purpose);
    }
    let maker =
        DocumentBuilder { source, parsed, names: SourceNames::of(parsed), parsers_words: author.is_parser_only };
    document.programs = skeleton::programs(parsed);
    document.calling_context = skeleton::calling_context(parsed, &estate.context);
    (document.data_dictionary, document.copied_data) = data_items(parsed, &estate.documented);
    document.control_flow = skeleton::control_flow(analysis);
    maker.purpose(&mut document, &mut written, parsed);
    maker.items(&mut document, frame, written);
    document.chunks = outcomes.iter().map(|outcome| maker.chunk(outcome)).collect();
    document.coverage = coverage(&document, outcomes, all);
    document.header.status = match outcomes.iter().filter(|outcome| outcome.partial.is_none()).count() {
        0 => DocumentStatus::Complete,
        failed if failed == outcomes.len() => DocumentStatus::Failed,
        _ => DocumentStatus::Partial,
    };
    document
}

struct DocumentBuilder<'a> {
    source: &'a SourceText,
    parsed: &'a ParsedCobol,
    names: SourceNames,
    parsers_words: bool,
}

impl DocumentBuilder<'_> {
    /// Returns the citations of an entry, verified against its name, its detail and the names in its texts.
    fn citations<B: ItemBody>(&self, entry: &DraftItem<B>) -> Vec<Citation> {
        if entry.is_disputed {
            // Whatever these lines contain, they do not bear out the item.
            let unquoted = entry.claims.iter().map(|claim| ChunkClaim { quote: None, ..claim.clone() });
            return verify_claims(&unquoted.collect::<Vec<_>>(), self.source, &[]);
        }
        if entry.is_nameless {
            // An item without a name is identified by the words of its first line.
            let first =
                |claim: &ChunkClaim| self.source.line(claim.lines.start()).map(|line| line.code().trim().to_owned());
            let quoted = entry.claims.iter().map(|claim| ChunkClaim { quote: first(claim), ..claim.clone() });
            return verify_claims(&quoted.collect::<Vec<_>>(), self.source, &[]);
        }
        if entry.required_texts.is_empty() {
            return verify_claims(&entry.claims, self.source, &self.anchors(entry));
        }
        // A name that an item mentions occurs in many places, but its subject occurs where it is cited: its conditions word for word
        // if the chunk contains them literally, otherwise the names in them.
        let anchors = self.names.anchors(entry.required_texts.iter().map(String::as_str));
        let anchors = if anchors.is_empty() { self.anchors(entry) } else { anchors };
        verify_quoted_claims(&entry.claims, self.source, &entry.required_texts, &anchors)
    }

    /// Returns how far a model's text can be trusted: the share of its own citations that are verified; a relocated one counts half.
    /// Text without a citation has no support at all.
    fn confidence<B: ItemBody>(&self, entry: &DraftItem<B>, citations: &[Citation]) -> Option<f64> {
        if self.parsers_words || entry.in_parser_words || !entry.is_written {
            return None;
        }
        let own = entry.parsed.then(|| verify_claims(&entry.model_claims, self.source, &self.anchors(entry)));
        Some(held(own.as_deref().unwrap_or(citations)))
    }

    fn anchors<B: ItemBody>(&self, entry: &DraftItem<B>) -> Vec<String> {
        let name = entry.body.name();
        // The two words of a command may be on two lines.
        let first_word = name.split(' ').next();
        let mut anchors: Vec<String> = [Some(name), first_word, entry.body.detail()]
            .into_iter()
            .flatten()
            .filter(|name| entry.parsed && !name.is_empty())
            .map(str::to_owned)
            .collect();
        let mentions = entry.body.mentions().iter().chain(&entry.aliases).map(String::as_str);
        let texts = [name, entry.text.text(), entry.more.text()].into_iter().chain(mentions);
        anchors.extend(self.names.anchors(texts));
        anchors
    }

    /// Returns the innermost program that contains a citation, in a file with several programs.
    fn program_of(&self, citation: &Citation) -> Option<String> {
        let programs = &self.parsed.programs;
        let holds = |program: &&war_rig_cobol::Program| program.lines.contains(citation.lines().start());
        (programs.len() > 1).then(|| programs.iter().rev().find(holds).map(|program| program.name.clone())).flatten()
    }

    fn purpose(&self, document: &mut Document, written: &mut ScribeItems, parsed: &ParsedCobol) {
        let purpose = std::mem::take(&mut written.purpose);
        let mut anchors: Vec<String> = parsed.programs.iter().map(|program| program.name.clone()).collect();
        anchors.extend(self.names.anchors([purpose.summary.text(), purpose.context.text()]));
        let citations = verify_claims(&purpose.claims, self.source, &anchors);
        let written = !purpose.summary.is_empty();
        let entry =
            DraftItem::<Purpose> { is_written: written, in_parser_words: purpose.known, ..DraftItem::default() };
        document.purpose = DocumentItem {
            confidence: self.confidence(&entry, &citations),
            origin: entry.origin(self.parsers_words),
            ..DocumentItem::parsed(
                Purpose {
                    summary: purpose.summary.into_text(),
                    business_context: Some(purpose.context.into_text()).filter(|text| !text.is_empty()),
                    program_type: purpose.kind.into_text(),
                },
                citations,
            )
        };
    }

    fn items(&self, document: &mut Document, frame: Skeleton, written: ScribeItems) {
        document.inputs = self.make(frame.inputs);
        document.outputs = self.make(frame.outputs);
        document.called_programs = self.make(frame.calls);
        document.copybooks_used = self.make(frame.copybooks);
        document.paragraphs = self.make(frame.paragraphs);
        document.sql_operations = self.make(frame.sql);
        document.cics_operations = self.make(frame.cics);
        document.dli_operations = self.make(frame.dli);
        document.business_rules = self.make(written.rules);
        for (number, rule) in (1..).zip(&mut document.business_rules) {
            rule.rule_id = format!("R{number:03}");
        }
        document.error_handling = self.make(written.errors);
        document.data_flow = DataFlow {
            reads_from: self.make(written.reads),
            writes_to: self.make(written.writes),
            transforms: self.make(written.transforms),
        };
        document.open_questions = self.make(written.questions);
        document.conflicts = written.conflicts;
        document.rejected = written.rejected;
    }

    /// Orders items by the lines they cite, whichever chunk described them first; items without a citation come last.
    fn make<B: ItemBody>(&self, entries: DraftItems<B>) -> Vec<DocumentItem<B>> {
        let mut items: Vec<DocumentItem<B>> = entries
            .into_list()
            .into_iter()
            .map(|entry| {
                let citations = self.citations(&entry);
                let (origin, confidence) = (entry.origin(self.parsers_words), self.confidence(&entry, &citations));
                let DraftItem { mut body, text, more, program, .. } = entry;
                body.say(text.into_text(), more.into_text());
                let program = program.or_else(|| self.program_of(citations.first()?));
                DocumentItem { body, citations, origin, confidence, program }
            })
            .collect();
        let streams = [ResourceKind::SystemInput, ResourceKind::SystemOutput].map(|kind| kind.in_words());
        // Items that begin on one line keep their order: neither the layout of lines nor names affect it.
        // Items that the system supplies and receives come last.
        items.sort_by_key(|item| {
            let is_stream = item.body.detail().is_some_and(|kind| streams.contains(&kind));
            (is_stream, item.citations.first().map_or(u32::MAX, |first| first.lines().start().get()))
        });
        items
    }

    /// Builds the record of a chunk. Its confidence is the share of its own citations that are verified where they point.
    fn chunk(&self, outcome: &ChunkOutcome) -> ChunkRecord {
        let (status, confidence) = match &outcome.partial {
            None => (ChunkStatus::Failed, 0.0),
            Some(partial) => {
                let held = self.held(partial, LineMap::new(outcome.lines));
                (ChunkStatus::Complete, rounded(held * outcome.usable_share))
            }
        };
        let mut notes = outcome.notes.clone();
        let nothing = PartialTemplate::default();
        let knows_more = outcome.parser_template.as_ref().is_some_and(|known| *known != nothing);
        let says_nothing = outcome.partial.as_ref() == Some(&nothing);
        let confidence = if says_nothing && knows_more { 0.0 } else { confidence };
        if says_nothing && knows_more {
            notes.push("the answer says nothing of what the source has there".to_owned());
        }
        ChunkRecord { chunk_id: outcome.chunk_id.clone(), lines: outcome.lines, status, confidence, notes }
    }

    fn held(&self, partial: &PartialTemplate, map: LineMap) -> f64 {
        // A stub continues a paragraph whose name is in an earlier chunk.
        let named = partial
            .paragraphs
            .iter()
            .filter(|item| !item.is_stub())
            .map(|item| (&item.paragraph_name, &item.citations));
        let called = partial.called_programs.iter().map(|item| (&item.program_name, &item.citations));
        let copied = partial.copybooks_used.iter().map(|item| (&item.copybook_name, &item.citations));
        let ruled = partial.business_rules.iter().map(|item| (&item.description, &item.citations));
        let (mut held, mut total) = (0u32, 0u32);
        for (name, citations) in named.chain(called).chain(copied).chain(ruled) {
            let mut anchors = self.names.anchors([name.as_str()]);
            anchors.push(name.clone());
            for citation in verify_claims(&claims(citations, map), self.source, &anchors) {
                total += 1;
                held += u32::from(citation.status() != CitationStatus::Unsupported);
            }
        }
        if total == 0 { 1.0 } else { f64::from(held) / f64::from(total) }
    }
}

/// Returns the share of verified citations, a relocated one counting half; none without citations.
fn held(citations: &[Citation]) -> f64 {
    let worth = |citation: &Citation| match citation.status() {
        CitationStatus::Verified => 1.0,
        CitationStatus::Relocated => 0.5,
        CitationStatus::Unsupported => 0.0,
    };
    // The sum of nothing would be a negative zero.
    let sum = citations.iter().map(worth).fold(0.0, |sum, one| sum + one);
    rounded(sum / citations.len().max(1) as f64)
}

/// Rounds to two decimals, as documents show.
fn rounded(share: f64) -> f64 {
    (share * 100.0).round() / 100.0
}

/// Counts the documented, cited and failed lines. A line is cited when a verified or relocated citation contains it.
fn coverage(document: &Document, outcomes: &[ChunkOutcome], all: LineRange) -> Coverage {
    let count = |done: bool| {
        outcomes.iter().filter(|outcome| outcome.partial.is_some() == done).map(|outcome| outcome.lines.count()).sum()
    };
    Coverage {
        lines: all.count(),
        documented: count(true),
        cited: document.cited_lines(all.count()),
        failed: count(false),
        excluded: 0,
    }
}
