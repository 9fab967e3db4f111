//! What words limit (*only X*, *X is not included*) and who they have perform a paragraph, compared with the source.

use super::EvidenceIndex;
use super::tokens::{Token, is_at, tokens};
use super::wording::{Anchors, denies, folded, full_sentences};
use war_rig_cobol::{BranchKind, Condition, ExecKind, ReferenceKind, RelationalOperator, Verb};
use war_rig_text::LineRange;

/// Verbs of a text that give items something, or change columns.
const GIVES: [&str; 18] = [
    "sets", "set", "resets", "reset", "clears", "cleared", "moves", "moved", "initializes", "initialised",
    "initialises", "initialized", "changes", "changed", "updates", "updated", "names", "zeroes",
];

/// How many words of English may stand between `only` and the first name.
const BETWEEN: usize = 5;

/// Words with which a text says that a value is left out of a list.
const LEFT_OUT: [&str; 4] = ["is not included", "is not covered", "is not among", "is not one of"];

/// Words for the statements that a program begins with.
const MAIN: [&str; 3] = ["main line", "main loop", "mainline"];

impl EvidenceIndex<'_> {
    /// Whether a text says that only some things are set, changed, opened or closed, or that a value is left out, and cited statements do more.
    pub(super) fn limits_too_much(&self, text: &str, cited: &[LineRange]) -> bool {
        full_sentences(text).into_iter().any(|sentence| {
            let tokens = tokens(sentence);
            let only = (0..tokens.len()).filter(|at| matches!(tokens[*at], Token::Word("only" | "Only")));
            only.into_iter().any(|at| self.does_more(&tokens, at, sentence, cited))
                || self.leaves_out_a_value(&tokens, sentence, cited)
        })
    }

    /// Whether cited statements do to other things what a sentence has done `only` to those behind the word.
    fn does_more(&self, tokens: &[Token<'_>], only: usize, sentence: &str, cited: &[LineRange]) -> bool {
        let is_plain = |at: usize| {
            matches!(tokens[at], Token::Word(word) if word.bytes().all(|byte| byte.is_ascii_lowercase()))
                && !is_at(
                    tokens,
                    at,
                    &["if", "when", "for", "after", "before", "by", "in", "once", "from", "where", "with"],
                )
        };
        let Some(first) = (only + 1..tokens.len()).take(BETWEEN).find(|at| !is_plain(*at)) else { return false };
        let (names, behind) = self.items_behind(tokens, first);
        let verb_before = only.checked_sub(1);
        // `only X is set`.
        let verb_behind = Some(behind + 1).filter(|_| is_at(tokens, behind, &["is", "are", "was", "were"]));
        let has = |of: &[&str]| [verb_before, verb_behind].into_iter().flatten().any(|at| is_at(tokens, at, of));
        if names.is_empty() {
            return false;
        }
        let all = Anchors::of(&[sentence], &self.names).names;
        let is_told = |name: &str| all.iter().any(|told| told.eq_ignore_ascii_case(name));
        let opens = has(&["opens", "opened"]);
        let closes = has(&["closes", "closed"]);
        (has(&GIVES) && (self.gives_to_others(&names, &is_told, cited) || self.changes_other_columns(&names, cited)))
            || ((opens || closes)
                && self.treats_other_files(if opens { Verb::Open } else { Verb::Close }, &names, cited))
    }

    /// Whether a cited MOVE or INITIALIZE of one of these items has a target that is not told, or one beside it gives that the same constant.
    fn gives_to_others(&self, names: &[String], is_told: &dyn Fn(&str) -> bool, cited: &[LineRange]) -> bool {
        let parsed = self.parsed();
        let targets = |statement: usize| {
            let found = &parsed.statements[statement];
            let set = parsed.operands(found).filter(|operand| operand.role().is_set() && !operand.is_inner());
            set.map(|operand| operand.name().to_uppercase()).collect::<Vec<_>>()
        };
        let constants = |statement: usize| {
            let found = &parsed.statements[statement];
            let constants = parsed.operands(found).filter(|operand| operand.is_constant());
            constants.map(|operand| folded(operand.text())).collect::<Vec<_>>()
        };
        let gives = |statement: &usize| matches!(parsed.statements[*statement].verb, Verb::Move | Verb::Initialize);
        let all: Vec<usize> = self.statements_in(cited).filter(gives).collect();
        let is_one = |target: &String| names.contains(target);
        let Some(own) = all.iter().find(|statement| targets(**statement).iter().any(is_one)) else { return false };
        let (place, given) = (&parsed.statements[*own], constants(*own));
        let others = all.iter().filter(|other| {
            let found = &parsed.statements[**other];
            (found.branch, found.paragraph) == (place.branch, place.paragraph)
                && found.verb == place.verb
                && (*other == own || (!given.is_empty() && constants(**other) == given))
        });
        others.into_iter().flat_map(|other| targets(*other)).any(|target| !is_one(&target) && !is_told(&target))
    }

    /// Whether a cited UPDATE sets columns besides these, of which it sets one.
    fn changes_other_columns(&self, names: &[String], cited: &[LineRange]) -> bool {
        let is_cited = |lines: LineRange| cited.iter().any(|range| range.intersection(lines).is_some());
        let updates = self.parsed().execs.iter().filter(|exec| exec.kind == ExecKind::Sql && exec.command == "UPDATE");
        updates.filter(|exec| exec.file.is_none() && is_cited(exec.lines)).any(|exec| {
            let written = exec.sql.iter().flat_map(|sql| &sql.tables).flat_map(|table| &table.columns_written);
            let named = |column: &&String| names.iter().any(|name| name.eq_ignore_ascii_case(column));
            let (told, others): (Vec<_>, Vec<_>) = written.partition(named);
            !told.is_empty() && !others.is_empty()
        })
    }

    /// Whether cited statements open or close other files than these.
    fn treats_other_files(&self, verb: Verb, names: &[String], cited: &[LineRange]) -> bool {
        let parsed = self.parsed();
        let own = self.statements_in(cited).filter(|statement| parsed.statements[*statement].verb == verb);
        let operands = own.flat_map(|statement| parsed.operands(&parsed.statements[statement]));
        let files: Vec<String> = operands
            .filter(|operand| !operand.is_inner() && !operand.is_constant())
            .map(|operand| operand.name().to_uppercase())
            .filter(|name| parsed.files.iter().any(|file| file.name == *name))
            .collect();
        files.iter().any(|file| names.contains(file)) && files.iter().any(|file| !names.contains(file))
    }

    /// Whether a sentence says that something is so for a value only, or that another one is left out, and cited cases treat both alike.
    fn leaves_out_a_value(&self, tokens: &[Token<'_>], sentence: &str, cited: &[LineRange]) -> bool {
        let is = |at: usize, value: &str| matches!(tokens[at], Token::Literal(told) | Token::Word(told) if told.trim() == value.trim());
        let limits: Vec<usize> =
            (0..tokens.len()).filter(|at| matches!(tokens[*at], Token::Word("only" | "Only"))).collect();
        // `only a capital 'Y'`, `for 'Y' accounts only`.
        let is_limited = |value: &str| {
            limits
                .iter()
                .any(|only| (only.saturating_sub(2)..(only + BETWEEN).min(tokens.len())).any(|at| is(at, value)))
        };
        let is_told = |value: &String| (0..tokens.len()).any(|at| is(at, value));
        self.alternatives(cited).into_iter().any(|values| {
            let (told, others): (Vec<_>, Vec<_>) = values.iter().partition(|value| is_told(value));
            let is_out = |value: &&String| {
                let words =
                    LEFT_OUT.iter().flat_map(|words| [format!("{value} {words}"), format!("'{value}' {words}")]);
                words.into_iter().any(|words| sentence.contains(&words))
            };
            let (out, meant): (Vec<&String>, Vec<&String>) = told.into_iter().partition(is_out);
            (!out.is_empty() && !meant.is_empty())
                || (!others.is_empty() && meant.into_iter().any(|value| is_limited(value)))
        })
    }

    /// Returns the literals of cited cases that are treated alike: of WHENs with the same statements, and of comparisons of one item joined by OR.
    fn alternatives(&self, cited: &[LineRange]) -> Vec<Vec<String>> {
        let (parsed, decisions) = (self.parsed(), self.analysis.decisions());
        let is_cited = |line| cited.iter().any(|range: &LineRange| range.contains(line));
        let bare = |text: &str| text.trim_matches(['\'', '"']).trim().to_owned();
        let (mut found, mut shared) = (Vec::new(), Vec::new());
        for (index, branch) in parsed.branches.iter().enumerate().filter(|(_, branch)| is_cited(branch.lines.start())) {
            let Some(condition) = decisions.condition(index) else { continue };
            let mut of_items: Vec<(&str, Vec<String>)> = Vec::new();
            for equal in condition.leaves() {
                let Condition::Comparison { left, relation: RelationalOperator::Equal, right } = equal else {
                    continue;
                };
                if !right.text().starts_with(['\'', '"']) {
                    continue;
                }
                match of_items.iter_mut().find(|(item, _)| *item == left.text()) {
                    Some((_, values)) => values.push(bare(right.text())),
                    None => of_items.push((left.text(), vec![bare(right.text())])),
                }
            }
            match branch.kind {
                BranchKind::When => {
                    shared.extend(of_items.into_iter().flat_map(|(_, values)| values));
                    if !decisions.statements_under(index).is_empty() {
                        found.push(std::mem::take(&mut shared));
                    }
                }
                BranchKind::If => found.extend(of_items.into_iter().map(|(_, values)| values)),
                BranchKind::Else | BranchKind::Loop | BranchKind::Phrase => {}
            }
        }
        found.retain(|values: &Vec<String>| values.len() > 1);
        found
    }

    /// Whether a text has a paragraph performed by the main line or by another paragraph, which does not perform it.
    pub(super) fn has_another_performer(&self, text: &str) -> bool {
        full_sentences(text).into_iter().filter(|sentence| !denies(sentence)).any(|sentence| {
            let tokens = tokens(sentence);
            (0..tokens.len()).any(|at| {
                let Some(label) = self.name_at(&tokens, at).filter(|name| self.names.is_label(name)) else {
                    return false;
                };
                let verb = (at + 1..tokens.len()).find(|at| is_at(&tokens, *at, &["performed"]));
                // Between them stands at most a clause that explains the name.
                let Some(verb) = verb.filter(|verb| (at + 1..*verb).all(|at| self.name_at(&tokens, at).is_none()))
                else {
                    return false;
                };
                let by = (verb + 1..tokens.len()).take(BETWEEN).find(|at| is_at(&tokens, *at, &["from", "by"]));
                by.is_some_and(|by| self.is_performed_by_others(&label, &tokens[by + 1..]))
            })
        })
    }

    /// Whether others than the paragraph that these words begin with perform a label, and that does not.
    fn is_performed_by_others(&self, label: &str, by: &[Token<'_>]) -> bool {
        let parsed = self.parsed();
        let performs = |from: usize| {
            let references = parsed.references.iter().enumerate().filter(|(_, found)| found.paragraph == Some(from));
            references.into_iter().any(|(index, found)| {
                let span = self.analysis.control_flow().reference_span(index);
                let is_in = |(first, last): (usize, usize)| {
                    (first..=last).any(|at| parsed.paragraphs[at].name.eq_ignore_ascii_case(label))
                };
                found.target.eq_ignore_ascii_case(label) || span.is_some_and(is_in)
            })
        };
        let is_known = parsed.references.iter().any(|found| {
            found.kind == ReferenceKind::Perform
                && found.target.eq_ignore_ascii_case(label)
                && found.paragraph.is_some()
        });
        let is_the = usize::from(is_at(by, 0, &["the"]));
        let two: Vec<&str> = by
            .iter()
            .skip(is_the)
            .take(2)
            .filter_map(|token| match token {
                Token::Word(word) => Some(*word),
                _ => None,
            })
            .collect();
        let is_main = MAIN.iter().any(|words| two.join(" ").to_lowercase().starts_with(words));
        let named = by.get(is_the).and_then(|_| self.name_at(by, is_the));
        let of_name = |name: &String| {
            let all = parsed.paragraphs.iter().enumerate().filter(|(_, found)| {
                found.name.eq_ignore_ascii_case(name)
                    || found.section.is_some_and(|section| parsed.sections[section].name.eq_ignore_ascii_case(name))
            });
            all.map(|(index, _)| index).collect::<Vec<usize>>()
        };
        let performers = match (is_main, named) {
            // What control falls into from the first paragraph belongs to the main line.
            (true, _) => {
                let flow = self.analysis.control_flow();
                let mut main = vec![0];
                while main.len() < parsed.paragraphs.len() && main.last().is_some_and(|last| flow.falls_through(*last))
                {
                    main.push(main.len());
                }
                main
            }
            (false, Some(name)) if self.names.is_label(&name) => of_name(&name),
            (false, _) => return false,
        };
        let is_single = parsed.programs.len() == 1 && !parsed.paragraphs.is_empty();
        is_known && is_single && !performers.is_empty() && !performers.into_iter().any(performs)
    }
}
