//! Words the control statements of sorts.

mod joins;
mod operators;
mod outfil;
mod positions;
mod records;

use super::statements::{LONGEST, some};
use crate::phrases::{count, list, shorten_to};
use joins::{joined_files, joining, matching};
use operators::operator;
use outfil::outfil;
use positions::{condition, keys};
use records::shape;
use war_rig_estate::jcl::SortStatement;

/// Words a sort statement: `sorts by bytes 1-10 ascending`. DDs are replaced by their data sets; `all` are the statements of the step.
pub(super) fn of_sort(statement: &SortStatement, all: &[SortStatement], data_set: &dyn Fn(&str) -> String) -> String {
    let operands = statement.operands.trim();
    let as_written = |does: &str| format!("{does} ({} {})", statement.verb, shorten_to(operands, LONGEST));
    if statement.is_operator() {
        return operator(statement, data_set);
    }
    let limits = limits(statement);
    match statement.verb.as_str() {
        "SORT" | "MERGE" | "OPTION" if statement.is_copy() => {
            list(&[vec![copies(statement, all).to_owned()], limits].concat())
        }
        "OPTION" if !limits.is_empty() => list(&limits),
        verb @ ("SORT" | "MERGE") => {
            let does = if verb == "SORT" { "sorts" } else { "merges" };
            match keys(statement) {
                Some(keys) => {
                    let keys: Vec<String> = keys.iter().map(|(key, order)| format!("{key} {order}")).collect();
                    list(&[vec![format!("{does} by {}", some(&keys))], limits].concat())
                }
                None => as_written(does),
            }
        }
        verb @ ("INCLUDE" | "OMIT") => {
            let does = if verb == "INCLUDE" { "keeps the records where" } else { "leaves out the records where" };
            match statement.value("COND").and_then(condition) {
                Some(words) => format!("{does} {words}"),
                None => as_written(does.trim_end_matches(" where")),
            }
        }
        "SUM" if statement.value("FIELDS") == Some("NONE") => "keeps one record of those with equal keys".to_owned(),
        "SUM" => as_written("adds up records with equal keys"),
        verb @ ("JOINKEYS" | "JOIN") => {
            joining(statement, all, data_set).unwrap_or_else(|| shorten_to(&format!("{verb} {operands}"), LONGEST))
        }
        "REFORMAT" => {
            let files = joined_files(all, &statement.dd);
            let named = |name: &str| files.iter().find(|file| name == format!("F{}", file.number));
            let file = |name: &str| named(name).map_or(name.to_owned(), |file| data_set(&file.dd));
            shape("each joined record", statement, &file).unwrap_or_else(|| as_written("joins the records"))
        }
        "INREC" => shape("each record that is read", statement, &str::to_owned)
            .unwrap_or_else(|| as_written("rearranges the records before they are sorted")),
        "OUTREC" => shape("each output record", statement, &str::to_owned)
            .unwrap_or_else(|| as_written("rearranges the records")),
        "OUTFIL" => outfil(statement, data_set).unwrap_or_else(|| as_written("writes")),
        "MODS" if !statement.exits().is_empty() => {
            let call = |(exit, program): &(String, String)| match exit.as_str() {
                "E15" => format!("calls {program} for each record before the sort (E15)"),
                "E35" => format!("calls {program} for each record after the sort (E35)"),
                exit => format!("calls {program} at its exit {exit}"),
            };
            list(&statement.exits().iter().map(call).collect::<Vec<_>>())
        }
        _ => shorten_to(&format!("{} {operands}", statement.verb), LONGEST),
    }
}

/// Words what a sort is told in clauses: the files that it joins together. END says only that nothing follows.
pub(super) fn clauses_of_sort(all: &[SortStatement], data_set: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut clauses = Vec::new();
    for of_dd in all.chunk_by(|one, next| one.dd == next.dd) {
        let dd = of_dd[0].dd.as_str();
        let (joined, file) = (joined_files(all, dd), file_of_control(dd, all, data_set));
        for statement in of_dd.iter().filter(|statement| statement.verb != "END") {
            match joined.as_slice() {
                // Only the files are told together; that the joined records are not sorted needs no words.
                [first, second] if statement.verb == "JOINKEYS" => {
                    let is_first = std::ptr::eq(first.statement, statement);
                    clauses.extend(is_first.then(|| matching(first, second, data_set)));
                }
                [_, _] if statement.is_copy() && limits(statement).is_empty() => {}
                _ => clauses.push(format!("{file}{}", of_sort(statement, all, data_set))),
            }
        }
    }
    clauses
}

/// Words the file that the statements of a DD are about alone: those of JNF1CNTL are about the first file to join.
fn file_of_control(dd: &str, all: &[SortStatement], data_set: &dyn Fn(&str) -> String) -> String {
    let number = match dd {
        "JNF1CNTL" => 1,
        "JNF2CNTL" => 2,
        _ => return String::new(),
    };
    let file = all.iter().filter_map(SortStatement::joined_file).find(|(found, _)| *found == number);
    file.map(|(_, dd)| format!("of {}, ", data_set(&dd))).unwrap_or_default()
}

/// Words a copy: only where no other statement changes the records are they copied as they are.
fn copies(statement: &SortStatement, all: &[SortStatement]) -> &'static str {
    let is_shape = |keyword: String| SHAPES.contains(&keyword.as_str());
    let changes = |other: &SortStatement| match other.verb.as_str() {
        "INREC" | "OUTREC" => true,
        "OUTFIL" => other.split_operands().filter_map(|operand| operand.keyword).any(is_shape),
        _ => false,
    };
    let mut beside = all.iter().filter(|other| other.dd == statement.dd);
    if beside.clone().any(|other| other.verb == "JOINKEYS") {
        return "does not sort the joined records";
    }
    if beside.any(changes) { "copies the records" } else { "copies the records as they are" }
}

/// The operands of OUTFIL that change records.
const SHAPES: [&str; 8] = ["BUILD", "OUTREC", "OVERLAY", "IFTHEN", "FINDREP", "CONVERT", "FTOV", "VTOF"];

/// Words how many records are skipped and taken.
fn limits(statement: &SortStatement) -> Vec<String> {
    let number = |keyword: &str| statement.value(keyword)?.parse::<usize>().ok();
    let skips = number("SKIPREC").map(|skipped| match skipped {
        1 => "skips the first record".to_owned(),
        skipped => format!("skips the first {skipped} records"),
    });
    let stops = number("STOPAFT").map(|taken| format!("takes at most {}", count(taken, "record")));
    skips.into_iter().chain(stops).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::{LineNumber, LineRange};

    fn statement(dd: &str, (verb, operands): (&str, &str)) -> SortStatement {
        let (dd, verb, operands) = (dd.to_owned(), verb.to_owned(), operands.to_owned());
        SortStatement { dd, verb, operands, lines: LineRange::single(LineNumber::FIRST), file: None }
    }

    #[track_caller]
    fn check(verb: &str, operands: &str, expected: &str) {
        let statement = statement("SYSIN", (verb, operands));
        assert_eq!(of_sort(&statement, &[], &|dd| format!("{dd}.SET")), expected);
    }

    #[test]
    fn keys_of_a_sort_are_told_by_their_bytes_or_names() {
        check(
            "SORT",
            "FIELDS=(1,10,CH,A,21,3,ZD,D)",
            "sorts by bytes 1-10 ascending and bytes 21-23 (zoned decimal) descending",
        );
        check(
            "SORT",
            "FIELDS=(1,2,PD,A,3,1,A,4,26,CH,D),FORMAT=BI",
            "sorts by bytes 1-2 (packed decimal) ascending, byte 3 (binary) ascending and bytes 4-29 descending",
        );
        check("SORT", "FIELDS=(90,4.4,BI,A)", "sorts (SORT FIELDS=(90,4.4,BI,A))");
        check("SORT", "FIELDS=(5,1,A),FORMAT=BI", "sorts by byte 5 (binary) ascending");
        check("SORT", "FIELDS=(CARD-NUMBER,A)", "sorts by CARD-NUMBER ascending");
        check("SORT", "FIELDS=COPY", "copies the records as they are");
        check("OPTION", "COPY", "copies the records as they are");
        check("MERGE", "FIELDS=(1,10", "merges (MERGE FIELDS=(1,10)");
        check("SORT", "FIELDS=(4294967295,9,CH,A)", "sorts (SORT FIELDS=(4294967295,9,CH,A))");
    }

    #[test]
    fn conditions_of_include_and_omit_are_told_where_they_are_plain() {
        check("OMIT", "COND=(24,2,CH,EQ,C'  ')", "leaves out the records where bytes 24-25 = C'  '");
        check("INCLUDE", "COND=(DAY,GE,FIRST,AND,DAY,LE,LAST)", "keeps the records where DAY >= FIRST and DAY <= LAST");
        check("OMIT", "COND=(24,2,EQ,C',')", "leaves out the records (OMIT COND=(24,2,EQ,C','))");
        check("SUM", "FIELDS=NONE", "keeps one record of those with equal keys");
    }

    #[test]
    fn programs_at_the_exits_of_a_sort_are_told() {
        check(
            "MODS",
            "E15=(OWN,2000,LIB),E35=(OUT,1000),E61=(KEYS,9)",
            "calls OWN for each record before the sort (E15), calls OUT for each record after the sort (E35) and calls KEYS at its exit E61",
        );
        check("MODS", "E15=,X=(A)", "MODS E15=,X=(A)");
    }

    #[test]
    fn an_outfil_is_told_by_where_it_writes_what() {
        check("OUTFIL", "FNAMES=OUT1,INCLUDE=(1,1,CH,EQ,C'A')", "writes to OUT1.SET the records where byte 1 = C'A'");
        check("OUTFIL", "FNAMES=(A,B),SAVE", "writes to A.SET and B.SET all records that no other OUTFIL takes");
        check(
            "OUTFIL",
            "OMIT=(1,1,CH,EQ,C'A'),OUTREC=(1,80),FILES=1",
            "writes to SORTOF1.SET all records but those where byte 1 = C'A', each as bytes 1-80",
        );
        check(
            "OUTFIL",
            "FNAMES=R,NODETAIL,TRAILER1=(COUNT)",
            "writes to R.SET the records, of which it shows only headers and totals (TRAILER1=(COUNT))",
        );
        check("OUTFIL", "FNAMES=R,INCLUDE=(1,1,EQ,C'A')", "writes to R.SET the records (INCLUDE=(1,1,EQ,C'A'))");
        check("OUTFIL", "REMOVECC", "writes (OUTFIL REMOVECC)");
    }

    /// Checks the clauses of statements of this DD.
    #[track_caller]
    fn check_clauses(dd: &str, statements: &[(&str, &str)], expected: &[&str]) {
        let all: Vec<SortStatement> = statements.iter().map(|written| statement(dd, *written)).collect();
        assert_eq!(clauses_of_sort(&all, &|dd| format!("{dd}.SET")), expected);
    }

    #[test]
    fn files_that_are_joined_are_told_together() {
        check_clauses(
            "SYSIN",
            &[
                ("JOINKEYS", "F1=IN1,FIELDS=(01,05,A,06,07,A)"),
                ("JOINKEYS", "F2=IN2,FIELDS=(301,05,A,312,07,A)"),
                ("JOIN", "UNPAIRED,F2"),
                ("REFORMAT", "FIELDS=(?,F2:1,300)"),
                ("OUTFIL", "FNAMES=OUT,INCLUDE=(1,1,CH,EQ,C'B'),OUTREC=(2,300)"),
                ("SORT", "FIELDS=COPY"),
            ],
            &[
                "matches IN1.SET by bytes 1-5 and bytes 6-12 with IN2.SET by bytes 301-305 and bytes 312-318",
                "keeps the unpaired records of IN2.SET too",
                "each joined record is the mark of the files it is from (B, 1 or 2), bytes 1-300 of IN2.SET",
                "writes to OUT.SET the records where byte 1 = C'B', each as bytes 2-301",
            ],
        );
        check_clauses(
            "SYSIN",
            &[
                ("JOINKEYS", "FILE=F1,FIELDS=(1,5,A)"),
                ("JOINKEYS", "FILE=F2,FIELDS=(1,5,A),SORTED"),
                ("JOIN", "UNPAIRED,F1,ONLY"),
                ("OPTION", "COPY,STOPAFT=5"),
            ],
            &[
                "matches SORTJNF1.SET with SORTJNF2.SET by bytes 1-5",
                "keeps only the unpaired records of SORTJNF1.SET",
                "does not sort the joined records and takes at most 5 records",
            ],
        );
    }

    #[test]
    fn operators_are_told_by_what_they_do() {
        check_clauses(
            "TOOLIN",
            &[
                ("COPY", "FROM(IN) TO(OUT,OUT2) USING(CTL1)"),
                ("SELECT", "FROM(IN) TO(OUT) ON(1,5,CH) FIRST DISCARD(REST)"),
                ("SORT", "FROM(IN) TO(OUT)"),
                ("MODE", "STOP"),
            ],
            &[
                "copies IN.SET to OUT.SET and OUT2.SET (USING(CTL1))",
                "selects records of IN.SET to OUT.SET (ON(1,5,CH) FIRST DISCARD(REST))",
                "sorts IN.SET to OUT.SET",
                "MODE STOP",
            ],
        );
    }

    #[test]
    fn the_parts_of_a_record_are_told() {
        check(
            "OUTREC",
            "FIELDS=(80,58,C'AG/CTA  TWICE',50X,1,26,14X)",
            "each output record is bytes 80-137, the text 'AG/CTA  TWICE', 50 blanks, bytes 1-26, 14 blanks",
        );
        check("OUTREC", "FIELDS=(1,80)", "each output record is bytes 1-80");
        check("INREC", "BUILD=(1,4,5)", "each record that is read is bytes 1-4, all from byte 5 on");
        check(
            "INREC",
            "OVERLAY=(81:47,3,PD,TO=ZDF)",
            "each record that is read is changed: bytes 47-49 (packed decimal) as TO=ZDF at byte 81",
        );
        check(
            "OUTREC",
            "BUILD=(SEQNUM,8,ZD,START=5,3C'*',X,2Z,NAME)",
            "each output record is a running number of 8 bytes, 3 times the text '*', 1 blank, 2 binary zeros, NAME",
        );
        check(
            "OUTREC",
            "IFTHEN=(WHEN=INIT,BUILD=(1,80))",
            "rearranges the records (OUTREC IFTHEN=(WHEN=INIT,BUILD=(1,80)))",
        );
        check("OUTREC", "FIELDS=(1,10,/,5,3)", "rearranges the records (OUTREC FIELDS=(1,10,/,5,3))");
    }

    #[test]
    fn records_that_another_statement_changes_are_not_copied_as_they_are() {
        let told = |operands: &str, verb: &str, beside: &str| {
            let all = [statement("SYSIN", ("OPTION", operands)), statement("SYSIN", (verb, beside))];
            of_sort(&all[0], &all, &str::to_owned)
        };
        assert_eq!(told("COPY", "OUTREC", "FIELDS=(1,80)"), "copies the records");
        assert_eq!(told("COPY", "OUTFIL", "FNAMES=A,BUILD=(1,80)"), "copies the records");
        assert_eq!(told("COPY", "OUTFIL", "FNAMES=A"), "copies the records as they are");
        assert_eq!(
            told("COPY,STOPAFT=10000", "OMIT", "COND=NONE"),
            "copies the records as they are and takes at most 10000 records"
        );
        assert_eq!(told("SKIPREC=1", "SORT", "FIELDS=(1,5,CH,A)"), "skips the first record");
    }
}
