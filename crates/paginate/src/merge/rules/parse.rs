//! Parsing the rules of a schema.

use super::{LEAST_THRESHOLD, MergeRuleError, MergeRules, RuleNode, RuleNodeId, SimilarityRule, THRESHOLD, UNNAMED};
use crate::json_pointer::{at, below};
use crate::merge::{FieldMerge, MergeStrategy};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// The names of rules, as a schema spells them.
const NAMES: &str = "concat, union, sum, min, max, mean, vote, first, last, summary";

impl MergeRules {
    /// Parses the rules of a schema: in a property's schema `x-merge` (a [`FieldMerge`]), `x-key` (the name of a field of its items, for `union`),
    /// `x-similar` (the name of a string field of its items: items without a key, or of a list without `x-key`, are merged if these texts are more
    /// similar than `x-threshold`, by default 0.92, always above 0.8), `x-weight` (the name of a sibling that weights a mean).
    ///
    /// A rule may occur at any depth. References within the schema (`$ref` to `#/...`) are followed, also circular ones; every branch of `allOf`,
    /// `anyOf` and `oneOf` counts, but for each field only the first that describes it. A field that the schema does not name follows the strategy.
    ///
    /// # Errors
    /// [`MergeRuleError`] for an unknown rule, one that does not fit the field's type, a key that the items do not have, and a dangling reference.
    pub fn of(schema: &Value, strategy: MergeStrategy) -> Result<Self, MergeRuleError> {
        let mut reader = RulesParser::begin(schema);
        let root = reader.reach(String::new());
        while let Some((id, pointer)) = reader.open.pop_front() {
            reader.read(id, &pointer)?;
        }
        reader.check()?;
        let mut nodes = reader.nodes;
        spread(&mut nodes);
        Ok(Self { strategy, root, nodes })
    }
}

/// Marks nodes that have a rule below. The graph may be circular, so this repeats until nothing changes.
fn spread(nodes: &mut [RuleNode]) {
    for node in &mut *nodes {
        node.has_rules = node.merge.is_some() || node.similar.is_some();
    }
    loop {
        let mut is_settled = true;
        for id in 0..nodes.len() {
            let node = &nodes[id];
            let mut below = node.properties.iter().map(|(_, id)| *id).chain(node.others);
            if !node.has_rules && below.any(|id| nodes[id].has_rules) {
                nodes[id].has_rules = true;
                is_settled = false;
            }
        }
        if is_settled {
            return;
        }
    }
}

/// The content of a location, and its pointer.
type SchemaView<'a> = (String, &'a Map<String, Value>);

/// The parser's state.
struct RulesParser<'a> {
    schema: &'a Value,
    nodes: Vec<RuleNode>,
    /// What was parsed of each node for the check only.
    seen: Vec<RuleSites>,
    known: HashMap<String, RuleNodeId>,
    open: VecDeque<(RuleNodeId, String)>,
}

/// Where the rules of a location are, and which types it has; none if it does not specify any.
#[derive(Debug, Clone, Default)]
struct RuleSites {
    types: BTreeSet<String>,
    merge: String,
    key: String,
    similar: String,
    weight: String,
}

impl<'a> RulesParser<'a> {
    fn begin(schema: &'a Value) -> Self {
        Self {
            schema,
            nodes: vec![RuleNode::default()],
            seen: vec![RuleSites::default()],
            known: HashMap::new(),
            open: VecDeque::new(),
        }
    }

    /// Returns the node of a location, which is parsed later.
    fn reach(&mut self, pointer: String) -> RuleNodeId {
        if let Some(&id) = self.known.get(&pointer) {
            return id;
        }
        let id = self.nodes.len();
        self.nodes.push(RuleNode::default());
        self.seen.push(RuleSites::default());
        self.known.insert(pointer.clone(), id);
        self.open.push_back((id, pointer));
        id
    }

    /// Returns the content of a location, its references and its branches, the nearest first.
    fn views(&self, pointer: &str) -> Result<Vec<SchemaView<'a>>, MergeRuleError> {
        let mut views = Vec::new();
        let mut open = VecDeque::from([pointer.to_owned()]);
        let mut visited = HashSet::new();
        while let Some(place) = open.pop_front() {
            if !visited.insert(place.clone()) {
                continue;
            }
            let Some(Value::Object(said)) = self.schema.pointer(&place) else { continue };
            if let Some(reference) = said.get("$ref") {
                open.push_back(self.target(reference, &place)?);
            }
            for branches in ["allOf", "anyOf", "oneOf"] {
                let count = said.get(branches).and_then(Value::as_array).map_or(0, Vec::len);
                let place = below(&place, branches);
                open.extend((0..count).map(|index| at(&place, index)));
            }
            views.push((place, said));
        }
        Ok(views)
    }

    /// Returns the target of a reference.
    fn target(&self, reference: &Value, place: &str) -> Result<String, MergeRuleError> {
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
        match pointer {
            Some(pointer) if self.schema.pointer(pointer).is_some() => Ok(pointer.to_owned()),
            _ => Err(MergeRuleError {
                path: below(place, "$ref"),
                message: format!("`{}` leads nowhere within the schema", bare(reference)),
            }),
        }
    }

    fn read(&mut self, id: RuleNodeId, pointer: &str) -> Result<(), MergeRuleError> {
        let mut node = RuleNode::default();
        let mut seen = RuleSites::default();
        let mut threshold = None;
        for (place, said) in self.views(pointer)? {
            match said.get("type") {
                Some(Value::String(name)) => _ = seen.types.insert(name.clone()),
                Some(Value::Array(names)) => {
                    seen.types.extend(names.iter().filter_map(Value::as_str).map(str::to_owned));
                }
                _ => {}
            }
            if let Some(Value::Object(properties)) = said.get("properties") {
                let place = below(&place, "properties");
                for name in properties.keys() {
                    if !node.names.contains_key(name) {
                        let field = self.reach(below(&place, name));
                        node.names.insert(name.clone(), field);
                        node.properties.push((name.clone(), field));
                    }
                }
            }
            if node.items.is_none() && said.get("items").is_some_and(Value::is_object) {
                node.items = Some(self.reach(below(&place, "items")));
            }
            if node.others.is_none() && said.get("additionalProperties").is_some_and(Value::is_object) {
                node.others = Some(self.reach(below(&place, "additionalProperties")));
            }
            if let (None, Some(rule)) = (node.merge, said.get("x-merge")) {
                seen.merge = below(&place, "x-merge");
                node.merge = Some(FieldMerge::deserialize(rule).map_err(|_| MergeRuleError {
                    path: seen.merge.clone(),
                    message: format!("`{}` is no rule; there are {NAMES}", bare(rule)),
                })?);
            }
            name_of_field(said, &place, "x-key", &mut node.key, &mut seen.key)?;
            name_of_field(said, &place, "x-weight", &mut node.weight, &mut seen.weight)?;
            let mut similar = node.similar.take().map(|similar| similar.field);
            name_of_field(said, &place, "x-similar", &mut similar, &mut seen.similar)?;
            node.similar = similar.map(|field| SimilarityRule { field, threshold: THRESHOLD });
            if let (None, Some(value)) = (threshold, said.get("x-threshold")) {
                let fits = value.as_f64().filter(|value| *value > LEAST_THRESHOLD && *value < 1.0);
                threshold = Some(fits.ok_or_else(|| MergeRuleError {
                    path: below(&place, "x-threshold"),
                    message: format!("`{}` is no threshold: a number above {LEAST_THRESHOLD} and below 1", bare(value)),
                })?);
            }
        }
        if let (Some(similar), Some(threshold)) = (&mut node.similar, threshold) {
            similar.threshold = threshold;
        }
        self.nodes[id] = node;
        self.seen[id] = seen;
        Ok(())
    }

    /// Verifies that rules fit their locations. Locations are checked in the order of discovery, so that the first error is always the same.
    fn check(&self) -> Result<(), MergeRuleError> {
        for (node, seen) in self.nodes.iter().zip(&self.seen) {
            if let Some(rule) = node.merge {
                self.fits(rule, seen)?;
            }
            if let Some(key) = &node.key {
                if node.merge != Some(FieldMerge::Union) {
                    return Err(error(&seen.key, "`x-key` needs `x-merge` to be `union`"));
                }
                self.has_field(node.items(), key, &["string", "integer", "number"], &seen.key)?;
            }
            if let Some(similar) = &node.similar {
                if !matches!(node.merge, None | Some(FieldMerge::Union)) || !seen.may_be("array") {
                    return Err(error(&seen.similar, "`x-similar` is for lists that are a union or just extend"));
                }
                self.has_field(node.items(), &similar.field, &["string"], &seen.similar)?;
            }
            if node.weight.is_some() && node.merge != Some(FieldMerge::Mean) {
                return Err(error(&seen.weight, "`x-weight` needs `x-merge` to be `mean`"));
            }
            for (_, field) in &node.properties {
                if let Some(weight) = &self.nodes[*field].weight {
                    let place = &self.seen[*field].weight;
                    match node.names.get(weight) {
                        Some(sibling) if !self.seen[*sibling].is_number() => {
                            return Err(error(place, format!("`{weight}` is no number")));
                        }
                        Some(_) => {}
                        None => return Err(error(place, format!("there is no field `{weight}` beside it"))),
                    }
                }
            }
        }
        Ok(())
    }

    fn fits(&self, rule: FieldMerge, seen: &RuleSites) -> Result<(), MergeRuleError> {
        let (fits, wanted) = match rule {
            FieldMerge::Concat => (seen.may_be("array") || seen.may_be("string"), "lists and strings"),
            FieldMerge::Union => (seen.may_be("array"), "lists"),
            FieldMerge::Sum => (seen.is_number(), "numbers"),
            // A mean of integers may not be an integer.
            FieldMerge::Mean => (seen.may_be("number"), "fields of the type `number`"),
            FieldMerge::Min | FieldMerge::Max => (seen.is_number() || seen.may_be("string"), "numbers and strings"),
            FieldMerge::Vote => {
                let is_scalar = ["string", "integer", "number", "boolean"].iter().any(|name| seen.may_be(name));
                (is_scalar, "strings, numbers and booleans")
            }
            FieldMerge::Summary => (seen.may_be("string"), "strings"),
            FieldMerge::First | FieldMerge::Last => (true, "anything"),
        };
        if fits {
            return Ok(());
        }
        let types: Vec<&str> = seen.types.iter().map(String::as_str).collect();
        let name = serde_json::to_value(rule).unwrap_or_default();
        Err(error(
            &seen.merge,
            format!("`{}` is for {wanted}, and the field is of the type `{}`", bare(&name), types.join(", ")),
        ))
    }

    /// Whether items have a field of one of these types, according to their schema.
    fn has_field(&self, items: RuleNodeId, name: &str, types: &[&str], place: &str) -> Result<(), MergeRuleError> {
        let node = &self.nodes[items];
        if items == UNNAMED || (node.properties.is_empty() && self.seen[items].may_be("object")) {
            return Ok(());
        }
        match node.names.get(name) {
            Some(field) if types.iter().any(|kind| self.seen[*field].may_be(kind)) => Ok(()),
            Some(_) => Err(error(place, format!("the field `{name}` of the items is no {}", types[0]))),
            None => Err(error(place, format!("the items have no field `{name}`"))),
        }
    }
}

impl RuleSites {
    fn may_be(&self, kind: &str) -> bool {
        self.types.is_empty() || self.types.contains(kind)
    }

    fn is_number(&self) -> bool {
        self.may_be("number") || self.may_be("integer")
    }
}

/// Sets the field name of a rule, unless there is one already.
fn name_of_field(
    said: &Map<String, Value>,
    place: &str,
    rule: &str,
    name: &mut Option<String>,
    stands: &mut String,
) -> Result<(), MergeRuleError> {
    if let (None, Some(value)) = (&name, said.get(rule)) {
        *stands = below(place, rule);
        let text = value.as_str().filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| error(stands, format!("`{}` is no name of a field", bare(value))))?;
        *name = Some(text.to_owned());
    }
    Ok(())
}

fn error(path: &str, message: impl Into<String>) -> MergeRuleError {
    MergeRuleError { path: path.to_owned(), message: message.into() }
}

/// Formats a value for a message: strings without their quotes.
fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
