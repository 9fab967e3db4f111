//! Shared by all documents of sources that are not COBOL: citations, mentions of other nodes, open questions.

use foldhash::{HashSet, HashSetExt};
use war_rig_cobol::{Diagnostic, Severity};
use war_rig_estate::{Edge, EstateGraph, NodeId, NodeKind};
use war_rig_template::{
    Citation, CitationStatus, Claim, Document, DocumentItem, Mention, OpenQuestion, StepProgram, Users,
};
use war_rig_text::{LineRange, SourceText};

/// The maximum number of open questions.
const QUESTIONS: usize = 60;

/// How many users of a thing are named.
const USERS_NAMED: usize = 20;

/// A source and its estate.
pub(super) struct NonCobolWriter<'a> {
    pub(super) source: &'a SourceText,
    pub(super) graph: &'a EstateGraph,
    /// All lines of the source.
    pub(super) lines: LineRange,
}

impl NonCobolWriter<'_> {
    /// Cites these lines, verified against the names of their subject.
    pub(super) fn cite(&self, lines: LineRange, anchors: &[&str]) -> Vec<Citation> {
        let anchors: Vec<String> =
            anchors.iter().filter(|anchor| !anchor.trim().is_empty()).map(|anchor| (*anchor).to_owned()).collect();
        vec![Citation::verify(&Claim { lines, quote: None }, self.source, self.lines, &anchors)]
    }

    /// Mentions a node of the estate by name, with the source that defines it.
    pub(super) fn mention(&self, kind: NodeKind, name: &str, detail: Option<String>) -> Mention {
        self.mention_of(&NodeId::new(kind, name), detail)
    }

    pub(super) fn mention_of(&self, id: &NodeId, detail: Option<String>) -> Mention {
        Mention {
            kind: id.kind.in_words().0.to_owned(),
            name: id.name.to_string(),
            document: self.document_of(id),
            detail,
        }
    }

    /// Returns the source that defines a node of the estate.
    pub(super) fn document_of(&self, id: &NodeId) -> Option<String> {
        let place = self.graph.node(id)?.defined.first()?;
        Some(place.file.to_string())
    }

    /// Returns the node of the program that the source means by a name.
    pub(super) fn program_meant(&self, name: &str) -> NodeId {
        let meant = self.graph.program_meant(self.source.name(), name);
        let is_systems = self.graph.node(&meant).is_some_and(|node| node.supplied_by.is_some());
        self.program_named(name).filter(|_| !is_systems).cloned().unwrap_or(meant)
    }

    /// Returns the program of the estate that a word of the source means.
    pub(super) fn program_named(&self, word: &str) -> Option<&NodeId> {
        self.graph.program_named(self.source.name(), word)
    }

    /// Whether neither the estate nor a system supplies a program.
    pub(super) fn is_missing_program(&self, name: &str) -> bool {
        self.is_missing(&self.program_meant(name))
    }

    /// Whether neither the estate nor a system supplies a program or a command procedure that a step runs.
    pub(super) fn is_missing_run(&self, program: &StepProgram) -> bool {
        let name = &program.program_name;
        self.is_missing(&match program.is_command_procedure {
            true => NodeId::new(NodeKind::CommandProcedure, name),
            false => self.program_meant(name),
        })
    }

    fn is_missing(&self, id: &NodeId) -> bool {
        let node = self.graph.node(id);
        node.is_some_and(|node| node.defined.is_empty() && node.supplied_by.is_none())
    }

    /// Lists the users of a thing, once each: the other ends of edges that lead to it.
    pub(super) fn users<'e>(
        &self,
        edges: impl Iterator<Item = &'e Edge>,
        detail: impl Fn(&Edge) -> Option<String>,
    ) -> Users {
        let mut seen = HashSet::new();
        let mut users = Users::default();
        for edge in edges {
            if !seen.insert(&edge.from) {
                continue;
            }
            if users.named.len() < USERS_NAMED {
                users.named.push(self.mention_of(&edge.from, detail(edge)));
            } else {
                users.more += 1;
            }
        }
        users
    }

    /// Adds a question that the source alone does not answer.
    pub(super) fn ask(&self, document: &mut Document, question: String, citations: Vec<Citation>) {
        let is_new = document.open_questions.iter().all(|known| known.question != question);
        if document.open_questions.len() < QUESTIONS && is_new {
            let body = OpenQuestion { question, ..OpenQuestion::default() };
            document.open_questions.push(DocumentItem::parsed(body, citations));
        }
    }

    /// Adds what the parser could not read.
    pub(super) fn diagnostics(&self, diagnostics: &[Diagnostic], document: &mut Document) {
        for diagnostic in diagnostics.iter().filter(|diagnostic| diagnostic.severity != Severity::Note) {
            // The line is quoted whole, even if it has no word that could be looked up.
            let citations = diagnostic.line.and_then(|line| {
                let text = self.source.line(line)?.text().trim().to_owned();
                let claim = Claim { lines: LineRange::single(line), quote: Some(text) };
                Some(vec![Citation::judged(&claim, self.source, self.lines, CitationStatus::Verified)])
            });
            self.ask(document, crate::phrases::sentence(&diagnostic.message), citations.unwrap_or_default());
        }
    }
}

/// Words the access letters of an edge: `reads and updates`.
pub(super) fn access_in_words(letters: &str) -> String {
    crate::phrases::list(&accesses_in_words(letters).collect::<Vec<_>>())
}

/// Returns a word for each access.
pub(super) fn accesses_in_words(letters: &str) -> impl Iterator<Item = String> {
    let all = [('R', "reads"), ('C', "writes"), ('U', "updates"), ('D', "deletes")];
    all.into_iter().filter(move |(letter, _)| letters.contains(*letter)).map(|(_, word)| word.to_owned())
}
