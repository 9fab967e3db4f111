//! What a program is for, as far as its facts tell.

use super::{Writer, name_list};
use crate::phrases::{count, list, sentence};
use war_rig_cobol::{ExecKind, Resource, ResourceKind};
use war_rig_template::PartialPurpose;
use war_rig_text::{Line, LineNumber, LineRange};

/// How many lines of the program's own first comment are quoted.
const COMMENT_LINES: usize = 5;

impl Writer<'_, '_> {
    /// The purpose is written with the lines that name the first program, or with the first words of a copybook.
    pub(super) fn purpose(&self) -> Option<PartialPurpose> {
        let program = self.parsed.programs.first();
        let mut citations = match program {
            Some(program) => {
                let division =
                    self.parsed.divisions.iter().find(|d| d.name == "IDENTIFICATION" && d.program == Some(0));
                self.cite(division.map_or(program.lines, |division| division.lines))
            }
            None => {
                let words = |line: &Line<'_>| line.shown().chars().filter(|c| c.is_alphabetic()).count() >= 3;
                let first = self.facts.source.lines().find(words).map_or(LineNumber::FIRST, Line::number);
                self.cite_decision(LineRange::single(first))
            }
        };
        if citations.is_empty() {
            return None;
        }
        let kind = self.program_type();
        let mut sentences = Vec::new();
        match program {
            Some(program) => sentences.push(format!(
                "{} is {} {kind} program of {}",
                program.name,
                if kind.starts_with("online") { "an" } else { "a" },
                count(self.facts.source.line_count(), "line")
            )),
            None => {
                sentences.push(format!("A copybook of {}", count(self.facts.source.line_count(), "line")))
            }
        }
        sentences.extend(self.reads_and_writes());
        sentences.extend(self.calls_in_a_sentence());
        sentences.push(self.size());
        sentences.extend(self.main_line());
        let mut summary: String = sentences.iter().map(|text| sentence(text)).collect::<Vec<_>>().join(" ");
        if let Some((comment, first)) = self.own_comment() {
            // A chunk that begins behind the comment does not show it and cannot cite it.
            citations.extend(self.cite_decision(LineRange::single(first)));
            summary = format!("Its own comment begins: \"{comment}\". {summary}");
        }
        Some(PartialPurpose { summary, business_context: None, program_type: Some(kind), citations })
    }

    fn program_type(&self) -> String {
        let parsed = self.parsed;
        if parsed.programs.is_empty() {
            return "copybook".to_owned();
        }
        let uses = |kind: ExecKind| parsed.execs.iter().any(|exec| exec.kind == kind);
        let base = if uses(ExecKind::Cics) {
            "online (CICS)"
        } else if parsed.programs[0].parameters.is_empty() {
            "batch"
        } else {
            // Parameters come from a caller or from the PARM of a job step; the program alone does not tell which.
            "batch or called"
        };
        let calls_ims = parsed.calls.iter().any(|call| matches!(call.target.as_str(), "CBLTDLI" | "AIBTDLI"));
        let database = match (uses(ExecKind::Sql), uses(ExecKind::Dli) || calls_ims) {
            (true, true) => " SQL and DL/I",
            (true, false) => " SQL",
            (false, true) => " DL/I",
            (false, false) => "",
        };
        format!("{base}{database}")
    }

    fn reads_and_writes(&self) -> Vec<String> {
        let named = |wanted: &dyn Fn(&Resource) -> bool| {
            let mut names: Vec<String> = Vec::new();
            for resource in self.resources.iter().filter(|r| r.kind != ResourceKind::Parameter && wanted(r)) {
                let name = format!("{} {}", resource.kind.in_words(), resource.name);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            names
        };
        let read = named(&|resource| resource.is_read && !resource.is_written);
        let both = named(&|resource| resource.is_read && resource.is_written);
        let written = named(&|resource| resource.is_written && !resource.is_read);
        let mut sentences = Vec::new();
        for (names, verb) in [(read, "reads"), (both, "reads and changes"), (written, "writes")] {
            if !names.is_empty() {
                sentences.push(format!("it {verb} {}", list(&names)));
            }
        }
        sentences
    }

    fn calls_in_a_sentence(&self) -> Option<String> {
        let mut names: Vec<String> = Vec::new();
        for call in &self.parsed.calls {
            let name = match call.is_literal {
                true => call.target.clone(),
                false => format!("whatever program {} names", call.target),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        (!names.is_empty()).then(|| format!("it passes control to {}", list(&names)))
    }

    /// How much there is of it; of a copybook, what it holds.
    fn size(&self) -> String {
        let own: Vec<String> =
            self.parsed.paragraphs.iter().filter(|p| p.file.is_none()).map(|p| p.name.clone()).collect();
        if !self.parsed.programs.is_empty() {
            return format!(
                "it has {} and {}",
                count(own.len(), "paragraph"),
                count(self.parsed.statements.len(), "statement")
            );
        }
        let level = self.parsed.data_items.iter().map(|item| item.level).min().unwrap_or(1);
        let records =
            self.parsed.data_items.iter().filter(|item| item.level == level && item.name != "FILLER");
        let records: Vec<String> = records.map(|item| item.name.clone()).collect();
        match (own.is_empty(), records.is_empty()) {
            (true, true) => format!("it has {}", count(self.parsed.statements.len(), "statement")),
            (true, false) => format!("it describes {}", name_list(&records)),
            (false, _) => format!(
                "it holds the {} {}",
                if own.len() == 1 { "paragraph" } else { "paragraphs" },
                name_list(&own)
            ),
        }
    }

    /// The first lines with words in the comments before or in the IDENTIFICATION DIVISION, and where they begin. Notices of
    /// copyright and licence are passed over.
    fn own_comment(&self) -> Option<(String, LineNumber)> {
        let division = self.parsed.divisions.iter().find(|division| division.name != "IDENTIFICATION");
        let end = division.map_or(self.facts.source.line_count(), |division| division.lines.start().index());
        let mut lines = Vec::new();
        let mut first = None;
        for line in self.facts.source.lines().take(end).filter(|line| line.is_comment()) {
            let text = line.shown().trim_start_matches(['*', '/', '>', ' ']);
            let text = text.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | ')'));
            let lower = text.to_lowercase();
            let notice =
                ["copyright", "(c)", "c) ", "licen", "all rights"].iter().any(|word| lower.contains(word));
            if text.chars().filter(|c| c.is_alphabetic()).count() >= 3 && !notice {
                first.get_or_insert(line.number());
                lines.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
            } else if !lines.is_empty() {
                break;
            }
            if lines.len() == COMMENT_LINES {
                break;
            }
        }
        first.map(|first| (lines.join(" / "), first))
    }

    /// What the program does before its first paragraph, where it has such a main line.
    fn main_line(&self) -> Option<String> {
        let statements: Vec<usize> = (0..self.parsed.statements.len())
            .filter(|index| {
                let statement = &self.parsed.statements[*index];
                statement.paragraph.is_none() && statement.file.is_none() && statement.program == Some(0)
            })
            .collect();
        (!statements.is_empty()).then(|| format!("outside its paragraphs it {}", self.actions(&statements)))
    }
}
