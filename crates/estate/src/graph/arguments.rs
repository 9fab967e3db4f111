//! Calls whose arguments do not fit the parameters of the called program: fewer of them, or shorter ones.

use super::node::{NodeId, NodeKind, SourceLocation};
use super::survey::FactOwner;
use super::{EstateGraph, Survey};
use foldhash::HashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use war_rig_cobol::{ParsedCobol, UniqueItems};
use war_rig_text::LineNumber;

/// An item that is handed over or received, with its length in bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HandedItem {
    /// Its name in the program.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
}

/// What the programs of a source receive and hand over; none for an item whose length is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedItems {
    /// The parameters of its programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub received: Vec<ReceivedItems>,
    /// The arguments of its calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handed: Vec<CallArguments>,
}

/// The parameters of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedItems {
    /// The program.
    pub program: NodeId,
    /// Its parameters, in order.
    pub items: Vec<Option<HandedItem>>,
}

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallArguments {
    /// The calling program.
    pub from: NodeId,
    /// The called program.
    pub to: NodeId,
    /// The line of the CALL.
    pub line: LineNumber,
    /// The arguments, in order.
    pub items: Vec<Option<HandedItem>>,
}

/// A call whose arguments do not fit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MisfitCall {
    /// The calling program.
    pub from: NodeId,
    /// The called program.
    pub to: NodeId,
    /// The CALL.
    pub place: SourceLocation,
    /// What does not fit.
    pub misfit: Misfit,
}

/// What does not fit in a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Misfit {
    /// There are fewer arguments than parameters.
    Fewer {
        /// The number of arguments.
        handed: usize,
        /// The number of parameters.
        received: usize,
    },
    /// An argument is shorter than its parameter.
    Shorter {
        /// The argument.
        handed: HandedItem,
        /// The parameter.
        received: HandedItem,
    },
}

impl HandedItems {
    pub(super) fn of(parsed: &ParsedCobol, owner: &FactOwner<'_>) -> Self {
        if parsed.calls.is_empty() && parsed.programs.iter().all(|program| program.parameters.is_empty()) {
            return Self::default();
        }
        let items = UniqueItems::of(parsed);
        let of_name = |program: Option<usize>, name: &String| {
            let item = &parsed.data_items[items.find(name, program)?];
            let bytes = item.length.filter(|bytes| *bytes > 0 && item.occurs.is_none())?;
            Some(HandedItem { name: item.name.clone(), bytes })
        };
        let of_names =
            |program: Option<usize>, names: &[String]| names.iter().map(|name| of_name(program, name)).collect();
        let received = parsed.programs.iter().enumerate().filter(|(_, program)| program.nested_in.is_none());
        let received = received.filter_map(|(index, program)| {
            let items = of_names(Some(index), &program.parameters);
            Some(ReceivedItems { program: owner.of_program(Some(index))?, items })
        });
        let own = parsed.calls.iter().filter(|call| call.is_literal && call.statement.is_some() && call.file.is_none());
        let handed = own.filter_map(|call| {
            Some(CallArguments {
                from: owner.of_program(call.program)?,
                to: NodeId::new(NodeKind::Program, &call.target),
                line: call.lines.start(),
                items: of_names(call.program, &call.using),
            })
        });
        Self { received: received.collect(), handed: handed.collect() }
    }
}

impl EstateGraph {
    /// Finds the calls whose arguments do not fit the parameters of the only program of that name.
    pub(super) fn find_misfits(&mut self, surveys: &[Survey]) {
        let received = surveys.iter().flat_map(|survey| &survey.handed_items.received);
        let received: HashMap<&NodeId, &Vec<Option<HandedItem>>> =
            received.map(|received| (&received.program, &received.items)).collect();
        let is_one = |id: &NodeId| self.node(id).is_some() && !self.program_names.is_shared(id.plain_name());
        let mut misfits = Vec::new();
        for survey in surveys {
            for CallArguments { from, to, line, items: handed } in &survey.handed_items.handed {
                let Some(received) = received.get(to).filter(|_| is_one(to)) else { continue };
                let place = SourceLocation { file: Arc::clone(&survey.file), line: *line };
                let call = |misfit| MisfitCall { from: from.clone(), to: to.clone(), place: place.clone(), misfit };
                if handed.len() < received.len() {
                    misfits.push(call(Misfit::Fewer { handed: handed.len(), received: received.len() }));
                }
                let both = handed.iter().zip(received.iter());
                let known = both.filter_map(|(handed, received)| Some((handed.as_ref()?, received.as_ref()?)));
                let shorter = known.filter(|(handed, received)| handed.bytes < received.bytes);
                misfits.extend(shorter.map(|(handed, received)| {
                    call(Misfit::Shorter { handed: handed.clone(), received: received.clone() })
                }));
            }
        }
        misfits.sort();
        self.misfits = misfits;
    }

    /// Returns the calls whose arguments do not fit, in order.
    pub fn misfits(&self) -> &[MisfitCall] {
        &self.misfits
    }

    /// Returns those of a program, in the order of the lines.
    pub fn misfits_of(&self, program: &NodeId) -> &[MisfitCall] {
        let start = self.misfits.partition_point(|call| call.from < *program);
        let count = self.misfits[start..].partition_point(|call| call.from == *program);
        &self.misfits[start..start + count]
    }
}
