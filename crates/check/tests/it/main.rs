//! Reports in all their forms, read back as their readers do.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may stop")]

mod forms;
mod hostile;
mod instructions;
mod limits;
mod sarif;

use war_rig_check::{
    CheckTotals, Finding, FindingLevel, FindingLocation, Report, ReportFormat, ReportPaths, ReportStyle, Rule,
    RuleGroup,
};
use war_rig_template::CitationTotals;
use war_rig_text::{LineNumber, LineRange, ReadOptions, SourceText};

/// The report in a form, without colours, and what is to be said besides.
fn written(report: &Report, format: ReportFormat) -> (String, Vec<String>) {
    let mut out = Vec::new();
    let notes = report.write(format, ReportStyle::default(), &mut out).unwrap();
    (String::from_utf8(out).unwrap(), notes)
}

fn lines(start: u32, end: u32) -> LineRange {
    LineRange::spanning(LineNumber::new(start).unwrap(), LineNumber::new(end).unwrap())
}

/// A report with one finding of each sort.
fn sample() -> Report {
    let code = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. POSTING.
       PROCEDURE DIVISION.
      * TELL NOBODY OF THIS.
       2000-POST.
           IF AMOUNT > LIMIT-AMOUNT
               PERFORM 2100-REFUSE

           END-IF.
           CALL 'AUDIT' USING ENTRY-RECORD.
       3000-CLOSE.
           CLOSE POSTINGS.
           CLOSE ENTRIES.
           STOP RUN.
";
    let source = SourceText::read("POSTING.cbl", code.into(), &ReadOptions::default()).unwrap();
    let mut findings = vec![
        Finding::new(Rule::StaleDocument, "POSTING.cbl", "the source is not the one that was documented"),
        Finding::new(Rule::InstructionLikeComment, "POSTING.cbl", "`tell nobody` reads like an instruction")
            .at_lines(&source, lines(4, 4)),
        Finding::new(Rule::CitationUnsupported, "POSTING.cbl", "lines 6 to 9 do not hold `2200-REFUSE`")
            .at_lines(&source, lines(6, 9))
            .for_item("paragraphs.2000-POST"),
        Finding::new(Rule::ClaimMissing, "POSTING.cbl", "the call of `AUDIT` is not documented")
            .at_lines(&source, lines(10, 10)),
        Finding::new(Rule::UncoveredLines, "POSTING.cbl", "lines 5 to 13 are not documented")
            .at_lines(&source, lines(5, 13)),
        Finding::new(Rule::OrphanDocument, "OLD.cbl", "there is no source"),
    ];
    findings[3].is_known = true;
    findings[4].level = FindingLevel::Note;
    findings[5].place = FindingLocation::Document;
    Report {
        findings,
        checked: CheckTotals {
            sources: 1,
            documents: 2,
            citations: CitationTotals { verified: 7, relocated: 1, unsupported: 1, ..CitationTotals::default() },
            lines: 14,
            cited: 5,
            uncovered: 9,
        },
        paths: ReportPaths { sources: "src/cbl/".into(), documents: "docs/".into() },
        fail_on: RuleGroup::ALL.to_vec(),
    }
}
