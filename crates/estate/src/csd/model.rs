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
    pub definitions: Vec<CsdDefinition>,
    /// The other commands: ADD, ALTER, DELETE, LIST and so on.
    pub commands: Vec<CsdCommand>,
    /// What went wrong or deserves notice.
    pub diagnostics: Vec<Diagnostic>,
}

/// The type of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CsdResourceType {
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

impl CsdResourceType {
    /// The name in DEFINE, in upper case and in full.
    pub fn as_str(&self) -> &str {
        match self {
            CsdResourceType::Transaction => "TRANSACTION",
            CsdResourceType::Program => "PROGRAM",
            CsdResourceType::MapSet => "MAPSET",
            CsdResourceType::File => "FILE",
            CsdResourceType::TdQueue => "TDQUEUE",
            CsdResourceType::TsModel => "TSMODEL",
            CsdResourceType::Db2Conn => "DB2CONN",
            CsdResourceType::Db2Entry => "DB2ENTRY",
            CsdResourceType::Db2Tran => "DB2TRAN",
            CsdResourceType::Library => "LIBRARY",
            CsdResourceType::Other(name) => name,
        }
    }
}

impl Serialize for CsdResourceType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// One keyword with its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CsdAttribute {
    /// The keyword in upper case, as written: it may be abbreviated.
    pub name: String,
    /// What stands in parentheses, blanks around it and quotes taken away; none for a keyword alone.
    pub value: Option<String>,
}

/// A resource, as DEFINE says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CsdDefinition {
    /// Its type.
    #[serde(rename = "type")]
    pub resource_type: CsdResourceType,
    /// Its name.
    pub name: String,
    /// The group it belongs to.
    pub group: Option<String>,
    /// The other attributes, in source order.
    pub attributes: Vec<CsdAttribute>,
    /// The lines of the command.
    #[serde(flatten, serialize_with = "report::lines")]
    pub lines: LineRange,
}

/// A command that defines nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CsdCommand {
    /// `ADD`, `ALTER`, `DELETE`, `LIST`, `UPGRADE` and so on, in full.
    pub verb: String,
    /// Its keywords.
    pub operands: Vec<CsdAttribute>,
    /// The lines of the command.
    #[serde(flatten, serialize_with = "report::lines")]
    pub lines: LineRange,
}

impl CsdDefinition {
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
        self.named(&CsdResourceType::Transaction, "PROGRAM")
    }

    /// The data set of a file or of a queue outside CICS, DSNAME.
    pub fn data_set(&self) -> Option<String> {
        match self.resource_type {
            CsdResourceType::File | CsdResourceType::TdQueue => self.upper("DSNAME"),
            _ => None,
        }
    }

    /// The language of a program.
    pub fn language(&self) -> Option<String> {
        self.named(&CsdResourceType::Program, "LANGUAGE")
    }

    /// The transaction that a program is run under, or that a queue's trigger starts, or that a DB2TRAN is about.
    pub fn transaction(&self) -> Option<String> {
        match self.resource_type {
            CsdResourceType::Program | CsdResourceType::TdQueue | CsdResourceType::Db2Tran => {
                self.upper("TRANSID")
            }
            _ => None,
        }
    }

    /// The DD name of a queue outside CICS, DDNAME.
    pub fn dd_name(&self) -> Option<String> {
        self.named(&CsdResourceType::TdQueue, "DDNAME")
    }

    /// The plan of a DB2ENTRY or DB2CONN.
    pub fn plan(&self) -> Option<String> {
        match self.resource_type {
            CsdResourceType::Db2Entry | CsdResourceType::Db2Conn => self.upper("PLAN"),
            _ => None,
        }
    }

    /// The DB2ENTRY that a DB2TRAN uses, ENTRY.
    pub fn entry(&self) -> Option<String> {
        self.named(&CsdResourceType::Db2Tran, "ENTRY")
    }

    fn named(&self, resource_type: &CsdResourceType, attribute: &str) -> Option<String> {
        (self.resource_type == *resource_type).then(|| self.upper(attribute)).flatten()
    }

    fn upper(&self, attribute: &str) -> Option<String> {
        self.attribute(attribute).filter(|value| !value.is_empty()).map(str::to_uppercase)
    }
}

impl CsdCommand {
    /// The value of an operand, by its full name.
    pub fn operand(&self, name: &str) -> Option<&str> {
        find(&self.operands, name)
    }
}

/// The shortest abbreviation that is taken for a keyword: below it too many keywords begin alike.
pub(super) const SHORTEST_ABBREVIATION: usize = 3;

fn find<'a>(attributes: &'a [CsdAttribute], name: &str) -> Option<&'a str> {
    let exact = attributes.iter().find(|attribute| attribute.name == name);
    let found = exact.or_else(|| {
        attributes.iter().find(|attribute| {
            attribute.name.len() >= SHORTEST_ABBREVIATION && name.starts_with(&attribute.name)
        })
    });
    found.and_then(|attribute| attribute.value.as_deref())
}
