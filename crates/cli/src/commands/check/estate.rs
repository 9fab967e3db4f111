//! Checks every source of an estate against its document.
//!
//! Every source is read and parsed once. What its document says about it alone is verified at once; what the document says about the estate is
//! verified when all sources are known. For a COBOL source, only its survey and a hash of the document's statements about the estate stay in memory.

use super::document_folder::DocumentFolder;
use super::sealed_summary::SealedSummary;
use super::thorough::{PageEntries, PageEntry, ThoroughCheck};
use crate::printer::Printer;
use crate::settings::Settings;
use crate::sources::Inventory;
use std::collections::{BTreeSet, HashSet};
use war_rig_check::{
    CheckTotals, Finding, FindingLevel, GroundTruth, Report, Rule, instruction_like_comments, verify_context,
    verify_document, verify_fields, verify_page,
};
use war_rig_estate::{ChangedFiles, EstateGraph, Survey};
use war_rig_pool::{
    CopybookLookup, KnownSource, LoadedSource, ParsedSource, SourceError, SourceId, SourceIdentity, Sources,
    TicketState, affected_sources, expected_cobol_document, expected_non_cobol_document, for_each_ordered, load_source,
    source_inputs_hash,
};
use war_rig_scribe::{ListedSource, Scribe, StaticScribe};
use war_rig_secrets::FoundSecret;
use war_rig_template::{CallingContext, Document, SealedDocument, normalize_line_ends};
use war_rig_text::{ContentHash, LineRange, SourceText};

/// What to check, and how.
pub struct EstateCheck<'a> {
    pub sources: &'a Inventory,
    pub documents: &'a DocumentFolder,
    pub settings: &'a Settings,
    /// The changes, when only their effects are reported.
    pub changes: Option<ChangedFiles>,
    /// The additional checks of a thorough check, which trusts no seal.
    pub thorough: Option<ThoroughCheck>,
    /// The number of files processed at a time.
    pub jobs: usize,
    pub printer: &'a Printer,
}

/// The result of checking one source.
#[derive(Default)]
struct SourceCheck {
    survey: Option<Survey>,
    findings: Vec<Finding>,
    checked: CheckTotals,
    later: Option<DeferredCheck>,
    /// The results of its COPY statements.
    lookups: Vec<CopybookLookup>,
    /// The reason why it cannot be read, if that is a failure.
    unread: Option<String>,
    /// Its entry in the run's pages, if those are checked.
    list: Option<PageEntry>,
}

/// The part of a document that is verified when the whole estate is known.
enum DeferredCheck {
    /// The document's statements about the estate around a COBOL source, as a hash.
    Context(SourceIdentity, ContentHash),
    /// The whole document: its source is not COBOL.
    WholeDocument,
}

impl EstateCheck<'_> {
    /// Returns all findings, at their rules' default levels and unordered, and the number of unreadable sources.
    pub fn run(&self) -> (Report, usize) {
        let all = self.sources.all_sources();
        let picked: HashSet<&SourceId> = self.sources.picked.iter().collect();
        let (mut report, mut surveys, mut later) = (Report::default(), Vec::new(), Vec::new());
        let mut unread = Vec::new();
        let mut lists = PageEntries::new();
        let look = |id: &SourceId| self.look(id, picked.contains(id));
        let mut lookups = Vec::new();
        for_each_ordered(&all, self.jobs, look, |id, looked| {
            let looked = looked.unwrap_or_else(|defect| match picked.contains(id) {
                true => self.unreadable(id, &defect.into()),
                false => SourceCheck::default(),
            });
            if self.changes.is_some() {
                lookups.push((looked.survey.is_some(), looked.lookups));
            }
            surveys.extend(looked.survey);
            report.findings.extend(looked.findings);
            report.checked += looked.checked;
            later.extend(looked.later.map(|what| (id.clone(), what)));
            unread.extend(looked.unread.map(|why| (id.0.clone(), why)));
            lists.extend(looked.list.map(|list| (id.clone(), list)));
        });
        let affected = self.changes.as_ref().map(|changes| affected_by(changes, &all, &lookups, &surveys));
        let graph = EstateGraph::of(surveys);
        let finish = |(id, later): &(SourceId, DeferredCheck)| self.finish(id, later, &graph);
        for_each_ordered(&later, self.jobs, finish, |(id, _), finished| {
            let looked = finished.unwrap_or_else(|defect| self.unreadable(id, &defect.into()));
            unread.extend(looked.unread.map(|why| (id.0.clone(), why)));
            lists.extend(looked.list.map(|list| (id.clone(), list)));
            report.findings.extend(looked.findings);
            report.checked += looked.checked;
        });
        // The run's pages list all sources. When only some were checked, or one has no readable document, the expected content is unknown.
        if let Some(thorough) = self.thorough.as_ref().filter(|_| lists.len() == all.len()) {
            let functions = &self.settings.output.functions;
            report.findings.extend(thorough.estate_pages(self.documents, self.sources, &lists, &graph, functions));
        }
        if let Some(affected) = affected {
            // A document's estate information changes with other sources; documents of sources that are not COBOL contain hardly anything else.
            let is_told = |finding: &Finding| {
                affected.contains(&finding.file)
                    || finding.item.as_deref() == Some("calling_context")
                    || !self.sources.kind(&SourceId(finding.file.clone())).is_cobol()
            };
            report.findings.retain(is_told);
            unread.retain(|(file, _)| affected.contains(file));
        }
        unread.retain(|(file, _)| !self.settings.check.exclude.matches(file));
        unread.iter().for_each(|(file, why)| self.printer.warn(&format!("{file}: {why}")));
        (report, unread.len())
    }

    /// Reads a source, and verifies its document as far as possible without the other sources.
    fn look(&self, id: &SourceId, is_picked: bool) -> SourceCheck {
        let options = self.settings.source_options();
        let source = match load_source(self.sources, id, &options) {
            Ok(source) => source,
            Err(error) if is_picked => return self.unreadable(id, &error),
            Err(_) => return SourceCheck::default(),
        };
        let survey = source.survey(self.sources.kind(id));
        let lookups = match &source {
            LoadedSource::Cobol(prepared) if self.changes.is_some() => prepared.lookups.clone(),
            LoadedSource::Cobol(_) | LoadedSource::NonCobol(_) => Vec::new(),
        };
        if !is_picked {
            return SourceCheck { survey: Some(survey), lookups, ..SourceCheck::default() };
        }
        let checked = CheckTotals { sources: 1, ..CheckTotals::default() };
        let mut looked = SourceCheck { checked, lookups, ..SourceCheck::default() };
        match &source {
            LoadedSource::NonCobol(surrounding) => {
                looked.findings = self.of_text(&surrounding.source, &surrounding.secrets);
                looked.later = Some(DeferredCheck::WholeDocument);
            }
            LoadedSource::Cobol(prepared) => {
                looked.findings = self.of_text(&prepared.source, &prepared.secrets);
                if let Some(said) = self.cobol(id, prepared, &mut looked) {
                    looked.later = Some(DeferredCheck::Context(SourceIdentity::from_survey(&survey), said));
                }
            }
        }
        looked.survey = Some(survey);
        looked
    }

    /// Verifies the document of a COBOL source, and returns the hash of its statements about the estate; `None` when there is no document.
    fn cobol(&self, id: &SourceId, prepared: &ParsedSource, looked: &mut SourceCheck) -> Option<ContentHash> {
        let json = match self.documents.json(id) {
            Some(Ok(json)) => json,
            Some(Err(why)) => return self.no_document(id, Some(&why), &mut looked.findings),
            None => return self.no_document(id, None, &mut looked.findings),
        };
        let json = normalize_line_ends(&json);
        let options = self.settings.source_options();
        let kind = self.sources.kind(id);
        let made_from = source_inputs_hash(
            id,
            kind,
            &options,
            (prepared.source.hash(), prepared.known_secrets_hash),
            &prepared.lookups,
        );
        let sealed = SealedDocument::of(&json).filter(SealedDocument::is_intact);
        if let Some(sealed) = sealed.filter(|_| self.thorough.is_none())
            && let Some(glance) = SealedSummary::of(&json, made_from)
            && self.documents.page(id).is_some_and(|page| page.is_ok_and(|page| sealed.matches_page(&page)))
        {
            looked.checked += glance.checked();
            return Some(hash_of(glance.calling_context));
        }
        let document = match serde_json::from_slice::<Document>(&json) {
            Ok(document) => document,
            Err(why) => return self.no_document(id, Some(&why.to_string()), &mut looked.findings),
        };
        // The parser's statements about a chunk depend on where it is cut; a model's are verified separately.
        let is_by_parser = document.header.produced_by == StaticScribe.produced_by();
        let chunks = if is_by_parser { document.chunks.as_slice() } else { &[] };
        let policy = options.secrets.policy;
        let expected =
            expected_cobol_document(prepared, policy, CallingContext::default(), chunks, &*self.sources.copybooks(id));
        let items = prepared.analysis.parsed().data_items.iter();
        let copied_names: Vec<&str> = items.filter(|item| item.file.is_some()).map(|item| item.name.as_str()).collect();
        let truth = GroundTruth { source: &prepared.source, expected: &expected, copied_names: &copied_names };
        let before = looked.findings.len();
        looked.checked += self.held(id, (&json, &document), truth, &mut looked.findings);
        looked.list = self.list(&document);
        // A model's statements are its own, and those of a stale document are about another source: only the seal can show that they are unchanged.
        let is_clean = looked.findings.len() == before;
        let is_stale = document.header.source_hash != expected.header.source_hash;
        if sealed.is_none() && (is_stale || (is_clean && !is_by_parser)) {
            let message = "it was changed since it was written: its seal does not hold";
            looked.findings.push(Finding::new(Rule::StaleDocument, &id.0, message).for_item("seal"));
        }
        Some(hash_of(document.calling_context))
    }

    /// Records that a source has no document, or why the document cannot be read.
    fn no_document<T>(&self, id: &SourceId, why: Option<&str>, findings: &mut Vec<Finding>) -> Option<T> {
        let message = match why {
            Some(why) => format!("its document cannot be read: {why}"),
            None => "it has no document".to_owned(),
        };
        findings.push(Finding::new(Rule::MissingDocument, &id.0, message).hiding_others());
        None
    }

    /// Returns the findings about a source itself.
    fn of_text(&self, text: &SourceText, secrets: &[FoundSecret]) -> Vec<Finding> {
        let finding = |secret: &FoundSecret| {
            let lines = LineRange::single(secret.line());
            Finding::new(Rule::PossibleSecret, text.name(), secret.to_string()).at_lines(text, lines)
        };
        let mut findings: Vec<Finding> = secrets.iter().map(finding).collect();
        if self.settings.check.levels.of(Rule::InstructionLikeComment) != FindingLevel::Off {
            findings.extend(instruction_like_comments(text));
        }
        findings
    }

    /// Handles an unreadable source: it has no document, or one that cannot be verified.
    fn unreadable(&self, id: &SourceId, error: &SourceError) -> SourceCheck {
        let why = error.to_string();
        let has_document = self.documents.json(id).is_some();
        let mut looked = SourceCheck::default();
        match error {
            // A skipped source has no document.
            SourceError::Unrecognized(_) if !has_document => {
                let list = || PageEntry::NotDocumented(ListedSource::ended(TicketState::Skipped, &why));
                return SourceCheck { list: self.thorough.as_ref().map(|_| list()), ..looked };
            }
            SourceError::Unrecognized(_) => {}
            SourceError::Io(_)
            | SourceError::NotEncoded(_)
            | SourceError::ContainsSecrets(_)
            | SourceError::Internal(_) => {
                looked.unread = Some(why.clone());
            }
        }
        let rule = if has_document { Rule::StaleDocument } else { Rule::MissingDocument };
        let message = format!("its source cannot be documented: {why}");
        looked.findings.push(Finding::new(rule, &id.0, message).hiding_others());
        looked.checked.sources = 1;
        looked
    }

    /// Verifies what depends on the whole estate.
    fn finish(&self, id: &SourceId, later: &DeferredCheck, graph: &EstateGraph) -> SourceCheck {
        let mut looked = SourceCheck::default();
        match later {
            DeferredCheck::Context(known, said) => {
                if known.context_hash(graph) != *said
                    && let Some((_, document)) = self.document(id, &mut looked.findings)
                {
                    let expected = war_rig_pool::calling_context(graph, known);
                    looked.findings.extend(verify_context(&id.0, &document.calling_context, &expected));
                }
            }
            DeferredCheck::WholeDocument => {
                let options = self.settings.source_options();
                let Some((json, document)) = self.document(id, &mut looked.findings) else { return looked };
                let Ok(LoadedSource::NonCobol(surrounding)) = load_source(self.sources, id, &options) else {
                    let message = "its source has changed while it was checked";
                    looked.findings.push(Finding::new(Rule::StaleDocument, &id.0, message).hiding_others());
                    return looked;
                };
                let expected = expected_non_cobol_document(&surrounding, options.secrets.policy, graph);
                let truth = GroundTruth { source: &surrounding.source, expected: &expected, copied_names: &[] };
                looked.checked += self.held(id, (&json, &document), truth, &mut looked.findings);
                looked.list = self.list(&document);
                let (said, expected) = (&document.calling_context, &expected.calling_context);
                looked.findings.extend(verify_context(&id.0, said, expected));
            }
        }
        looked
    }

    /// Returns a document's entry in the run's pages, if those are checked.
    fn list(&self, document: &Document) -> Option<PageEntry> {
        self.thorough.as_ref().map(|_| PageEntry::of(document))
    }

    /// Verifies a document and its page against the source, and counts its claims.
    fn held(
        &self,
        id: &SourceId,
        (json, document): (&[u8], &Document),
        truth: GroundTruth<'_>,
        findings: &mut Vec<Finding>,
    ) -> CheckTotals {
        let found = verify_document(document, truth);
        let is_thorough = self.thorough.is_some();
        let expected = || match &self.thorough {
            Some(thorough) => thorough.page(self.documents, id, document, self.sources),
            None => document.to_markdown(&document.header.file_name),
        };
        let missing = |message: String| Some(Finding::new(Rule::MissingDocument, &id.0, message).hiding_others());
        findings.extend(match self.documents.page(id) {
            // When the JSON is wrong, the page is wrong with it.
            Some(Ok(_)) if !found.is_empty() => None,
            Some(Ok(page)) => verify_page(&document.header.file_name, &page, &expected(), is_thorough),
            Some(Err(why)) => missing(format!("its page cannot be read: {why}")),
            None => missing("its document has no page".to_owned()),
        });
        findings.extend(found);
        findings.extend(self.thorough.as_ref().and_then(|_| verify_fields(json, document)));
        CheckTotals {
            documents: 1,
            citations: document.citation_totals(),
            lines: document.coverage.lines.into(),
            cited: document.coverage.cited.into(),
            uncovered: document.coverage.lines.saturating_sub(document.coverage.documented).into(),
            ..CheckTotals::default()
        }
    }

    /// Reads the document of a source and its JSON; a reading error becomes a finding.
    fn document(&self, id: &SourceId, findings: &mut Vec<Finding>) -> Option<(Vec<u8>, Document)> {
        let read = self.documents.json(id).map(|json| {
            let json = json?;
            let document = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
            Ok::<_, String>((json, document))
        });
        match read {
            Some(Ok(read)) => Some(read),
            Some(Err(why)) => self.no_document(id, Some(&why), findings),
            None => self.no_document(id, None, findings),
        }
    }
}

/// Returns the hash of a document's statements about the estate, computed as `SourceIdentity::hash` computes that of the estate's.
fn hash_of(context: CallingContext) -> ContentHash {
    let outside = CallingContext { entry_points: Vec::new(), linkage_section: Vec::new(), ..context };
    ContentHash::of(&serde_json::to_vec(&outside).expect("names and lines have a JSON"))
}

/// Returns the names of the sources that the changes affect. Surveys are in the order of the sources that have one.
fn affected_by(
    changes: &ChangedFiles,
    all: &[SourceId],
    lookups: &[(bool, Vec<CopybookLookup>)],
    surveys: &[Survey],
) -> BTreeSet<String> {
    let mut surveys = surveys.iter();
    let known = all.iter().zip(lookups).map(|(id, (is_surveyed, lookups))| KnownSource {
        file: &id.0,
        lookups,
        survey: if *is_surveyed { surveys.next() } else { None },
    });
    affected_sources(changes, known)
}
