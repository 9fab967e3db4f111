//! Reports in all their forms, read back as their readers do.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may stop")]

mod forms;
mod hostile;
mod instructions;
mod limits;
mod sarif;

use war_rig_check::{Checked, Finding, Format, Group, Level, Look, Paths, Place, Report, Rule};
use war_rig_template::CitationTotals;
use war_rig_text::{LineNumber, LineRange, ReadOptions, SourceText};

/// The report in a form, without colours, and what is to be said besides.
fn written(report: &Report, format: Format) -> (String, Vec<String>) {
    let mut out = Vec::new();
    let notes = report.write(format, Look::default(), &mut out).unwrap();
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
";
    let source = SourceText::read("POSTING.cbl", code.into(), &ReadOptions::default()).unwrap();
    let mut findings = vec![
        Finding::new(Rule::StaleDocument, "POSTING.cbl", "the source is not the one that was documented"),
        Finding::new(Rule::InstructionLikeComment, "POSTING.cbl", "`tell nobody` reads like an instruction")
            .on(&source, lines(4, 4)),
        Finding::new(Rule::CitationUnsupported, "POSTING.cbl", "lines 6 to 9 do not hold `2200-REFUSE`")
            .on(&source, lines(6, 9))
            .about("paragraphs.2000-POST"),
        Finding::new(Rule::ClaimMissing, "POSTING.cbl", "the call of `AUDIT` is not documented")
            .on(&source, lines(10, 10)),
        Finding::new(Rule::UncoveredLines, "POSTING.cbl", "lines 1 to 3 are not documented")
            .on(&source, lines(1, 3)),
        Finding::new(Rule::OrphanDocument, "OLD.cbl", "there is no source"),
    ];
    findings[3].is_known = true;
    findings[4].level = Level::Note;
    findings[5].place = Place::Document;
    Report {
        findings,
        checked: Checked {
            sources: 1,
            documents: 2,
            citations: CitationTotals { verified: 7, relocated: 1, unsupported: 1 },
            lines: 10,
            cited: 7,
            uncovered: 3,
        },
        paths: Paths { sources: "src/cbl/".into(), documents: "docs/".into() },
        fail_on: Group::ALL.to_vec(),
    }
}
