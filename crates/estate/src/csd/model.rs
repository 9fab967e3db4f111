//! The facts of a CSD source.
//!
//! Names are upper case, values of attributes as written. Lines are one-based and inclusive.

use serde::{Serialize, Serializer};
use war_rig_cobol::Diagnostic;
use war_rig_text::{LineRange, line_and_end};

/// All facts of one source of DFHCSDUP commands, in source order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CsdSource {
    /// The file's name.
    pub file: String,
    /// The resources that DEFINE defines.
    pub definitions: Vec<CsdDefinition>,
    /// The other commands: ADD, ALTER, DELETE, LIST and so on.
    pub commands: Vec<CsdCommand>,
    /// Errors and notes.
    pub diagnostics: Vec<Diagnostic>,
}

/// The type of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Hash, strum::AsRefStr, strum::EnumString, strum::VariantNames)]
#[strum(serialize_all = "UPPERCASE")]
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
    /// The plan and threads that some transactions use in Db2.
    Db2Entry,
    /// A transaction that uses a DB2ENTRY.
    Db2Tran,
    /// Load libraries.
    Library,
    /// Any other type, by its upper-case name.
    #[strum(default, transparent)]
    Other(String),
}

impl CsdResourceType {
    /// Returns the full upper-case name in DEFINE.
    pub fn as_str(&self) -> &str {
        self.as_ref()
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
    /// The upper-case keyword as written, perhaps abbreviated.
    pub name: String,
    /// The value in parentheses, without surrounding blanks and quotes; none for a keyword alone.
    pub value: Option<String>,
}

/// A resource from a DEFINE.
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
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// A command that defines nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CsdCommand {
    /// `ADD`, `ALTER`, `DELETE`, `LIST`, `UPGRADE` and so on, unabbreviated.
    pub verb: String,
    /// Its keywords.
    pub operands: Vec<CsdAttribute>,
    /// The lines of the command.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

impl CsdDefinition {
    /// Returns the value of an attribute by its full name; the source may abbreviate it.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        find(&self.attributes, name)
    }

    /// Returns DESCRIPTION.
    pub fn description(&self) -> Option<&str> {
        self.attribute("DESCRIPTION")
    }

    /// Returns the value of an attribute in upper case, unless it is empty.
    pub fn upper(&self, attribute: &str) -> Option<String> {
        self.attribute(attribute).filter(|value| !value.is_empty()).map(str::to_uppercase)
    }
}

/// The shortest accepted abbreviation of a keyword: too many keywords share shorter beginnings.
pub(super) const SHORTEST_ABBREVIATION: usize = 3;

fn find<'a>(attributes: &'a [CsdAttribute], name: &str) -> Option<&'a str> {
    let exact = attributes.iter().find(|attribute| attribute.name == name);
    let found = exact.or_else(|| {
        attributes
            .iter()
            .find(|attribute| attribute.name.len() >= SHORTEST_ABBREVIATION && name.starts_with(&attribute.name))
    });
    found.and_then(|attribute| attribute.value.as_deref())
}
