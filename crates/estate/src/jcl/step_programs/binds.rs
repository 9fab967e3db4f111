//! Reads the DSN commands that bind, rebind and free plans and packages. Source: Db2 for z/OS, Command Reference, BIND PLAN, BIND PACKAGE, FREE PACKAGE.

use super::super::control_statements::{unquoted_name, words};
use super::TsoCommand;

/// A command that makes, renews or removes a plan or a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindCommand {
    /// `BIND`, `REBIND` or `FREE`.
    pub verb: String,
    /// Whether it is about a plan, and not a package.
    pub is_plan: bool,
    /// The plans, or the collection or packages, as written.
    pub names: Vec<String>,
    /// The members with the statements (DBRMs) that are bound.
    pub members: Vec<String>,
    /// The libraries of the members.
    pub libraries: Vec<String>,
    /// The packages of a plan: PKLIST.
    pub packages: Vec<String>,
    /// The other options with their values, in order.
    pub options: Vec<(String, String)>,
}

impl TsoCommand {
    /// Returns what it binds, rebinds or frees; none for other commands.
    ///
    /// ```text
    /// bind = ( "BIND" | "REBIND" | "FREE" ) ( "PLAN" | "PACKAGE" ) "(" names ")" { option "(" value ")" }
    /// ```
    pub fn bind(&self) -> Option<BindCommand> {
        let verb = self.verb.as_str();
        let mut all = words(&self.text).skip(1);
        let object = all.next().filter(|_| matches!(verb, "BIND" | "REBIND" | "FREE"))?;
        let is_plan = object.text.eq_ignore_ascii_case("PLAN");
        let is_package = object.text.eq_ignore_ascii_case("PACKAGE");
        let name = object.inner.filter(|name| (is_plan || is_package) && !name.is_empty())?;
        let mut found = BindCommand {
            verb: verb.to_owned(),
            is_plan,
            names: words(name).map(|word| unquoted_name(word.text)).collect(),
            members: Vec::new(),
            libraries: Vec::new(),
            packages: Vec::new(),
            options: Vec::new(),
        };
        for word in all {
            let Some(value) = word.inner else { continue };
            let values = || words(value).map(|word| unquoted_name(word.text)).collect();
            match word.text.to_ascii_uppercase().as_str() {
                "MEMBER" | "MEM" => found.members = values(),
                "LIBRARY" | "LIB" => found.libraries = values(),
                "PKLIST" => found.packages = values(),
                option => found.options.push((option.to_owned(), unquoted_name(value))),
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::stepping;
    use super::super::step_programs;

    #[test]
    fn what_is_bound_is_known_with_its_options() {
        let commands = "//SYSTSIN DD *\n DSN SYSTEM(DB2P)\n BIND PACKAGE(POLCOLL) -\n  MEMBER(POLUPD) LIBRARY('TMA.DBRMLIB') -\n  ISOLATION(CS) \
            OWNER(TMA)\n BIND PLAN(POLPLAN) PKLIST(POLCOLL.*, OTHER.POLX)\n FREE PACKAGE(POLCOLL.OLD)\n BIND\n RUN PROGRAM(P)\n END\n/*\n";
        let runs = step_programs(&stepping("PGM=IKJEFT01", commands));
        let told: Vec<String> =
            runs.tso.iter().filter_map(|command| command.bind()).map(|bind| format!("{bind:?}")).collect();
        let expected = [
            r#"BindCommand { verb: "BIND", is_plan: false, names: ["POLCOLL"], members: ["POLUPD"], libraries: ["TMA.DBRMLIB"], packages: [], options: [("ISOLATION", "CS"), ("OWNER", "TMA")] }"#,
            r#"BindCommand { verb: "BIND", is_plan: true, names: ["POLPLAN"], members: [], libraries: [], packages: ["POLCOLL.*", "OTHER.POLX"], options: [] }"#,
            r#"BindCommand { verb: "FREE", is_plan: false, names: ["POLCOLL.OLD"], members: [], libraries: [], packages: [], options: [] }"#,
        ];
        assert_eq!(told, expected);
    }
}
