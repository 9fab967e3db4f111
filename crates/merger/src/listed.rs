//! Resolves the ids in a model's answer: each stands for a thing that the prompt listed, with its name and rows.
//!
//! An item about a listed thing gets the name under which the skeleton has it, and the rows of the list as citations beside its own. An
//! id that the chunk does not have is ignored, and so is one that contradicts the name beside it: then the item counts by its name and
//! rows, like one without an id. Only an item that has the parser's words for its name or its conditions keeps its id.

use crate::merge::ChunkOutcome;
use std::borrow::Cow;
use war_rig_cobol::{Analysis, ListedItem, ListedItems, ListedKind};
use war_rig_template::{
    BlockCitation, BusinessRule, CalledProgram, CicsOperation, CopybookUse, DataFlow, DataFlowStep, ErrorHandling,
    Interface, ItemBody, OpenQuestion, Paragraph, PartialItem, PartialTemplate, SqlOperation,
};
use war_rig_text::{LineMap, LineRange, SourceText};

/// How many ids of an item are read.
const MOST_IDS: usize = 50;

/// How many uses of a resource an item cites.
const MOST_USES: usize = 8;

/// Resolves the ids of all chunks. An outcome without ids stays as it is.
pub(crate) fn resolve<'o>(
    outcomes: &'o [ChunkOutcome],
    source: &SourceText,
    analysis: &Analysis,
) -> Cow<'o, [ChunkOutcome]> {
    if !outcomes.iter().filter_map(|outcome| outcome.partial.as_ref()).any(has_ids) {
        return Cow::Borrowed(outcomes);
    }
    let listed = ListedItems::of(analysis);
    let resolved = outcomes.iter().map(|outcome| {
        let mut outcome = outcome.clone();
        if let Some(partial) = outcome.partial.take_if(|partial| has_ids(partial)) {
            let mut listing = ChunkListing::of(&listed, source, outcome.lines);
            outcome.partial = Some(listing.partial(partial));
            outcome.notes.append(&mut listing.notes);
        }
        outcome
    });
    Cow::Owned(resolved.collect())
}

/// Returns what was written about a chunk with names and rows in place of ids, for those who read it before the merge.
pub fn resolve_ids<'p>(
    partial: &'p PartialTemplate,
    lines: LineRange,
    source: &SourceText,
    analysis: &Analysis,
) -> Cow<'p, PartialTemplate> {
    if !has_ids(partial) {
        return Cow::Borrowed(partial);
    }
    Cow::Owned(ChunkListing::of(&ListedItems::of(analysis), source, lines).partial(partial.clone()))
}

/// Whether an answer names an id.
fn has_ids(partial: &PartialTemplate) -> bool {
    fn any<B>(items: &[PartialItem<B>]) -> bool {
        items.iter().any(|item| item.id.is_some())
    }
    let flow = &partial.data_flow;
    any(&partial.inputs)
        || any(&partial.outputs)
        || any(&partial.called_programs)
        || any(&partial.business_rules)
        || any(&flow.reads_from)
        || any(&flow.writes_to)
        || any(&flow.transforms)
        || any(&partial.copybooks_used)
        || any(&partial.paragraphs)
        || any(&partial.error_handling)
        || any(&partial.sql_operations)
        || any(&partial.cics_operations)
        || any(&partial.open_questions)
}

/// The name and detail of a listed thing as one kind of item has them.
type Identity = (String, Option<String>);

/// A kind of item that can be about listed things.
trait Listable: ItemBody {
    /// Whether a thing's name replaces another spelling of it. Where nobody knows all items of a kind, a model's own words stay.
    const IS_PARSERS: bool = true;

    /// Returns how a thing is named among items of this kind; none if it is of another kind.
    fn identity(_thing: &ListedItem) -> Option<Identity> {
        None
    }

    fn identify(&mut self, _identity: Identity) {}

    /// Takes over what else the thing says.
    fn complete(&mut self, _thing: &ListedItem) {}
}

fn named(thing: &ListedItem, kind: ListedKind) -> Option<Identity> {
    (thing.kind == kind).then(|| (thing.name.clone(), thing.detail.clone()))
}

impl Listable for Paragraph {
    fn identity(thing: &ListedItem) -> Option<Identity> {
        named(thing, ListedKind::Paragraph)
    }

    fn identify(&mut self, (name, section): Identity) {
        (self.paragraph_name, self.section) = (name, section);
    }
}

impl Listable for CalledProgram {
    fn identity(thing: &ListedItem) -> Option<Identity> {
        named(thing, ListedKind::Call)
    }

    fn identify(&mut self, (name, how): Identity) {
        (self.program_name, self.call_type) = (name, how.unwrap_or_default());
    }
}

impl Listable for CopybookUse {
    fn identity(thing: &ListedItem) -> Option<Identity> {
        named(thing, ListedKind::Copybook)
    }

    fn identify(&mut self, (name, _): Identity) {
        self.copybook_name = name;
    }
}

impl Listable for SqlOperation {
    fn identity(thing: &ListedItem) -> Option<Identity> {
        named(thing, ListedKind::SqlStatement)
    }

    fn identify(&mut self, (operation, table): Identity) {
        (self.operation, self.table) = (operation, table);
    }
}

impl Listable for CicsOperation {
    fn identity(thing: &ListedItem) -> Option<Identity> {
        // LINK and XCTL are commands as well.
        let command = match thing.detail.as_deref().filter(|_| thing.kind == ListedKind::Call) {
            Some("cics_link") => "LINK",
            Some("cics_xctl") => "XCTL",
            _ => return named(thing, ListedKind::CicsCommand),
        };
        Some((command.to_owned(), Some(thing.name.clone())))
    }

    fn identify(&mut self, (command, resource): Identity) {
        (self.command, self.resource) = (command, resource);
    }
}

impl Listable for Interface {
    fn identity(thing: &ListedItem) -> Option<Identity> {
        named(thing, ListedKind::Resource).or_else(|| Some((resource_of(thing)?, None)))
    }

    fn identify(&mut self, (name, kind): Identity) {
        self.name = name;
        if let Some(kind) = kind {
            self.io_type = kind;
        }
    }
}

impl Listable for DataFlowStep {
    const IS_PARSERS: bool = false;

    fn identity(thing: &ListedItem) -> Option<Identity> {
        let is_named = match thing.kind {
            ListedKind::Resource | ListedKind::Call => true,
            // A figure has the name of what is computed.
            ListedKind::Decision => thing.condition.is_none() && !thing.name.is_empty(),
            _ => false,
        };
        let name = if is_named { Some(thing.name.clone()) } else { resource_of(thing) };
        Some((name?, None))
    }

    fn identify(&mut self, (name, _): Identity) {
        self.name = name;
    }
}

impl Listable for ErrorHandling {
    const IS_PARSERS: bool = false;

    fn identity(thing: &ListedItem) -> Option<Identity> {
        let words = match thing.kind {
            ListedKind::StatusTest | ListedKind::Decision => thing.condition.as_ref()?,
            ListedKind::CicsCommand | ListedKind::SqlStatement | ListedKind::Call => &thing.text,
            _ => return None,
        };
        Some((words.clone(), None))
    }

    fn identify(&mut self, (condition, _): Identity) {
        self.condition = condition;
    }
}

impl Listable for BusinessRule {
    const IS_PARSERS: bool = false;

    fn complete(&mut self, thing: &ListedItem) {
        self.conditions.extend(thing.condition.clone());
    }
}

impl Listable for OpenQuestion {
    const IS_PARSERS: bool = false;
}

/// Returns the table or resource of a statement.
fn resource_of(thing: &ListedItem) -> Option<String> {
    let is_operation = matches!(thing.kind, ListedKind::CicsCommand | ListedKind::SqlStatement);
    thing.detail.clone().filter(|_| is_operation)
}

/// What the prompt of a chunk listed.
struct ChunkListing<'a> {
    source: &'a SourceText,
    things: Vec<ListedItem>,
    map: LineMap,
    notes: Vec<String>,
}

impl<'a> ChunkListing<'a> {
    fn of(listed: &ListedItems<'_>, source: &'a SourceText, lines: LineRange) -> Self {
        Self { source, things: listed.in_chunk(lines), map: LineMap::new(lines), notes: Vec::new() }
    }

    fn partial(&mut self, partial: PartialTemplate) -> PartialTemplate {
        let DataFlow { reads_from, writes_to, transforms } = partial.data_flow;
        PartialTemplate {
            inputs: self.list(partial.inputs, "inputs"),
            outputs: self.list(partial.outputs, "outputs"),
            called_programs: self.list(partial.called_programs, "called_programs"),
            business_rules: self.list(partial.business_rules, "business_rules"),
            data_flow: DataFlow {
                reads_from: self.list(reads_from, "reads_from"),
                writes_to: self.list(writes_to, "writes_to"),
                transforms: self.list(transforms, "transforms"),
            },
            copybooks_used: self.list(partial.copybooks_used, "copybooks_used"),
            paragraphs: self.list(partial.paragraphs, "paragraphs"),
            error_handling: self.list(partial.error_handling, "error_handling"),
            sql_operations: self.list(partial.sql_operations, "sql_operations"),
            cics_operations: self.list(partial.cics_operations, "cics_operations"),
            open_questions: self.list(partial.open_questions, "open_questions"),
            ..partial
        }
    }

    fn list<B: Listable>(&mut self, items: Vec<PartialItem<B>>, list: &str) -> Vec<PartialItem<B>> {
        let mut resolved = Vec::with_capacity(items.len());
        for (number, mut item) in (1..).zip(items) {
            let Some(ids) = item.id.take() else {
                resolved.push(item);
                continue;
            };
            let before = resolved.len();
            self.item(item, &ids, &mut resolved);
            if resolved.len() == before {
                self.notes.push(format!("{list} {number} has neither a name nor an id that is listed for it"));
            }
        }
        resolved
    }

    /// Resolves an item with ids. Words about several things of the item's kind become an item for each; an item that nothing names becomes none.
    fn item<B: Listable>(&self, item: PartialItem<B>, ids: &str, into: &mut Vec<PartialItem<B>>) {
        let has_name = !item.plain_name().is_empty();
        let mut things: Vec<&ListedItem> = Vec::new();
        for id in ids.split([',', ';', ' ']).filter(|id| !id.is_empty()).take(MOST_IDS) {
            let found = self.things.iter().find(|thing| thing.id().eq_ignore_ascii_case(id));
            let found = found.filter(|thing| !has_name || !self.is_about_another(&item, thing));
            things.extend(found.filter(|found| !things.contains(found)));
        }
        if things.is_empty() && !has_name {
            things = self.at_rows::<B>(&item.citations);
        }
        let own: Vec<(&ListedItem, Identity)> =
            things.iter().filter_map(|thing| Some((*thing, B::identity(thing)?))).collect();
        if has_name && (!B::IS_PARSERS || own.is_empty()) {
            let mut item = item;
            let knows_conditions = !item.mentions().is_empty();
            for thing in things {
                if !knows_conditions {
                    item.body.complete(thing);
                    item.id = Some(ids.to_owned());
                }
                self.cite(&mut item.citations, thing, B::identity(thing).is_some());
            }
            return into.push(item);
        }
        if own.is_empty()
            && !B::IS_PARSERS
            && let Some(thing) = things.first()
        {
            // It is about a thing of another kind, and has that thing's name.
            let mut one = PartialItem { id: Some(ids.to_owned()), ..item };
            one.body.identify((thing.name.clone(), None));
            things.iter().for_each(|thing| self.cite(&mut one.citations, thing, false));
            if !one.plain_name().is_empty() {
                into.push(one);
            }
            return;
        }
        for (thing, identity) in own {
            let mut one = PartialItem { id: Some(ids.to_owned()), ..item.clone() };
            one.body.identify(identity);
            self.cite(&mut one.citations, thing, true);
            into.push(one);
        }
    }

    /// Whether an item names a listed thing other than this one.
    fn is_about_another<B: Listable>(&self, item: &PartialItem<B>, thing: &ListedItem) -> bool {
        // A table or resource is part of the name of an operation; how a program is called is not.
        let detail = item.detail().filter(|_| B::KIND.named_by.len() > 1);
        let detail = detail.map(|detail| detail.trim_matches(['\'', '"'])).filter(|detail| !detail.is_empty());
        let is_named = |(name, own): &Identity| {
            let differs = detail.zip(own.as_deref()).is_some_and(|(one, other)| !one.eq_ignore_ascii_case(other));
            name.eq_ignore_ascii_case(item.plain_name()) && !differs
        };
        B::identity(thing).is_some_and(|own| !is_named(&own))
            && self.things.iter().filter_map(B::identity).any(|other| is_named(&other))
    }

    /// Returns the things of an item's kind that begin where it cites.
    fn at_rows<B: Listable>(&self, citations: &[BlockCitation]) -> Vec<&ListedItem> {
        let begins = |thing: &&ListedItem| {
            let first = thing.lines.first().and_then(|lines| self.map.to_block(lines.start()));
            first.is_some_and(|first| citations.iter().any(|citation| citation.start == first))
        };
        self.things.iter().filter(|thing| B::identity(thing).is_some()).filter(begins).collect()
    }

    /// Cites the rows of a thing before those that an item cites itself. The rows of a whole paragraph add nothing to those of an item of
    /// another kind.
    fn cite(&self, citations: &mut Vec<BlockCitation>, thing: &ListedItem, is_own: bool) {
        if thing.kind == ListedKind::Paragraph && !is_own && !citations.is_empty() {
            return;
        }
        let rows = self.evidence(thing).into_iter().filter_map(|lines| {
            let (start, end) = (self.map.to_block(lines.start())?, self.map.to_block(lines.end())?);
            Some(BlockCitation { start, end, quote: None })
        });
        let rows: Vec<BlockCitation> = rows
            .filter(|row| !citations.iter().any(|known| known.start == row.start && known.end >= row.end))
            .collect();
        citations.splice(0..0, rows);
    }

    /// Returns the lines that show a thing: of a resource those that name it, if there are any.
    fn evidence(&self, thing: &ListedItem) -> Vec<LineRange> {
        if thing.kind != ListedKind::Resource {
            return thing.lines.clone();
        }
        let names = |lines: &&LineRange| {
            let name = thing.name.to_uppercase();
            self.source.lines_in(**lines).any(|line| line.code().to_uppercase().contains(&name))
        };
        let naming: Vec<LineRange> = thing.lines.iter().filter(names).copied().take(MOST_USES).collect();
        if naming.is_empty() { thing.lines.iter().copied().take(MOST_USES).collect() } else { naming }
    }
}

#[cfg(test)]
mod tests;
