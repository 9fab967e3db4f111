//! Words the control statements of utilities.

use crate::phrases::{list, shorten_to};
use war_rig_estate::jcl::{BindCommand, Db2Statement, IdcamsCommand, IfCondition, JobStep};

/// The maximum length of operands shown as written, in characters.
pub(super) const LONGEST: usize = 160;

/// How many names a sentence lists.
const NAMES: usize = 6;

/// Words a command that binds, rebinds or frees: `binds the plan P from the packages A.* and B.*`.
pub(super) fn of_bind(command: &BindCommand) -> String {
    let deed = match command.verb.as_str() {
        "BIND" => "binds",
        "REBIND" => "binds anew",
        _ => "frees",
    };
    let parts = |words: &str, names: &[String]| match names {
        [] => String::new(),
        [only] => format!(" from the {words} {only}"),
        names => format!(" from the {words}s {}", some(names)),
    };
    let is_made = !command.members.is_empty() || command.options.iter().any(|(option, _)| option == "COPY");
    let what = match (command.is_plan, is_made) {
        (true, _) if command.names.len() > 1 => "the plans",
        (true, _) => "the plan",
        (false, true) => "a package of the collection",
        (false, false) if command.names.len() > 1 => "the packages",
        (false, false) => "the package",
    };
    let of = if command.libraries.is_empty() { String::new() } else { format!(" of {}", some(&command.libraries)) };
    let options = command.options.iter().map(|(option, value)| format!("{option}({value})"));
    let options: Vec<String> = options.collect();
    let with = if options.is_empty() { String::new() } else { format!(", with {}", list(&options)) };
    let (members, packages) = (parts("member", &command.members), parts("package", &command.packages));
    format!("{deed} {what} {}{members}{of}{packages}{with}", some(&command.names))
}

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
    let anew = |name: &String| if command.recreated.contains(name) { " (to define it anew)" } else { "" };
    let names = some(&command.names.iter().map(|name| format!("{name}{}", anew(name))).collect::<Vec<_>>());
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
