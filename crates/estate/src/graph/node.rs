//! The nodes and edges of an estate.

use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use war_rig_cobol::CallKind;
use war_rig_cobol::comments::MORE_FOLLOWS;
use war_rig_text::LineNumber;

/// The kind of a node.
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
    /// A procedure of commands: a REXX program or a CLIST.
    CommandProcedure,
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
    /// Returns the kind as an identifier: `map_set`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns the kind in words, singular and plural.
    pub fn in_words(self) -> (&'static str, &'static str) {
        match self {
            NodeKind::Job => ("job", "jobs"),
            NodeKind::Step => ("step", "steps"),
            NodeKind::Procedure => ("procedure", "procedures"),
            NodeKind::CommandProcedure => ("command procedure", "command procedures"),
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

/// The identity of a node: its kind and its upper-case name, or a path as it is written. As text `program:POLINQ`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId {
    /// Its kind.
    pub kind: NodeKind,
    /// Its name.
    pub name: Arc<str>,
}

impl NodeId {
    /// Builds the id of this name. What stands in parentheses behind a blank distinguishes nodes of one name and stays as it is written.
    pub fn new(kind: NodeKind, name: &str) -> Self {
        let name = match name.find(" (") {
            Some(plain) => format!("{}{}", name[..plain].to_uppercase(), &name[plain..]),
            None => name.to_uppercase(),
        };
        Self { kind, name: name.into() }
    }

    /// Returns the name without what distinguishes it from others of its name.
    pub fn plain_name(&self) -> &str {
        self.name.split_once(" (").map_or(&self.name, |(plain, _)| plain)
    }

    /// Returns what distinguishes it from others of its name, or else its name.
    pub(crate) fn distinction(&self) -> &str {
        self.name.split_once(" (").map_or(&self.name, |(_, rest)| rest.trim_end_matches(')'))
    }

    /// Builds the id of the data that a program names by a file's path or a data set's name: only paths have letters of both cases.
    pub fn of_path(path: &str) -> Self {
        match path.contains(['/', '\\']) {
            true => Self { kind: NodeKind::Dataset, name: path.replace('\\', "/").into() },
            false => Self::new(NodeKind::Dataset, path),
        }
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
        let parts = text.split_once(':').and_then(|(kind, name)| Some((kind.parse::<NodeKind>().ok()?, name)));
        let (kind, name) = parts.ok_or_else(|| D::Error::custom(format!("`{text}` is the name of no node")))?;
        Ok(Self { kind, name: name.into() })
    }
}

/// A location in a source.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct SourceLocation {
    /// The source's name.
    pub file: Arc<str>,
    /// The first line.
    pub line: LineNumber,
}

/// A node of the estate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Node {
    /// Its identity.
    pub id: NodeId,
    /// Where it is defined; empty if the estate only names it. The first place represents the name where several sources define it.
    pub defined: Vec<SourceLocation>,
    /// If it is a transaction that no source defines, but that only one program returns to, and that program to no other: the first RETURN. It is taken
    /// to start the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inferred: Option<SourceLocation>,
    /// If it is another version of a program or a job, that one: both have one name and a member of one name, and the steps of jobs differ. If it is a table that
    /// a source names without its schema, which several sources define in different schemas: the table without a schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version_of: Option<NodeId>,
    /// The system that supplies it, if no estate defines it: a program of Language Environment, a utility, a procedure of IMS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supplied_by: Option<&'static str>,
    /// A description from its definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// What the comment of its source says that it does, if it is a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

impl Node {
    /// Returns the first place that defines it, or from which it is inferred.
    pub fn place(&self) -> Option<&SourceLocation> {
        self.defined.first().or(self.inferred.as_ref())
    }

    /// Whether it is a program whose statements are read: the sources define it, and not in assembler.
    pub fn is_read_program(&self) -> bool {
        self.id.kind == NodeKind::Program && !self.defined.is_empty() && self.about.as_deref() != Some(OF_ASSEMBLER)
    }

    /// Returns the first sentence of its remark; empty without one.
    pub fn first_remark(&self) -> &str {
        let remark = self.remark.as_deref().unwrap_or_default();
        let remark = remark.strip_suffix(MORE_FOLLOWS).unwrap_or(remark);
        let end = [". ", " / "].iter().filter_map(|end| remark.find(end)).min();
        remark[..end.unwrap_or(remark.len())].trim_end_matches('.')
    }
}

/// The relation between two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum EdgeKind {
    /// A job contains a step, a map set a map, a database a segment.
    Contains,
    /// A step runs a program, or a command procedure.
    Runs,
    /// A step runs a procedure.
    UsesProcedure,
    /// A transaction starts a program, or a program a transaction.
    Starts,
    /// A step hands a job to the internal reader.
    Submits,
    /// A program calls a program.
    Calls(CallKind),
    /// A source copies a copybook.
    Copies,
    /// A program or step accesses data.
    Accesses,
    /// A CICS file is stored in this data set.
    StoredIn,
    /// A step or program uses a PSB.
    UsesPsb,
    /// A PSB gives access to a database or a segment; a table or view is based on another.
    Uses,
}

impl EdgeKind {
    /// Returns the relation as JSON spells it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What there is of a data set when a step begins that accesses it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DataVersion {
    /// It may have content.
    #[default]
    Existing,
    /// It may have content, and the step adds to that: `DISP=MOD`.
    Extended,
    /// Nothing that stays: the step creates or replaces it.
    New,
    /// Nothing: the job creates a generation of it, beside others.
    NewGeneration,
}

/// How an edge is known, and what it means, where its relation does not say all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum EdgeNature {
    /// A statement says what its relation says.
    #[default]
    Stated,
    /// Only `DISP=SHR` suggests that the step reads it: no statement of its programs that is known does.
    Guess,
    /// A DELETE of a data set that its job then defines anew: what goes is its content.
    Recreation,
    /// A sort calls the program at an exit.
    SortExit,
}

/// An edge between two nodes, with its location in a source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Edge {
    /// The source node.
    pub from: NodeId,
    /// The target node.
    pub to: NodeId,
    /// The relation.
    #[serde(flatten, serialize_with = "relation_and_kind")]
    pub relation: EdgeKind,
    /// Details: the DD name, the operations, the utility that runs the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The access to data: letters of `CRUD` in this order; empty if it is unknown or does not apply.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub access: String,
    /// How it is known, and what it means.
    #[serde(skip)]
    pub nature: EdgeNature,
    /// What a step accesses of data.
    #[serde(skip)]
    pub version: DataVersion,
    /// The relative generation of a data set that a step names: 0 is the current one, 1 the next, -1 the one before.
    #[serde(skip)]
    pub generation: Option<i32>,
    /// Where the source states it.
    #[serde(flatten)]
    pub place: SourceLocation,
}

/// How the detail of an edge begins that follows only from a name that something is given.
pub(crate) const INFERRED: &str = "(inferred: ";

/// What is told of a program that is written in assembler.
pub(crate) const OF_ASSEMBLER: &str = "written in assembler";

/// The detail of an edge from a step that makes an entry of the catalog.
pub(crate) const DEFINES: &str = "IDCAMS DEFINE";

impl Edge {
    /// Returns whether only `DISP=SHR` suggests that the step reads the data.
    pub fn is_guess(&self) -> bool {
        self.nature == EdgeNature::Guess
    }

    /// Returns whether it deletes a data set that its job then defines anew.
    pub fn is_recreation(&self) -> bool {
        self.nature == EdgeNature::Recreation
    }

    /// Returns whether a sort calls the program at an exit.
    pub fn is_exit(&self) -> bool {
        self.nature == EdgeNature::SortExit
    }

    /// Returns whether it is a DEFINE, which puts a data set or the base of a generation data group into the catalog and writes no data.
    pub fn defines(&self) -> bool {
        self.detail.as_deref() == Some(DEFINES)
    }

    /// Returns whether it follows only from a name that something is given: what that does with the name is not in the sources.
    pub fn is_inferred(&self) -> bool {
        self.detail.as_deref().is_some_and(|detail| detail.starts_with(INFERRED))
    }
}

/// Serializes a relation as `relation`, and the kind of a call as `kind`.
fn relation_and_kind<S: Serializer>(relation: &EdgeKind, serializer: S) -> Result<S::Ok, S::Error> {
    let mut out = serializer.serialize_map(None)?;
    out.serialize_entry("relation", relation.as_str())?;
    if let EdgeKind::Calls(kind) = relation {
        out.serialize_entry("kind", kind.as_str())?;
    }
    out.end()
}
