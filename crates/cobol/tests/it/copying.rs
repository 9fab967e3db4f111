//! COPY with REPLACING, and REPLACE: what becomes of the text, and where it is said to stand.

use crate::cobc::Workplace;
use crate::support::{fixed, lexed, outline, procedure, read, read_with};
use std::sync::Arc;
use war_rig_cobol::{CopybookLibrary, LexedSource, ParsedCobol, parse};

/// The items and statements of a source in words, without their places.
fn content(parsed: &ParsedCobol) -> String {
    let items = parsed.data_items.iter().map(|item| {
        let words = [item.picture.as_deref(), item.usage, item.redefines.as_deref(), item.value.as_deref()];
        let words: Vec<&str> = words.into_iter().flatten().collect();
        format!("{:02} {} {}", item.level, item.name, words.join(" ")).trim_end().to_owned()
    });
    let statements = parsed.statements.iter().map(|statement| parsed.words(statement).text().to_owned());
    items.chain(statements).collect::<Vec<_>>().join("\n")
}

/// The same with the file and line of each.
fn places(parsed: &ParsedCobol) -> String {
    let file = |file: &Option<String>| {
        file.as_deref().map(|file| file.trim_start_matches("cpy/").trim_end_matches(".cpy").to_owned())
    };
    let place = |name: &str, own: &Option<String>, line: u32| match file(own) {
        Some(own) => format!("{name} {own}:{line}"),
        None => format!("{name} {line}"),
    };
    let items = parsed.data_items.iter().map(|item| place(&item.name, &item.file, item.line.unwrap().get()));
    let statements =
        parsed.statements.iter().map(|found| place(parsed.words(found).text(), &found.file, found.lines.start().get()));
    items.chain(statements).collect::<Vec<_>>().join(", ")
}

const DATA: &str = "IDENTIFICATION DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n";

/// Holds what is read of a text in the DATA DIVISION, or of a whole program, against what is expected and against what is read of
/// the text that GnuCOBOL makes of it.
fn check(name: &str, code: &str, books: &[(&str, &str)], expected: &str) {
    let code = if code.contains(" DIVISION.") { code.to_owned() } else { format!("{DATA}{code}") };
    let books: Vec<(&str, String)> = books.iter().map(|(name, text)| (*name, fixed(text))).collect();
    let borrowed: Vec<(&str, &str)> = books.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let found = content(&read_with(&fixed(&code), &borrowed));
    assert_eq!(found, expected, "\n{code}");
    let Some(workplace) = Workplace::of(&format!("copying-{name}")) else { return };
    workplace.write("T.cbl", &fixed(&code));
    for (name, text) in &books {
        workplace.write(&format!("{name}.cpy"), text);
    }
    let expanded = workplace.run("cobc", &["-E", "-std=ibm", "-I", ".", "T.cbl"]).unwrap();
    let lines: Vec<&str> = expanded.lines().filter(|line| !line.starts_with("#line")).collect();
    let by_cobc = content(&read(&format!(">>SOURCE FORMAT IS FREE\n{}\n", lines.join("\n"))));
    assert_eq!(by_cobc, expected, "what cobc makes of it\n{expanded}");
}

const TAGS: &str = "05  :TAG:-A  PIC X(LEN).\n05  (PFX)-B  PIC X(TAG).\n05  X-:TAG:-C PIC 9(4)\n|* A COMMENT\n    COMP-3\n    VALUE 12.\n05  CU-NAME PIC X(4) VALUE ':TAG:-LIT'.\n05  CU PIC X.\n05  REC-IN PIC X.";

#[test]
fn placeholders_stand_in_names_and_pictures() {
    check(
        "placeholders",
        "01 G.\n    COPY B REPLACING ==:TAG:== BY ==POL== ==(PFX)== BY ==ABC==\n        ==(LEN)== BY ==(10)==\n        ==(TAG)== BY ==(7)==.",
        &[("B", TAGS)],
        "01 G\n05 POL-A X(10) DISPLAY\n05 ABC-B X(7) DISPLAY\n05 X-POL-C 9(4) COMP-3 12\n05 CU-NAME X(4) DISPLAY ':TAG:-LIT'\n05 CU X DISPLAY\n05 REC-IN X DISPLAY",
    );
}

#[test]
fn a_colon_ends_a_text_word_and_a_hyphen_does_not() {
    check(
        "words",
        "01 G.\n    copy B replacing ==tag== by ==qq== LEN BY 7 C BY D CU BY DU\n        '4' BY '5' 12 BY 13.",
        &[("B", TAGS)],
        "01 G\n05 :QQ:-A X(7) DISPLAY\n05 FILLER X(QQ)\n05 X-:QQ:-C 9(4) COMP-3 13\n05 CU-NAME X(4) DISPLAY ':TAG:-LIT'\n05 DU X DISPLAY\n05 REC-IN X DISPLAY",
    );
}

#[test]
fn several_words_are_one_operand_over_line_ends_comments_and_commas() {
    check(
        "several",
        "01 G.\n    COPY B REPLACING ==PIC 9(4), COMP-3 VALUE 12.==\n        BY ==PIC X(9). 05 MORE PIC\n          S9(3)V99, COMP.==\n        LEADING ==CU== BY ==XX== TRAILING ==-IN== BY ====\n        ==PIC X(LEN).== BY ====.",
        &[("B", TAGS)],
        "01 G\n05 :TAG:-A X(TAG)\n05 X-:TAG:-C X(9) DISPLAY\n05 MORE S9(3)V99 COMP\n05 XX-NAME X(4) DISPLAY ':TAG:-LIT'\n05 XX X DISPLAY\n05 REC X DISPLAY",
    );
}

const CODE: &str = "MOVE 'LIT' TO A OF B (1, 2), 'LITERAL' TO X.\nADD 1,\n    2; 3 TO TOTAL.\nDISPLAY \"LIT\" 'L''IT' UPON OUT-1.\nIF STOPS GO TO P END-IF.";

const PROGRAM: &str = "IDENTIFICATION DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\nP.\n";

#[test]
fn literals_and_statements() {
    check(
        "statements",
        &format!(
            "{PROGRAM}    COPY B REPLACING 'LIT' BY \"IT'S\" \n        ==ADD 1 2, 3 TO== BY ==SUBTRACT\n        4 FROM==\n        ==GO TO P== BY ==MOVE 1 TO R. STOP RUN==\n        STOPS BY ==A = 'X.' AND== ==UPON== BY ====\n        TRAILING ==-1== BY ==-2==."
        ),
        &[("B", CODE)],
        "MOVE \"IT'S\" TO A OF B (1 2) 'LITERAL' TO X\nSUBTRACT 4 FROM TOTAL\nDISPLAY \"LIT\" 'L''IT' OUT-2\nIF\nMOVE 1 TO R\nSTOP RUN",
    );
}

/// GnuCOBOL 3.1 finds no operand with a subscript, other compilers do.
#[test]
fn a_name_with_its_qualifiers_and_subscripts_is_one_operand() {
    let program = "PROGRAM-ID. T.\nPROCEDURE DIVISION.\n    COPY B REPLACING A OF B (1 2) BY C IN D (I, J) X BY ==E (3)==\n        TOTAL BY TOTAL OF G ==OUT-1== BY ==SYSERR==.";
    let found = read_with(&fixed(program), &[("B", &fixed(CODE))]);
    assert_eq!(
        content(&found),
        "MOVE 'LIT' TO C IN D (I J) 'LITERAL' TO E (3)\nADD 1 2 3 TO TOTAL OF G\nDISPLAY \"LIT\" 'L''IT' UPON SYSERR\nIF\nGO TO P"
    );
}

const OUTER: &str = "05 OUTER-A PIC X.\nCOPY INNER.\n05 OUTER-Z PIC X(LEN).";
const INNER: &str = "05 :TAG:-NEST PIC X(LEN).\n05 INNER-X PIC X.";

#[test]
fn replacing_reaches_into_the_copybooks_of_a_copybook() {
    check(
        "nested",
        "01 G.\n    COPY OUTER REPLACING ==:TAG:== BY ==T== ==LEN== BY ==3==.\n01 H.\n    COPY INNER REPLACING ==LEN== BY ==4==.",
        &[("OUTER", OUTER), ("INNER", INNER)],
        "01 G\n05 OUTER-A X DISPLAY\n05 T-NEST X(3) DISPLAY\n05 INNER-X X DISPLAY\n05 OUTER-Z X(3) DISPLAY\n01 H\n05 :TAG:-NEST X(4) DISPLAY\n05 INNER-X X DISPLAY",
    );
}

#[test]
fn the_nearest_copy_replaces_first_and_nothing_is_replaced_twice() {
    check(
        "chained",
        "01 G.\n    COPY OUTER REPLACING ==:TAG:== BY ==T==\n        ==INNER-X== BY ==LOST== OUTER-Y BY LOST ==LEN== BY ==3==.",
        &[
            (
                "OUTER",
                "COPY INNER REPLACING ==INNER-X== BY ==OUTER-Y==\n    ==NEST== BY ==LEN==.\n05 OUTER-Y PIC X(LEN).",
            ),
            ("INNER", "05 :TAG:-NEST PIC X(LEN).\n05 INNER-X PIC X.\n05 NEST PIC X."),
        ],
        "01 G\n05 T-NEST X(3) DISPLAY\n05 OUTER-Y X DISPLAY\n05 LEN X DISPLAY\n05 LOST X(3) DISPLAY",
    );
}

#[test]
fn what_is_put_in_stands_where_what_it_replaces_begins() {
    let found = read_with(
        &fixed(
            "PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 G.\n    COPY OUTER REPLACING ==:TAG:-NEST PIC X(LEN).\n        05 INNER-X== BY ==N PIC X. 05 :TAG:-X==\n        ==OUTER-Z== BY ==Z\n        PIC X. 05 Y==.\nPROCEDURE DIVISION.\n    MOVE 1 TO Z.",
        ),
        &[("OUTER", &fixed(OUTER)), ("INNER", &fixed(INNER))],
    );
    assert_eq!(
        places(&found),
        "G 4, OUTER-A OUTER:1, N INNER:1, :TAG:-X INNER:1, Z OUTER:3, Y OUTER:3, MOVE 1 TO Z 10"
    );
}

#[test]
fn missing_copybooks_and_cycles_are_said_and_cost_nothing_else() {
    let found = read_with(
        &fixed(
            "PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 G.\n    COPY A REPLACING ==X== BY ==Y==.\n    COPY GONE REPLACING ==X== BY ==Y==.\n01 X PIC X.",
        ),
        &[("A", &fixed("05 AX PIC 9.\nCOPY B.\n05 AZ PIC 9.")), ("B", &fixed("05 BX PIC 9.\nCOPY A.\nCOPY LOST."))],
    );
    let said: Vec<&str> = found.diagnostics.iter().map(|said| said.message.as_str()).collect();
    assert_eq!(
        said,
        [
            "copybook `A` copies itself: T.cbl > cpy/A.cpy > cpy/B.cpy > cpy/A.cpy",
            "copybook `LOST` is not among the sources",
            "copybook `GONE` is not among the sources",
        ]
    );
    assert_eq!(places(&found), "G 4, AX A:1, BX B:1, AZ A:3, X 7");
}

#[test]
fn replace_is_in_force_to_the_next_one_or_the_end() {
    check(
        "replace",
        "01 G.\nREPLACE ==:TAG:== BY ==TOP== ==PIC X(4)== BY ==PIC X(8)==\n    LEADING ==REC== BY ==R==.\n    COPY B REPLACING ==CU== BY ==CV==.\n05 :TAG:-OWN PIC X(4).\n05 RECORD-X PIC\nX(4).\nREPLACE ALSO ==OWN== BY ==OWNED==.\n05 OWN PIC X(4). 05 :TAG:-OWN PIC X.\nREPLACE LAST OFF.\n05 OWN PIC X(4).\nREPLACE OFF.\n05 OWN PIC X(4).\nREPLACE ==OWN== BY ==LAST==.\nREPLACE ==X== BY ==9==.\n05 OWN PIC X.",
        &[("B", TAGS)],
        "01 G\n05 TOP-A X(LEN)\n05 FILLER X(TAG)\n05 X-TOP-C 9(4) COMP-3 12\n05 CU-NAME X(8) DISPLAY ':TAG:-LIT'\n05 CV X DISPLAY\n05 R-IN X DISPLAY\n05 TOP-OWN X(8) DISPLAY\n05 RORD-X X(8) DISPLAY\n05 OWNED X(8) DISPLAY\n05 TOP-OWN X DISPLAY\n05 OWN X(8) DISPLAY\n05 OWN X(4) DISPLAY\n05 OWN 9 DISPLAY",
    );
}

#[test]
fn replace_may_stand_in_a_copybook_and_put_in_any_words() {
    check(
        "replace-copied",
        "01 G.\n    COPY B REPLACING ==OWN== BY ==MINE==.\n05 OWN W X(4). 05 C PIC X(:L:).\nREPLACE OFF.\nPROCEDURE DIVISION.\n    MOVE OWN TO W.\nREPLACE ==MOVE \"*\" AO A.\n    IE A = \"*\"== BY ==MOVE \"*\" TO A. IF A = \"*\"==\n    ==NOT== BY ====.\nQ.\n    MOVE   \"*\" AO A.\n|* COMMENT\n    IE   A = \"*\"\n        MOVE 1 TO B ELSE IF A NOT = 2 MOVE 3 TO C.\n",
        &[("B", "REPLACE ==OWN== BY ==Q1== ==W== BY ==PIC== ==:L:== BY ==5==.\n05 OWN PIC X.")],
        "01 G\n05 MINE X DISPLAY\n05 Q1 X(4) DISPLAY\n05 C X(5) DISPLAY\nMOVE OWN TO W\nMOVE \"*\" TO A\nIF\nMOVE 1 TO B\nIF\nMOVE 3 TO C",
    );
}

/// GnuCOBOL 3.1 does not, and the standard says so.
#[test]
fn replace_comes_behind_replacing() {
    let found = read_with(
        &fixed(
            "PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\nREPLACE ==:Q:== BY ==QQQ==.\nCOPY B REPLACING ==:TAG:== BY ==:Q:==.",
        ),
        &[("B", &fixed("01 :TAG:-A PIC X."))],
    );
    assert_eq!(places(&found), "QQQ-A B:1");
}

#[test]
fn a_header_stays_one_and_its_name_is_replaced() {
    let code = "REPLACE ==:P:== BY ==CUST== ==OLD== BY ==NEW== ==DIVISION==\n    BY ==SECTION== ==STOPS== BY ==CONTINUE==\n    ==TWO WORDS.== BY ==X.==\n    ==DO-IT== BY ==ADD 1 TO A. FAKE. ADD 2 TO A==.\n:P:-MAIN SECTION.\nOLD.\n    PERFORM :P:-MAIN. PERFORM OLD THRU OLD. GO TO OLD.\nSTOPS.\n    IF A DO-IT.\nLAST-ONE. EXIT.\nREPLACE OFF.\nOLD.";
    let found = procedure(code);
    assert_eq!(
        outline(&found),
        "program T 1-15, identification 1-2, procedure 3-15, section CUST-MAIN 8-15, NEW 9-10, STOPS 11-12, LAST-ONE 13-14, OLD 15"
    );
    assert_eq!(
        places(&found),
        "PERFORM CUST-MAIN 10, PERFORM NEW THRU NEW 10, GO TO NEW 10, IF 12, ADD 1 TO A 12, ADD 2 TO A 12, EXIT 13"
    );
    let said: Vec<_> = found.diagnostics.iter().map(|said| (said.code, said.line.unwrap().get())).collect();
    // A section that performs itself does not come back, and FAKE is no statement.
    assert_eq!(said, [("replace-in-force", 4), ("unreachable-statements", 10), ("no-statement", 12)]);
}

#[test]
fn replace_that_is_broken_off_costs_its_own_operands() {
    for code in ["REPLACE ==A==", "REPLACE ==A== BY", "REPLACE ==A== BY ==B== ==C==", "REPLACE LEADING ==A=="] {
        let found = procedure(&format!("{code}\nP.\n    MOVE 1 TO A.\nQ.\n    EXIT."));
        assert!(outline(&found).ends_with("Q 7-8"), "{code}: {}", outline(&found));
    }
    let found = procedure("    MOVE REPLACE TO B. REPLACE. ADD 1 TO REPLACE.");
    assert_eq!(places(&found), "MOVE REPLACE TO B 4, ADD 1 TO REPLACE 4");
}

#[test]
fn what_is_written_to_take_time_takes_little() {
    // Each of these has a hundred thousand words or so; what is not linear in them does not end.
    let also = "REPLACE ALSO ==A== BY ==B==.\n".repeat(10_000);
    let glued = format!("REPLACE ==A== BY ==B==.\n{}\n", "A.".repeat(50_000));
    let operands = format!("COPY X REPLACING {}.\n", "A BY B ( ".repeat(20_000));
    let open = format!("COPY X REPLACING {}.\n", "A ".repeat(100_000));
    let tags = format!("REPLACE ==:T:== BY ==X==.\nMOVE {} TO A.\n", ":T:-".repeat(20_000));
    let many = format!("REPLACE {}.\n{}\n", "==A== BY ==A A==\n".repeat(10_000), "A A.\n".repeat(10_000));
    for text in [also, glued, operands, open, tags, many] {
        let parsed = read(&format!(">>SOURCE FORMAT FREE\nPROCEDURE DIVISION.\nP.\n{text}"));
        assert!(!parsed.divisions.is_empty());
    }
}

#[test]
fn an_extension_means_the_file_of_that_name_and_never_a_program() {
    let program = "       PROGRAM-ID. SPOOLER.\n       PROCEDURE DIVISION.\n           GOBACK.\n";
    let item = |name: &str| format!("       01 {name} PIC X.\n");
    let books = Shelf(vec![
        ("spooler.cbl", program.to_owned()),
        ("cust.sl", item("SL")),
        ("cust.fd", item("FD")),
        ("dates.cpy", item("DATES")),
    ]);
    let copied = |statement: &str| {
        let parsed = parse(&lexed("T.cbl", &format!("       {statement}\n")), &books);
        let copy = &parsed.copies[0];
        (copy.name.clone(), copy.resolved.clone())
    };
    let found = |name: &str, file: &str| (name.to_owned(), Some(file.to_owned()));
    assert_eq!(copied("COPY \"spooler.def\"."), ("SPOOLER.DEF".to_owned(), None));
    assert_eq!(copied("COPY SPOOLER."), found("SPOOLER", "spooler.cbl"));
    assert_eq!(copied("COPY \"lib/cust.sl\"."), found("CUST.SL", "cust.sl"));
    assert_eq!(copied("COPY cust.fd."), found("CUST.FD", "cust.fd"));
    assert_eq!(copied("COPY cust.wrk."), ("CUST.WRK".to_owned(), None));
    assert_eq!(copied("COPY \"dates.wrk\"."), found("DATES.WRK", "dates.cpy"));
    assert_eq!(copied("COPY dates.cbl."), found("DATES", "dates.cpy"));
}

/// Files that are found by their whole name, or by their stem.
struct Shelf(Vec<(&'static str, String)>);

impl CopybookLibrary for Shelf {
    fn find(&self, name: &str, _library: Option<&str>) -> Option<Arc<LexedSource>> {
        let is_file = |file: &str| file.eq_ignore_ascii_case(name);
        let has_stem = |file: &str| file.rsplit_once('.').is_some_and(|(stem, _)| stem.eq_ignore_ascii_case(name));
        let (file, text) = self.0.iter().find(|(file, _)| is_file(file) || has_stem(file))?;
        Some(lexed(file, text))
    }
}

#[test]
fn a_file_whose_select_is_in_a_missing_copybook_is_known_by_its_use() {
    let code = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. T2.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           COPY SLVEND.
       DATA DIVISION.
       FILE SECTION.
           COPY FDVEND.
       PROCEDURE DIVISION.
       A.
           OPEN I-O VENDOR-FILE.
           READ VENDOR-FILE INVALID KEY DISPLAY 'NONE'.
           STOP RUN.
";
    let parsed = read(code);
    let files: Vec<String> = parsed.files.iter().map(|file| format!("{}: {}", file.name, file.in_words())).collect();
    assert_eq!(files, ["VENDOR-FILE: file whose SELECT is not in the sources"]);
    // A name that no copybook can bring is a mistake.
    let without = code.replace("           COPY SLVEND.\n", "").replace("           COPY FDVEND.\n", "");
    assert!(read(&without).files.is_empty());
}
