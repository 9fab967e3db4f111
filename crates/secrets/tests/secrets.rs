//! What is taken for a secret, and what is not.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

use war_rig_cobol::LexedSource;
use war_rig_secrets::{
    FoundSecret, KnownSecrets, NameSearch, NameUse, SecretKind, SecretRules, find_secrets, find_secrets_in_text,
    values_of_secrets,
};
use war_rig_text::{ReadOptions, SourceFormat, SourceText};

/// A fixed-format line for each line of code, which begins in column 8; a line that begins with `|` is taken from column 7.
fn fixed(code: &str) -> String {
    let line = |line: &str| match line.strip_prefix('|') {
        Some(indicated) => format!("      {indicated}\n"),
        None => format!("       {line}\n"),
    };
    code.lines().map(line).collect()
}

fn found(text: &str) -> (SourceText, Vec<FoundSecret>) {
    let source = SourceText::read("T.cbl", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    let found = find_secrets(&source, &LexedSource::of(&source), &SecretRules::built_in(), &KnownSecrets::default());
    (source, found)
}

/// The code as it is shown with its secrets masked.
fn masked(code: &str) -> String {
    let (source, found) = found(&fixed(code));
    let stretches: Vec<_> = found.into_iter().flat_map(|secret| secret.spans).collect();
    let lines: Vec<String> = source.masked(&stretches).lines().map(|line| line.visible().to_owned()).collect();
    lines.join("\n")
}

/// Asserts that in each row the text between `[` and `]`, and nothing else, is masked.
#[track_caller]
fn check(rows: &[&str]) {
    for row in rows {
        let code = row.replace(['[', ']'], "");
        let mut hidden = false;
        let mut expected = String::new();
        for c in row.chars() {
            match c {
                '[' => hidden = true,
                ']' => hidden = false,
                '\n' => expected.push('\n'),
                c => expected.push(if hidden { 'X' } else { c }),
            }
        }
        let shown = |code: &str| {
            let (source, _) = found(&fixed(code));
            source.lines().map(|line| line.visible().to_owned()).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(masked(&code), shown(&expected), "{row}");
    }
}

#[test]
fn values_of_items_whose_names_say_so() {
    check(&[
        "01  WS-PASSWORD PIC X(8) VALUE '[hunter2]'.",
        "01  ws-password pic x(8) value is \"[SESAME]\".",
        "77  DBPASSWD PIC X(8) VALUE '[SESAME]'.",
        // The length of an item, not its value.
        "01  WS-PASSWORDS-T1 PIC 9(4) COMP VALUE 0037.",
        "01  WS-PASSWORD PIC 9(6) VALUE [483921].",
        "78  API-KEY VALUE '[abcdef]'.",
        "05  FTP-PWD VALUE '[it''s me]'.",
        "05  USER-PIN PIC 9(4) VALUE [4711].",
        "05  ORA-PASS PIC X(8) VALUE '[tiger99]'.",
        "05  SESSION-TOKEN PIC X(20) VALUE '[a8f3d0c29b]'.",
        "05  WS-PASSPHRASE VALUE '[correct horse battery staple on]'.",
        "05  WS-PASSWORD PIC X(3) VALUE X'[C1C2C3]'.",
        "05  PASSWORD-OF-ADMIN PIC X(8).\n88  IS-ADMIN VALUE '[ADMIN1]' '[ADMIN2]'.\n05  OTHER PIC X VALUE 'ABCDEF'.",
        "01  PASSWORDS.\n  05  FILLER PIC X(8) VALUE '[ALPHA]'.\n  05  FILLER.\n    10  P2 VALUE '[BETA]'.\n01  X VALUE 'GAMMA'.",
        "01  WS-PASSWORD PIC X(8)\n        VALUE\n        '[hunter2]'.",
    ]);
}

#[test]
fn what_an_item_describes_anew_is_as_secret_as_itself() {
    check(&[
        "01  AREA-1 PIC X(8) VALUE '[SESAME]'.\n01  WS-PASSWORD REDEFINES AREA-1 PIC X(8).\n01  B PIC X(8) VALUE 'SESAME'.",
        "01  A PIC X(8) VALUE 'OTHER1'.\n01  AREA-1.\n  05  P PIC X(4) VALUE '[ABCD]'.\n  05  Q PIC X(4) VALUE '[EFGH]'.\n01  KENNWORT REDEFINES AREA-1 PIC X(8).",
        "01  AREA-1 PIC X(8) VALUE 'SESAME'.\n01  PASSWORD-LEN REDEFINES AREA-1 PIC 9(8).",
        "01  X PIC X(8) VALUE 'SESAME'.\n01  WS-PASSWORD REDEFINES NOWHERE PIC X(8).",
    ]);
}

#[test]
fn what_a_text_says_a_password_is() {
    check(&[
        "DISPLAY 'CURRENT PASSWORD IS [TAZIL_4782]'.",
        "DISPLAY 'KENNWORT LAUTET [VABUZAR.680x]'.",
        "DISPLAY 'PASSWORD IS EXPIRED'.",
        "DISPLAY 'PASSWORD IS WS-PASS-01'.",
        "05  FILLER PIC X(50) VALUE '<wsse:Password Type=\"#Text\">'.\n05  FILLER PIC X(13) VALUE '[yMlvrZxn3diHd]'.",
        "05  FILLER PIC X(50) VALUE '</Password>'.\n05  FILLER PIC X(13) VALUE 'yMlvrZxn3diHd'.",
    ]);
}

#[test]
fn what_is_about_a_secret_is_none() {
    check(&[
        "05  WS-PASSWORD PIC X(8) VALUE SPACES.",
        "05  WS-PASSWORD PIC X(8) VALUE '********'.",
        "05  WS-PASSWORD PIC X(8) VALUE 'XXXXXXXX'.",
        "05  WS-PASSWORD PIC X(8) VALUE '        '.",
        "05  WS-PASSWORD PIC X(8) VALUE X'000000'.",
        "05  WS-PASSWORD PIC X VALUE 'N'.",
        "05  PASSWORD-LABEL PIC X(20) VALUE 'Kennwort'.",
        "05  PASSWORD-LEN PIC 9(4) VALUE 1200.",
        "05  PASSWORD-FLAG PIC X(3) VALUE 'YES'.",
        "05  PASSWORD-ERROR-MSG PIC X(40) VALUE 'WRONGPASSWORD'.",
        "05  WS-PASSWORD PIC X(20) VALUE 'Enter password:'.",
        "05  WS-PASSWORD PIC X(20) VALUE 'Please enter your password'.",
        "05  FILLER PIC X(20) VALUE 'Password:'.",
        "05  WS-PASSWORD PIC X(8) OCCURS 1000 TIMES.",
        "05  WS-PASSWORD PIC X(8) VALUE SPACES OCCURS 1000 TIMES.",
        "01  PASSWORDS.\n  05  PW-LABEL PIC X(8) VALUE 'Kennwort'.",
        "05  TOKEN-KIND PIC X(8) VALUE 'IDENTIFIER'.",
        "05  SECRETARY PIC X(8) VALUE 'MARGARET'.",
        "05  SPIN PIC 9(4) VALUE 4711.",
        "05  WS-PASSED PIC X(6) VALUE 'PASSED'.",
        "05  OPINION PIC X(6) VALUE 'STRONG'.",
    ]);
}

#[test]
fn literals_that_statements_bring_to_an_item() {
    check(&[
        "    MOVE '[hunter2]' TO WS-PASSWORD.",
        "    move '[hunter2]' to ws-user of rec, ws-password of rec.",
        "    MOVE 'NAME' TO WS-USER MOVE '[hunter2]' TO PASSWDI OF MAP1.",
        "    MOVE 'NAME' TO WS-USER DISPLAY WS-PASSWORD.",
        "    MOVE WS-PASSWORD TO WS-OTHER MOVE 'NAME' TO WS-USER.",
        "    MOVE 'CHECKPWD' TO WS-PGM PERFORM 1000-CHECK-PASSWORD.",
        "    MOVE 'Password?' TO WS-PASSWORD-PROMPT.",
        "    MOVE 'RECORD' TO WS-TABLE(PASSWORD-IDX).",
        "    MOVE [4711] TO CARD-PIN.",
        "    MOVE -1 TO PASSWDL OF MAP1.",
        "    MOVE 8 TO WS-PASSWORD.",
        "    STRING '[hun]' WS-X DELIMITED BY ',' '[ter2]' DELIMITED BY\n      SIZE INTO WS-PASSWORD.",
        "    STRING 'Hello' DELIMITED BY SIZE INTO WS-LINE.",
        "    MOVE [4711] TO TASK-PIN MOVE '[hunter2]' TO PW-SK-PIN-PWD.",
        "    STRING 'UID=ME;PWD=' '[hunter2]' DELIMITED BY SIZE INTO X.",
        "    STRING 'PASSWORD=' WS-PWD DELIMITED BY SIZE INTO X.",
        "    SET ENVIRONMENT 'DB_PASSWORD' TO '[hunter2]'.",
        "    CALL 'PASSWORD' USING '[hunter2]'.",
    ]);
}

#[test]
fn literals_that_an_item_is_compared_with() {
    check(&[
        "    IF WS-PASSWORD = '[hunter2]'",
        "    IF WS-PASSWORD OF REC (1:8) IS NOT EQUAL TO '[hunter2]'",
        "    IF FUNCTION UPPER-CASE(WS-PASSWORD) = '[HUNTER2]' OR '[SESAME]'",
        "    IF WS-PASSWORD NOT = SPACES AND WS-USER = 'SYSADM'",
        "    IF '[hunter2]' = WS-PASSWORD",
        "    IF WS-USER = 'SYSADM' AND WS-PASSWORD = WS-SAVED",
        "    IF WS-PIN-OK = 'YES'",
        "    IF WS-FIELD = 'PASSWORD' AND WS-KIND = 'STRING'",
        "    PERFORM UNTIL WS-PASSWORD = '[hunter2]'",
        "    EVALUATE WS-PASSWORD WHEN '[hunter2]' WHEN '[sesame]'\n      MOVE 'ABCDEF' TO WS-X WHEN OTHER CONTINUE END-EVALUATE",
        "    EVALUATE WS-USER ALSO WS-PASSWORD\n    WHEN 'SYSADM' ALSO '[hunter2]' DISPLAY 'WELCOME'.",
        "    EVALUATE WS-USER WHEN 'SYSADM' DISPLAY WS-PASSWORD.",
    ]);
}

#[test]
fn blocks_of_other_languages() {
    check(&[
        "    EXEC SQL CONNECT TO DB USER :U USING '[hunter2]' END-EXEC.",
        "    EXEC SQL CONNECT :U IDENTIFIED BY :P END-EXEC.",
        "    EXEC SQL CONNECT '[x]' END-EXEC.".replace("[x]", "x").as_str(),
        "    EXEC SQL CREATE USER A IDENTIFIED BY [hunter2] END-EXEC.",
        "    EXEC SQL ALTER USER A\n        IDENTIFIED BY \"[hunter2]\" END-EXEC.",
        "    EXEC SQL CONNECT 'scott/[tiger]@orcl' END-EXEC.",
        "    EXEC SQL SELECT A FROM T WHERE PASSWORD = '[hunter2]'\n        AND NAME = 'SYSADM' END-EXEC.",
        "    EXEC SQL SELECT A FROM T WHERE PASSWORD = :WS-PW END-EXEC.",
        "    EXEC SQL INSERT INTO USERS (NAME, PASSWORD, KIND)\n      VALUES ('SYSADM', '[hunter2]', 'ADMIN') END-EXEC.",
        "    EXEC SQL INSERT INTO USERS (PASSWORD, NAME)\n      VALUES (:PW, 'SYSADM') END-EXEC.",
        "    EXEC SQL OPEN C1 USING 'hunter2' END-EXEC.",
        "    EXEC CICS SIGNON USERID('ME') PASSWORD('[hunter2]') END-EXEC.",
        "    EXEC CICS VERIFY PASSWORD(WS-PASSWORD) END-EXEC.",
    ]);
}

#[test]
fn texts_that_hold_a_key_and_its_value() {
    check(&[
        "    DISPLAY 'UID=ME;PWD=[hunter2];X=1'.",
        "    DISPLAY 'PASSWORD=' WS-X.",
        "    DISPLAY '{\"password\":\"[hunter2]\",\"user\":\"me\"}'.",
        "    DISPLAY 'http://me:[hunter2]@host/x'.",
        "    DISPLAY 'Enter your password: '.",
        "    DISPLAY 'mailto:someone@host.com'.",
        "    DISPLAY 'http://host:8080/x'.",
        "    DISPLAY 'AKIA[x]'.".replace("[x]", "").as_str(),
        "    DISPLAY '[AKIAIOSFODNN7EXAMPLE]'.",
        "    DISPLAY '[ghp_0123456789abcdefghijklmnopqrstuvwxyz]'.",
        "    DISPLAY 'Bearer [abcdef0123456789]'.",
        "|*    //STEP  DD PASSWORD=([OLDPW],[NEWPW])",
        "|*  PASSWORD=[SESAME]  FOR THE TEST SYSTEM",
        "|*  password: [Sesame99] for the test system",
        "|*  THE PASSWORD: IT IS ENTERED BY THE USER",
        "|*  PASSWORD=&PW. PASSWORD=<password>",
        "|*  IF WS-PASSWORD = WS-SAVED-PASSWORD",
        "|*    MOVE '[hunter2]' TO WS-PASSWORD.",
        "|*  05 WS-PASSWORD PIC X(8)\n|*       VALUE '[hunter2]'.",
        "|D    MOVE '[hunter2]' TO WS-PASSWORD.",
        "    CONTINUE. *> PASSWORD=[SESAME]",
        "|*  USER'S PASSWORD IS CHECKED, DON'T ASK",
    ]);
}

#[test]
fn private_keys_over_many_lines() {
    check(&[
        "|* -----BEGIN RSA PRIVATE KEY-----\n|* [MIIEowIBAAKCAQEA7v1Z]\n|* [q83ASDF/+xyz0123456789==]\n|* [Qw==]\n|* -----END RSA PRIVATE KEY-----\n|* MIIEowIBAAKCAQEA7v1Z",
        "05 FILLER PIC X(31)\n   VALUE '-----BEGIN PRIVATE KEY-----'.\n05 FILLER PIC X(20)\n   VALUE '[MIIEowIBAAKCAQEA7v1Z]'.\n05 FILLER PIC X(31)\n   VALUE '-----END PRIVATE KEY-----'.",
        "|* -----BEGIN CERTIFICATE-----\n|* MIIEowIBAAKCAQEA7v1Z",
    ]);
}

#[test]
fn a_continued_literal_is_masked_in_all_its_lines() {
    let text = "       01  WS-PASSWORD PIC X(80) VALUE                            'abc\n      -    'def12'.\n       01  OTHER PIC X VALUE 'B'.\n";
    let (source, found) = found(text);
    assert_eq!(found.len(), 1);
    let lines: Vec<u32> = found[0].spans.iter().map(|stretch| stretch.line.get()).collect();
    assert_eq!(lines, [1, 2]);
    assert_eq!(found[0].to_string(), "the value of WS-PASSWORD looks like a password");
    let shown: Vec<String> = source.masked(&found[0].spans).lines().map(|line| line.visible().to_owned()).collect();
    assert!(shown[0].ends_with("'XXX"), "{shown:?}");
    assert_eq!(shown[1..], ["-    'XXXXX'.", " 01  OTHER PIC X VALUE 'B'."]);
}

#[test]
fn columns_hold_in_free_format_and_behind_tabs() {
    for (text, expected) in [
        (
            ">>SOURCE FREE\nmove 'größe1' to my-password. move 'b' to c.\n",
            "move 'XXXXXX' to my-password. move 'b' to c.",
        ),
        ("\tMOVE 'hunter2' TO WS-PASSWORD.\n", "  MOVE 'XXXXXXX' TO WS-PASSWORD."),
        ("000100     MOVE 'hunter2' TO WS-PASSWORD.\r\n", "     MOVE 'XXXXXXX' TO WS-PASSWORD."),
    ] {
        let (source, found) = found(text);
        let masked = source.masked(&found.iter().flat_map(|s| s.spans.clone()).collect::<Vec<_>>());
        assert_eq!(masked.lines().last().unwrap().visible(), expected);
    }
}

#[test]
fn a_mask_moves_nothing_whatever_stands_around_it() {
    let parts = [
        "01 ",
        "MOVE ",
        " TO ",
        " VALUE ",
        "WS-PASSWORD",
        "IF ",
        " = ",
        "'abc1x'",
        "'ab''cd9",
        "\"q\"",
        ".\n       ",
        "\n      -    '",
        "\n      * ",
        "EXEC SQL CONNECT USING ",
        " END-EXEC",
        "PWD=größe9;",
        "a:b9c@d",
        " *> ",
        "STRING ",
        " INTO ",
        "EVALUATE ",
        " WHEN ",
        "-----BEGIN PRIVATE KEY-----",
        "AKIAIOSFODNN7EXAMPLE",
        "1234",
        "(",
        ")",
        "X'C1C2C3'",
        "\t",
        "ſ",
    ];
    let mut masked_some = 0;
    for first in parts {
        for second in parts {
            for third in parts {
                let text = format!("       {first}{second}{third}'ab1' {first}WS-PIN{third}.\n");
                let (source, found) = found(&text);
                let stretches: Vec<_> = found.into_iter().flat_map(|secret| secret.spans).collect();
                masked_some += usize::from(!stretches.is_empty());
                let masked = source.clone().masked(&stretches);
                assert_eq!(masked.line_count(), source.line_count(), "{text:?}");
                for (line, own) in masked.lines().zip(source.lines()) {
                    assert_eq!(line.visible().chars().count(), own.visible().chars().count(), "{text:?}");
                    let mut pairs = line.text().chars().zip(own.text().chars());
                    assert!(pairs.all(|(c, own)| c == own || c == 'X'), "{text:?}");
                }
            }
        }
    }
    assert!(masked_some > 1000, "{masked_some}");
}

#[test]
fn what_is_handed_over_put_in_or_taken_apart() {
    check(&[
        "SET WS-PASSWORD TO '[hunter2]'.",
        "UNSTRING '[op1;hunter2]' DELIMITED BY ';'\n  INTO WS-USER WS-PASSWORD.",
        "UNSTRING 'a;b' DELIMITED BY ';' INTO WS-A WS-B.",
        "INSPECT WS-PASSWORD REPLACING ALL 'AAAA' BY '[hun2]'.",
        "INITIALIZE WS-PASSWORD\n  REPLACING ALPHANUMERIC DATA BY '[hunter2]'.",
        "CALL 'SETPWD' USING BY CONTENT '[hun7ter]'.",
        "CALL 'DBLOGON' USING BY CONTENT 'LOANBAT'\n  BY CONTENT '[Sz44Fjord]' WS-RC.",
        "CALL 'PAYRUN' USING 'Sz44Fjord'.",
        "CALL 'CBL_SET_ENV' USING\n  'AWS_SECRET_ACCESS_KEY' '[yDt6mZ9AJi3J]'.",
        "STRING 'Authorization: Basic ' DELIMITED BY SIZE\n  '[ZnhydDpMejY1VG9y]' DELIMITED BY SIZE INTO WS-A.",
        "DISPLAY 'ORA_PASSWORD' UPON ENVIRONMENT-NAME\nDISPLAY '[dsL+YscV9]' UPON ENVIRONMENT-VALUE.",
        "REPLACE ==:DB-PWD:== BY =='[Yarrow2018]'==.",
    ]);
}

#[test]
fn names_of_other_languages_and_of_key_material() {
    check(&[
        "77  WS-KENNWORT PIC X(8) VALUE '[SESAM]'.",
        "77  WS-MOT-DE-PASSE PIC X(8) VALUE '[SESAME]'.",
        "77  WS-SENHA PIC X(8) VALUE '[SESAMO]'.",
        "77  WS-KENNWORT-LAENGE PIC 99 VALUE 12.",
        "77  WS-HMAC-KEY PIC X(20) VALUE '[05440698c83998e1705b]'.",
        "77  WS-SORT-KEY PIC X(8) VALUE 'ACCT0001'.",
        "77  WS-SLEUTEL PIC X(20) VALUE '[05440698c83998e1705b]'.",
        "01  WS-PASSWORD-TABLE.\n  05  FILLER PIC X(8) VALUE '[RIESL35K]'.\n  05  FILLER PIC X(8) VALUE 'PWTAB'.",
        "01  API-KEYS.\n  05  AK-ONE PIC X(20) VALUE '[ytJEyNh8MmvMXgBjgT]'.\n  05  AK-COUNT PIC 9 VALUE 2.",
    ]);
}

#[test]
fn forms_and_what_is_told_in_prose() {
    check(&[
        "*> relay pw is [V3lv3t23]",
        "*> OLD PASSWORD WAS [S13rr474], CHANGED IN MAY",
        "*> PASSWORD NEEDED HERE",
        "*> api key: [a1b2c3d4e5]",
        "DISPLAY 'sk_live_' 'x'.",
        "MOVE '[sk_live_a1B2c3D4e5F6g7H8]' TO WS-A.",
        "MOVE 'JSESSIONID=[FDB801678332777C027A]' TO WS-A.",
        "MOVE 'acctbat/[Ez89Nectar]@DWHPROD1' TO WS-A.",
        "MOVE 'curl -u bob:[hun7ter] http://a' TO WS-A.",
    ]);
}

#[test]
fn what_a_sentence_says_a_password_is_in_many_languages() {
    check(&[
        "*> LE MOT DE PASSE DE LA BASE EST [RENARD7], A CHANGER",
        "*> mot de passe FTP : [Soleil48]",
        "*> code secret du coffre : [48213]",
        "*> LA CONTRASENA ES [VERANO22]",
        "*> la contrase\u{f1}a de la base es [Girasol31]",
        "*> CLAVE DE ACCESO: [MADRID88]",
        "*> HET WACHTWOORD VAN DE DATABASE LUIDT [TULP2024]",
        "*> DAS KENNWORT DES BENUTZERS LAUTET [ADLER42]",
        "*> KENNWORT DER DATENBANK: [EICHHORN]",
        "*> LA PAROLA D'ORDINE E' [ESTATE23]",
        "*> A SENHA DO BANCO E [LISBOA74]",
        "*> THE PASSWORD FOR THE LOAD USER\n*> IS [OTTER12]",
        "*> LOG ON AS OPS WITH PASSWORD [BADGER9]",
        "*> PASSWORD CHANGED FROM [MAPLE01] TO [CEDAR02]",
        "*> the root password is now [KESTREL]",
        "*> Das Passwort wurde von [Drossel1] auf [Drossel2] ge\u{e4}ndert",
        "*> le mot de passe par d\u{e9}faut est \"[Papillon]\"",
        "*> ENTER [JAGUAR5] AS THE PASSWORD",
        "*> SIGN ON WITH SYSADM/[HAWK2291]",
        "DISPLAY 'DEFAULT PASSWORD IS [GOLDFISH]'.",
    ]);
}

#[test]
fn a_sentence_about_a_password_tells_none() {
    check(&[
        "*> LE MOT DE PASSE EST OBLIGATOIRE",
        "*> LA CONTRASENA ES INVALIDA",
        "*> DAS KENNWORT IST UNGUELTIG",
        "*> KENNWORT WIRD IN MODUL SEC010 GEPRUEFT",
        "*> THE PASSWORD IS CHECKED BY COSGN00C",
        "*> THE PASSWORD IS IN FIELD PASSWDI, TABLE T0815",
        "*> PASSWORD VALIDATION: COSGN00C",
        "*> CLAVE PRIMARIA: CUSTOMER01, TOKEN IS TOK0001",
        "*> MOVE PASSWORD FROM MAP1 TO REC01",
        "*> PROGRAMS COSGN00C/COUSR00C: SIGN ON WITH PASSWORD",
        "*> CHECK THE PASSWORD\n*> CR12345 ADDED THIS",
    ]);
}

#[test]
fn tables_of_users_and_passwords_that_a_comment_or_a_redefinition_tells() {
    check(&[
        "*> USERID   PASSWORD\n01  T.\n  05  FILLER PIC X(20) VALUE 'OPER01  [TANGO77]'.\n  05  FILLER PIC X(20) VALUE 'OPER02  [LIMA55A]'.\n01  U PIC X(20) VALUE 'OPER03  TANGO78'.",
        "*> BENUTZER MIT KENNWORT\n01  T.\n  05  FILLER PIC X(8) VALUE 'SMITH'.\n  05  FILLER PIC X(8) VALUE '[BRAVO22]'.",
        "*> USER      PASSWORD\n*> --------  --------\n*> OPER01    [TANGO77]\n*> OPER02    [LEMON]\n*> THE END OF IT",
        "01  T.\n  05  FILLER PIC X(16) VALUE 'SMITH   [BRAVO22]'.\n01  R REDEFINES T.\n  05  ROWS OCCURS 1.\n    10  R-USER PIC X(8).\n    10  R-PASSWORD PIC X(8).",
        "*> USERID (8) AND PASSWORD (8)\n01  T.\n  05  FILLER PIC X(16) VALUE 'PAYROLL1[MARMOT77]'.",
        "01  WS-LOGON PIC X(20) VALUE 'OPS1/[KILO99Z]'.",
        "01  WS-LOGON PIC X(20) VALUE 'LOGIN SCREEN01'.",
        "MOVE 'OPS1    [KILO99Z]' TO WS-LOGON-DATA.",
        "STRING 'OPS1' '/' '[AUTUMN22]' DELIMITED BY SIZE\n  INTO WS-LOGON-STRING.",
        "*> USER MESSAGES OF THE PASSWORD SCREEN\n01  T.\n  05  FILLER PIC X(30) VALUE 'E001 MISSING'.\n  05  FILLER PIC X(30) VALUE 'COSGN0A'.",
        "*> THE USER IS ASKED FOR A PASSWORD\n01  T.\n  05  FILLER PIC X(30) VALUE 'USER ID'.\n  05  FILLER PIC X(30) VALUE 'NAME'.",
    ]);
}

#[test]
fn codes_and_numbers_that_are_computed() {
    check(&[
        "MOVE [48213] TO WS-ACCESS-CODE.",
        "77  WS-VAULT-CODE PIC 9(6) VALUE [771239].",
        "77  WS-ZUGANGSCODE PIC X(6) VALUE '[771239]'.",
        "COMPUTE WS-PIN = [4471] + WS-DAY * [1200].",
        "ADD [4471] TO WS-PIN.",
        "IF [4471] = WS-PIN DISPLAY 'OK'.",
        "COMPUTE WS-PASSWORD-AGE = 1000.",
        "MOVE 12345 TO WS-POSTAL-CODE. IF WS-RETURN-CODE = 12345 STOP RUN.",
        "MOVE 12 TO WS-ACCESS-CODE. MOVE 'UPDATE' TO WS-ACCESS-CODE.",
    ]);
}

#[test]
fn items_that_carry_a_secret_under_another_name() {
    check(&[
        "MOVE WS-PASSWORD TO WS-X.\nIF WS-X = '[AUTUMN22]' STOP RUN.",
        "MOVE FUNCTION UPPER-CASE(LS-PWD) TO WS-X.\nEVALUATE WS-X WHEN '[GOLDFISH]' WHEN '[SALMON1]' CONTINUE.",
        "77  WS-A PIC X(8) VALUE '[GOLDFISH]'.\n    MOVE WS-A TO LK-PASSWORD.",
        "77  WS-A PIC X(8) VALUE '[GOLDFISH]'.\n    IF LK-PASSWORD = WS-A STOP RUN.",
        "MOVE '[goldfish]' TO H-A.\nEXEC SQL CONNECT :U IDENTIFIED BY :H-A END-EXEC.",
        "DISPLAY 'ENTER PASSWORD' ACCEPT WS-R.\nIF WS-R = '[GOLDFISH]' STOP RUN.",
        "ACCEPT WS-E FROM ENVIRONMENT 'DB_PASSWORD'.\nMOVE '[goldfish]' TO WS-E.",
        "MOVE WS-PASSWORD TO WS-X. MOVE WS-NAME TO WS-X.\nIF WS-X = 'GOLDFISH' OR '[Gold4fish]' STOP RUN.",
        "MOVE SPACES TO WS-PASSWORD WS-NAME.\nIF WS-NAME = 'SUPERUSER' STOP RUN.",
        "MOVE LENGTH OF WS-PASSWORD TO WS-L.\nIF WS-L = 'GOLDFISH' STOP RUN.",
    ]);
}

#[test]
fn what_a_call_or_a_variable_brings_beside_the_name_of_a_secret() {
    check(&[
        "CALL 'SECCHK' USING WS-USER '[AUTUMN22]' WS-PASSWORD.",
        "CALL 'DBLOGON' USING 'OPS1' '[GOLDFISH]'.",
        "INVOKE CONN 'login' USING 'ops1' '[goldfish]'.",
        "CALL 'CBL_SETENV' USING 'DB_PASSWORD' '[goldfish]'.",
        "CALL 'COSGN00C' USING WS-PASSWORD 'MAP01'.",
        "DISPLAY 'DB_PASSWORD' UPON ENVIRONMENT-NAME\nDISPLAY '[autumn]' UPON ENVIRONMENT-VALUE.",
        "MOVE 'DB_PASSWORD' TO N. DISPLAY N UPON ENVIRONMENT-NAME.\nMOVE '[autumn]' TO V. DISPLAY V UPON ENVIRONMENT-VALUE.",
        "DISPLAY 'DB_NAME' UPON ENVIRONMENT-NAME\nDISPLAY 'PRODDB01' UPON ENVIRONMENT-VALUE.",
        "MOVE 'DB_PASSWORD' TO WS-NAME. MOVE '[goldfish]' TO WS-VALUE.",
        "77  X-USER PIC X(8).\n77  X-PASS PIC X(8) VALUE '[goldfish]'.",
        "77  WS-FIRST-PASS PIC X(8) VALUE 'complete'.",
        "MOVE 'USER ops' TO CMD. MOVE 'PASS [goldfish]' TO CMD.",
        "MOVE 'AUTH LOGIN' TO L. MOVE '[b3BzMUBob3N0LmNvbQ==]' TO L.\nMOVE '[R29sZEZpc2g3Nw==]' TO L. MOVE 'MAIL FROM' TO L.",
        "MOVE 'AUTH PLAIN [AG9wczEAR29sZEZpc2g3Nw==]' TO L.",
        "77  SMTP-AUTH PIC X(30) VALUE '[b3BzMTpHb2xkRmlzaA==]'.",
    ]);
}

#[test]
fn the_name_of_a_copybook_a_program_or_a_map_names_no_value() {
    check(&[
        "    COPY \"OrderPassword\".\n    COPY \"GetSystemY2KDate\".",
        "    COPY \"OrderPassword\".\n    CALL \"GetSystemY2KDate\".",
        "    CALL \"OrderPassword\". CALL \"GetSystemY2KDate\" USING WS-A.",
        "    SELECT A ASSIGN TO \"USER-PASSWORD\".\n    SELECT B ASSIGN TO \"STOCK01A2\".",
        "    PERFORM GET-PASSWORD. DISPLAY 'STOCK01A2'.",
        "    MOVE 'PASSWORD' TO A. COPY 'STOCK01A2'.",
        "    DISPLAY 'PASSWORD:'. DISPLAY '[STOCK01A2]'.",
        "    EXEC CICS SEND MAP('PASSWORD') MAPSET('COSGN0A')\n    END-EXEC.",
        "    EXEC CICS XCTL PROGRAM('PASSWORD') TRANSID('COSGN0A')\n    END-EXEC.",
        "    EXEC CICS PUT CONTAINER('DB-PASSWORD') FROM('[Xk88fish]')\n    END-EXEC.",
        "    EXEC CICS WRITEQ TS QUEUE('PASSWORD') FROM('[Xk88fish]')\n    END-EXEC.",
    ]);
}

#[test]
fn what_is_called_is_a_program() {
    check(&[
        "78  C-VALIDAR-LOGIN VALUE \"CS00100S\".\n    CALL C-VALIDAR-LOGIN USING A.",
        "78  C-VALIDAR-LOGIN VALUE \"CS00100S\".\n    CALL 'CS00100S' USING A.",
        "77  WS-LOGON PIC X(8) VALUE 'COSGN0A'.\n    EXEC CICS XCTL PROGRAM(WS-LOGON) END-EXEC.",
        "77  WS-LOGON PIC X(20) VALUE '[COSGN0A]'.\n    CALL 'KILO' USING WS-LOGON.",
        "77  WS-PASSWORD PIC X(8) VALUE '[SESAME]'.\n    CALL 'SESAME' USING WS-PASSWORD.",
    ]);
}

#[test]
fn a_connection_names_its_database_behind_its_password() {
    check(&[
        "MOVE 'stock01' TO WS-D. MOVE '[geheim1]' TO WS-P.\nEXEC SQL CONNECT :U IDENTIFIED BY :WS-P USING :WS-D END-EXEC.",
        "MOVE 'stock01' TO WS-D. MOVE '[geheim1]' TO WS-P.\nEXEC SQL CONNECT TO :WS-D USER :U USING :WS-P END-EXEC.",
        "EXEC SQL CONNECT :U IDENTIFIED BY '[geheim1]'\n  USING 'stock01' END-EXEC.",
        "EXEC SQL CONNECT TO D USER :U USING '[geheim1]' END-EXEC.",
    ]);
}

#[test]
fn what_is_identified_as_something_has_a_name() {
    check(&[
        "|*  ARE IDENTIFIED AS \"RL-FR7\" AND \"RL-FR8\".  THE FILES",
        "|*  THE FILE IS IDENTIFIED AS\n|*  \"IX-FS1\" AND IS PASSED TO IX202",
        "|*  THE FILE IS IDENTIFIED BY \"IX-FS1\" AND IS PASSED",
        "|*  CREATE USER A IDENTIFIED BY '[geheim1]'",
        "|*  ALTER USER A IDENTIFIED WITH sha256 AS '[geheim1]'",
    ]);
}

#[test]
fn the_key_of_a_record_is_no_key_of_a_cipher() {
    check(&[
        "01  RECORD-KEY-CONTENT PIC X(30)\n    VALUE 'BBBBBBBBBC225EEEEEEEEEF001ALT'.",
        "01  WS-PRIMARY-KEY PIC X(30) VALUE 'CUSTOMER000012345678'.",
        "01  WS-TEMP-STORAGE-KEY.\n    10  FILLER PIC X(4) VALUE '1282'.",
        "    SELECT F ASSIGN TO D RECORD KEY IS F-CARD-KEY.\n01  F-CARD-KEY PIC X(30) VALUE 'CUSTOMER000012345678'.",
        "    EXEC CICS READ FILE('F') RIDFLD(F-CARD-KEY) END-EXEC.\n    MOVE 'CUSTOMER000012345678' TO F-CARD-KEY.",
        "01  F-CARD-KEY PIC X(30) VALUE '[A1B2C3D4E5F60718]'.",
        "01  RECORD-ENC-KEY PIC X(30) VALUE '[A1B2C3D4E5F60718]'.",
        "01  AZURE-STORAGE-KEY PIC X(30) VALUE '[A1B2C3D4E5F60718]'.",
        "01  PRIMARY-API-KEY PIC X(30) VALUE '[A1B2C3D4E5F60718]'.",
    ]);
}

#[test]
fn a_value_belongs_to_its_own_item() {
    check(&[
        "05  C-TAB-ANMELDEDATEN PIC X(20) VALUE \"ANMELDEDATEN\".\n05  C-TAB-KA00INSTA PIC X(20) VALUE \"KA00INSTA\".",
        "05  C-A PIC X(8) VALUE 'PASSWORD'.\n05  C-B PIC X(20) VALUE 'KA00INSTA'.",
        "05  FILLER PIC X(8) VALUE 'PASSWORD'.\n05  FILLER PIC X(20) VALUE '[KA00INSTA]'.",
        "05  C-A PIC X(9) VALUE 'PASSWORD='.\n05  C-B PIC X(20) VALUE '[KA00INSTA]'.",
    ]);
    let bms = "COMPPWD  DFHMDF POS=(18,24),LENGTH=08,ATTRB=(UNPROT,DRK)\n         DFHMDF POS=(18,38),LENGTH=36,ATTRB=(ASKIP),\n               INITIAL='CR = CREDIT'\n";
    assert_eq!(masked_text("a.bms", bms), bms);
}

#[test]
fn what_repeats_the_name_of_its_item_is_a_caption() {
    check(&[
        "03  H-PASSWORD PIC X(15) VALUE \"PASSWORD\".\n03  H-PRIORITY PIC X(110) VALUE \"PRIORITY\".",
        "03  H-MENU PIC X(15) VALUE \"MENU\".\n03  H-PASSWORD PIC X(15) VALUE \"PASSWORD\".",
        "03  H-MENU PIC X(15) VALUE \"MENU\".\n03  H-PASSWORD PIC X(15) VALUE \"[ORCHID]\".",
        "01  WS-USER PIC X(8) VALUE 'OPS1'.\n01  WS-PASSWORD PIC X(8) VALUE '[PASSWORD]'.",
        "78  POSTGRES-PASSWORD VALUE \"POSTGRES_PASSWORD\".",
        "78  POSTGRES-PASSWORD VALUE \"[POSTGRES_2019]\".",
        "01  QUERY-LINE1A-KW PIC X(8) VALUE \"LINE1A\".",
        "01  QUERY-LINE1A-KW PIC X(8) VALUE \"[LEMON12A]\".",
    ]);
}

#[test]
fn a_sentence_or_a_column_ends_before_the_next_one() {
    check(&[
        "|*  DCOM6437 - VALIDAR PERFIL DO USUARIO DO SENHAS.      *\n|*  DCOM6438 - VERIFICAR DISPONIBILIDADE.                 *",
        "|*  CHAMADO POR.: SENHAS             CHAMA: DCOM0509",
        "|*  THE PASSWORD FOR THE LOAD USER IS     [OTTER12]",
        "|*  PASSWORD           : [OTTER12]",
        "|*  compute k-new-password = k-zaman",
    ]);
    for text in [
        "//A DD  LABEL=(1,AL,PASSWORD,IN,RETPD=1234)\n",
        "        word $f406      ; &,6  password (swap1.asm)\n",
        "; next pass:close 8:print (*-$c000) \"Bytes\"\n",
    ] {
        assert_eq!(masked_text("a.asm", text), text);
    }
    assert_eq!(
        masked_text("a.jcl", "// GROUP=#GROUP01,PASSWORD=ZEDPM@#$,SECLABEL=12345678\n"),
        "// GROUP=#GROUP01,PASSWORD=XXXXXXXX,SECLABEL=12345678\n"
    );
}

#[test]
fn no_name_tells_the_secret_that_it_goes_with() {
    for code in [
        "EXEC SQL SELECT A INTO :B FROM T\n  WHERE CODE = 'Password9!x' END-EXEC.",
        "DISPLAY 'AdminPassword9!x'.",
        "*> THE PASSWORD IS Password9!x",
        "MOVE 'Password9!x' TO WS-PASSWORD.",
    ] {
        let (_, found) = found(&fixed(code));
        assert!(!found.is_empty(), "{code}");
        for secret in found {
            let told = secret.to_string().to_uppercase();
            assert!(!told.contains("PASSWORD9"), "{told}");
        }
    }
}

#[test]
fn a_row_of_names_without_a_blank_takes_no_time_of_its_square() {
    // A name and its mark, again and again: each may be the value of the one before.
    let line = format!("*> {}", "PASSWORD=".repeat(20_000));
    let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
    let source = SourceText::read("T.cbl", line.into_bytes(), &options).unwrap();
    find_secrets(&source, &LexedSource::of(&source), &SecretRules::built_in(), &KnownSecrets::default());
}

#[test]
fn headings_and_names_in_their_thousands_take_no_time_of_their_square() {
    let lines = [
        "      * USER  PASSWORD\n           05  FILLER PIC X(16) VALUE 'SMITH   BRAVO22'.\n".repeat(20_000),
        "           10  R-PASSWORD PIC X(8).\n".repeat(20_000),
        "           MOVE WS-PASSWORD TO WS-X WS-Y IF WS-X = 'GOLDFISH' CONTINUE.\n".repeat(20_000),
        "           MOVE 'COMPLETE' TO WS-DB-PASS.\n".repeat(20_000),
        format!("      *{}\n", " PASSWORD".repeat(20_000)),
    ];
    for text in lines {
        let text = format!("       01  T.\n           05  U PIC X(16).\n       01  R REDEFINES T.\n{text}");
        let source = SourceText::read("T.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
        find_secrets(&source, &LexedSource::of(&source), &SecretRules::built_in(), &KnownSecrets::default());
    }
}

#[test]
fn a_form_that_ends_within_a_character_is_masked_with_it() {
    let masked = masked_text("a.jcl", " DEFINE CLUSTER (NAME(PROD.X)/a\u{e4}\u{f6}\u{fc}\u{df}1x)\n");
    assert!(masked.contains("(NAME(PROD.X)/XXXXX"), "{masked}");
}

#[test]
fn what_is_named_elsewhere_is_masked_in_text_and_not_in_names() {
    let known = KnownSecrets::from_values(["Zx81Kestrel".to_owned(), "PAYJOB01".to_owned()]);
    let code = fixed("*> see Zx81Kestrel and PAYJOB01\nDISPLAY 'Zx81Kestrel' PAYJOB01.\nMOVE ZX81KESTREL TO A.");
    let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
    let found = find_secrets(&source, &LexedSource::of(&source), &SecretRules::built_in(), &known);
    assert!(found.iter().all(|secret| secret.kind == SecretKind::Repeated), "{found:?}");
    let lines: Vec<u32> = found.iter().map(|secret| secret.line().get()).collect();
    assert_eq!(lines, [1, 2]);
    assert_eq!(values_of_secrets(&source, &found), ["Zx81Kestrel", "Zx81Kestrel"]);
}

#[test]
fn what_the_estate_uses_as_a_name_is_masked_nowhere_else() {
    let read = |name: &str, text: &str, format| {
        let options = ReadOptions { format, ..ReadOptions::default() };
        SourceText::read(name, text.as_bytes().to_vec(), &options).unwrap()
    };
    let naming = "78  C-LOGIN VALUE 'CS00100S'.\n01  A-PASSWORD PIC X(9) VALUE 'Ruby2Rail'.\n01  B-PASSWORD PIC X(11) VALUE 'Zx81Kestrel'.\n01  C-PASSWORD PIC X(6) VALUE 'SESAME'.";
    let (source, own) = found(&fixed(naming));
    let values = values_of_secrets(&source, &own);
    assert_eq!(values, ["CS00100S", "Ruby2Rail", "Zx81Kestrel", "SESAME"]);
    let search = NameSearch::new(&values).unwrap();
    assert_eq!(
        search.used_as_source("cs00100s").into_iter().collect::<Vec<_>>(),
        [("CS00100S".to_owned(), NameUse::Object)]
    );
    assert!(search.used_as_source("CS00100").is_empty());

    let code = fixed("CALL 'CS00100S'. CALL 'SESAME'.\nMOVE A TO RUBY2RAIL. DISPLAY 'Zx81Kestrel'.");
    let code = read("T.cbl", &code, None);
    let mut names = search.used_in_code(&LexedSource::of(&code));
    let uses: Vec<(&str, NameUse)> = names.iter().map(|(name, usage)| (name.as_str(), *usage)).collect();
    assert_eq!(uses, [("CS00100S", NameUse::Object), ("Ruby2Rail", NameUse::Word), ("SESAME", NameUse::Object)]);
    let jcl = "//S EXEC PGM=CS00100S\n//JOB1 JOB USER=A,PASSWORD=RUBY2RAIL\n//SYSIN DD *\nZx81Kestrel\n";
    let jcl = search.used_in_text(&read("a.jcl", jcl, Some(SourceFormat::Free)));
    assert_eq!(jcl.keys().collect::<Vec<_>>(), ["CS00100S"]);
    let bms = search.used_in_text(&read("a.bms", "CS00100S DFHMSD TYPE=MAP\n", Some(SourceFormat::Free)));
    assert_eq!(bms.keys().collect::<Vec<_>>(), ["CS00100S"]);
    names.extend(jcl);

    let known = KnownSecrets::of_estate(values, &names);
    let shown = |code: &str| {
        let source = read("T.cbl", &fixed(code), None);
        let found = find_secrets(&source, &LexedSource::of(&source), &SecretRules::built_in(), &known);
        values_of_secrets(&source, &found)
    };
    // A name of a program is no secret, and a word of code is one only where its item is. A plain word may be both.
    assert_eq!(shown(naming), ["Ruby2Rail", "Zx81Kestrel", "SESAME"]);
    assert_eq!(shown("DISPLAY 'CS00100S' 'Ruby2Rail' 'Zx81Kestrel'."), ["Zx81Kestrel"]);
    let job = read("a.jcl", "//J JOB USER=A,PASSWORD=CS00100S\n", Some(SourceFormat::Free));
    assert_eq!(find_secrets_in_text(&job, &SecretRules::built_in(), &known).len(), 1);
}

/// The masked lines of a source that is no COBOL.
fn masked_text(name: &str, text: &str) -> String {
    let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
    let source = SourceText::read(name, text.into(), &options).unwrap();
    let found = find_secrets_in_text(&source, &SecretRules::built_in(), &KnownSecrets::default());
    let stretches: Vec<_> = found.iter().flat_map(|secret| secret.spans.iter().cloned()).collect();
    source.masked(&stretches).lines().map(|line| format!("{}\n", line.text())).collect()
}

#[test]
fn first_values_of_fields_columns_and_rows_are_found() {
    for (name, text) in [
        (
            "a.bms",
            "PASSWD   DFHMDF POS=(10,22),LENGTH=8,ATTRB=(UNPROT,DRK),               X\n               INITIAL='[MIGAT14H]'\n",
        ),
        ("a.bms", "LABEL    DFHMDF POS=(10,22),LENGTH=8,INITIAL='PASSWORD'\n"),
        (
            "a.ddl",
            "CREATE TABLE T (PASSWD VARCHAR(16) NOT NULL WITH DEFAULT '[Rovuvu1962]', STATUS CHAR(1) DEFAULT 'A');\n",
        ),
        ("a.ddl", "INSERT INTO T (USER_ID, PASSWD)\n VALUES ('BR047101', '[Katrin96$]');\n"),
        ("a.ddl", "COMMENT ON COLUMN T.PIN_CODE IS 'INITIAL PIN [854929]';\n"),
        ("a.jcl", "//* DELETE WAS NEEDED\n  DELETE PROD.OLD.KSDS/[HARBO26T] CLUSTER\n"),
        ("a.jcl", "//S EXEC PGM=X,PARM='loanx/[xGbe8AUAuH]@LOANP'\n//  SET DBPASS='[Rk24Thomas]'\n"),
        ("a.jcl", " DEFINE W-PASSWORD W 10 A VALUE '[M4z1m455]'\n"),
        ("a.jcl", " ALTUSER OPER07 PHRASE('[blue Canoe 41 lake]')\n"),
        ("a.jcl", "//STEP EXEC PGM=X,PARM='PWD=&DBPWD'\n PASSWORD(REQUIRED) PASSWORD=XXXXXXXX\n"),
        ("a.jcl", "//S EXEC PGM=LOADER,PARM='OPS1/[GOLD77]'\n//T EXEC PGM=LOADER,PARM='OPS1,[Kx88fish],PROD'\n"),
        (
            "a.jcl",
            "//S EXEC PGM=X,PARM='/RPTOPTS(ON)'\n//T EXEC PGM=X,PARM='REGION1/DAILY'\n//U EXEC PGM=X,PARM='PRD01,20240331,FULL'\n",
        ),
        ("a.jcl", "//SYSIN DD *\nAUTH LOGIN\n[b3BzMUBob3N0LmNvbQ==]\n[R29sZEZpc2g3Nw==]\n"),
        ("a.jcl", "//* HET WACHTWOORD IS [Fiets2020]\n//* USER      PASSWORD\n//* OPER01    [TANGO77]\n"),
        ("a.asm", "PASSWORD DC    CL8'[GOLDFISH]'\nMESSAGE  DC    C'GOLDFISH'\n"),
        ("a.ddl", "INSERT INTO T (ID, PWD) VALUES ('OPS1', '[goldfish]'),\n ('OPS2', '[salmon]');\n"),
    ] {
        let (mut hidden, mut expected) = (false, String::new());
        for c in text.chars() {
            match c {
                '[' => hidden = true,
                ']' => hidden = false,
                c => expected.push(if hidden && c != '\n' { 'X' } else { c }),
            }
        }
        assert_eq!(masked_text(name, &text.replace(['[', ']'], "")), expected, "{text}");
    }
}

#[test]
fn passwords_of_job_control_and_definitions_are_found() {
    let text = "DEFINE FILE(F) GROUP(G) PASSWORD(SECRPW1)\n//J JOB USER=U,PASSWORD=SECRPW2\n  DEFINE CLUSTER (NAME(A.B) MASTERPW(SECRPW3))\n* PASSWORD NEEDED\n";
    let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
    let source = SourceText::read("c.csd", text.into(), &options).unwrap();
    let found = find_secrets_in_text(&source, &SecretRules::built_in(), &KnownSecrets::default());
    let lines: Vec<u32> = found.iter().map(|secret| secret.line().get()).collect();
    assert_eq!(lines, [1, 2, 3]);
    let stretches: Vec<_> = found.iter().flat_map(|secret| secret.spans.iter().cloned()).collect();
    let masked = source.masked(&stretches);
    assert!(masked.lines().all(|line| !line.text().contains("SECRPW")));
}
