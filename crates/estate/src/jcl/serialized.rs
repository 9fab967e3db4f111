//! How fields of the model appear in JSON.

use super::model::{JclOperand, SymbolicText};
use serde::{Serialize, Serializer};
use war_rig_text::LineRange;

pub(super) fn resolved<S: Serializer>(value: &SymbolicText, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&value.resolved)
}

pub(super) fn resolved_each<S: Serializer>(values: &[SymbolicText], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(|value| value.resolved.as_str()))
}

/// Serializes the operands that have a keyword.
pub(super) fn keywords<S: Serializer>(operands: &[JclOperand], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(operands.iter().filter(|operand| operand.name.is_some()))
}

pub(super) fn first_line<S: Serializer>(lines: &LineRange, serializer: S) -> Result<S::Ok, S::Error> {
    lines.start().serialize(serializer)
}

/// Serializes the name of a step as in messages of the system.
pub(super) fn joined<S: Serializer>(path: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.join("."))
}
