//! What the commands of a CSD source define.
//!
//! Names are upper case, values of attributes as written. Lines are one-based and inclusive.

use crate::report;
use serde::{Serialize, Serializer};
use war_rig_cobol::Diagnostic;
use war_rig_text::LineRange;

/// Everything that was found in one source of DFHCSDUP commands, in source order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CsdSource {
    /// The file's name.
    pub file: String,
    /// What DEFINE defines.
    pub definitions: Vec<Definition>,
    /// The other commands: ADD, ALTER, DELETE, LIST and so on.
    pub commands: Vec<Command>,
    /// What went wrong or deserves notice.
    pub diagnostics: Vec<Diagnostic>,
}

/// The type of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ResourceType {
    /// A transaction.
    Transaction,
    /// A program.
    Program,
    /// A map set.
    MapSet,
    /// A file.
    File,
    /// A transient data queue.
    TdQueue,
    /// A model of temporary storage queues.
    TsModel,
    /// The connection to Db2.
    Db2Conn,
    /// The plan and threads of some transactions' work in Db2.
    Db2Entry,
    /// A transaction that uses a DB2ENTRY.
    Db2Tran,
    /// Load libraries.
    Library,
    /// Any other, by its name in upper case.
    Other(String),
}

impl ResourceType {
    /// The name in DEFINE, in upper case and in full.
    pub fn as_str(&self) -> &str {
        match self {
            ResourceType::Transaction => "TRANSACTION",
            ResourceType::Program => "PROGRAM",
            ResourceType::MapSet => "MAPSET",
            ResourceType::File => "FILE",
            ResourceType::TdQueue => "TDQUEUE",
            ResourceType::TsModel => "TSMODEL",
            ResourceType::Db2Conn => "DB2CONN",
            ResourceType::Db2Entry => "DB2ENTRY",
            ResourceType::Db2Tran => "DB2TRAN",
            ResourceType::Library => "LIBRARY",
            ResourceType::Other(name) => name,
        }
    }
}

impl Serialize for ResourceType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// One keyword with its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attribute {
    /// The keyword in upper case, as written: it may be abbreviated.
    pub name: String,
    /// What stands in parentheses, blanks around it and quotes taken away; none for a keyword alone.
    pub value: Option<String>,
}

/// A resource, as DEFINE says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Definition {
    /// Its type.
    #[serde(rename = "type")]
    pub resource_type: ResourceType,
    /// Its name.
    pub name: String,
    /// The group it belongs to.
    pub group: Option<String>,
    /// The other attributes, in source order.
    pub attributes: Vec<Attribute>,
    /// The lines of the command.
    #[serde(flatten, serialize_with = "report::lines")]
    pub lines: LineRange,
}

/// A command that defines nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Command {
    /// `ADD`, `ALTER`, `DELETE`, `LIST`, `UPGRADE` and so on, in full.
    pub verb: String,
    /// Its keywords.
    pub operands: Vec<Attribute>,
    /// The lines of the command.
    #[serde(flatten, serialize_with = "report::lines")]
    pub lines: LineRange,
}

impl Definition {
    /// The value of an attribute, by its full name; an abbreviation of it in the source is understood.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        find(&self.attributes, name)
    }

    /// DESCRIPTION.
    pub fn description(&self) -> Option<&str> {
        self.attribute("DESCRIPTION")
    }

    /// The program that a transaction starts.
    pub fn program(&self) -> Option<String> {
        self.named(&ResourceType::Transaction, "PROGRAM")
    }

    /// The data set of a file or of a queue outside CICS, DSNAME.
    pub fn data_set(&self) -> Option<String> {
        match self.resource_type {
            ResourceType::File | ResourceType::TdQueue => self.upper("DSNAME"),
            _ => None,
        }
    }

    /// The language of a program.
    pub fn language(&self) -> Option<String> {
        self.named(&ResourceType::Program, "LANGUAGE")
    }

    /// The transaction that a program is run under, or that a queue's trigger starts, or that a DB2TRAN is about.
    pub fn transaction(&self) -> Option<String> {
        match self.resource_type {
            ResourceType::Program | ResourceType::TdQueue | ResourceType::Db2Tran => self.upper("TRANSID"),
            _ => None,
        }
    }

    /// The DD name of a queue outside CICS, DDNAME.
    pub fn dd_name(&self) -> Option<String> {
        self.named(&ResourceType::TdQueue, "DDNAME")
    }

    /// The plan of a DB2ENTRY or DB2CONN.
    pub fn plan(&self) -> Option<String> {
        match self.resource_type {
            ResourceType::Db2Entry | ResourceType::Db2Conn => self.upper("PLAN"),
            _ => None,
        }
    }

    /// The DB2ENTRY that a DB2TRAN uses, ENTRY.
    pub fn entry(&self) -> Option<String> {
        self.named(&ResourceType::Db2Tran, "ENTRY")
    }

    fn named(&self, resource_type: &ResourceType, attribute: &str) -> Option<String> {
        (self.resource_type == *resource_type).then(|| self.upper(attribute)).flatten()
    }

    fn upper(&self, attribute: &str) -> Option<String> {
        self.attribute(attribute).filter(|value| !value.is_empty()).map(str::to_uppercase)
    }
}

impl Command {
    /// The value of an operand, by its full name.
    pub fn operand(&self, name: &str) -> Option<&str> {
        find(&self.operands, name)
    }
}

/// The shortest abbreviation that is taken for a keyword: below it too many keywords begin alike.
pub(super) const SHORTEST_ABBREVIATION: usize = 3;

fn find<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a str> {
    let exact = attributes.iter().find(|attribute| attribute.name == name);
    let found = exact.or_else(|| {
        attributes.iter().find(|attribute| {
            attribute.name.len() >= SHORTEST_ABBREVIATION && name.starts_with(&attribute.name)
        })
    });
    found.and_then(|attribute| attribute.value.as_deref())
}
