//! Judges a model's item by everything that its cited lines show.
//!
//! An item is judged as a whole: its names and literals may be in any of its cited lines, in the conditions that govern
//! these lines, or in the lines that a cited condition governs. Where the parser has a typed fact (a comparison, a
//! direction), the words must agree with it.

mod arithmetic;
mod assignments;
mod attribution;
mod comparisons;
mod conditions;
mod constants;
mod courses;
mod declarations;
mod denials;
mod directions;
mod effects;
mod endings;
mod interfaces;
mod keywords;
mod logic;
mod mixtures;
mod moves;
mod names;
mod nearby;
mod order;
mod performers;
mod region;
mod roles;
mod scope;
mod surroundings;
mod tokens;
mod wording;

use crate::anchors::{SourceNames, words};
use comparisons::{Comparison, claimed_comparisons, claimed_condition_names, claims_of, compares_a_label};
use directions::ItemTraffic;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use names::{EvidenceNames, stand_ins};
use region::Region;
use std::cell::{LazyCell, OnceCell};
use war_rig_cobol::{Analysis, BranchKind, ParsedCobol};
use war_rig_template::CitationStatus;
use war_rig_text::{LineRange, SourceText};
use wording::{Anchors, ClaimWords};

/// The largest branch, in lines, whose statements count as evidence where its condition is cited.
const GOVERNED: u32 = 200;

/// How many operations that a condition tests are evidence; a test of more is about none in particular.
const OPERATIONS: usize = 4;

/// The share of an item's names and literals that its lines must contain.
const SHARE: f64 = 0.7;

/// The same for a question.
const SHARE_OF_QUESTION: f64 = 0.6;

/// How many names may be neither on the lines nor connected with them in words for an id, and in the description of a flow.
const TOLERATED: usize = 1;

/// The share of its other words that the lines of an item must contain where they have none of its names.
const WORDS_ALONE: f64 = 0.25;

/// The same for an item that names nothing: it is judged by these words alone.
const WORDS_WITHOUT_NAMES: f64 = 0.3;

/// The share of the other words that a single citation must contain if it contains none of the names.
const WORDS_BESIDE: f64 = 0.07;

/// Everything in a source that can be evidence for words about it.
pub(crate) struct EvidenceIndex<'a> {
    source: &'a SourceText,
    analysis: &'a Analysis,
    names: EvidenceNames<'a>,
    /// The names on each line.
    on_line: Vec<HashSet<String>>,
    /// The items of each storage that several name, and the storage of each of them.
    shared_storage: (HashMap<usize, Vec<usize>>, HashMap<usize, usize>),
    /// Other names that stand for a name where they occur: the items of a group, the records of a file.
    stand_ins: HashMap<String, Vec<String>>,
    /// The innermost branch on each line.
    branches: Vec<Option<usize>>,
    /// The statements whose own words are on each line.
    statements_on: OnceCell<Vec<Vec<usize>>>,
    /// How the whole program uses each of its own items.
    item_uses: OnceCell<Vec<ItemTraffic>>,
    /// The references to paragraphs of each statement.
    references: OnceCell<HashMap<usize, Vec<usize>>>,
    /// The items that the whole program tests or sets.
    tested_items: OnceCell<HashSet<String>>,
    /// The constants that the whole program gives to each item.
    given_constants: OnceCell<HashMap<String, Vec<String>>>,
    /// The names of statements, commands and options that its code has.
    keywords_used: OnceCell<Vec<&'static str>>,
}

/// What kind of statement an item makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemSense {
    /// It says what the cited lines do.
    Statement,
    /// It says that data is read from the thing it names.
    Read,
    /// It says that data is written to the thing it names.
    Write,
    /// It says that the thing it names comes into the program.
    Input,
    /// It says that the thing it names leaves the program.
    Output,
    /// It says how the thing it names is computed.
    Transform,
    /// It asks, and may name what the lines lack.
    Question,
    /// It sums up more than it cites.
    Overview,
}

/// An item's words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Statement<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// What kind of thing it says that it is about.
    pub(crate) kind: Option<&'a str>,
    /// All its texts.
    pub(crate) texts: &'a [&'a str],
    /// Those of the texts that state conditions, or what is read or written.
    pub(crate) conditions: &'a [&'a str],
    /// Names and conditions that the item has from the parser by its ids: true, and evidence where they stand.
    pub(crate) given: &'a [&'a str],
    pub(crate) sense: ItemSense,
}

impl Statement<'_> {
    fn share(&self) -> f64 {
        if self.sense == ItemSense::Question { SHARE_OF_QUESTION } else { SHARE }
    }

    /// Returns its texts without those that state conditions.
    fn told(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().copied().filter(|text| !self.conditions.contains(text))
    }

    /// Whether it describes a flow by its name.
    fn is_flow(&self) -> bool {
        let is_statement = matches!(self.sense, ItemSense::Statement | ItemSense::Question | ItemSense::Overview);
        self.given.is_empty() && !is_statement
    }

    /// Whether its words alone show that it is about the cited lines: those about a thing that an id names are about the thing, and the uses of
    /// what is read or written are typed facts.
    fn is_local(&self) -> bool {
        self.given.is_empty() && matches!(self.sense, ItemSense::Statement | ItemSense::Transform)
    }

    /// Whether the names in its texts must be on the cited lines or connected with them.
    fn binds(&self) -> bool {
        !matches!(self.sense, ItemSense::Question | ItemSense::Overview)
    }
}

/// How words agree with typed facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Agreement {
    /// No fact speaks against them.
    Possible,
    /// The facts allow two readings, and the words fit one.
    Open,
    /// A fact speaks against them.
    Refuted,
}

impl<'a> EvidenceIndex<'a> {
    pub(crate) fn of(source: &'a SourceText, analysis: &'a Analysis, names: &'a SourceNames) -> Self {
        let parsed = analysis.parsed();
        let mut branches = vec![None; source.line_count()];
        for (index, branch) in parsed.branches.iter().enumerate().filter(|(index, _)| is_of_source(parsed, *index)) {
            // A branch comes after those around it.
            branches[branch.lines.indices()].fill(Some(index));
        }
        let stand_ins = stand_ins(analysis);
        let names = EvidenceNames::of(source, parsed, names, stand_ins.keys());
        let on_line = source.lines().map(|line| names_of(line.visible(), &names)).collect();
        Self {
            source,
            analysis,
            names,
            on_line,
            shared_storage: shared_storage(parsed),
            stand_ins,
            branches,
            statements_on: OnceCell::new(),
            item_uses: OnceCell::new(),
            references: OnceCell::new(),
            tested_items: OnceCell::new(),
            given_constants: OnceCell::new(),
            keywords_used: OnceCell::new(),
        }
    }

    /// Judges the words of an item by the lines that it cites; returns the status of each citation.
    pub(crate) fn judge(&self, statement: &Statement<'_>, cited: &[LineRange]) -> Vec<CitationStatus> {
        if cited.is_empty() {
            return Vec::new();
        }
        let all = |status| vec![status; cited.len()];
        let words = ClaimWords::of(statement.texts, statement.conditions, &self.names);
        let anchors = &words.anchors;
        let agreement = self.agreement(statement, cited, &words);
        if agreement == Agreement::Refuted {
            return all(CitationStatus::Contradicted);
        }
        let region = self.region(cited);
        let missing: Vec<&String> = anchors.names.iter().filter(|name| !self.holds(&region, name)).collect();
        let around = LazyCell::new(|| self.surroundings(cited));
        let conditions = Anchors::of(statement.conditions, &self.names);
        // What a text says is not done need not be there, but a condition must be.
        let is_denied = |name: &String| anchors.is_denied(name) && !conditions.names.contains(name);
        let is_lost = |name: &&&String| {
            statement.binds()
                && !is_denied(name)
                && !self.names.is_program(name)
                && !self.holds(&around, name)
                && !self.is_within(&region, name)
        };
        let lost: Vec<&&String> = missing.iter().filter(is_lost).collect();
        let is_refuted = missing.iter().any(|name| !self.names.is_known(name) && !is_denied(name))
            || lost.iter().any(|name| conditions.names.contains(**name))
            || !self.tolerates(statement, anchors, &lost);
        if is_refuted {
            return all(CitationStatus::Unsupported);
        }
        let present = anchors.names.len() - missing.len();
        let missing = missing.iter().filter(|name| !is_denied(name)).count();
        let literals = anchors.literals.iter().filter(|literal| region.holds_literal(literal)).count();
        let numbers = anchors.numbers.iter().filter(|number| region.holds_number(number)).count();
        let is_elsewhere = LazyCell::new(|| statement.is_local() && self.fits_better_nearby(cited, &words));
        let given = Anchors::of(statement.given, &self.names);
        let shown = given.names.iter().filter(|name| self.holds(&region, name)).count();
        let found = present + literals + numbers + shown;
        let claimed = present + missing + anchors.literals.len() + numbers + shown;
        let content = &words.content;
        let is_supported = match claimed {
            0 => !statement.given.is_empty() || content.share_in(&region.text) >= WORDS_WITHOUT_NAMES,
            _ if found == 0 && missing > 0 && content.share_in(&region.text) < WORDS_ALONE => {
                return all(CitationStatus::Unsupported);
            }
            _ => found as f64 / claimed as f64 >= statement.share(),
        };
        let contributes = |range: &LineRange| {
            let own = self.own(&[*range]);
            let names = || anchors.names.iter().chain(&given.names).any(|name| self.holds(&own, name));
            let literals = || anchors.literals.iter().any(|literal| own.holds_literal(literal));
            // Without a name of its own, an item that was asked for by its id is about the rows of the id.
            let is_given = claimed == 0 && !statement.given.is_empty();
            is_given || names() || literals() || content.share_in(&own.text) >= WORDS_BESIDE
        };
        let is_doubtful = LazyCell::new(|| self.is_doubtful(statement, anchors, &region, cited));
        let status = |range| match is_supported
            && agreement == Agreement::Possible
            && !*is_doubtful
            && !*is_elsewhere
            && contributes(range)
        {
            true => CitationStatus::Verified,
            false => CitationStatus::Unchecked,
        };
        cited.iter().map(status).collect()
    }

    /// Whether the lines lack what the words state besides names, or do what they deny.
    fn is_doubtful(&self, statement: &Statement<'_>, anchors: &Anchors, region: &Region, cited: &[LineRange]) -> bool {
        statement.binds()
            && (self.has_foreign_value(anchors, region, cited)
                || self.confuses_arithmetic(statement.texts, region, cited)
                || self.has_foreign_keyword(statement, region, cited)
                || statement.texts.iter().any(|text| self.leads_elsewhere(text, cited))
                || statement.told().any(|text| self.sets_what_nothing_is_set_to(text, cited))
                || statement.conditions.iter().any(|condition| self.is_never_tested(condition))
                || statement.told().any(|text| self.checks_what_is_never_tested(text))
                || statement.texts.iter().any(|text| self.denies_an_effect(text, statement.conditions, cited))
                || self.denies_an_act(statement, cited))
    }

    /// Whether so many names that are neither on the lines nor connected with them may be in an item. One that was asked for by an id cites
    /// little besides, and the description of a flow also tells where its data comes from or is bound for.
    fn tolerates(&self, statement: &Statement<'_>, anchors: &Anchors, lost: &[&&String]) -> bool {
        match lost {
            [] => true,
            [name] if statement.is_flow() => anchors.names.iter().any(|other| self.are_used_together(name, other)),
            lost => lost.len() <= TOLERATED && !statement.given.is_empty(),
        }
    }

    /// Whether a statement of the source uses two names, or one is a part of the other.
    fn are_used_together(&self, name: &str, other: &str) -> bool {
        let is_below = |name: &str, group: &str| {
            let items = &self.parsed().data_items;
            (0..items.len()).any(|item| items[item].name == *name && self.is_part_of(item, group))
        };
        let has = |lines: LineRange, name: &str| self.on_line[lines.indices()].iter().any(|names| names.contains(name));
        let mut statements = self.parsed().statements.iter().filter(|statement| statement.file.is_none());
        name != other
            && (is_below(name, other)
                || is_below(other, name)
                || statements.any(|statement| has(statement.own_lines(), name) && has(statement.own_lines(), other)))
    }

    /// Compares the words with the typed facts of the parser.
    fn agreement(&self, statement: &Statement<'_>, cited: &[LineRange], words: &ClaimWords) -> Agreement {
        let direction = self.direction(statement, cited);
        if direction == Agreement::Refuted || statement.texts.iter().any(|text| self.reverses_a_move(text, cited)) {
            return Agreement::Refuted;
        }
        let mistakes_a_role = |text: &&str| {
            compares_a_label(text, &self.names)
                || self.confuses_kinds(text)
                || self.gives_the_value_to_another(text, cited)
                || self.sets_another_value(text, cited)
                || self.computes_otherwise(text, cited)
                || self.repeats_otherwise(text)
                || self.replaces_the_other_way(text, cited)
                || self.calls_another(text, cited)
                || self.moves_elsewhere(text, cited)
                || self.has_another_sign(text, cited)
                || self.names_another_part(text, cited)
                || self.opens_otherwise(text)
        };
        if statement.texts.iter().any(mistakes_a_role) {
            return Agreement::Refuted;
        }
        let tells_otherwise = || {
            let is_otherwise = |text: &str| {
                self.tells_another_order(text, cited)
                    || self.is_another_value(text, cited)
                    || self.counts_otherwise(text, cited)
                    || self.has_another_option(text, cited)
                    || self.declares_otherwise(text, cited)
                    || self.reads_in_another_order(text, cited)
                    || self.has_another_formula(text, cited)
                    || self.computes_what_is_moved(text, cited)
                    || self.limits_too_much(text, cited)
                    || self.has_another_performer(text)
                    || self.ends_otherwise(text, cited)
                    || self.tells_another_course(text, cited)
                    || self.turns_a_move(text, cited)
                    || self.computes_where_nothing_does(text, cited)
                    || self.loops_where_nothing_does(text, cited)
            };
            statement.told().any(is_otherwise)
                || self.has_unused_keyword(statement)
                || self.denies_what_is_done(statement, cited)
                || self.attributes_to_another_case(statement, cited)
        };
        if (statement.binds() && tells_otherwise())
            || statement.conditions.iter().any(|text| self.mistakes_the_test(text, cited, words))
            || statement.conditions.iter().any(|text| self.joins_into_another(text, cited))
            || self.joins_otherwise(statement.conditions, cited)
        {
            return Agreement::Refuted;
        }
        let mut claimed: Vec<Comparison> =
            statement.texts.iter().flat_map(|text| claimed_comparisons(text, &self.names)).collect();
        claimed.extend(statement.conditions.iter().flat_map(|text| claimed_condition_names(text, &self.names)));
        if claimed.is_empty() {
            return direction;
        }
        let all: Vec<&Comparison> = claimed.iter().collect();
        let known = self.comparisons(cited, words, &all);
        // Words that state a comparison and its opposite are about both sides, or wrong about one, unless the source has both.
        // A condition is what its item is about, whatever other words say of the opposite.
        let required = self.required(statement);
        let has_opposite = |claim: &Comparison| match required.contains(claim) {
            true => required.iter().any(|other| other.is_opposite(claim)),
            false => all.iter().any(|other| other.is_opposite(claim)),
        };
        let (both, claimed): (Vec<&Comparison>, Vec<&Comparison>) = all.iter().partition(|claim| has_opposite(claim));
        if claimed.iter().any(|claim| known.refute(claim, required.contains(claim))) {
            return Agreement::Refuted;
        }
        let is_unpaired = |claim: &Comparison| required.contains(claim) && known.compare_apart(claim, &self.names);
        let is_open = claimed.iter().any(|claim| known.allow(claim, required.contains(claim)) || is_unpaired(claim));
        match is_open || both.iter().any(|claim| !known.facts.contains(claim)) {
            true => Agreement::Open,
            false => direction,
        }
    }

    /// Whether a condition is none, or another than what the cited lines test.
    fn mistakes_the_test(&self, condition: &str, cited: &[LineRange], words: &ClaimWords) -> bool {
        self.tests_no_condition(condition)
            || self.mixes_sides(condition, cited)
            // What is left out after a failure stands under the success.
            || (!words.tells_omission && self.mistakes_a_result(condition, cited))
    }

    /// Returns the comparisons that an item's conditions state.
    fn required(&self, statement: &Statement<'_>) -> Vec<Comparison> {
        statement.conditions.iter().flat_map(|text| claims_of(text, &self.names)).collect()
    }

    /// Returns what lines contain by themselves.
    fn own(&self, lines: &[LineRange]) -> Region {
        let mut region = Region::default();
        lines.iter().for_each(|range| self.push_lines(*range, &mut region));
        region
    }

    fn push_lines(&self, range: LineRange, region: &mut Region) {
        for line in self.source.lines_in(range) {
            region.push_text(line.visible());
            region.names.extend(self.on_line[line.number().index()].iter().cloned());
        }
    }

    fn parsed(&self) -> &'a ParsedCobol {
        self.analysis.parsed()
    }

    /// Returns the branches on cited lines and those around them.
    fn branches_around(&self, cited: &[LineRange]) -> Vec<usize> {
        let mut branches: Vec<usize> = Vec::new();
        let mut seen = HashSet::new();
        for range in cited {
            for innermost in self.innermost(*range) {
                let mut next = innermost;
                while let Some(branch) = next.filter(|branch| seen.insert(*branch)) {
                    branches.push(branch);
                    next = self.parsed().statements[self.parsed().branches[branch].statement].branch;
                }
            }
        }
        branches.sort_unstable();
        branches
    }

    /// Gathers the evidence of cited lines.
    fn region(&self, cited: &[LineRange]) -> Region {
        let mut lines: Vec<LineRange> = cited.to_vec();
        let branches = self.branches_around(cited);
        for branch in &branches {
            let found = &self.parsed().branches[*branch];
            let is_cited = cited.iter().any(|range| range.contains(found.lines.start()));
            if is_cited && found.lines.count() <= GOVERNED && is_of_source(self.parsed(), *branch) {
                lines.push(found.lines);
            }
        }
        let mut region = Region::default();
        lines.iter().for_each(|range| self.push_lines(*range, &mut region));
        self.guards(cited).into_iter().for_each(|guard| self.push_condition(guard, &mut region));
        for branch in branches {
            self.push_condition(branch, &mut region);
            let checked = self.analysis.status_checks().checked_operations(branch);
            for operation in checked.iter().take(OPERATIONS) {
                let operation = &self.parsed().statements[*operation];
                if operation.file.is_none() {
                    self.push_lines(operation.own_lines(), &mut region);
                }
            }
        }
        let own = |file: &Option<String>| file.is_none();
        let touches = |lines: LineRange| cited.iter().any(|range| range.intersection(lines).is_some());
        let paragraphs = self.parsed().paragraphs.iter().filter(|unit| own(&unit.file) && touches(unit.lines));
        region.names.extend(paragraphs.map(|unit| unit.name.clone()));
        let sections = self.parsed().sections.iter().filter(|unit| own(&unit.file) && touches(unit.lines));
        region.names.extend(sections.map(|unit| unit.name.clone()));
        region
    }

    /// Adds the condition of a branch with the words of its statement, such as the subject of EVALUATE. WHEN OTHER has those of the others.
    fn push_condition(&self, branch: usize, region: &mut Region) {
        let (parsed, decisions) = (self.parsed(), self.analysis.decisions());
        let found = &parsed.branches[branch];
        if let Some(condition) = decisions.condition(branch) {
            region.push_text(&condition.to_string());
            condition.operands().into_iter().for_each(|operand| region.push_names(operand));
        }
        if matches!(found.kind, BranchKind::When | BranchKind::Phrase) {
            region.push_names(parsed.words(&parsed.statements[found.statement]));
        }
        if parsed.is_when_other(found) {
            let others = decisions.branches_of(found.statement).iter().filter(|other| **other != branch);
            others.for_each(|other| self.push_condition(*other, region));
        }
    }

    fn innermost(&self, range: LineRange) -> impl Iterator<Item = Option<usize>> + '_ {
        let end = range.indices().end.min(self.branches.len());
        let start = range.indices().start.min(end);
        self.branches[start..end].iter().copied().collect::<HashSet<_>>().into_iter()
    }

    /// Returns the labels that a statement leads to, and those that ranges end with.
    fn targets_of(&self, statement: usize) -> impl Iterator<Item = &'a str> {
        let references = &self.parsed().references;
        let of_statements = self.references.get_or_init(|| {
            let mut found: HashMap<usize, Vec<usize>> = HashMap::new();
            for (index, reference) in references.iter().enumerate() {
                if let Some(statement) = reference.statement {
                    found.entry(statement).or_default().push(index);
                }
            }
            found
        });
        let own = of_statements.get(&statement).map(Vec::as_slice).unwrap_or_default();
        let labels = |index: &usize| [Some(&references[*index].target), references[*index].through.as_ref()];
        own.iter().flat_map(labels).flatten().map(String::as_str)
    }

    /// Returns the statements whose own words are in these lines, in order.
    fn statements_in(&self, cited: &[LineRange]) -> impl Iterator<Item = usize> + use<> {
        let on_line = self.statements_on.get_or_init(|| {
            let mut on_line = vec![Vec::new(); self.source.line_count()];
            for (index, found) in self.parsed().statements.iter().enumerate().filter(|(_, found)| found.file.is_none())
            {
                on_line[found.own_lines().indices()].iter_mut().for_each(|statements| statements.push(index));
            }
            on_line
        });
        let lines =
            |range: &LineRange| range.indices().start.min(on_line.len())..range.indices().end.min(on_line.len());
        let mut found: Vec<usize> = cited.iter().flat_map(|range| &on_line[lines(range)]).flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        found.into_iter()
    }

    /// Whether a name, or another that stands for it, is in the region.
    fn holds(&self, region: &Region, name: &str) -> bool {
        let others = self.stand_ins.get(name).map(Vec::as_slice).unwrap_or_default();
        region.names.contains(name)
            || others.iter().any(|other| region.names.contains(other))
            || region.holds_literal(name)
            || self.is_given_to(region, name)
            // A column of SQL and its host variable.
            || (name.contains('-') && region.holds_literal(&name.replace('-', "_")))
            || (!self.names.is_known(name) && region.names.iter().any(|known| is_part(name, known)))
    }
}

/// Returns the items of each storage that several name, by the first of them, and the storage of each.
fn shared_storage(parsed: &ParsedCobol) -> (HashMap<usize, Vec<usize>>, HashMap<usize, usize>) {
    let (mut items, mut storage) = (HashMap::new(), HashMap::new());
    for (item, original) in parsed.redefinitions() {
        items.entry(original).or_insert_with(|| vec![original]).push(item);
        storage.extend([(item, original), (original, original)]);
    }
    (items, storage)
}

/// Whether the lines of a branch are lines of the source: a WHEN or an AT END may stand in a copybook inside a statement of the source.
fn is_of_source(parsed: &ParsedCobol, branch: usize) -> bool {
    let found = &parsed.branches[branch];
    let owner = &parsed.statements[found.statement];
    owner.file.is_none() && owner.lines.covers(found.lines)
}

/// Whether a name is another one without some of its first or last words: `USR-MODIFIED` for `WS-USR-MODIFIED`.
fn is_part(name: &str, whole: &str) -> bool {
    name.contains('-') && wording::holds_segments(whole, name)
}

/// Returns the names of the source on a line.
fn names_of(text: &str, names: &EvidenceNames<'_>) -> HashSet<String> {
    words(text).map(str::to_uppercase).filter(|word| names.is_known(word)).collect()
}
