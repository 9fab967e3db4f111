//! The transactions that programs go on with, where no source defines them or only the task knows their names.

use super::GraphBuilder;
use super::node::{DataVersion, Edge, EdgeKind, EdgeNature, NodeId, NodeKind, SourceLocation};
use super::survey::TRANSACTION_OF_TASK;
use super::system_supplied::supplier_of_node;
use foldhash::{HashSet, HashSetExt};
use std::collections::{BTreeMap, BTreeSet};

impl GraphBuilder {
    /// Ties transactions that no source defines to the only program that returns to them, if it returns to no other and no defined transaction starts it:
    /// an online program goes on, at the user's next key, with its own transaction.
    pub(super) fn infer_transactions(&mut self) {
        let mut returning: BTreeMap<&NodeId, BTreeSet<&NodeId>> = BTreeMap::new();
        let mut returned_to: BTreeMap<&NodeId, (BTreeSet<&NodeId>, &SourceLocation)> = BTreeMap::new();
        let mut is_started: HashSet<&NodeId> = HashSet::new();
        for edge in self.graph.edges.iter().filter(|edge| edge.relation == EdgeKind::Starts) {
            if edge.from.kind == NodeKind::Transaction {
                is_started.insert(&edge.to);
            } else if edge.detail.as_deref() == Some("RETURN") && edge.to.kind == NodeKind::Transaction {
                returning.entry(&edge.from).or_default().insert(&edge.to);
                returned_to.entry(&edge.to).or_insert_with(|| (BTreeSet::new(), &edge.place)).0.insert(&edge.from);
            }
        }
        let is_open = |transaction: &NodeId| {
            !self.is_defined(transaction)
                && supplier_of_node(transaction).is_none()
                && &*transaction.name != TRANSACTION_OF_TASK
        };
        let inferred: Vec<Edge> = returned_to
            .into_iter()
            .filter_map(|(transaction, (programs, place))| {
                let program = *programs.first().filter(|_| programs.len() == 1 && is_open(transaction))?;
                let is_its_own = returning[program].len() == 1 && !is_started.contains(program);
                is_its_own.then(|| Edge {
                    from: transaction.clone(),
                    to: program.clone(),
                    relation: EdgeKind::Starts,
                    detail: Some("inferred from RETURN TRANSID".to_owned()),
                    access: String::new(),
                    nature: EdgeNature::default(),
                    version: DataVersion::default(),
                    generation: None,
                    place: place.clone(),
                })
            })
            .collect();
        for edge in inferred {
            self.node(&edge.from).inferred = Some(edge.place.clone());
            self.add(edge);
        }
    }

    /// Lets programs that go on with the transaction that started them go on with each one that does.
    pub(super) fn name_transactions_of_tasks(&mut self) {
        let of_task = NodeId::new(NodeKind::Transaction, TRANSACTION_OF_TASK);
        let (open, known) = std::mem::take(&mut self.graph.edges).into_iter().partition(|edge| edge.to == of_task);
        self.graph.edges = known;
        self.nodes.remove(&of_task);
        let open: Vec<Edge> = open;
        let mut starting: BTreeMap<NodeId, BTreeSet<NodeId>> = BTreeMap::new();
        for start in self.graph.edges.iter().filter(|start| start.relation == EdgeKind::Starts) {
            if start.from.kind == NodeKind::Transaction {
                starting.entry(start.to.clone()).or_default().insert(start.from.clone());
            }
        }
        for edge in open {
            let transactions = starting.get(&edge.from).into_iter().flatten();
            transactions.for_each(|to| self.add(Edge { to: to.clone(), ..edge.clone() }));
        }
    }
}
