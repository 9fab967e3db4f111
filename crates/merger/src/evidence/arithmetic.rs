//! The arithmetic that words tell, compared with that of statements.

use super::comparisons::constant;
use super::tokens::{Token, is_at, tokens};
use super::wording::{denies, full_sentences, is_one, plain_sentences, tells_another_case};
use super::{EvidenceIndex, Region};
use crate::anchors::words;
use war_rig_cobol::{Operand, Statement, Verb};
use war_rig_text::LineRange;

/// Words of arithmetic, the verbs of COBOL for it, and its sign: each kind before the one that undoes it.
const ARITHMETIC: [(&[&str], Verb, &str); 4] = [
    (
        &[
            "add", "plus", "adds", "added", "adding", "increased", "incremented", "raised", "sum", "summed", "total",
            "totals",
        ],
        Verb::Add,
        "+",
    ),
    (
        &[
            "subtract", "minus", "less", "subtracts", "subtracted", "subtracting", "deducted", "deducts", "reduced",
            "decreased", "decremented", "lowered",
        ],
        Verb::Subtract,
        "-",
    ),
    (&["multiply", "multiplied", "multiplies", "multiplying"], Verb::Multiply, "*"),
    (&["divide", "divided", "divides", "dividing"], Verb::Divide, "/"),
];

/// Words that say that a result is not rounded.
const CUTS: [&str; 3] = ["not rounded", "without rounding", "cut off"];

impl EvidenceIndex<'_> {
    /// Whether a sentence tells of an item, and of an operand beside it, other arithmetic than the cited statement that computes it with that.
    pub(super) fn computes_otherwise(&self, text: &str, cited: &[LineRange]) -> bool {
        full_sentences(text).into_iter().filter(|sentence| !tells_another_case(sentence)).any(|sentence| {
            let tokens = tokens(sentence);
            let signs = self.triples(sentence);
            let tells = |(told, _, sign): &(&[&str], Verb, &str)| {
                tokens.iter().any(|token| token.is_one(told)) || signs.iter().any(|(_, own, _)| sign.starts_with(*own))
            };
            let told: Vec<Verb> = ARITHMETIC.iter().filter(|kind| tells(kind)).map(|(_, verb, _)| *verb).collect();
            if told.is_empty() {
                return false;
            }
            let names = |operand: Operand<'_>| tokens.iter().any(|token| token.is(operand.name()));
            let about =
                self.statements_in(cited).map(|statement| &self.parsed().statements[statement]).filter(|found| {
                    let own = self.parsed().operands(found).filter(|operand| !operand.is_inner());
                    let is_set = self.parsed().operands(found).any(|operand| operand.role().is_set() && names(operand));
                    is_set && own.filter(|operand| names(*operand)).count() > 1
                });
            let mut verbs = about.map(|found| found.verb).peekable();
            verbs.peek().is_some()
                && verbs.all(|verb| ARITHMETIC.iter().any(|(_, own, _)| *own == verb) && !told.contains(&verb))
        })
    }

    /// Whether a text divides or multiplies, and neither cited statements, the conditions on them nor what they perform compute anything.
    pub(super) fn computes_where_nothing_does(&self, text: &str, cited: &[LineRange]) -> bool {
        const TIMES: [&str; 4] = ["divided by", "multiplied by", "divides it by", "multiplies it by"];
        let tells = full_sentences(text).into_iter().any(|sentence| {
            !denies(sentence) && !tells_another_case(sentence) && TIMES.iter().any(|words| sentence.contains(words))
        });
        let parsed = self.parsed();
        let is_plain = |statement: usize| {
            let found = &parsed.statements[statement];
            // What is called, and what stands in a condition, may compute as well.
            matches!(found.verb, Verb::Move | Verb::Display | Verb::Continue | Verb::Set | Verb::Initialize)
                && found.file.is_none()
                && !parsed.words(found).iter().any(|word| word.is("FUNCTION"))
        };
        let mut all = self.statements_in(&self.with_performed(cited)).peekable();
        tells && all.peek().is_some() && all.all(is_plain)
    }

    /// Whether a sentence computes with items that cited statements only move, and nothing there or below computes with.
    pub(super) fn computes_what_is_moved(&self, text: &str, cited: &[LineRange]) -> bool {
        full_sentences(text).into_iter().filter(|sentence| !denies(sentence) && !tells_another_case(sentence)).any(
            |sentence| {
                let tokens = tokens(sentence);
                let sums = tokens.iter().any(|token| token.is_one(&["plus", "minus"])) || sentence.contains("sum of");
                if !sums {
                    return false;
                }
                let mut items: Vec<String> = (0..tokens.len())
                    .filter_map(|at| self.name_at(&tokens, at))
                    .filter(|name| self.names.is_data(name))
                    .collect();
                items.sort();
                items.dedup();
                let parsed = self.parsed();
                let names = |found: &Statement, item: &str| {
                    parsed
                        .operands(found)
                        .any(|operand| !operand.is_inner() && operand.name().eq_ignore_ascii_case(item))
                };
                let is_moved = |item: &String| {
                    let mut moves = self.statements_in(cited).map(|statement| &parsed.statements[statement]);
                    moves.any(|found| found.verb == Verb::Move && names(found, item))
                };
                let is_computed = |item: &String| {
                    let mut all =
                        self.statements_in(&self.with_performed(cited)).map(|statement| &parsed.statements[statement]);
                    all.any(|found| found.verb != Verb::Move && names(found, item))
                };
                items.len() > 1 && items.iter().all(is_moved) && !items.iter().any(is_computed)
            },
        )
    }

    /// Whether a text adds a number to an item, or takes it from it, and cited statements do so with other numbers only; or has something done another
    /// number of times than cited loops.
    pub(super) fn counts_otherwise(&self, text: &str, cited: &[LineRange]) -> bool {
        plain_sentences(text).any(|sentence| {
            let tokens = tokens(sentence);
            let is = |at: usize, of: &[&str]| is_at(&tokens, at, of);
            (1..tokens.len()).any(|at| {
                let Some(number) = tokens[at].number() else { return false };
                let is_step =
                    is(at - 1, &["add", "adds", "adding", "subtract", "subtracts"]) && is(at + 1, &["to", "from"]);
                let item = (at + 2 < tokens.len()).then(|| self.name_at(&tokens, at + 2)).flatten().filter(|_| is_step);
                item.is_some_and(|item| self.steps_by_others(&item, &number, cited))
                    || (is(at + 1, &["times"])
                        && !(at + 2 < tokens.len() && self.name_at(&tokens, at + 2).is_some())
                        && self.repeats_as_often_as_others(&number, cited))
            })
        })
    }

    fn steps_by_others(&self, item: &str, number: &str, cited: &[LineRange]) -> bool {
        let parsed = self.parsed();
        let statements = self.statements_in(&self.with_performed(cited)).map(|statement| &parsed.statements[statement]);
        let steps = statements.filter(|found| {
            let mut operands = parsed.operands(found);
            operands.any(|operand| operand.role().is_set() && operand.name().eq_ignore_ascii_case(item))
        });
        // What sets the item in another way may do the same.
        let number_of = |found: &Statement| {
            let is_step = matches!(found.verb, Verb::Add | Verb::Subtract);
            parsed.operands(found).find(|operand| is_step && operand.is_constant())
        };
        let mut numbers = steps.map(number_of).peekable();
        numbers.peek().is_some() && numbers.all(|own| own.is_some_and(|own| constant(own.text()) != number))
    }

    fn repeats_as_often_as_others(&self, number: &str, cited: &[LineRange]) -> bool {
        let parsed = self.parsed();
        let performed = self.statements_in(cited).map(|statement| &parsed.statements[statement]);
        let counts = performed.filter(|found| found.verb == Verb::Perform).filter_map(|found| {
            let words = parsed.words(found);
            let at = (1..words.len()).find(|at| words.get(*at).is_some_and(|word| word.is("TIMES")))?;
            words.get(at - 1).map(|word| constant(word.text))
        });
        let mut counts = counts.peekable();
        counts.peek().is_some() && counts.all(|own| own.bytes().all(|byte| byte.is_ascii_digit()) && own != number)
    }

    /// Whether a text gives an item a formula, `X = A + B`, and the only cited statement that computes it takes other operands.
    pub(super) fn has_another_formula(&self, text: &str, cited: &[LineRange]) -> bool {
        let tokens = tokens(text);
        (0..tokens.len()).any(|at| {
            let Some(target) = self.name_at(&tokens, at).filter(|name| self.names.is_data(name)) else { return false };
            let is = |at: usize, word: &str| is_at(&tokens, at, &[word]);
            let behind = at + 1 + if is(at + 1, "of") || is(at + 1, "in") { 2 } else { 0 };
            let start = match () {
                () if is(behind, "=") || is(behind, "becomes") => behind + 1,
                () if is(behind, "is") && is(behind + 1, "computed") && is(behind + 2, "as") => behind + 3,
                () => return false,
            };
            self.formula_told(&tokens, start).is_some_and(|told| self.computes_from_others(&target, &told, cited))
        })
    }

    /// Returns the items and numbers of the formula that begins at a place; none if there is no sign of arithmetic in it.
    fn formula_told(&self, tokens: &[Token<'_>], start: usize) -> Option<Vec<String>> {
        let (mut operands, mut has_sign) = (Vec::new(), false);
        let mut at = start;
        while let Some(token) = tokens.get(at) {
            match token {
                Token::Sign(sign) if "+-*/".contains(*sign) => has_sign = true,
                Token::Sign("(" | ")") => {}
                Token::Word(_) if token.number().is_some() => {
                    // A number with a point or with commas is not read.
                    let goes_on = tokens.get(at + 2).is_some_and(|next| next.number().is_some());
                    if goes_on && is_at(tokens, at + 1, &[".", ","]) {
                        return None;
                    }
                    operands.extend(token.number());
                }
                Token::Word(word) if is_one(word, &["of", "in"]) => at += 1,
                Token::Word(word) if word.bytes().any(|byte| byte.is_ascii_lowercase()) => break,
                Token::Word(word) => {
                    // A function is no operand.
                    operands.extend(Some(word.to_uppercase()).filter(|word| self.names.is_data(word)));
                }
                Token::Sign(_) | Token::Literal(_) => break,
            }
            at += 1;
        }
        has_sign.then_some(operands)
    }

    fn computes_from_others(&self, target: &str, told: &[String], cited: &[LineRange]) -> bool {
        let parsed = self.parsed();
        let sets = |operand: Operand<'_>| operand.role().is_set() && operand.name().eq_ignore_ascii_case(target);
        let lines = self.with_performed(cited);
        let statements = self.statements_in(&lines).map(|statement| &parsed.statements[statement]);
        let computing: Vec<_> = statements.filter(|found| parsed.operands(found).any(sets)).collect();
        let [only] = computing.as_slice() else { return false };
        // A MOVE computes nothing.
        if only.verb == Verb::Move {
            return true;
        }
        if only.verb != Verb::Compute && !ARITHMETIC.iter().any(|(_, verb, _)| *verb == only.verb) {
            return false;
        }
        let own: Vec<String> = parsed.words(only).iter().map(|word| constant(word.text)).collect();
        told.iter().any(|operand| !own.contains(operand))
    }

    /// Returns the signs of arithmetic of a text, each between two items or numbers.
    fn triples(&self, text: &str) -> Vec<(String, char, String)> {
        let tokens = tokens(text);
        let operand = |token: &Token<'_>| match token {
            Token::Word(word) => {
                token.number().or_else(|| Some(word.to_uppercase()).filter(|word| self.names.is_item(word)))
            }
            _ => None,
        };
        let found = tokens.windows(3).filter_map(|three| {
            let Token::Sign(sign) = three[1] else { return None };
            let sign = sign.chars().next().filter(|sign| "+-*/".contains(*sign))?;
            Some((operand(&three[0])?, sign, operand(&three[2])?))
        });
        found.collect()
    }

    /// Whether a text joins two operands by another sign than the cited lines: `A + B` for `A - B`.
    pub(super) fn has_another_sign(&self, text: &str, cited: &[LineRange]) -> bool {
        let told = self.triples(text);
        if told.is_empty() {
            return false;
        }
        let known = self.triples(&self.own(cited).text);
        told.iter().any(|(left, sign, right)| {
            let mut same = known.iter().filter(|(one, _, other)| one == left && other == right).peekable();
            same.peek().is_some() && same.all(|(_, other, _)| other != sign)
        })
    }

    /// Whether words tell of arithmetic that the lines lack, where these undo it.
    pub(super) fn confuses_arithmetic(&self, texts: &[&str], region: &Region, cited: &[LineRange]) -> bool {
        let has = |of: &[&str]| texts.iter().any(|text| words(text).any(|word| is_one(word, of)));
        let tells = |(told, _, sign): (&[&str], Verb, &str)| {
            has(told) || texts.iter().any(|text| self.triples(text).iter().any(|(_, own, _)| sign.starts_with(*own)))
        };
        let lines = self.with_performed(cited);
        let does = |(told, verb, sign): (&[&str], Verb, &str)| {
            let found = self.statements_in(&lines).map(|statement| &self.parsed().statements[statement]);
            let mut words = found.map(|found| (found.verb, self.parsed().words(found)));
            told.iter().any(|word| region.holds_literal(&word.to_uppercase()))
                || region.text.contains(&format!(" {sign} "))
                || words.any(|(own, words)| own == verb || words.iter().any(|word| word.text == sign))
        };
        let is_turned = |claimed, other| tells(claimed) && !does(claimed) && does(other);
        let cuts =
            has(&["truncated", "unrounded"]) || texts.iter().any(|text| CUTS.iter().any(|words| text.contains(words)));
        let mut computing = self
            .statements_in(cited)
            .map(|statement| &self.parsed().statements[statement])
            .filter(|found| found.verb == Verb::Compute || ARITHMETIC.iter().any(|(_, verb, _)| *verb == found.verb))
            .peekable();
        let denies_rounding =
            cuts && computing.peek().is_some() && computing.all(|found| self.parsed().words(found).has("ROUNDED"));
        denies_rounding || ARITHMETIC.chunks(2).any(|pair| is_turned(pair[0], pair[1]) || is_turned(pair[1], pair[0]))
    }
}
