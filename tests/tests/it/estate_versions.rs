//! Estates with several versions of a member, with procedures that are not there, and with more of a kind than the first page lists.

use war_rig_tests::Sandbox;

/// Returns a page of the output folder.
fn page(place: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(place.path().join("out").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the only line of a page that contains this text.
#[track_caller]
fn line(page: &str, text: &str) -> String {
    let found: Vec<&str> = page.lines().filter(|line| line.contains(text)).collect();
    assert_eq!(found.len(), 1, "{text} in\n{page}");
    found[0].to_owned()
}

fn program(name: &str, statements: &str) -> String {
    format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       PROCEDURE DIVISION.\n       0000-MAIN.\n{statements}           GOBACK.\n"
    )
}

const SELECT: &str = "           EXEC SQL SELECT A INTO :A FROM BILLS END-EXEC.\n";
const DELETE: &str = "           EXEC SQL DELETE FROM BILLS END-EXEC.\n";

#[test]
fn copies_of_a_job_are_told_once_and_other_versions_are_named() {
    let place = Sandbox::new();
    let job = |program: &str| format!("//NIGHT JOB\n//S1 EXEC PGM={program}\n//S2 EXEC PGM=IEFBR14\n");
    place.write("src/2020/NIGHT.jcl", job("OLDPROG"));
    place.write("src/2021/NIGHT.jcl", job("NEWPROG"));
    place.write("src/2022/NIGHT.jcl", job("NEWPROG"));
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    let told = page(&place, "entry-points/job-NIGHT.md");
    assert!(told.contains("1. **S1**") && told.contains("NEWPROG"), "{told}");
    assert!(!told.contains("3. ") && !told.contains("OLDPROG"), "{told}");
    let heading = line(&told, "other sources of the job");
    assert!(heading.contains("the same steps: [2022/NIGHT.jcl]"), "{heading}");
    assert!(heading.contains("different: [2020/NIGHT.jcl]"), "{heading}");
    assert!(
        line(&page(&place, "entry-points.md"), "job-NIGHT.md")
            .starts_with("| [NIGHT](entry-points/job-NIGHT.md) | 2 |")
    );
    let sources = page(&place, "sources.md");
    assert!(line(&sources, "| [2020/NIGHT.jcl]").contains("different: [2021/NIGHT.jcl]"), "{sources}");
    let first = page(&place, "index.md");
    assert!(first.contains("- 1 job with 3 sources, which differ for 1\n"), "{first}");
    assert!(line(&page(&place, "versions.md"), "[NIGHT]").contains("| [2021/NIGHT.jcl]"));
}

#[test]
fn a_program_is_told_from_a_whole_source_and_an_operation_from_the_one_that_has_it() {
    let place = Sandbox::new();
    place.write("src/a/PAY.cbl", "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. PAY.\n      * only a head\n");
    place.write("src/b/PAY.cbl", program("PAY", &SELECT.repeat(3)));
    place.write("src/c/PAY.cbl", program("PAY", &[SELECT, DELETE].concat()));
    place.write("src/d/BOOK.cbl", program("BOOK", SELECT));
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    let data = page(&place, "data.md");
    let row = line(&data, "| BILLS | table");
    assert!(row.contains("[PAY](b/PAY.cbl.md), [PAY (c/PAY.cbl)](c/PAY.cbl.md) |"), "{row}");
    assert!(row.ends_with("| [PAY (c/PAY.cbl)](c/PAY.cbl.md) |"), "{row}");
    // The source that represents the program changes nothing.
    let risk = page(&place, "index.md");
    let risk: Vec<&str> = risk.lines().filter(|line| line.starts_with("| [PAY](b/PAY.cbl.md)")).collect();
    assert!(risk.iter().any(|row| row.ends_with("| 0 |")), "{risk:#?}");
    let versions = page(&place, "versions.md");
    assert!(line(&versions, "[PAY]").contains("| [b/PAY.cbl](b/PAY.cbl.md) | [c/PAY.cbl]"), "{versions}");
}

#[test]
fn a_missing_procedure_is_counted_and_its_data_is_read_and_written() {
    let place = Sandbox::new();
    place.write(
        "src/SORT1.jcl",
        "//SORT1 JOB\n//A EXEC SORTX\n//SORTIN DD DSN=X.IN,DISP=SHR\n//SORTOUT DD DSN=X.OUT,DISP=(,CATLG)\n\
         //SYSIN DD *\n SORT FIELDS=(1,5,CH,A)\n/*\n//B EXEC SORTX\n//SORTIN DD DSN=*.A.SORT.SORTOUT,DISP=SHR\n",
    );
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    let first = page(&place, "index.md");
    assert!(line(&first, "`SORTX`").starts_with("| procedure | `SORTX` | 2 times | "), "{first}");
    let told = page(&place, "entry-points/job-SORT1.md");
    let (a, b) = (line(&told, "**A**"), line(&told, "**B**"));
    assert!(a.ends_with("sorts by bytes 1-5 ascending; reads X.IN; writes X.OUT"), "{a}");
    assert!(b.ends_with("reads X.OUT"), "{b}");
    let data = page(&place, "data.md");
    let job = "job [SORT1](entry-points/job-SORT1.md)";
    assert_eq!(line(&data, "| X.OUT | data set"), format!("| X.OUT | data set | {job} | {job} |"));
}

#[test]
fn long_lists_have_a_page_of_their_own() {
    let place = Sandbox::new();
    for number in 0..25 {
        place.write(
            &format!("src/P{number}.cbl"),
            program(&format!("P{number}"), &format!("           CALL 'GONE{number}'.\n")),
        );
    }
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    let first = page(&place, "index.md");
    assert!(first.contains("25 programs are missing: [all of them](missing.md)."), "{first}");
    assert!(!first.contains("GONE9`") && page(&place, "missing.md").contains("`GONE9`"));
    let unused = line(&first, "- 25 programs");
    assert!(unused.matches("](").count() < 25 && first.contains("[list](unused.md)"), "{unused}");
    assert_eq!(line(&page(&place, "unused.md"), "- 25 programs").matches("](").count(), 25);
}

#[test]
fn programs_that_nothing_starts_are_ways_in() {
    let place = Sandbox::new();
    place.write("src/MENU.cbl", program("MENU", "           EXEC CICS RETURN END-EXEC.\n"));
    place.write("src/TASK.cbl", program("TASK", "           ENTRY 'DLITCBL'.\n"));
    place.write("src/BATCH.cbl", program("BATCH", ""));
    place.write("src/LINKED.cbl", program("LINKED", "           EXEC CICS RETURN END-EXEC.\n"));
    place.write("src/USER.cbl", program("USER", "           CALL 'LINKED'.\n"));
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    // Without jobs and transactions, any program that no other calls may be one.
    let list = page(&place, "entry-points.md");
    for name in ["MENU", "TASK", "BATCH", "USER"] {
        let row = format!("| [{name}]({name}.cbl.md)");
        assert!(list.contains(&row) && page(&place, "index.md").contains(&row), "{name}: {list}");
    }
    assert!(!list.contains("| [LINKED](LINKED.cbl.md)"), "{list}");
    place.write("src/J.jcl", "//J JOB\n//S EXEC PGM=OTHER\n");
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    assert!(page(&place, "index.md").contains("3 programs may be ways in, but nothing in these sources starts them"));
    assert!(!page(&place, "entry-points.md").contains("| [BATCH](BATCH.cbl.md)"));
}
