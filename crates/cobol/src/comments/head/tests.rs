use super::*;
use crate::comments::head_glossary;
use crate::{LexedSource, NoCopybooks, parse};
use std::sync::Arc;
use war_rig_text::ReadOptions;

fn read(head: &[&str]) -> (SourceText, ParsedCobol) {
    let lines: String = head.iter().map(|line| format!("      *{line}\n")).collect();
    let text = format!("       IDENTIFICATION DIVISION.\n       PROGRAM-ID. POSTER.\n{lines}       DATA DIVISION.\n");
    let source = SourceText::read("POSTER.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
    let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
    (source, parsed)
}

#[track_caller]
fn check(head: &[&str], purpose: &str) {
    let (source, parsed) = read(head);
    assert_eq!(head_comment(&source, &parsed).map(|found| found.0).as_deref(), Some(purpose), "{head:#?}");
}

#[test]
fn no_label_is_longer_than_the_longest() {
    let longest = |words: &[&str]| words.iter().map(|word| word.chars().count()).max().unwrap_or(0);
    // Behind a word for a program, and in the plural.
    let label = longest(PROGRAMS) + longest(TELLING_LABELS).max(longest(TITLE_LABELS)) + " S".len();
    assert!(label <= LONGEST_LABEL);
    assert!(crate::comments::NOTICES.iter().all(|word| word.is_ascii()));
}

#[test]
fn a_labelled_purpose_comes_before_banners_and_names() {
    let frame = "----------------------------------------------------------------*";
    let banner = "                 A C M E  -  S Y S T E M S                      *";
    let names =
        ["    PROGRAMA....: POSTER                                        *", "    ANALISTA....: J. DOE       *"];
    let purpose = [
        "    OBJETIVO....: POST THE ENTRIES OF THE DAY TO ACCOUNTS, RE- *",
        "                  PORT THE REST - ONE PAGE A BRANCH            *",
    ];
    let files = ["    ARQUIVOS....:                                               *"];
    let head: Vec<&str> = [frame, banner, frame]
        .into_iter()
        .chain(names)
        .chain([frame])
        .chain(purpose)
        .chain([frame])
        .chain(files)
        .collect();
    check(&head, "POST THE ENTRIES OF THE DAY TO ACCOUNTS, RE-PORT THE REST - ONE PAGE A BRANCH");
    check(
        &[
            "  OBJETIVO : EXEMPT THE OPERATIONS OF ONE CLI- *",
            "             ENT.                              *",
            frame,
        ],
        "EXEMPT THE OPERATIONS OF ONE CLI-ENT.",
    );
    check(
        &[
            "REMARKS.",
            frame,
            "          PURPOSE           *",
            "   Posts the entries.   *",
            frame,
            " OBJETIVO: CONVERSION",
        ],
        "Posts the entries.",
    );
    // What stands below a label says more than the program's name.
    check(
        &[
            "REMARKS.",
            frame,
            "   PROGRAMA       : POSTER |      *",
            "   SUPERVISOR     - LUIZ          *",
            frame,
            "          OBJETIVO                *",
            "   POST THE ENTRIES OF THE DAY.   *",
        ],
        "POST THE ENTRIES OF THE DAY.",
    );
    check(&[banner, frame, " Posts what was entered.", frame], "Posts what was entered.");
}

#[test]
fn a_path_keeps_its_slash() {
    check(&[" Function: serves", " /accounts/branch to the web."], "serves /accounts/branch to the web.");
}

#[test]
fn the_head_tells_of_what_a_program_calls() {
    let (source, parsed) = read(&[
        "   MODULOS.....:                                          *",
        "   DATESUB  - CHECKS A DATE.                              *",
        "   RATES01..: FINDS THE RATE OF A BRANCH, OR                *",
        "              THAT OF THE BANK                              *",
        "   DATESUB  - AGAIN                                         *",
        "   Note: LEDGER is open.                                    *",
    ]);
    let found: std::collections::BTreeMap<_, _> = head_glossary(&source, &parsed).into_iter().collect();
    let pairs: Vec<(&str, &str)> = found.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert_eq!(pairs, [("DATESUB", "CHECKS A DATE."), ("RATES01", "FINDS THE RATE OF A BRANCH, OR THAT OF THE BANK")]);
}

/// Checks the purpose of the first program of a source, whose lines have their indicator first.
#[track_caller]
fn check_lines(lines: &[&str], purpose: Option<&str>) {
    let text: String = lines.iter().map(|line| format!("      {line}\n")).collect();
    let source = SourceText::read("POSTER.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
    let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
    assert_eq!(head_comment(&source, &parsed).map(|found| found.0).as_deref(), purpose, "{lines:#?}");
}

/// Checks the purpose below the PROGRAM-ID of the program POSTER.
#[track_caller]
fn check_none(head: &[&str]) {
    let (source, parsed) = read(head);
    assert_eq!(head_comment(&source, &parsed).map(|found| found.0), None, "{head:#?}");
}

#[test]
fn a_label_of_a_purpose_wins_wherever_it_stands() {
    // Identification entries, with a box behind SECURITY, and a label in a comment entry.
    check(
        &[
            "AUTHOR.     PABLO",
            "            OMAHA NE",
            "DATE-COMPILED.",
            "SECURITY.   ************************************",
            "            *                                  *",
            "            *   THIS PROGRAM IS THE PROPERTY   *",
            "            *   OF CENTRAL STATES              *",
            "            ************************************",
            "REMARKS.",
            "        THIS PROGRAM PROVIDES THE MAINTENANCE NEEDED",
            "    FOR PRODUCT DEFINITIONS.",
        ],
        "THIS PROGRAM PROVIDES THE MAINTENANCE NEEDED FOR PRODUCT DEFINITIONS.",
    );
    check(&["REMARKS. POSTS THE ENTRIES OF THE DAY."], "POSTS THE ENTRIES OF THE DAY.");
    check(&["REMARKS THIS PROGRAM POSTS ENTRIES."], "THIS PROGRAM POSTS ENTRIES.");
    // A box for each part, and letters that are set apart.
    let frame = "--------------------------------------------------------*";
    check(
        &[
            frame,
            "--              INFORMATIONS GENERALES                --*",
            frame,
            "  NOM DU PROGRAMME : POSTER                             *",
            frame,
            "--         OBJECTIFS GENERAUX DU PROGRAMME            --*",
            frame,
            " CALCULE LES INTERETS DES COMPTES                       *",
            frame,
        ],
        "CALCULE LES INTERETS DES COMPTES",
    );
    check(
        &[
            " PROJETO      : 2013-0358 - ADEQUACAO LEI DA TRANSPARENCIA *",
            frame,
            "               O B J E T I V O :                        *",
            "                                                        *",
            " GERAR ARQUIVO PARA CARGA DA TABELA                     *",
            frame,
            "               A R Q U I V O S :                        *",
        ],
        "GERAR ARQUIVO PARA CARGA DA TABELA",
    );
    // A label is read in the block of a notice too; what stands behind it may not be one.
    check(
        &["Authors: J. Doe", "Purpose: logs the activity", "Tectonics: cobc", "License: free software"],
        "logs the activity",
    );
    check(
        &[
            "RESPONSAVEIS : P. LIMA",
            "             : R. VELLASQUES DA BRQ",
            "OBJETIVO...: EMITIR",
            "           : CONTAS",
        ],
        "EMITIR CONTAS",
    );
    // The stamp of a tool behind the first label.
    check(
        &[
            "REMARKS.",
            "    PROGRAMA ORIGINALMENTE CODIFICADO EM ASSEMBLER,",
            "    CONVERTIDO PARA COBOL PELO CONVERSOR.",
            "INSTALLATION.",
            frame,
            "     OBJETIVOS        -  GRAVA REGISTRO NO ARQUIVO DIGIT",
        ],
        "GRAVA REGISTRO NO ARQUIVO DIGIT",
    );
    // A log has such labels too.
    check(
        &[
            "OBJETIVO......: 2002-1341-5-00 - CARGA DA BASE.",
            frame,
            "              ALTERACAO",
            frame,
            "OBJETIVO      : INSERIR UM DIGITO",
        ],
        "2002-1341-5-00 - CARGA DA BASE.",
    );
    check(
        &["THIS PROGRAM TESTS THE INTRINSIC", "FUNCTIONS.  ALL ARE TESTED."],
        "THIS PROGRAM TESTS THE INTRINSIC FUNCTIONS. ALL ARE TESTED.",
    );
    check(&["Titel : Pflege der Konten", "Elementname : kka4kt.cob"], "Pflege der Konten");
}

#[test]
fn a_sentence_about_the_program_comes_before_other_prose() {
    let frame = "**************************************************";
    check(
        &[
            frame,
            "    VALIDATION FOR:-",
            "",
            "    \"ON-SITE VALIDATION, NATIONAL INSTITUTE.     \".",
            frame,
            "    X-CARDS USED BY THIS PROGRAM ARE :-",
            "      X-55  - SYSTEM PRINTER NAME.",
            frame,
            "    PROGRAM POSTER TESTS THE USE OF THE SIGN CLAUSE.",
        ],
        "PROGRAM POSTER TESTS THE USE OF THE SIGN CLAUSE.",
    );
    // A title of few words goes before it.
    check(
        &["Interest posting", "", "This program posts the interest."],
        "Interest posting / This program posts the interest.",
    );
    check(
        &["The interest of all accounts", frame, "This program posts the interest."],
        "This program posts the interest.",
    );
}

#[test]
fn what_is_not_about_the_work_is_no_purpose() {
    let frame = "-------------------------------------------------";
    check_none(&[
        "                   C H A N G E   L O G",
        "",
        " CHANGES ARE MARKED BY THE CHANGE EFFECTIVE DATE.",
        frame,
        "  CHANGE   CHANGE REQUEST PGMR  DESCRIPTION OF CHANGE",
        " EFFECTIVE    NUMBER",
        frame,
        " 051414  CR2013021100002  PEMA  RECURRENT CLAIM CHANGES",
        "                                FOR ALL OFFICES",
    ]);
    check_none(&["Maintenence Log", "Date      Author   Maintenance Requirement", "01/01/08 JOE  CREATED FOR CLASS"]);
    check_none(&["01/01/08 JOE  CREATED FOR CLASS"]);
    check_none(&[
        "             PROGRAM CONVERTED BY",
        "             COBOL CONVERSION AID PO 5785-ABJ",
        "             VMOD=2.098",
    ]);
    check_none(&["AUTHOR. PABLO.", "        COLLEYVILLE, TEXAS."]);
    check_none(&["REMARKS.", "", "     TTTTTTT     BBBBBBB     DDDDDD", "        T        B      B    D     D"]);
    check_none(&["Restricted materials of a company"]);
    check_none(&["TOTEM}PRG-COMMENT"]);
    check_none(&["@a_element_info"]);
    check_none(&["poster.cbl is generated by TOTEM", "This is a generated file. Do not modify it.", "{TOTEM}END"]);
    check_none(&["VALIDATION FOR \"ON-SITE:"]);
}

#[test]
fn a_heading_ends_a_purpose_and_a_cut_is_marked() {
    let head =
        ["OBJETIVO: GRAVAR OS REGISTROS ACEITOS", "ARQUIVOS", "  DDNAME |I/O|  DESCRICAO", "  ENTRADA| I |  REGISTROS"];
    check(&head, "GRAVAR OS REGISTROS ACEITOS");
    check(&["Purpose: posts the entries.", "", "It runs once a day."], "posts the entries.");
    check(
        &[
            "REMARKS.", " THE REPORTS:", " 1. OF CLAIMS.", " 2. OF BILLS.", " 3. OF LOSSES.", " 4. OF AGENTS.",
            " 5. OF ALL.",
        ],
        "THE REPORTS: 1. OF CLAIMS. 2. OF BILLS. 3. OF LOSSES. [...]",
    );
}

#[test]
fn a_program_has_no_comment_of_another() {
    let program = |name: &str, inside: &str| {
        format!(
            " IDENTIFICATION DIVISION.\n PROGRAM-ID. {name}.\n{inside} PROCEDURE DIVISION.\n     GOBACK.\n END PROGRAM {name}.\n"
        )
    };
    let lines = [
        program("FIRST", ""),
        "* Posts the second entries.\n".into(),
        program("SECOND", ""),
        program("THIRD", "* Posts the third entries.\n"),
    ];
    let text: String = lines.concat().lines().map(|line| format!("      {line}\n")).collect();
    let source = SourceText::read("POSTER.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
    let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
    let comments: Vec<_> = (0..3).map(|at| program_comment(&source, &parsed, at).map(|found| found.0)).collect();
    assert_eq!(
        comments,
        [None, Some("Posts the second entries.".to_owned()), Some("Posts the third entries.".to_owned())]
    );
}

#[test]
fn a_comment_before_the_first_division_counts() {
    check_lines(
        &["* Posts the entries of a day.", " IDENTIFICATION DIVISION.", " PROGRAM-ID. POSTER."],
        Some("Posts the entries of a day."),
    );
}

#[test]
fn code_that_was_commented_out_is_no_purpose() {
    for code in [
        "  07 CUSTOMER-TITLE PIC X(8).",
        "10 CCARD-LAST-PROG PIC X(8)",
        "01 CUSTOMER-RECORD.",
        "   05 FILLER REDEFINES CUSTOMER-DATE.",
        "  88 ACTIVE VALUE 'A'.",
        "  ADD 1 TO WS-COUNT.",
        "  OPEN INPUT CUSTOMER-FILE.",
        "  STOP RUN.",
    ] {
        check(&[code, " ", " Posts the entries of the day."], "Posts the entries of the day.");
    }
    for prose in
        ["ADD THE CUSTOMER TO THE MASTER-FILE.", "READ MASTER-FILE AND PRINT ITS TOTALS.", "10 CUSTOMERS A PAGE."]
    {
        check(&[prose], prose);
    }
}

#[test]
fn labels_of_other_scripts_announce_the_purpose_as_well() {
    let head = [
        "=================================================================",
        "@업무명    : LON     (대출관리)",
        "@프로그램명: POSTER (대출이자계산)",
        "@처리유형  : BATCH",
        "@처리개요  : 매월 대출이자를 계산하여",
        "@          : 원장에 기록한다",
        "-----------------------------------------------------------------",
    ];
    check(&head, "대출이자계산. 매월 대출이자를 계산하여 원장에 기록한다");
    check(&head[..4], "대출이자계산");
    check(&[" システム名 : LOAN", " 処理概要 : 利息を計算し元帳に記録する"], "利息を計算し元帳に記録する");
}
