//! Merges facts and partial templates into one document.

use crate::anchors::SourceNames;
use crate::claims::{ChunkClaim, ConstructSpans, judged_claims, verify_claims};
use crate::data::{CopybookItems, data_items};
use crate::evidence::{EvidenceIndex, ItemSense, Statement};
use crate::listed;
use crate::merge_chunk::{MergeContext, ScribeItems, fill_from_parser, merge_chunk};
use crate::overview::apply_overview;
use crate::skeleton::{self, DraftItem, DraftItems, Skeleton, program_name};
use crate::states::record_states;
use std::cell::LazyCell;
use war_rig_cobol::{Analysis, ParsedCobol, ResourceKind};
use war_rig_template::{
    CallingContext, ChunkRecord, ChunkStatus, Citation, CitationStatus, Claim, Coverage, DataFlow, Document,
    DocumentItem, DocumentStatus, Hazard, ItemBody, PartialTemplate, ProgramOverview, Purpose,
};
use war_rig_text::{LineRange, SourceText};

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
    /// The overview written over the words about all chunks; none if there is none.
    pub overview: Option<ProgramOverview>,
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
    let outcomes = &*listed::resolve(outcomes, source, analysis);
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
    let names = SourceNames::of(parsed);
    let evidence = LazyCell::new(|| EvidenceIndex::of(source, analysis, &names));
    let maker =
        DocumentBuilder { source, parsed, names: &names, evidence: &evidence, parsers_words: author.is_parser_only };
    document.programs = skeleton::programs(source, parsed);
    document.calling_context = skeleton::calling_context(parsed, &estate.context);
    (document.data_dictionary, document.copied_data) = data_items(source, parsed, &estate.documented);
    document.control_flow = skeleton::control_flow(analysis);
    document.record_states = record_states(source, analysis);
    document.hazards = hazards(source, analysis);
    maker.purpose(&mut document, &mut written, parsed);
    maker.items(&mut document, frame, written);
    if let Some(overview) = &estate.overview {
        apply_overview(&mut document, overview);
    }
    document.chunks = outcomes.iter().map(|outcome| maker.chunk(&document, outcome)).collect();
    document.coverage = coverage(&document, outcomes, all);
    document.header.status = match outcomes.iter().filter(|outcome| outcome.partial.is_none()).count() {
        0 => DocumentStatus::Complete,
        failed if failed == outcomes.len() => DocumentStatus::Failed,
        _ => DocumentStatus::Partial,
    };
    document
}

/// Returns what a maintainer should look at twice, each with its lines.
fn hazards(source: &SourceText, analysis: &Analysis) -> Vec<DocumentItem<Hazard>> {
    let item = |found: war_rig_cobol::Hazard| {
        let citation = |lines| Citation::judged(&Claim { lines, quote: None }, source, lines, CitationStatus::Verified);
        let hazard = Hazard {
            kind: found.kind.name().to_owned(),
            finding: found.kind.to_string(),
            about: found.kind.about().into_iter().map(str::to_owned).collect(),
        };
        let program = program_name(analysis.parsed(), found.program);
        DocumentItem { program, ..DocumentItem::parsed(hazard, found.lines.into_iter().map(citation).collect()) }
    };
    analysis.hazards(source).into_iter().map(item).collect()
}

struct DocumentBuilder<'a, F: FnOnce() -> EvidenceIndex<'a>> {
    source: &'a SourceText,
    parsed: &'a ParsedCobol,
    names: &'a SourceNames,
    /// The evidence for a model's words.
    evidence: &'a LazyCell<EvidenceIndex<'a>, F>,
    parsers_words: bool,
}

impl<'a, F: FnOnce() -> EvidenceIndex<'a>> DocumentBuilder<'a, F> {
    /// Returns the citations of an entry: the parser's verified by its names, a model's judged by everything that the item cites.
    /// `own` are the model's citations of an entry of the parser.
    fn citations<B: ItemBody>(
        &self,
        entry: &DraftItem<B>,
        own: Option<&[Citation]>,
        sense: ItemSense,
    ) -> Vec<Citation> {
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
        if entry.parsed || entry.in_parser_words || self.parsers_words {
            let mut citations = verify_claims(&entry.claims, self.source, &self.anchors(entry));
            // The lines are the parser's, whatever the model cites; its words about them may still be refuted.
            let refuted = own.unwrap_or_default().iter().filter(|own| own.status() == CitationStatus::Contradicted);
            for refuted in refuted.map(Citation::lines) {
                for shown in citations.iter_mut().filter(|shown| shown.lines().intersection(refuted).is_some()) {
                    let claim = Claim { lines: shown.lines(), quote: shown.quote().map(str::to_owned) };
                    *shown = Citation::judged(&claim, self.source, shown.lines(), CitationStatus::Contradicted);
                }
            }
            return citations;
        }
        self.judged(entry, &entry.claims, sense)
    }

    /// Returns a model's own citations of an entry of the parser, judged by the words that it wrote.
    fn own_citations<B: ItemBody>(&self, entry: &DraftItem<B>, sense: ItemSense) -> Option<Vec<Citation>> {
        let is_model = entry.parsed && entry.is_written && !entry.in_parser_words && !self.parsers_words;
        // Which way its data goes is the parser's fact already.
        let sense = match sense {
            ItemSense::Read | ItemSense::Write | ItemSense::Input | ItemSense::Output => ItemSense::Transform,
            other => other,
        };
        is_model.then(|| self.judged(entry, &entry.model_claims, sense))
    }

    /// Checks a model's claims about an item by its words.
    fn judged<B: ItemBody>(&self, entry: &DraftItem<B>, claims: &[ChunkClaim], sense: ItemSense) -> Vec<Citation> {
        let name = entry.body.name();
        let mut texts = vec![name, entry.text.text(), entry.more.text()];
        texts.extend(entry.body.mentions().iter().map(String::as_str));
        texts.retain(|text| !entry.given.iter().any(|given| given == text));
        let conditions: Vec<&str> = entry.required_texts.iter().map(String::as_str).collect();
        let given: Vec<&str> = entry.given.iter().map(String::as_str).collect();
        let kind = entry.body.detail();
        let statement = Statement { name, kind, texts: &texts, conditions: &conditions, given: &given, sense };
        judged_claims(claims, self.source, |lines| self.evidence.judge(&statement, lines))
    }

    fn anchors<B: ItemBody>(&self, entry: &DraftItem<B>) -> Vec<String> {
        let name = entry.body.name();
        // The two words of a command may be on two lines, and blanks may be around the point of a qualified name.
        let parts = [name.split(' ').next(), name.rsplit('.').next()];
        let aliases = entry.aliases.iter().map(String::as_str);
        let mut anchors: Vec<String> = [Some(name), entry.body.detail()]
            .into_iter()
            .chain(parts)
            .flatten()
            .chain(aliases.clone())
            .filter(|name| entry.parsed && !name.is_empty())
            .map(str::to_owned)
            .collect();
        let mentions = entry.body.mentions().iter().map(String::as_str).chain(aliases);
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
        let named = parsed.programs.iter().filter(|program| program.is_named);
        let mut anchors: Vec<String> = named.map(|program| program.name.clone()).collect();
        anchors.extend(self.names.anchors([purpose.summary.text(), purpose.context.text()]));
        let by_parser = purpose.known || self.parsers_words;
        let texts = [purpose.summary.text(), purpose.context.text()];
        let sense = ItemSense::Overview;
        let statement = Statement { name: "", kind: None, texts: &texts, conditions: &[], given: &[], sense };
        let citations = match by_parser {
            true => verify_claims(&purpose.claims, self.source, &anchors),
            false => judged_claims(&purpose.claims, self.source, |lines| match purpose.is_refuted {
                true => vec![CitationStatus::Contradicted; lines.len()],
                false => self.evidence.judge(&statement, lines),
            }),
        };
        let entry = DraftItem::<Purpose> {
            is_written: !purpose.summary.is_empty(),
            in_parser_words: purpose.known,
            ..DraftItem::default()
        };
        document.purpose = DocumentItem {
            confidence: (!by_parser && entry.is_written).then(|| share_that_holds(&citations)),
            origin: entry.origin(self.parsers_words),
            ..DocumentItem::parsed(
                Purpose {
                    summary: purpose.summary.into_text(),
                    business_context: Some(purpose.context.into_text()).filter(|text| !text.is_empty()),
                    program_type: purpose.kind.into_words(),
                    ..Purpose::default()
                },
                citations,
            )
        };
    }

    fn items(&self, document: &mut Document, frame: Skeleton, written: ScribeItems) {
        document.inputs = self.make_in(frame.inputs, ItemSense::Input);
        document.outputs = self.make_in(frame.outputs, ItemSense::Output);
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
            reads_from: self.make_in(written.reads, ItemSense::Read),
            writes_to: self.make_in(written.writes, ItemSense::Write),
            transforms: self.make_in(written.transforms, ItemSense::Transform),
        };
        document.open_questions = self.make_in(written.questions, ItemSense::Question);
        document.conflicts = written.conflicts;
        document.rejected = written.rejected;
    }

    fn make<B: ItemBody>(&self, entries: DraftItems<B>) -> Vec<DocumentItem<B>> {
        self.make_in(entries, ItemSense::Statement)
    }

    /// Orders items by the lines they cite, whichever chunk described them first; items without a citation come last.
    fn make_in<B: ItemBody>(&self, entries: DraftItems<B>, sense: ItemSense) -> Vec<DocumentItem<B>> {
        let mut items: Vec<DocumentItem<B>> = entries
            .list
            .into_iter()
            .map(|entry| {
                let own = self.own_citations(&entry, sense);
                let citations = self.citations(&entry, own.as_deref(), sense);
                let origin = entry.origin(self.parsers_words);
                // Text without a citation has no support at all.
                let is_model = entry.is_written && !entry.in_parser_words && !self.parsers_words;
                let confidence = is_model.then(|| share_that_holds(own.as_deref().unwrap_or(&citations)));
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

    /// Builds the record of a chunk. Its confidence is the share of a model's citations in it that hold, of the usable items.
    fn chunk(&self, document: &Document, outcome: &ChunkOutcome) -> ChunkRecord {
        let mut notes = outcome.notes.clone();
        let nothing = PartialTemplate::default();
        let knows_more = outcome.parser_template.as_ref().is_some_and(|known| *known != nothing);
        let says_nothing = outcome.partial.as_ref() == Some(&nothing);
        if says_nothing && knows_more {
            notes.push("the answer says nothing of what the source has there".to_owned());
        }
        let (status, confidence) = match &outcome.partial {
            None => (ChunkStatus::Failed, 0.0),
            Some(_) if says_nothing && knows_more => (ChunkStatus::Complete, 0.0),
            Some(_) if self.parsers_words => (ChunkStatus::Complete, 1.0),
            Some(_) => {
                let inside = |citation: &&Citation| outcome.lines.covers(citation.lines());
                let share = share_that_holds(&document.citations().filter(inside).cloned().collect::<Vec<_>>());
                (ChunkStatus::Complete, rounded(share * outcome.usable_share))
            }
        };
        ChunkRecord { chunk_id: outcome.chunk_id.clone(), lines: outcome.lines, status, confidence, notes }
    }
}

/// Returns the share of citations that hold, a relocated one counting half; none hold without citations.
fn share_that_holds(citations: &[Citation]) -> f64 {
    let worth = |citation: &Citation| match citation.status() {
        CitationStatus::Verified => 1.0,
        CitationStatus::Relocated => 0.5,
        CitationStatus::Unchecked | CitationStatus::Unsupported | CitationStatus::Contradicted => 0.0,
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
