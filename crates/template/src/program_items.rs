//! The items of a document about a program, and the facts that only the parser adds to them.

use crate::item_kinds::{as_written, header, item_kind, unquoted};
use crate::{DocumentItem, ParagraphStep};
use serde::{Deserialize, Serialize};
use war_rig_text::LineNumber;

/// The purpose of the program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Purpose {
    /// What it does, in sentences.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Its meaning to the business, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub business_context: Option<String>,
    /// The kind of program, in lower case: `batch`, `online`, `subprogram` and so on.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub program_type: String,
    /// What happens in order from start to end, if a model told it over the whole program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub main_line: Option<String>,
}

item_kind!(Purpose {
    lists: ["purpose": "purpose"],
    named_by: [],
    owner: Said,
    asked: [
        summary: Text,
        business_context: TextOrNull = "who uses it for what",
        program_type: ChoiceOrNull(&["batch", "online", "subprogram", "copybook"])
    ],
    name: summary,
    detail: program_type,
    text: summary,
    more: business_context,
});

/// A source or destination of data.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Interface {
    /// The name that the program uses: of a file, a table, a map, a parameter.
    pub name: String,
    /// Its kind in the field's terms: a sequential file, a screen, a parameter.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub io_type: String,
    /// The data that it carries.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The copybook that describes its record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copybook: Option<String>,
    /// Of a parameter or a screen map, the fields that the program reads, if it is an input, or sets, if it is an output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<InterfaceField>,
}

/// A field of a parameter or a screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterfaceField {
    /// Its name.
    pub name: String,
    /// The line where the program first reads or sets it.
    pub line: LineNumber,
    /// The other lines where it does so; none in documents of before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_lines: Vec<LineNumber>,
    /// The record that contains it, if that is another one, which is moved to or from the parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// Whether the program only hands it to what it calls, which may set it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_handed_on: bool,
}

item_kind!(Interface {
    lists: ["inputs": "input", "outputs": "output"],
    named_by: ["name"],
    owner: Both,
    asked: [
        name: TextOrNull,
        io_type: TextOrNull = "file, table, screen map, queue, parameter",
        description: Text,
        copybook: TextOrNull = "of its record"
    ],
    name: name by as_written,
    detail: io_type,
    text: description,
});

/// A program that is called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CalledProgram {
    /// The program's name; for a dynamic call the item that holds the name.
    pub program_name: String,
    /// The literal as written, where it has letters in lower case.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub written: String,
    /// The kind of call: `static`, `dynamic`, `cics_link` or `cics_xctl`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub call_type: String,
    /// The purpose of the call.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub purpose: String,
    /// The arguments, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<String>,
    /// For a dynamic call the programs that the item may name: the literals that the program assigns to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub may_call: Vec<String>,
    /// Whether nothing else reaches the call than the one program in `may_call`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_certain: bool,
}

item_kind!(CalledProgram {
    lists: ["called_programs": "call of"],
    named_by: ["program_name"],
    owner: Parser,
    asked: [program_name: TextOrNull, call_type: TextOrNull, purpose: Text],
    mark: program_name,
    name: program_name by unquoted,
    detail: call_type,
    text: purpose,
    mentions: parameters,
    parsed: [written, may_call, is_certain],
});

/// A business rule that the program applies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BusinessRule {
    /// Its number, unique in the document.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rule_id: String,
    /// The rule, in a sentence.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// How the program evaluates it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logic_summary: Option<String>,
    /// When the rule applies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// What the rule decides: `sets WS-DISCOUNT`, `which paragraph runs next`; `None` if only a model knows the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decides: Option<String>,
    /// The data items that the rule depends on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub data_items: Vec<String>,
    /// The paragraph that applies it; none outside paragraphs, and where only a model knows the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paragraph: Option<String>,
    /// The keys of the terminal that it is about: `Enter`, `PF3`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// What the caller or a user sees then, in order, separated by semicolons: `A-CODE '04'`, an item with its constant; `abend 'LGCA'`;
    /// after `otherwise`, what they see if the rule does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Whether it depends on who the user is, or which rights the user has.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_about_rights: bool,
    /// With an outcome: when its paragraph runs, where that is under conditions alone: `when KIND is 'P'`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<String>,
    /// Without an outcome: how the run ends, if it does; none in documents of before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends: Option<RunEnd>,
    /// Of a rule about keys: what they do, and what else that depends on; none in documents of before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_action: Option<KeyAction>,
}

/// The end of a run that a rule leads to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnd {
    /// When it ends: `When WS-RC is 8`.
    pub when: String,
    /// The effect behind which it ends: `performs ABEND-PROGRAM (abends)`.
    pub effect: String,
}

/// What a key of the terminal does under the conditions of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyAction {
    /// What it does: `goes to 4000-REGISTER`.
    pub does: String,
    /// What happens otherwise, if only what it asks for besides the key does not hold, or another key is pressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<String>,
    /// What the rule asks for besides the key: `CA-PAGE is 2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// The conditions around it that are not about keys.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub provided: Vec<String>,
}

item_kind!(BusinessRule {
    lists: ["business_rules": "rule"],
    named_by: ["rule_id"],
    owner: Said,
    asked: [
        description: Text = "the rule in the words of the business",
        logic_summary: TextOrNull = "how the source computes it, if that adds something",
        conditions: Texts = "as the source has them"
    ],
    mark: conditions,
    name: description,
    text: logic_summary,
    mentions: conditions,
    said: [conditions],
    parsed: [decides, data_items, paragraph, keys, outcome, is_about_rights, runs, ends, key_action],
    columns: [
        paragraph: "the paragraph that applies it";
        outcome: "what the caller or a user sees then: a return code, a message, an abend"
    ],
});

/// A flow of data: its source, its destination, and the processing in between.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DataFlow<I = DocumentItem<DataFlowStep>> {
    /// The data that is read.
    pub reads_from: Vec<I>,
    /// The data that is written.
    pub writes_to: Vec<I>,
    /// The result of the processing.
    pub transforms: Vec<I>,
}

impl<I> Default for DataFlow<I> {
    fn default() -> Self {
        Self { reads_from: Vec::new(), writes_to: Vec::new(), transforms: Vec::new() }
    }
}

/// One step of a data flow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DataFlowStep {
    /// The source, destination or result.
    pub name: String,
    /// What happens to the data.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
}

item_kind!(DataFlowStep {
    lists: ["data_flow.reads_from": "data read from", "data_flow.writes_to": "data written to", "data_flow.transforms": "transformation of"],
    named_by: ["name"],
    owner: Said,
    asked: [name: TextOrNull, description: Text = "what happens to the data"],
    name: name by as_written,
    text: description,
});

/// A copybook that the program copies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CopybookUse {
    /// Its name, without a library.
    pub copybook_name: String,
    /// What the copybook contains.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub purpose: String,
    /// What the one file of its name brings: `ACCT-RECORD and the code of READ-ACCT`, or an empty text; none if it is not among the sources, if files
    /// of its name differ, and in documents of before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brings: Option<String>,
    /// The section or paragraph that copies it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub location: String,
}

item_kind!(CopybookUse {
    lists: ["copybooks_used": "copybook"],
    named_by: ["copybook_name"],
    owner: Parser,
    asked: [copybook_name: TextOrNull, purpose: Text],
    mark: copybook_name,
    name: copybook_name by unquoted,
    text: purpose,
    parsed: [brings],
});

/// A paragraph of the PROCEDURE DIVISION. Statements without a label also form one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Paragraph {
    /// Its name; without a label the name of its section or entry, or `PROCEDURE DIVISION`.
    pub paragraph_name: String,
    /// The kind of header if it has no label: `section`, `division` or `entry`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headed_by: Option<String>,
    /// The section that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// What it does.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// What was written about its pieces, in line order, if it was read in several and `summary` sums them up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// Its purpose, if that adds to the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// The paragraphs it performs or goes to, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
    /// The paragraphs that perform it or go to it, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub called_by: Vec<String>,
    /// Whether no PERFORM, GO TO or fall-through leads to it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_dead_code: bool,
    /// Why it is not reached, as the end of a sentence: ``only performed by `Y`, which is itself never reached``.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dead_because: Option<String>,
    /// Whether it is only a label, which ends a range and does nothing itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_label_only: bool,
    /// The files, tables, maps and queues that its own statements use, after the operation: `READ NEXT ACCT-MASTER`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<String>,
    /// The data items that its own statements read, in order: by name, or many of one record as `12 items of ACCT-RECORD`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
    /// The data items that its statements set, or pass to a program that may set them, in the same form.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
    /// Everything that its own statements do, in the order and nesting of the source; a fact of the parser.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<ParagraphStep>,
}

item_kind!(Paragraph {
    lists: ["paragraphs": "paragraph"],
    named_by: ["paragraph_name"],
    owner: Parser,
    asked: [
        paragraph_name: TextOrNull,
        summary: Text = "what it does, in order",
        purpose: TextOrNull = "why, if the summary does not say it"
    ],
    mark: paragraph_name,
    name: paragraph_name by header,
    detail: section,
    text: summary,
    more: purpose,
});

impl Paragraph {
    /// Returns whether it has no content. In an answer, it then only continues a paragraph of an earlier chunk.
    pub fn is_stub(&self) -> bool {
        self.summary.trim().is_empty()
    }
}

/// A possible failure, and the program's reaction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ErrorHandling {
    /// When it occurs.
    pub condition: String,
    /// What the program does then.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// What the caller or a user sees then, as [`BusinessRule::outcome`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// When its paragraph runs, as [`BusinessRule::runs`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<String>,
    /// Without an outcome: the effect behind which the run ends, if it does; none in documents of before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends: Option<String>,
}

item_kind!(ErrorHandling {
    lists: ["error_handling": "handling of"],
    named_by: ["condition"],
    owner: Said,
    asked: [condition: TextOrNull, action: Text],
    mark: condition,
    name: condition,
    text: action,
    parsed: [outcome, runs, ends],
});

/// A place that a maintainer should look at twice; a fact of the parser.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Hazard {
    /// Its kind: `untested_status`, `never_set`, `truncated`.
    pub kind: String,
    /// What the source shows, in a sentence.
    pub finding: String,
    /// What it is about: an item, a file, a paragraph; of an untested status the operation with its object, then the item; of a MOVE that
    /// cuts the sender, then the receiver; of a calculation the receiver, then the expression; a date as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<String>,
}

item_kind!(Hazard {
    lists: ["hazards": "hazard"],
    named_by: ["finding"],
    owner: Parser,
    asked: [],
    mark: finding,
    name: finding,
    text: kind,
});

/// A question that the source alone does not answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OpenQuestion {
    /// The question.
    pub question: String,
    /// What is known about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Where an answer may be found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

item_kind!(OpenQuestion {
    lists: ["open_questions": "open question"],
    named_by: ["question"],
    owner: Said,
    asked: [
        question: Text,
        context: TextOrNull = "what the source shows of it",
        suggestion: TextOrNull = "whom to ask, or where to look"
    ],
    mark: question,
    name: question,
    text: context,
    more: suggestion,
});
