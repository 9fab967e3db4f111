//! Describes CICS definitions.

use super::statements::some;
use super::writer::{NonCobolWriter, access_in_words};
use super::{comments, purpose};
use crate::phrases::list;
use std::collections::BTreeMap;
use war_rig_estate::csd::{CsdDefinition, CsdResourceType, CsdSource};
use war_rig_estate::{EdgeKind, NodeId, NodeKind};
use war_rig_template::{DefinitionUnit, Document, NamedValue, Users};

/// How many missing resources a question names.
const NAMED: usize = 20;

impl NonCobolWriter<'_> {
    /// Describes a source of definitions.
    pub(super) fn csd(&self, source: &CsdSource, document: &mut Document) {
        self.definitions(source, document);
        let mut types: BTreeMap<String, usize> = BTreeMap::new();
        let mut groups: Vec<String> = Vec::new();
        for definition in &document.definitions {
            *types.entry(definition.resource_type.clone()).or_default() += 1;
            groups.extend(definition.group.iter().filter(|group| !groups.contains(group)).cloned().collect::<Vec<_>>());
        }
        let told: Vec<String> =
            types.iter().map(|(kind, number)| format!("{number} {}", in_words(kind, *number > 1))).collect();
        let mut sentences = Vec::new();
        sentences
            .extend(comments::at_the_top(self.source, &["*"]).map(|said| comments::quoted(&said, "its own comment")));
        if !told.is_empty() {
            let of = match groups.len() {
                0 => String::new(),
                1 => format!(" in the group {}", groups[0]),
                _ => format!(" in the groups {}", some(&groups)),
            };
            sentences.push(format!("defines to CICS{of}: {}", list(&told)));
        }
        if !source.commands.is_empty() {
            let mut verbs: BTreeMap<&str, usize> = BTreeMap::new();
            source.commands.iter().for_each(|command| *verbs.entry(&command.verb).or_default() += 1);
            let verbs: Vec<String> = verbs.iter().map(|(verb, times)| format!("{verb} ({times})")).collect();
            sentences.push(format!("other commands in it: {}", list(&verbs)));
        }
        let first = document.definitions.first().map(|found| found.citations.clone());
        let first = first.or_else(|| source.commands.first().map(|command| self.cite(command.lines, &[&command.verb])));
        document.purpose = purpose(sentences, "CICS definitions", first.unwrap_or_default());
    }

    /// Describes definitions in a source of their own or in a job, and the missing resources that they name.
    pub(super) fn definitions(&self, source: &CsdSource, document: &mut Document) {
        let before = document.definitions.len();
        document.definitions.extend(source.definitions.iter().map(|definition| self.definition(definition)));
        let mut missing: BTreeMap<&str, Vec<&DefinitionUnit>> = BTreeMap::new();
        for unit in document.definitions[before..].iter().filter(|unit| unit.is_missing) {
            missing.entry(if unit.resource_type == "MAPSET" { "map sets" } else { "programs" }).or_default().push(unit);
        }
        let mut questions = Vec::new();
        for (what, units) in missing {
            let mut names: Vec<String> = units
                .iter()
                .map(|unit| match (&unit.leads_to, unit.resource_type.as_str()) {
                    (Some(program), "TRANSACTION") => program.name.clone(),
                    _ => unit.resource_name.clone(),
                })
                .collect();
            names.sort_unstable();
            names.dedup();
            let more = names.len().saturating_sub(NAMED);
            names.truncate(NAMED);
            if more > 0 {
                names.push(format!("{more} more"));
            }
            let citations = units.iter().take(NAMED).flat_map(|unit| unit.citations.clone()).collect();
            questions.push((
                format!("These {what} are defined, and no source of them is here: {}.", list(&names)),
                citations,
            ));
        }
        for (question, citations) in questions {
            self.ask(document, question, citations);
        }
    }

    fn definition(&self, definition: &CsdDefinition) -> DefinitionUnit {
        let name = definition.name.as_str();
        let own = |kind: NodeKind| NodeId::new(kind, name);
        let mention = |kind: NodeKind, name: &str| Some(self.mention(kind, name, None));
        let mut is_missing = false;
        let (leads_to, used_by) = match definition.resource_type {
            CsdResourceType::Transaction => {
                let program = definition.upper("PROGRAM");
                is_missing = program.as_deref().is_some_and(|program| self.is_missing_program(program));
                let starts = self.starters(&own(NodeKind::Transaction));
                (program.map(|program| self.mention_of(&self.program_meant(&program), None)), starts)
            }
            CsdResourceType::Program => {
                let id = self.program_meant(name);
                let program = self.mention_of(&id, None);
                let is_supplied = war_rig_estate::supplying_system(&program.name).is_some();
                is_missing = program.document.is_none() && !is_supplied;
                (program.document.is_some().then_some(program), self.starters(&id))
            }
            CsdResourceType::MapSet => {
                let set = self.mention_of(&own(NodeKind::MapSet), None);
                let has_maps = self.graph.nodes_of_kind(NodeKind::MapSet).next().is_some();
                is_missing = set.document.is_none() && has_maps;
                (set.document.is_some().then_some(set), Users::default())
            }
            CsdResourceType::File => {
                let data_set = definition.upper("DSNAME").and_then(|name| mention(NodeKind::Dataset, &name));
                (data_set, self.accessed_by(&own(NodeKind::File)))
            }
            CsdResourceType::TdQueue => {
                let file = definition.upper("DSNAME").and_then(|name| mention(NodeKind::Dataset, &name));
                let transaction = definition.upper("TRANSID").and_then(|name| mention(NodeKind::Transaction, &name));
                (transaction.or(file), self.accessed_by(&own(NodeKind::Queue)))
            }
            CsdResourceType::Db2Tran => {
                let transaction = definition.upper("TRANSID").and_then(|name| mention(NodeKind::Transaction, &name));
                (transaction, Users::default())
            }
            _ => (None, Users::default()),
        };
        DefinitionUnit {
            resource_type: definition.resource_type.as_str().to_owned(),
            resource_name: name.to_owned(),
            group: definition.group.clone(),
            lines: definition.lines,
            description: definition.description().filter(|text| !text.is_empty()).map(str::to_owned),
            leads_to,
            is_missing,
            about: about(definition),
            used_by,
            attributes: definition
                .attributes
                .iter()
                .filter(|found| !is_told(definition, &found.name))
                .map(|found| NamedValue { name: found.name.clone(), value: found.value.clone().unwrap_or_default() })
                .collect(),
            citations: self.cite(definition.lines, &[name, "DEFINE", "DEF"]),
        }
    }

    fn starters(&self, id: &NodeId) -> Users {
        let edges =
            self.graph.incoming_edges(id).filter(|edge| matches!(edge.relation, EdgeKind::Starts | EdgeKind::Calls(_)));
        self.users(edges, |edge| match edge.relation {
            EdgeKind::Calls(kind) => Some(kind.as_str().replace('_', " ")),
            _ => None,
        })
    }

    fn accessed_by(&self, id: &NodeId) -> Users {
        let edges = self.graph.incoming_edges(id).filter(|edge| edge.relation == EdgeKind::Accesses);
        self.users(edges, |edge| Some(access_in_words(&edge.access)).filter(|words| !words.is_empty()))
    }
}

/// Words the noteworthy attributes.
fn about(definition: &CsdDefinition) -> Option<String> {
    match definition.resource_type {
        CsdResourceType::Program => definition.upper("LANGUAGE"),
        CsdResourceType::File => {
            let may =
                [("READ", "read"), ("BROWSE", "browse"), ("ADD", "add"), ("UPDATE", "update"), ("DELETE", "delete")];
            let is_said =
                |name: &str| definition.attribute(name).is_some_and(|value| value.eq_ignore_ascii_case("YES"));
            let allowed: Vec<String> =
                may.iter().filter(|(name, _)| is_said(name)).map(|(_, word)| (*word).to_owned()).collect();
            (!allowed.is_empty()).then(|| list(&allowed))
        }
        CsdResourceType::TdQueue => definition.attribute("TYPE").map(|kind| {
            let dd = definition.upper("DDNAME").map(|dd| format!(", DD {dd}")).unwrap_or_default();
            format!("{}{dd}", kind.to_lowercase())
        }),
        CsdResourceType::Db2Entry | CsdResourceType::Db2Conn => {
            definition.upper("PLAN").map(|plan| format!("plan {plan}"))
        }
        CsdResourceType::Db2Tran => definition.upper("ENTRY").map(|entry| format!("entry {entry}")),
        _ => None,
    }
}

/// Whether an attribute has its own column.
fn is_told(definition: &CsdDefinition, name: &str) -> bool {
    let told: &[&str] = match definition.resource_type {
        CsdResourceType::Transaction => &["PROGRAM"],
        CsdResourceType::Program => &["LANGUAGE"],
        CsdResourceType::File => &["DSNAME", "READ", "BROWSE", "ADD", "UPDATE", "DELETE"],
        CsdResourceType::TdQueue => &["TYPE", "DDNAME"],
        CsdResourceType::Db2Entry | CsdResourceType::Db2Conn => &["PLAN"],
        CsdResourceType::Db2Tran => &["TRANSID", "ENTRY"],
        _ => &[],
    };
    name == "DESCRIPTION" || told.contains(&name)
}

/// Words a resource type in lower case.
fn in_words(resource_type: &str, is_many: bool) -> String {
    let word = match resource_type {
        "TRANSACTION" => "transaction",
        "PROGRAM" => "program",
        "MAPSET" => "map set",
        "FILE" => "file",
        "TDQUEUE" => "transient data queue",
        "TSMODEL" => "temporary storage model",
        "DB2CONN" => "DB2 connection",
        "DB2ENTRY" => "DB2 entry",
        "DB2TRAN" => "DB2 transaction",
        "LIBRARY" => return if is_many { "libraries" } else { "library" }.to_owned(),
        other => return other.to_owned(),
    };
    if is_many { format!("{word}s") } else { word.to_owned() }
}
