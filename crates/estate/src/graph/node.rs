//! What an estate consists of, and how its parts are tied together.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use war_rig_cobol::CallKind;
use war_rig_text::LineNumber;

/// What kind of thing a node is.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::EnumString,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum NodeKind {
    /// A job.
    Job,
    /// A step of a job, as `JOB.STEP`, or as `JOB.STEP.PROCSTEP` where it comes from a procedure.
    Step,
    /// A procedure of job control.
    Procedure,
    /// A CICS transaction.
    Transaction,
    /// A program, or a second entry point of one.
    Program,
    /// A copybook.
    Copybook,
    /// A set of BMS maps.
    MapSet,
    /// A map, as `MAPSET.MAP`.
    Map,
    /// A file of CICS.
    File,
    /// A data set, without generation and member.
    Dataset,
    /// A table or view.
    Table,
    /// A queue of CICS.
    Queue,
    /// A program specification block of IMS.
    Psb,
    /// A database of IMS.
    Database,
    /// A segment of an IMS database.
    Segment,
}

impl NodeKind {
    /// The kind as an identifier has it: `map_set`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The kind in words, with its plural.
    pub fn in_words(self) -> (&'static str, &'static str) {
        match self {
            NodeKind::Job => ("job", "jobs"),
            NodeKind::Step => ("step", "steps"),
            NodeKind::Procedure => ("procedure", "procedures"),
            NodeKind::Transaction => ("transaction", "transactions"),
            NodeKind::Program => ("program", "programs"),
            NodeKind::Copybook => ("copybook", "copybooks"),
            NodeKind::MapSet => ("map set", "map sets"),
            NodeKind::Map => ("map", "maps"),
            NodeKind::File => ("CICS file", "CICS files"),
            NodeKind::Dataset => ("data set", "data sets"),
            NodeKind::Table => ("table", "tables"),
            NodeKind::Queue => ("queue", "queues"),
            NodeKind::Psb => ("PSB", "PSBs"),
            NodeKind::Database => ("database", "databases"),
            NodeKind::Segment => ("segment", "segments"),
        }
    }
}

/// The name of a node: its kind, and its name in upper case. As text `program:POLINQ`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId {
    /// What it is.
    pub kind: NodeKind,
    /// Its name.
    pub name: Arc<str>,
}

impl NodeId {
    /// The node of this name.
    pub fn new(kind: NodeKind, name: &str) -> Self {
        Self { kind, name: name.to_uppercase().into() }
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.as_str(), self.name)
    }
}

impl Serialize for NodeId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for NodeId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let parts =
            text.split_once(':').and_then(|(kind, name)| Some((kind.parse::<NodeKind>().ok()?, name)));
        let (kind, name) =
            parts.ok_or_else(|| D::Error::custom(format!("`{text}` is the name of no node")))?;
        Ok(Self { kind, name: name.into() })
    }
}

/// Where something stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct SourceLocation {
    /// The source's name.
    pub file: Arc<str>,
    /// The line on which it begins.
    pub line: LineNumber,
}

/// A part of the estate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Node {
    /// Its name.
    pub id: NodeId,
    /// Where it is defined, in the order of files; nowhere when the estate only names it.
    pub defined: Vec<SourceLocation>,
    /// The system that brings it, for what no estate has to define: a program of Language Environment, a utility.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supplied_by: Option<&'static str>,
    /// What its definition says of it, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// How one node is tied to another.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum EdgeKind {
    /// A job has a step, a map set a map, a database a segment.
    Contains,
    /// A step runs a program.
    Runs,
    /// A step runs a procedure.
    UsesProcedure,
    /// A transaction starts a program, or a program a transaction.
    Starts,
    /// A program calls a program.
    Calls(CallKind),
    /// A source copies a copybook.
    Copies,
    /// A program or step works on data.
    Accesses,
    /// A file of CICS is this data set.
    StoredIn,
    /// A step or program works under a PSB.
    UsesPsb,
    /// A PSB gives access to a database or a segment; a table or view rests on another.
    Uses,
}

impl EdgeKind {
    /// The relation as JSON has it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One tie between two nodes, with the place that makes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The node that it goes out from.
    pub from: NodeId,
    /// The node that it leads to.
    pub to: NodeId,
    /// How they are tied.
    pub relation: EdgeKind,
    /// What more there is to say: the DD name, the operations, the utility that runs the program.
    pub detail: Option<String>,
    /// What is done with data: letters of `CRUD` in this order; empty where that is not known or does not apply.
    pub access: String,
    /// Where it is said.
    pub place: SourceLocation,
}

impl Serialize for Edge {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Row<'a> {
            from: &'a NodeId,
            to: &'a NodeId,
            relation: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            kind: Option<&'static str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            detail: Option<&'a str>,
            #[serde(skip_serializing_if = "str::is_empty")]
            access: &'a str,
            file: &'a str,
            line: LineNumber,
        }
        let kind = match self.relation {
            EdgeKind::Calls(kind) => Some(kind.as_str()),
            _ => None,
        };
        let row = Row {
            from: &self.from,
            to: &self.to,
            relation: self.relation.as_str(),
            kind,
            detail: self.detail.as_deref(),
            access: &self.access,
            file: &self.place.file,
            line: self.place.line,
        };
        row.serialize(serializer)
    }
}
