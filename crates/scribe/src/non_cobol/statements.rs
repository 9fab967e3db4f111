//! Words the control statements of utilities.

use crate::phrases::{list, shorten_to};
use war_rig_estate::jcl::{
    Db2Statement, IdcamsCommand, IfCondition, JobStep, SortStatement, elements, operand_keyword, split_at_commas,
};

/// The maximum length of operands shown as written, in characters.
const LONGEST: usize = 160;

/// How many names a sentence lists.
const NAMES: usize = 6;

/// Words an IDCAMS command: `deletes A and B`, `if the last command's code is 8: deletes A`. DDs are replaced by their data sets.
pub(super) fn of_idcams(command: &IdcamsCommand, data_set: &dyn Fn(&str) -> String) -> String {
    let deed = deed_of_idcams(command, data_set);
    if command.conditions.is_empty() { deed } else { format!("{}: {deed}", under(&command.conditions)) }
}

/// Words IDCAMS commands in clauses: those under one condition together, and a code that is set with the command before it.
pub(super) fn clauses_of_idcams(commands: &[IdcamsCommand], data_set: &dyn Fn(&str) -> String) -> Vec<String> {
    let (mut clauses, mut before): (Vec<String>, &[IfCondition]) = (Vec::new(), &[]);
    for group in commands.chunk_by(|one, next| one.conditions == next.conditions) {
        let deeds = group.iter().map(|command| (command, deed_of_idcams(command, data_set)));
        let conditions = group[0].conditions.as_slice();
        // A code is set with the command before it, if that is under no other condition.
        let inner = conditions.strip_prefix(before).filter(|_| group.iter().all(|command| command.verb == "SET"));
        before = conditions;
        if !conditions.is_empty() {
            let deeds = some(&deeds.map(|(_, deed)| deed).collect::<Vec<_>>());
            match clauses.last_mut().zip(inner) {
                Some((last, inner)) => last.push_str(&format!(", then, {}, {deeds}", under(inner))),
                None => clauses.push(format!("{}: {deeds}", under(conditions))),
            }
            continue;
        }
        for (place, (command, deed)) in deeds.enumerate() {
            match clauses.last_mut().filter(|_| place > 0 && command.verb == "SET") {
                Some(last) => last.push_str(&format!(", then {deed}")),
                None => clauses.push(deed),
            }
        }
    }
    clauses
}

/// Words the conditions of commands: `if the last command's code is 8`.
fn under(conditions: &[IfCondition]) -> String {
    let word = |condition: &IfCondition| {
        let text = code_test(&condition.text).unwrap_or_else(|| shorten_to(&condition.text, LONGEST));
        format!("{} {text}", if condition.holds { "if" } else { "unless" })
    };
    conditions.iter().map(word).collect::<Vec<_>>().join(" and ")
}

/// Words the test of a condition code: `the highest code so far is above 4`.
fn code_test(text: &str) -> Option<String> {
    let text = text.trim();
    let (code, rest) = text.split_at(text.find(|c: char| !c.is_ascii_alphabetic())?);
    let rest = rest.trim_start();
    let end = rest.find(|c: char| c.is_ascii_digit())?;
    let (operator, value) = rest.split_at(end);
    let compared = match operator.trim().to_ascii_uppercase().as_str() {
        "=" | "EQ" => "is",
        "^=" | "¬=" | "NE" => "is not",
        ">" | "GT" => "is above",
        "<" | "LT" => "is below",
        ">=" | "GE" => "is at least",
        "<=" | "LE" => "is at most",
        _ => return None,
    };
    let value: u32 = value.trim().parse().ok()?;
    Some(format!("{} {compared} {value}", code_name(code)?))
}

/// Names a condition code of IDCAMS.
fn code_name(code: &str) -> Option<&'static str> {
    match code.to_ascii_uppercase().as_str() {
        "LASTCC" => Some("the last command's code"),
        "MAXCC" => Some("the step's code"),
        _ => None,
    }
}

fn deed_of_idcams(command: &IdcamsCommand, data_set: &dyn Fn(&str) -> String) -> String {
    let names = some(&command.names);
    let object = command.object.as_deref().map(|object| match object {
        "GENERATIONDATAGROUP" => "generation data group".to_owned(),
        "ALTERNATEINDEX" => "alternate index".to_owned(),
        object => object.to_lowercase(),
    });
    let all = |dds: &[String], names: &[String]| -> String {
        let dds = dds.iter().map(|dd| data_set(dd));
        some(&dds.chain(names.iter().cloned()).collect::<Vec<_>>())
    };
    let read = all(&command.input_dds, &command.input_datasets);
    let written = all(&command.output_dds, &command.output_datasets);
    let data_sets = match (read.is_empty(), written.is_empty()) {
        (false, false) => format!("{read} to {written}"),
        (false, true) => read,
        (true, false) => format!("to {written}"),
        (true, true) => names.clone(),
    };
    match command.verb.as_str() {
        "DEFINE" => {
            let name = command.names.first().cloned().unwrap_or_default();
            match war_rig_estate::describe_cluster(command) {
                Some(about) => format!("defines {name}: {about}"),
                None => format!("defines {name}"),
            }
        }
        "DELETE" => match object {
            Some(object) if object != "cluster" => format!("deletes the {object} {names}"),
            _ => format!("deletes {names}"),
        },
        "REPRO" => format!("copies {data_sets}"),
        "PRINT" => format!("prints {data_sets}"),
        "VERIFY" => format!("verifies the end of {data_sets}"),
        "EXPORT" => format!("exports {data_sets}"),
        "IMPORT" => format!("imports {data_sets}"),
        "BLDINDEX" => format!("builds the alternate index: {data_sets}"),
        "LISTCAT" if names.is_empty() => "lists the catalog".to_owned(),
        "LISTCAT" => format!("lists the catalog entries of {names}"),
        "ALTER" => format!("alters {names}"),
        "SET" => {
            let set = command.text.split_once(' ').and_then(|(_, set)| set.split_once('='));
            let set = set.and_then(|(code, value)| Some((code_name(code.trim())?, value.trim())));
            match set {
                Some((code, value)) => format!("sets {code} to {value}"),
                None => shorten_to(&command.text, LONGEST),
            }
        }
        _ => shorten_to(&command.text, LONGEST),
    }
}

/// Words a statement for a utility of DB2: `empties the table A.B, then loads it from X.Y`. DDs are replaced by their data sets.
pub(super) fn of_db2(statement: &Db2Statement, step: &JobStep, data_set: &dyn Fn(&str) -> String) -> String {
    let tables = |names: &[String]| match names.len() {
        1 => format!("the table {}", names[0]),
        _ => format!("the tables {}", some(names)),
    };
    let sets = |dds: &[String]| some(&dds.iter().map(|dd| data_set(dd)).collect::<Vec<_>>());
    let object = statement.object.as_ref().map(|(kind, name)| match kind.as_str() {
        "TABLESPACE" => format!("the table space {name}"),
        "LIST" => format!("the objects of the list {name}"),
        kind => format!("the {} {name}", if kind == "INDEX" { "index" } else { "index space" }),
    });
    let object = object.unwrap_or_else(|| "what its statement names".to_owned());
    let verb = match statement.verb.as_str() {
        "LOAD" if !statement.written_tables.is_empty() => {
            let table = tables(&statement.written_tables);
            let (them, they_hold) =
                if statement.written_tables.len() == 1 { ("it", "it holds") } else { ("them", "they hold") };
            let from = match statement.input_dds.is_empty() {
                true => String::new(),
                false => format!(" from {}", sets(&statement.input_dds)),
            };
            return match (statement.replaces, statement.reads_nothing(step)) {
                (true, true) => format!("empties {table} (REPLACE, and what would be loaded is DUMMY)"),
                (true, false) => format!("empties {table}, then loads {them}{from}"),
                (false, true) => format!("loads nothing into {table}: its input is DUMMY"),
                (false, false) if statement.adds => format!("adds rows{from} to {table}"),
                (false, false) => format!("loads {table}{from}, if {they_hold} no rows"),
            };
        }
        "UNLOAD" => {
            let what = match statement.read_tables.is_empty() {
                true => object,
                false => tables(&statement.read_tables),
            };
            return format!("unloads {what} to {}", sets(&statement.output_dds));
        }
        "RUNSTATS" => "collects the statistics of",
        "REORG" => "reorganises",
        "COPY" => "makes an image copy of",
        "MERGECOPY" => "merges the image copies of",
        "COPYTOCOPY" => "copies the image copies of",
        "RECOVER" => "recovers",
        "REBUILD" => "rebuilds",
        "CHECK" => "checks",
        "QUIESCE" => "makes a point of consistency for",
        "MODIFY" => "changes the records of copies or statistics of",
        "REPAIR" => "repairs",
        "REPORT" => "reports on",
        _ => return shorten_to(&statement.text, LONGEST),
    };
    format!("{verb} {object}")
}

/// Words a sort statement: `sorts by bytes 1-10 (characters) ascending`. DDs are replaced by their data sets.
pub(super) fn of_sort(statement: &SortStatement, data_set: &dyn Fn(&str) -> String) -> String {
    let operands = statement.operands.trim();
    let as_written = |does: &str| format!("{does} ({} {})", statement.verb, shorten_to(operands, LONGEST));
    match statement.verb.as_str() {
        "SORT" | "MERGE" => {
            let does = if statement.verb == "SORT" { "sorts" } else { "merges" };
            if value(operands, "FIELDS").is_some_and(|fields| fields == "COPY" || fields == "(COPY)") {
                return "copies the records as they are".to_owned();
            }
            match keys(operands) {
                Some(keys) => format!("{does} by {}", some(&keys)),
                None => as_written(does),
            }
        }
        "OPTION" if operands.split(',').any(|option| option.trim() == "COPY") => {
            "copies the records as they are".to_owned()
        }
        verb @ ("INCLUDE" | "OMIT") => {
            let does = if verb == "INCLUDE" { "keeps the records where" } else { "leaves out the records where" };
            match value(operands, "COND").and_then(condition) {
                Some(words) => format!("{does} {words}"),
                None => as_written(does.trim_end_matches(" where")),
            }
        }
        "SUM" if operands.replace(' ', "").contains("FIELDS=NONE") => {
            "keeps one record of those with equal keys".to_owned()
        }
        "SUM" => as_written("adds up records with equal keys"),
        "INREC" => as_written("rearranges the records before they are sorted"),
        "OUTREC" => as_written("rearranges the records"),
        "OUTFIL" => outfil(operands, data_set).unwrap_or_else(|| as_written("writes")),
        _ => shorten_to(&format!("{} {operands}", statement.verb), LONGEST),
    }
}

/// Words an OUTFIL: `writes to A.B the records where byte 1 = C'X'`. The operands that it does not word follow as written. Returns none if it words none.
fn outfil(operands: &str, data_set: &dyn Fn(&str) -> String) -> Option<String> {
    let (mut targets, mut which, mut bare, mut rest): (Vec<String>, _, _, _) = (Vec::new(), None, "", Vec::new());
    for operand in split_at_commas(operands).into_iter().map(str::trim) {
        let (keyword, value) = match operand_keyword(operand) {
            (Some(keyword), value) => (keyword, value),
            (None, positional) => (positional.to_ascii_uppercase(), ""),
        };
        let words = match keyword.as_str() {
            "INCLUDE" => condition(value).map(|words| format!("the records where {words}")),
            "OMIT" => condition(value).map(|words| format!("all records but those where {words}")),
            "SAVE" => Some("all records that no other OUTFIL takes".to_owned()),
            _ => None,
        };
        match keyword.as_str() {
            _ if words.is_some() => which = words,
            "FNAMES" => targets.extend(elements(value).iter().map(|dd| data_set(dd))),
            "FILES" => targets.extend(elements(value).iter().map(|number| file_of_number(number, data_set))),
            "NODETAIL" => bare = ", of which it shows only headers and totals",
            "" => {}
            _ => rest.push(operand),
        }
    }
    if targets.is_empty() && which.is_none() {
        return None;
    }
    let target = if targets.is_empty() { String::new() } else { format!(" to {}", some(&targets)) };
    let which = which.unwrap_or_else(|| "the records".to_owned());
    let rest = match rest.is_empty() {
        true => String::new(),
        false => format!(" ({})", shorten_to(&rest.join(","), LONGEST)),
    };
    Some(format!("writes{target} {which}{bare}{rest}"))
}

/// Returns the data set of a number in FILES: `1` is SORTOF1 or SORTOF01, and OUT is SORTOUT.
fn file_of_number(number: &str, data_set: &dyn Fn(&str) -> String) -> String {
    if number.eq_ignore_ascii_case("OUT") {
        return data_set("SORTOUT");
    }
    let dds = [format!("SORTOF{number}"), format!("SORTOF0{number}")];
    let named = dds.iter().map(|dd| (dd, data_set(dd))).find(|(dd, name)| *dd != name);
    named.map_or_else(|| dds[0].clone(), |(_, name)| name)
}

/// Returns the value of a keyword, up to the comma that ends it.
fn value<'a>(operands: &'a str, keyword: &str) -> Option<&'a str> {
    let start = operands
        .match_indices(keyword)
        .find(|(at, _)| *at == 0 || operands[..*at].ends_with([',', ' ']))
        .map(|(at, _)| at + keyword.len())?;
    let rest = operands[start..].trim_start().strip_prefix('=')?.trim_start();
    Some(split_at_commas(rest).first().copied().unwrap_or_default().trim())
}

/// Words the keys of a sort.
fn keys(operands: &str) -> Option<Vec<String>> {
    let fields = value(operands, "FIELDS")?.strip_prefix('(')?.strip_suffix(')')?;
    let format = value(operands, "FORMAT");
    let words: Vec<&str> = split_at_commas(fields).into_iter().map(str::trim).collect();
    let mut keys = Vec::new();
    let mut rest = words.as_slice();
    while let Some(first) = rest.first() {
        let is_number = |word: &str| word.parse::<u32>().is_ok();
        let (key, used) = if is_number(first) {
            let length = rest.get(1)?;
            let (format, used) = match format {
                Some(format) => (format, 2),
                None => (*rest.get(2)?, 3),
            };
            (bytes(first, length, Some(format))?, used)
        } else {
            (first.to_string(), 1)
        };
        let order = match *rest.get(used)? {
            "A" => "ascending",
            "D" => "descending",
            _ => return None,
        };
        keys.push(format!("{key} {order}"));
        rest = &rest[used + 1..];
    }
    (!keys.is_empty()).then_some(keys)
}

/// Words a field by its position: `bytes 21-23 (zoned decimal)`.
fn bytes(position: &str, length: &str, format: Option<&str>) -> Option<String> {
    let (first, length): (u32, u32) = (position.parse().ok()?, length.parse().ok()?);
    let last = first.checked_add(length.checked_sub(1)?)?;
    let place = if first == last { format!("byte {first}") } else { format!("bytes {first}-{last}") };
    let format = match format {
        Some("CH") | None => return Some(place),
        Some("ZD") => "zoned decimal",
        Some("PD") => "packed decimal",
        Some("BI") => "binary",
        Some("FI") => "signed binary",
        Some(other) => other,
    };
    Some(format!("{place} ({format})"))
}

/// Words a simple condition of INCLUDE or OMIT.
fn condition(value: &str) -> Option<String> {
    let inner = value.trim().strip_prefix('(')?.strip_suffix(')')?;
    let words: Vec<&str> = split_at_commas(inner).into_iter().map(str::trim).collect();
    let mut told = Vec::new();
    let mut rest = words.as_slice();
    while !rest.is_empty() {
        let (left, used) = field(rest)?;
        let operator = match *rest.get(used)? {
            "EQ" => "=",
            "NE" => "not =",
            "GT" => ">",
            "GE" => ">=",
            "LT" => "<",
            "LE" => "<=",
            _ => return None,
        };
        let (right, more) = field(&rest[used + 1..])?;
        told.push(format!("{left} {operator} {right}"));
        rest = &rest[used + 1 + more..];
        match rest.first() {
            None => {}
            Some(&("AND" | "&")) => told.push("and".to_owned()),
            Some(&("OR" | "|")) => told.push("or".to_owned()),
            Some(_) => return None,
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    Some(told.join(" "))
}

/// Words one side of a comparison. Also returns how many words it takes.
fn field(words: &[&str]) -> Option<(String, usize)> {
    let first = words.first().filter(|word| !word.is_empty() && !word.starts_with('('))?;
    let is_number = |word: &&&str| word.parse::<u32>().is_ok();
    match (words.get(1).filter(is_number), words.get(2)) {
        (Some(length), Some(format)) if is_number(&first) && format.len() <= 3 => {
            Some((bytes(first, length, Some(format))?, 3))
        }
        _ => Some(((*first).to_owned(), 1)),
    }
}

/// Joins the first names of a list and counts the rest.
pub(super) fn some(names: &[String]) -> String {
    if names.len() <= NAMES + 1 {
        return list(names);
    }
    let mut shown = names[..NAMES].to_vec();
    shown.push(format!("{} more", names.len() - NAMES));
    list(&shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::{LineNumber, LineRange};

    #[track_caller]
    fn check(verb: &str, operands: &str, expected: &str) {
        let (dd, verb, operands) = ("SYSIN".to_owned(), verb.to_owned(), operands.to_owned());
        let lines = LineRange::single(LineNumber::FIRST);
        let statement = SortStatement { dd, verb, operands, lines, file: None };
        assert_eq!(of_sort(&statement, &|dd| format!("{dd}.SET")), expected);
    }

    #[test]
    fn keys_of_a_sort_are_told_by_their_bytes_or_names() {
        check(
            "SORT",
            "FIELDS=(1,10,CH,A,21,3,ZD,D)",
            "sorts by bytes 1-10 ascending and bytes 21-23 (zoned decimal) descending",
        );
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
        check("OUTREC", "FIELDS=(1,80)", "rearranges the records (OUTREC FIELDS=(1,80))");
    }

    #[test]
    fn an_outfil_is_told_by_where_it_writes_what() {
        check("OUTFIL", "FNAMES=OUT1,INCLUDE=(1,1,CH,EQ,C'A')", "writes to OUT1.SET the records where byte 1 = C'A'");
        check("OUTFIL", "FNAMES=(A,B),SAVE", "writes to A.SET and B.SET all records that no other OUTFIL takes");
        check(
            "OUTFIL",
            "OMIT=(1,1,CH,EQ,C'A'),OUTREC=(1,80),FILES=1",
            "writes to SORTOF1.SET all records but those where byte 1 = C'A' (OUTREC=(1,80))",
        );
        check(
            "OUTFIL",
            "FNAMES=R,NODETAIL,TRAILER1=(COUNT)",
            "writes to R.SET the records, of which it shows only headers and totals (TRAILER1=(COUNT))",
        );
        check("OUTFIL", "FNAMES=R,INCLUDE=(1,1,EQ,C'A')", "writes to R.SET the records (INCLUDE=(1,1,EQ,C'A'))");
        check("OUTFIL", "REMOVECC", "writes (OUTFIL REMOVECC)");
    }

    #[track_caller]
    fn check_db2(input: &str, statement: &str, expected: &str) {
        let job = format!("//J JOB 1\n//S EXEC PGM=DSNUTILB\n//SYSREC DD {input}\n//SYSIN DD *\n  {statement}\n/*\n");
        let options = war_rig_text::ReadOptions::default();
        let source = war_rig_text::SourceText::read("J.jcl", job.into(), &options).unwrap();
        let step = war_rig_estate::jcl::parse(&source).jobs[0].body.steps[0].clone();
        let runs = war_rig_estate::jcl::step_programs(&step);
        assert_eq!(of_db2(&runs.db2[0], &step, &|dd| format!("{dd}.SET")), expected);
    }

    #[test]
    fn utilities_of_db2_are_told_by_what_they_do() {
        let data = "DSN=A.B,DISP=SHR";
        check_db2(data, "LOAD DATA REPLACE INTO TABLE X", "empties the table X, then loads it from SYSREC.SET");
        check_db2(
            "DUMMY",
            "LOAD REPLACE INTO TABLE X",
            "empties the table X (REPLACE, and what would be loaded is DUMMY)",
        );
        check_db2(data, "LOAD RESUME YES INTO TABLE X", "adds rows from SYSREC.SET to the table X");
        check_db2(data, "LOAD DATA INTO TABLE X", "loads the table X from SYSREC.SET, if it holds no rows");
        check_db2(
            data,
            "LOAD INTO TABLE X INTO TABLE Y",
            "loads the tables X and Y from SYSREC.SET, if they hold no rows",
        );
        check_db2(data, "UNLOAD TABLESPACE D.S", "unloads the table space D.S to SYSREC.SET");
        check_db2(data, "RUNSTATS TABLESPACE D.S", "collects the statistics of the table space D.S");
        check_db2(data, "QUIESCE LIST L", "makes a point of consistency for the objects of the list L");
        check_db2(data, "TEMPLATE T DSN(X)", "TEMPLATE T DSN(X)");
    }

    fn idcams_step(commands: &str) -> JobStep {
        let job = format!("//J JOB 1\n//S EXEC PGM=IDCAMS\n//SYSIN DD *\n  {commands}\n/*\n");
        let options = war_rig_text::ReadOptions::default();
        let source = war_rig_text::SourceText::read("J.jcl", job.into(), &options).unwrap();
        war_rig_estate::jcl::parse(&source).jobs[0].body.steps[0].clone()
    }

    #[track_caller]
    fn check_idcams(command: &str, expected: &str) {
        let runs = war_rig_estate::jcl::step_programs(&idcams_step(command));
        assert_eq!(of_idcams(&runs.idcams[0], &|dd| format!("{dd}.SET")), expected);
    }

    #[test]
    fn commands_of_idcams_are_told_by_what_they_do() {
        check_idcams(
            "DEFINE CLUSTER (NAME(A.KSDS) INDEXED KEYS(16 0) RECORDSIZE(350 350))",
            "defines A.KSDS: VSAM KSDS, key of 16 bytes at offset 0, records of 350 bytes",
        );
        check_idcams(
            "DEFINE AIX (NAME(A.X) RELATE(A.B) KEYS(5 9) -\n RECORDSIZE(40 250) UPGRADE NONUNIQUEKEY)",
            "defines A.X: alternate index, of A.B, key of 5 bytes at offset 9, records of 40 bytes on average and at most 250, \
             follows changes of its base, keys may repeat",
        );
        check_idcams("REPRO INFILE(IN) OUTDATASET(A.B)", "copies IN.SET to A.B");
        check_idcams("DELETE (A B) PURGE", "deletes A and B");
        check_idcams("DELETE A AIX", "deletes the alternate index A");
        check_idcams("SET MAXCC = 0", "sets the step's code to 0");
        check_idcams("IF LASTCC=8 THEN SET MAXCC=0", "if the last command's code is 8: sets the step's code to 0");
        check_idcams("IF MAXCC GT 4 THEN CANCEL", "if the step's code is above 4: CANCEL");
    }

    #[test]
    fn commands_under_one_condition_are_one_clause() {
        let step = idcams_step(
            "DELETE A\n  SET MAXCC=0\n  IF MAXCC = 0 THEN DO\n  DELETE B\n  DELETE C\n  END\n  ELSE DELETE D",
        );
        let commands = war_rig_estate::jcl::step_programs(&step).idcams;
        let clauses = |commands: &str| {
            let step = idcams_step(commands);
            clauses_of_idcams(&war_rig_estate::jcl::step_programs(&step).idcams, &str::to_owned)
        };
        // A code that is set under a condition of its own does not belong to what another one is about.
        assert_eq!(
            clauses("IF LASTCC=0 THEN DELETE A\n  IF MAXCC LE 08 THEN SET MAXCC=0"),
            [
                "if the last command's code is 0: deletes A",
                "if the step's code is at most 8: sets the step's code to 0"
            ]
        );
        assert_eq!(
            clauses("IF LASTCC=0 THEN DO;\n  DELETE A;\n  IF MAXCC=4 THEN SET MAXCC=0;\n  END;\n  DELETE B"),
            [
                "if the last command's code is 0: deletes A, then, if the step's code is 4, sets the step's code to 0",
                "deletes B"
            ]
        );
        assert_eq!(
            clauses_of_idcams(&commands, &str::to_owned),
            [
                "deletes A, then sets the step's code to 0",
                "if the step's code is 0: deletes B and deletes C",
                "unless the step's code is 0: deletes D",
            ]
        );
    }
}
