//! What the caller or a user sees, and why: the rules, the handled errors and the steps under no condition that have an outcome, by the outcome,
//! then the other errors.

use super::common_effects::{CommonEffects, PROVIDED, condition_and_effects, parts};
use super::links::PageLinks;
use super::operations::repeated_texts;
use super::sections::{rule_in_words, section};
use super::table::MarkdownTable;
use super::{code, optional, prose};
use crate::{BusinessRule, Citation, Document, DocumentItem, ItemOrigin, Paragraph};
use foldhash::{HashMap, HashMapExt, HashSet};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use war_rig_text::{LineNumber, LineRange, capitalized};

/// The word before an outcome of what happens otherwise.
const OTHERWISE: &str = "otherwise ";

/// The words before what happens otherwise.
const ELSE: &str = "; otherwise: ";

/// The word before an outcome that is an abend.
const ABEND: &str = "abend";

/// The longest value that is a code, in bytes, with its quotes; longer ones are messages.
const LONGEST_CODE: usize = 10;

/// The most outcomes that the first column shows of a cause.
const MOST_SHOWN: usize = 2;

/// The length, in bytes, from which a text about when a paragraph runs stands below the table if several rows have it.
const SHORT: usize = 30;

/// One cause of an outcome.
struct Cause<'a> {
    outcomes: Vec<&'a str>,
    condition: String,
    /// When its paragraph runs.
    runs: Option<String>,
    effects: String,
    place: Place<'a>,
    program: &'a Option<String>,
}

/// Where a cause stands.
enum Place<'a> {
    Cited(&'a [Citation]),
    /// The line of a step.
    Step(LineNumber),
}

/// The items that tell callers and users what became of a run: those that most causes set, or at least half as many. Others tell details, such as
/// the place of an error.
struct AnswerItems<'a> {
    /// Their ranks: those first that most causes set, and then those with fewer different values, which more causes share.
    ranks: HashMap<&'a str, usize>,
    /// Those of them that have a message.
    messages: HashSet<&'a str>,
}

impl<'a> AnswerItems<'a> {
    fn of(causes: &[Cause<'a>]) -> Self {
        let mut values: Vec<(&str, Vec<&str>)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for cause in causes {
            let mut known: HashSet<&str> = HashSet::default();
            for (carrier, value) in cause.outcomes.iter().map(|outcome| carrier_and_value(outcome)) {
                let place = *places.entry(carrier).or_insert_with(|| {
                    values.push((carrier, Vec::new()));
                    values.len() - 1
                });
                if known.insert(carrier) {
                    values[place].1.push(bare(value));
                }
            }
        }
        let most = values.iter().map(|(_, values)| values.len()).max().unwrap_or_default();
        values.retain(|(_, values)| 2 * values.len() >= most);
        values.sort_by_cached_key(|(_, values)| {
            let different: HashSet<&str> = values.iter().copied().collect();
            (Reverse(values.len()), different.len())
        });
        let has_message = |(_, values): &&(&str, Vec<&str>)| values.iter().any(|value| value.len() > LONGEST_CODE);
        Self {
            messages: values.iter().filter(has_message).map(|(carrier, _)| *carrier).collect(),
            ranks: values.iter().enumerate().map(|(rank, (carrier, _))| (*carrier, rank)).collect(),
        }
    }

    /// Returns the outcomes that the row of a cause is listed under: a code and a message, or else two of a kind.
    fn shown_of(&self, cause: &Cause<'a>) -> Vec<&'a str> {
        let rank = |outcome: &str| self.ranks.get(carrier_and_value(outcome).0).copied();
        let is_message = |outcome: &str| self.messages.contains(carrier_and_value(outcome).0);
        let mut shown: Vec<&str> = cause.outcomes.iter().copied().filter(|outcome| rank(outcome).is_some()).collect();
        shown.sort_by_key(|outcome| rank(outcome));
        if let Some(message) = shown.iter().position(|outcome| is_message(outcome)) {
            let message = shown.remove(message);
            shown.insert(shown.len().min(1), message);
        }
        shown.truncate(MOST_SHOWN);
        shown.sort_by_key(|outcome| is_message(outcome));
        if shown.is_empty() { cause.outcomes.iter().copied().take(1).collect() } else { shown }
    }
}

/// The causes with the same outcomes in the first column, each with its other effects.
struct OutcomeGroup<'a> {
    outcomes: &'a [&'a str],
    causes: Vec<(&'a Cause<'a>, &'a str)>,
}

/// Returns the outcomes with their causes, and the errors without an outcome below them.
pub(super) fn outcomes(document: &Document, links: &PageLinks) -> String {
    let causes = causes(document);
    // The ends of effects are those of sentences: behind a colon.
    let answers = AnswerItems::of(&causes);
    let shown: Vec<Vec<&str>> = causes.iter().map(|cause| answers.shown_of(cause)).collect();
    let effects: Vec<String> =
        causes.iter().zip(&shown).map(|(cause, shown)| format!(": {}", cause.other_effects(shown))).collect();
    let common = CommonEffects::of(effects.iter().map(String::as_str));
    let mut groups: Vec<OutcomeGroup<'_>> = Vec::new();
    let mut places: HashMap<&[&str], usize> = HashMap::new();
    for ((cause, outcomes), effects) in causes.iter().zip(&shown).zip(&effects) {
        let place = *places.entry(outcomes).or_insert_with(|| {
            groups.push(OutcomeGroup { outcomes, causes: Vec::new() });
            groups.len() - 1
        });
        groups[place].causes.push((cause, effects));
    }
    let mut carriers: HashMap<&str, usize> = HashMap::new();
    for outcome in groups.iter().filter_map(|group| group.outcomes.first()) {
        let next = carriers.len();
        carriers.entry(carrier_and_value(outcome).0).or_insert(next);
    }
    // A reader looks codes up, and reads messages in the order of the source. What nobody sees comes last.
    groups.sort_by_key(|OutcomeGroup { outcomes, .. }| {
        let codes = outcomes.iter().map(|outcome| code_of(outcome));
        let codes: Vec<_> = codes.map(|code| (code.trim_matches('\'').parse::<i64>().ok(), code)).collect();
        (outcomes.is_empty(), outcomes.first().map(|outcome| carriers[carrier_and_value(outcome).0]), codes)
    });
    let notes = repeated_texts(causes.iter().filter_map(|cause| cause.runs.as_deref()), SHORT, 2);
    let mut table = MarkdownTable::new(["for the caller or user", "when", "what else happens", "where", "program"]);
    let is_seen = groups.iter().any(|group| !group.outcomes.is_empty());
    for OutcomeGroup { outcomes, causes } in groups {
        for (at, (cause, effects)) in causes.into_iter().enumerate() {
            let seen = match (at, outcomes.is_empty()) {
                (0, false) => outcomes.iter().map(|outcome| seen(outcome)).collect::<Vec<_>>().join(", "),
                (0, true) if is_seen => "-".to_owned(),
                _ => String::new(),
            };
            let effects = common.shorten(effects);
            let effects = prose(&capitalized(&effects[2..]));
            table.row([
                seen,
                prose(&cause.when(&notes)),
                effects,
                match cause.place {
                    Place::Cited(citations) => links.citations(citations),
                    Place::Step(line) => links.lines_of_item(None, LineRange::single(line)),
                },
                optional(cause.program),
            ]);
        }
    }
    let heading = if is_seen { "Outcomes" } else { "Errors it handles" };
    let notes = notes.iter().enumerate().map(|(at, note)| prose(&format!("Note {}: {}.", at + 1, capitalized(note))));
    section(heading, [common.lead(), table.render(), notes.collect::<Vec<_>>().join("\n\n")])
}

/// Returns all outcomes with the words when they are seen, once for each line of the documented file.
pub(crate) fn outcomes_by_line(document: &Document) -> Vec<(String, String, LineNumber)> {
    let mut found = Vec::new();
    for cause in causes(document) {
        let lines = match cause.place {
            Place::Step(line) => BTreeSet::from([line]),
            Place::Cited(citations) => {
                let own = citations.iter().filter(|citation| citation.file() == document.header.file_name);
                own.map(|citation| citation.lines().start()).collect()
            }
        };
        for outcome in &cause.outcomes {
            found.extend(lines.iter().map(|line| ((*outcome).to_owned(), cause.when(&[]), *line)));
        }
    }
    found
}

/// Returns whether the outcomes show all of a rule, so that the rules need not: what happens then and what happens otherwise.
pub(super) fn is_outcome(rule: &DocumentItem<BusinessRule>) -> bool {
    let outcomes = rule.outcome.as_deref().map(parts).unwrap_or_default();
    let has_otherwise = rule.origin == ItemOrigin::Parser && rule.description.contains(ELSE);
    let shows = |is_otherwise: bool| outcomes.iter().any(|outcome| outcome.starts_with(OTHERWISE) == is_otherwise);
    shows(false) && (!has_otherwise || shows(true))
}

/// Returns the causes of outcomes and all errors, in the order of the source.
fn causes(document: &Document) -> Vec<Cause<'_>> {
    let errors = document.error_handling.iter().map(|error| Cause {
        outcomes: error.outcome.as_deref().map(parts).unwrap_or_default(),
        condition: error.condition.trim_end_matches('.').to_owned(),
        runs: error.runs.as_deref().map(runs_only),
        effects: error.action.clone(),
        place: Place::Cited(&error.citations),
        program: &error.program,
    });
    let rules = document.business_rules.iter().flat_map(causes_of_rule);
    let mut causes: Vec<Cause<'_>> = rules.chain(errors).collect();
    let is_told = paragraphs_told(&causes, document);
    let paragraphs = document.paragraphs.iter().filter(|paragraph| !paragraph.is_dead_code);
    let steps = paragraphs.flat_map(causes_of_steps).filter(|(paragraph, cause)| {
        let names = [Some(&paragraph.paragraph_name), paragraph.section.as_ref()];
        let names: Vec<String> = names.into_iter().flatten().map(|name| name.to_ascii_uppercase()).collect();
        let is_told = |outcome: &&str| names.iter().any(|name| is_told.contains(&(*outcome, name.clone())));
        !cause.outcomes.iter().all(is_told)
    });
    causes.extend(steps.map(|(_, cause)| cause));
    causes.sort_by_key(|cause| match cause.place {
        Place::Cited(citations) => citations.first().map(|citation| citation.lines().start()),
        Place::Step(line) => Some(line),
    });
    causes
}

/// Returns the outcomes with the names of those paragraphs that these causes lead to, and no step under no condition does: why they are seen is told
/// by the causes.
fn paragraphs_told<'a>(causes: &[Cause<'a>], document: &Document) -> HashSet<(&'a str, String)> {
    let names = |text: &str| {
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '-' && letter != '_');
        words.map(str::to_ascii_uppercase).collect::<Vec<_>>()
    };
    let steps = document.paragraphs.iter().flat_map(|paragraph| &paragraph.steps).filter(|step| step.depth == 0);
    let mut always: HashSet<String> = steps.flat_map(|step| names(&step.text)).collect();
    let fallen_into = document.control_flow.iter().filter(|edge| edge.kind == "fall_through");
    always.extend(fallen_into.map(|edge| edge.to.to_ascii_uppercase()));
    let led_to = causes.iter().flat_map(|cause| {
        let names: Vec<String> = names(&cause.effects).into_iter().filter(|name| !always.contains(name)).collect();
        cause.outcomes.iter().flat_map(move |outcome| names.clone().into_iter().map(|name| (*outcome, name)))
    });
    led_to.collect()
}

/// Returns the causes that the steps of a paragraph under no condition are, each with the paragraph.
fn causes_of_steps(paragraph: &DocumentItem<Paragraph>) -> impl Iterator<Item = (&Paragraph, Cause<'_>)> {
    paragraph.steps.iter().filter(|step| !step.never_runs).filter_map(|step| {
        let cause = Cause {
            outcomes: parts(step.outcome.as_deref()?),
            condition: match &step.when {
                Some(when) => capitalized(when),
                None => format!("Whenever {} runs", paragraph.paragraph_name),
            },
            runs: None,
            effects: String::new(),
            place: Place::Step(step.outcome_line.unwrap_or(step.line)),
            program: &paragraph.program,
        };
        Some((&paragraph.body, cause))
    })
}

/// Returns the causes that a rule is: of its outcome, and of that of what happens otherwise.
fn causes_of_rule(rule: &DocumentItem<BusinessRule>) -> Vec<Cause<'_>> {
    let all = rule.outcome.as_deref().map(parts).unwrap_or_default();
    let (otherwise, then): (Vec<&str>, Vec<&str>) = all.into_iter().partition(|outcome| outcome.starts_with(OTHERWISE));
    let otherwise: Vec<&str> = otherwise.iter().filter_map(|outcome| outcome.strip_prefix(OTHERWISE)).collect();
    let (mut condition, mut effects) = rule_in_words(rule, &CommonEffects::of(std::iter::empty()));
    let (mut negated, mut other) = (format!("Not so: {condition}"), String::new());
    if rule.origin == ItemOrigin::Parser {
        let (asked, done) = condition_and_effects(&rule.description);
        let (done, instead) = done.split_once(ELSE).unwrap_or((done, ""));
        negated = match asked.strip_prefix("When ") {
            Some(asked) => format!("Unless {asked}"),
            None => asked.replacen(": when ", ": unless ", 1),
        };
        (condition, effects, other) = (asked.to_owned(), done.to_owned(), instead.to_owned());
    }
    // Keys and rights have tables of their own. What a key does under further conditions says more.
    let is_of_key = !rule.keys.is_empty() && !rule.description.starts_with(PROVIDED);
    let told = [(is_of_key, "See Keys."), (rule.is_about_rights, "See Who may do what.")];
    if let Some((_, see)) = told.iter().rev().find(|(is_there, _)| *is_there) {
        condition = if rule.is_about_rights { condition } else { format!("Key: {}", rule.keys.join(", ")) };
        (effects, other) = ((*see).to_owned(), (*see).to_owned());
    }
    let causes = [(then, condition, effects), (otherwise, negated, other)];
    let causes = causes.into_iter().filter(|(outcomes, ..)| !outcomes.is_empty());
    causes
        .map(|(outcomes, condition, effects)| Cause {
            outcomes,
            condition,
            runs: rule.runs.as_deref().map(runs_only),
            effects,
            place: Place::Cited(&rule.citations),
            program: &rule.program,
        })
        .collect()
}

/// Words when the paragraph runs in which a cause stands. A failure is no condition by its words.
fn runs_only(runs: &str) -> String {
    format!("{} {runs}", if runs.starts_with("when ") { "only" } else { "only if" })
}

impl Cause<'_> {
    /// Returns the condition with when its paragraph runs, or the note that says so.
    fn when(&self, notes: &[String]) -> String {
        let Some(runs) = &self.runs else { return self.condition.clone() };
        match notes.iter().position(|note| note == runs) {
            Some(at) => format!("{} (note {})", self.condition, at + 1),
            None => format!("{}; {runs}", self.condition),
        }
    }

    /// Returns the effects without those that the first column shows.
    fn other_effects(&self, shown: &[&str]) -> String {
        let is_shown = |part: &str| {
            let lower = part.trim_end_matches('.').to_ascii_lowercase();
            let is_it = |told: &str| told.eq_ignore_ascii_case(&lower);
            shown.iter().map(|outcome| carrier_and_value(outcome)).any(|(carrier, value)| {
                let value = value.strip_suffix(UNLESS_LEFT).unwrap_or(value);
                is_it(&format!("sets {carrier} to {value}"))
                    || is_it(&format!("puts {value} into {carrier}"))
                    || (carrier == ABEND && is_it(&format!("abends with code {value}")))
                    || is_it(&format!("sets {carrier} to blank"))
                    || lower.starts_with(&format!("builds {carrier} from ").to_ascii_lowercase())
            })
        };
        let kept: Vec<&str> = parts(&self.effects).into_iter().filter(|part| !is_shown(part)).collect();
        let text = kept.join("; ");
        let end = if text.is_empty() || text.ends_with('.') { "" } else { "." };
        // Equal ends begin with equal letters; names keep theirs.
        let word = text.split(' ').next().unwrap_or_default();
        let is_verb = word.trim_end_matches(';').chars().skip(1).all(|letter| letter.is_ascii_lowercase());
        let mut letters = text.chars();
        let first = letters.next().map(|letter| letter.to_lowercase().to_string()).unwrap_or_default();
        if is_verb { format!("{first}{}{end}", letters.as_str()) } else { format!("{text}{end}") }
    }
}

/// What follows the value of an outcome behind a check under the same condition that leaves.
const UNLESS_LEFT: &str = " (unless a check before it leaves)";

/// Returns what carries an outcome, an item or `abend`, and the value.
fn carrier_and_value(outcome: &str) -> (&str, &str) {
    outcome.split_once(' ').unwrap_or((outcome, ""))
}

/// Returns a value without what stands behind it in parentheses: the condition name that it has, and when it is not left before.
fn bare(value: &str) -> &str {
    value.strip_suffix(')').and_then(|value| value.rsplit_once(" (")).map_or(value, |(value, _)| bare(value))
}

/// Returns the value of an outcome if it is a code, and nothing of a message.
fn code_of(outcome: &str) -> &str {
    let (_, value) = carrier_and_value(outcome);
    let value = bare(value);
    if value.len() <= LONGEST_CODE { value } else { "" }
}

/// Returns an outcome for the first column.
fn seen(outcome: &str) -> String {
    match outcome.split_once(' ') {
        Some((carrier, value)) if carrier != ABEND => format!("{} {}", code(carrier), prose(value)),
        _ => prose(outcome),
    }
}
