//! Programs of shapes that real estates have and that wear a parser down, each with what a parser must find in it.

use war_rig_cobol::ParsedCobol;

/// What a parser must find in a [`StressProgram`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExpectedFacts {
    /// The sections of PROCEDURE DIVISIONs with their lines.
    pub sections: Vec<(String, u32)>,
    /// The paragraphs with their lines.
    pub paragraphs: Vec<(String, u32)>,
    /// How many programs there are.
    pub programs: usize,
    /// How many statements.
    pub statements: usize,
    /// How many data items.
    pub data_items: usize,
    /// How many PERFORMs of labels and GO TOs.
    pub references: usize,
    /// How many calls.
    pub calls: usize,
    /// How many EXEC blocks.
    pub execs: usize,
    /// How many files.
    pub files: usize,
    /// How many COPY statements.
    pub copies: usize,
}

impl ExpectedFacts {
    /// What the parser has found.
    pub fn found(parsed: &ParsedCobol) -> Self {
        let sections = parsed.sections.iter().filter(|section| section.division == "PROCEDURE");
        let paragraphs = parsed.paragraphs.iter().filter(|unit| unit.has_label());
        Self {
            sections: sections.map(|unit| (unit.name.clone(), unit.lines.start().get())).collect(),
            paragraphs: paragraphs.map(|unit| (unit.name.clone(), unit.lines.start().get())).collect(),
            programs: parsed.programs.len(),
            statements: parsed.statements.len(),
            data_items: parsed.data_items.len(),
            references: parsed.references.len(),
            calls: parsed.calls.len(),
            execs: parsed.execs.len(),
            files: parsed.files.len(),
            copies: parsed.copies.len(),
        }
    }
}

/// How the lines of a [`StressProgram`] look beside their code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineStyle {
    /// A blank sequence area, nothing behind the code, lines ended by LF.
    Plain,
    /// Sequence numbers, an identification area, lines ended by LF.
    Numbered,
    /// A blank sequence area, nothing behind the code, lines ended by CR LF.
    Windows,
    /// Sequence numbers, an identification area, lines ended by CR LF.
    Host,
}

impl LineStyle {
    /// Every dress.
    pub const ALL: [LineStyle; 4] = [LineStyle::Plain, LineStyle::Numbered, LineStyle::Windows, LineStyle::Host];
}

/// A fixed-format program that is written line by line, with what a parser must find in it.
#[derive(Debug, Clone)]
pub struct StressProgram {
    /// Its lines from column 7 on.
    lines: Vec<String>,
    truth: ExpectedFacts,
}

/// A shape by its name, the number of its units that makes it a large program, and what writes one of so many units.
pub type StressCase = (&'static str, usize, fn(usize) -> StressProgram);

/// A source that no compiler takes by its name, the number of its units that makes it a large one, and what writes one of so many units.
pub type InvalidCase = (&'static str, usize, fn(usize) -> String);

/// Sources that no compiler takes: what is never ended, or told apart by nothing.
pub const INVALID_CASES: [InvalidCase; 6] = [
    ("open-ifs", 20_000, |units| broken(&"           IF WS-A = 1\n".repeat(units))),
    ("open-elses", 8_000, |units| broken(&"           IF WS-A = 1 MOVE 2 TO WS-A ELSE\n".repeat(units))),
    ("open-evals", 16_000, |units| broken(&"           EVALUATE WS-A WHEN 1\n".repeat(units))),
    ("open-loops", 20_000, |units| broken(&"           PERFORM UNTIL WS-A = 1\n".repeat(units))),
    ("one-line", 20_000, |units| {
        format!("IDENTIFICATION DIVISION.\nPROGRAM-ID. P.\nPROCEDURE DIVISION.\n{}\n", "IF A ".repeat(units))
    }),
    ("one-name", 16_000, |units| {
        format!("IDENTIFICATION DIVISION.\nPROGRAM-ID. P.\nPROCEDURE DIVISION.\n{}\n", "P. ".repeat(units))
    }),
];

/// A program with these lines in its only paragraph.
fn broken(lines: &str) -> String {
    format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       01 WS-A PIC 9.\n       PROCEDURE DIVISION.\n       MAIN.\n{lines}           GOBACK.\n"
    )
}

/// Every shape.
pub const STRESS_CASES: [StressCase; 13] = [
    ("paragraphs", 6000, StressProgram::paragraphs),
    ("evaluate", 5000, StressProgram::evaluate),
    ("records", 400, StressProgram::records),
    ("sentence", 20_000, StressProgram::sentence),
    ("nested", 150, StressProgram::nested),
    ("deep", 20_000, StressProgram::deep),
    ("formula", 20_000, StressProgram::formula),
    ("flat", 10_000, StressProgram::flat),
    ("calls", 5000, StressProgram::calls),
    ("blocks", 5000, StressProgram::blocks),
    ("files", 2000, StressProgram::files),
    ("programs", 2000, StressProgram::programs),
    ("copies", 10_000, StressProgram::copies),
];

impl StressProgram {
    /// How many lines it has.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// What a parser must find in it.
    pub fn truth(&self) -> &ExpectedFacts {
        &self.truth
    }

    /// Its source in a dress.
    pub fn bytes(&self, dress: LineStyle) -> Vec<u8> {
        let numbered = matches!(dress, LineStyle::Numbered | LineStyle::Host);
        let end = if matches!(dress, LineStyle::Windows | LineStyle::Host) { "\r\n" } else { "\n" };
        let mut text = String::with_capacity(self.lines.len() * 82);
        for (number, line) in (1..).zip(&self.lines) {
            if numbered {
                text.push_str(&format!("{:06}{line:66}STR{:05}", number % 1_000_000, number % 100_000));
            } else {
                text.push_str("      ");
                text.push_str(line);
            }
            text.push_str(end);
        }
        text.into_bytes()
    }

    /// Paragraphs of nine lines, five hundred to a section.
    fn paragraphs(units: usize) -> Self {
        let mut shape = Self::with_data();
        for number in 0..units {
            if number % 500 == 0 {
                shape.section(&format!("SECTION-{:03}", number / 500));
            }
            shape.paragraph(&format!("{number:05}-STEP"));
            shape.comment(&format!("PERFORM {number:05}-STEP. IS SAID HERE AND NOT DONE."));
            shape.statement(0, &format!("ADD {number} TO WS-A."));
            shape.statement(0, &format!("IF WS-A > {number}"));
            shape.statement(4, &format!("PERFORM {:05}-STEP", number * 7 % units));
            shape.area_b(0, "ELSE");
            shape.statement(4, &format!("MOVE 'A DOT. {number}' TO WS-TEXT"));
            shape.area_b(0, "END-IF.");
            shape.statement(0, &format!("GO TO {:05}-STEP.", (number + 1) % units));
            shape.truth.references += 2;
        }
        shape
    }

    /// One EVALUATE with a WHEN for each unit.
    fn evaluate(units: usize) -> Self {
        let mut shape = Self::with_data();
        shape.paragraph("0000-MAIN");
        shape.statement(0, "EVALUATE WS-A");
        for number in 0..units {
            shape.area_b(4, &format!("WHEN {number}"));
            shape.statement(8, &format!("MOVE 'VALUE {number}.' TO WS-TEXT"));
        }
        shape.area_b(4, "WHEN OTHER");
        shape.statement(8, "CONTINUE");
        shape.area_b(0, "END-EVALUATE.");
        shape.exit();
        shape
    }

    /// Records of 99 items, and no PROCEDURE DIVISION.
    fn records(units: usize) -> Self {
        let mut shape = Self::new();
        shape.working_storage();
        for record in 0..units {
            shape.item(0, &format!("01  RECORD-{record:05}."));
            for field in 0..99 {
                shape.item(4, &format!("05  FIELD-{record:05}-{field:02} PIC X(10) VALUE 'A.B'."));
            }
        }
        shape
    }

    /// One sentence of a statement for each unit.
    fn sentence(units: usize) -> Self {
        let mut shape = Self::with_data();
        shape.paragraph("0000-MAIN");
        for number in 0..units {
            shape.statement(0, &format!("MOVE {number} TO WS-A"));
        }
        shape.area_b(0, ".");
        shape.exit();
        shape
    }

    /// In one sentence and for each unit, IFs sixty deep.
    fn nested(units: usize) -> Self {
        let mut shape = Self::with_data();
        shape.paragraph("0000-MAIN");
        for _ in 0..units {
            for depth in 0..60 {
                shape.statement(depth.min(36), &format!("IF WS-A > {depth}"));
            }
            shape.statement(40, "ADD 1 TO WS-A");
            for depth in (0..60).rev() {
                shape.area_b(depth.min(36), "ELSE");
                shape.statement(depth.min(36), &format!("ADD {depth} TO WS-A"));
                shape.area_b(depth.min(36), "END-IF");
            }
        }
        shape.area_b(0, ".");
        shape.exit();
        shape
    }

    /// IFs in each other, as deep as there are units, beyond all reason.
    fn deep(units: usize) -> Self {
        let mut shape = Self::with_data();
        shape.paragraph("0000-MAIN");
        for depth in 0..units {
            shape.statement(0, &format!("IF WS-A > {depth}"));
        }
        shape.statement(0, "MOVE 1 TO WS-A.");
        shape.exit();
        shape
    }

    /// One formula with parentheses in each other.
    fn formula(units: usize) -> Self {
        let mut shape = Self::with_data();
        shape.paragraph("0000-MAIN");
        shape.statement(0, "COMPUTE WS-A =");
        (0..units / 10).for_each(|_| shape.area_b(0, &"(".repeat(40)));
        shape.area_b(0, "WS-A");
        (0..units / 10).for_each(|_| shape.area_b(0, &")".repeat(40)));
        shape.area_b(0, ".");
        shape.exit();
        shape
    }

    /// Sentences without a paragraph.
    fn flat(units: usize) -> Self {
        let mut shape = Self::with_data();
        for number in 0..units {
            shape.statement(0, &format!("ADD {number} TO WS-A."));
        }
        shape.statement(0, "GOBACK.");
        shape
    }

    /// Calls of a data item that any of as many literals may have been moved to.
    fn calls(units: usize) -> Self {
        let mut shape = Self::with_data();
        for number in 0..units {
            shape.paragraph(&format!("{number:05}-CALL"));
            shape.statement(0, &format!("MOVE 'PGM{number:05}' TO WS-TEXT."));
            shape.statement(0, "CALL WS-TEXT USING WS-A BY CONTENT WS-TEXT");
            shape.area_b(4, "ON EXCEPTION");
            shape.statement(8, "DISPLAY 'NO PROGRAM'");
            shape.area_b(0, "END-CALL.");
            shape.truth.calls += 1;
        }
        shape
    }

    /// EXEC blocks of CICS and SQL, each on a resource of its own and followed by a test of its outcome.
    fn blocks(units: usize) -> Self {
        let mut shape = Self::with_data();
        for number in 0..units {
            shape.paragraph(&format!("{number:05}-BLOCK"));
            if number % 2 == 0 {
                shape.statement(0, &format!("EXEC CICS READ FILE('F{number:05}')"));
                shape.area_b(4, "INTO(WS-TEXT) RESP(WS-A)");
            } else {
                shape.statement(0, "EXEC SQL SELECT A INTO :WS-TEXT");
                shape.area_b(4, &format!("FROM TABLE_{number:05} WHERE B = :WS-A"));
            }
            shape.area_b(0, "END-EXEC.");
            shape.statement(0, "IF WS-A NOT = ZERO");
            shape.statement(4, "GOBACK");
            shape.area_b(0, "END-IF.");
            shape.truth.execs += 1;
        }
        shape
    }

    /// Files with a record each, opened, read and closed.
    fn files(units: usize) -> Self {
        let mut shape = Self::new();
        shape.area_a("ENVIRONMENT DIVISION.");
        shape.area_a("INPUT-OUTPUT SECTION.");
        shape.area_a("FILE-CONTROL.");
        for number in 0..units {
            shape.area_b(0, &format!("SELECT FILE-{number:05} ASSIGN TO DD{number:05}"));
            shape.area_b(4, &format!("FILE STATUS IS STATUS-{number:05}."));
        }
        shape.truth.files = units;
        shape.area_a("DATA DIVISION.");
        shape.area_a("FILE SECTION.");
        for number in 0..units {
            shape.area_a(&format!("FD  FILE-{number:05}."));
            shape.item(0, &format!("01  REC-{number:05} PIC X(80)."));
        }
        shape.area_a("WORKING-STORAGE SECTION.");
        (0..units).for_each(|number| shape.item(0, &format!("01  STATUS-{number:05} PIC XX.")));
        shape.area_a("PROCEDURE DIVISION.");
        for number in 0..units {
            shape.paragraph(&format!("{number:05}-FILE"));
            shape.statement(0, &format!("OPEN INPUT FILE-{number:05}."));
            shape.statement(0, &format!("READ FILE-{number:05} AT END"));
            shape.statement(4, "CONTINUE");
            shape.area_b(0, "END-READ.");
            shape.statement(0, &format!("WRITE REC-{number:05}."));
            shape.statement(0, &format!("CLOSE FILE-{number:05}."));
        }
        shape
    }

    /// Programs in one file.
    fn programs(units: usize) -> Self {
        let mut shape = Self { lines: Vec::new(), truth: ExpectedFacts::default() };
        for number in 0..units {
            shape.area_a("IDENTIFICATION DIVISION.");
            shape.area_a(&format!("PROGRAM-ID. PGM{number:05}."));
            shape.truth.programs += 1;
            shape.working_storage();
            shape.item(0, "01  WS-A PIC 9(4).");
            shape.area_a("PROCEDURE DIVISION.");
            shape.paragraph("0000-MAIN");
            shape.statement(0, "MOVE 1 TO WS-A.");
            shape.statement(0, "GOBACK.");
            shape.area_a(&format!("END PROGRAM PGM{number:05}."));
        }
        shape
    }

    /// COPY statements of copybooks that are missing.
    fn copies(units: usize) -> Self {
        let mut shape = Self::new();
        shape.working_storage();
        for number in 0..units {
            shape.area_a(&format!("COPY BOOK{number:05} REPLACING ==:A:== BY ==B==."));
        }
        shape.truth.copies = units;
        shape
    }

    fn new() -> Self {
        let mut shape = Self { lines: Vec::new(), truth: ExpectedFacts { programs: 1, ..ExpectedFacts::default() } };
        shape.area_a("IDENTIFICATION DIVISION.");
        shape.area_a("PROGRAM-ID. STRESS.");
        shape
    }

    fn with_data() -> Self {
        let mut shape = Self::new();
        shape.working_storage();
        shape.item(0, "01  WS-A PIC 9(4).");
        shape.item(0, "01  WS-TEXT PIC X(60).");
        shape.area_a("PROCEDURE DIVISION.");
        shape
    }

    fn working_storage(&mut self) {
        self.area_a("DATA DIVISION.");
        self.area_a("WORKING-STORAGE SECTION.");
    }

    fn section(&mut self, name: &str) {
        self.area_a(&format!("{name} SECTION."));
        self.truth.sections.push((name.to_owned(), self.number()));
    }

    fn paragraph(&mut self, name: &str) {
        self.area_a(&format!("{name}."));
        self.truth.paragraphs.push((name.to_owned(), self.number()));
    }

    fn exit(&mut self) {
        self.paragraph("9999-EXIT");
        self.statement(0, "GOBACK.");
    }

    /// A line on which a statement begins.
    fn statement(&mut self, indent: usize, code: &str) {
        self.area_b(indent, code);
        self.truth.statements += 1;
    }

    /// The entry of a data item.
    fn item(&mut self, indent: usize, code: &str) {
        self.area_a(&format!("{:indent$}{code}", ""));
        self.truth.data_items += 1;
    }

    fn comment(&mut self, text: &str) {
        self.lines.push(format!("* {text}"));
    }

    fn area_a(&mut self, code: &str) {
        self.lines.push(format!(" {code}"));
    }

    fn area_b(&mut self, indent: usize, code: &str) {
        self.area_a(&format!("    {:indent$}{code}", ""));
    }

    /// The number of the last line.
    fn number(&self) -> u32 {
        u32::try_from(self.lines.len()).expect("a shape has fewer than 2^32 lines")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_column_72_and_dressed_ones_at_column_80() {
        for (name, _, shape) in STRESS_CASES {
            let shape = shape(20);
            assert!(shape.lines.iter().all(|line| line.len() <= 66), "{name}");
            let host = String::from_utf8(shape.bytes(LineStyle::Host)).expect("a shape is ASCII");
            assert_eq!(host.split_terminator("\r\n").count(), shape.line_count(), "{name}");
            assert!(host.split_terminator("\r\n").all(|line| line.len() == 80), "{name}");
        }
    }
}
