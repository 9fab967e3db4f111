//! What words limit (*only X*, *X is not included*), compared with the source.

use super::EvidenceIndex;
use super::tokens::{Token, is_at, tokens};
use super::wording::{Anchors, folded, full_sentences};
use war_rig_cobol::{BranchKind, Condition, ExecKind, RelationalOperator, Verb};
use war_rig_text::LineRange;

/// Verbs of a text that give items something, or change columns.
const GIVES: [&str; 15] = [
    "sets", "resets", "reset", "clears", "cleared", "initializes", "initialised", "initialises", "initialized",
    "changes", "changed", "updates", "updated", "names", "zeroes",
];

/// How many words of English may stand between `only` and the first name.
const BETWEEN: usize = 5;

impl EvidenceIndex<'_> {
    /// Whether a text says that only some things are set, changed, opened or closed, or that a value is left out, and cited statements do more.
    pub(super) fn limits_too_much(&self, text: &str, cited: &[LineRange]) -> bool {
        full_sentences(text).into_iter().any(|sentence| {
            let tokens = tokens(sentence);
            let only = (0..tokens.len()).filter(|at| matches!(tokens[*at], Token::Word("only" | "Only")));
            only.into_iter().any(|at| self.does_more(&tokens, at, sentence, cited))
                || self.leaves_out_a_value(&tokens, cited)
        })
    }

    /// Whether cited statements do to other things what a sentence has done `only` to those behind the word.
    fn does_more(&self, tokens: &[Token<'_>], only: usize, sentence: &str, cited: &[LineRange]) -> bool {
        const STOPS: [&str; 23] = [
            "if", "when", "for", "after", "before", "by", "in", "once", "from", "where", "with", "to", "while",
            "until", "unless", "rows", "whose", "on", "at", "under", "through", "as", "those",
        ];
        let is_plain = |at: usize| {
            matches!(tokens[at], Token::Word(word) if word.bytes().all(|byte| byte.is_ascii_lowercase()))
                && !is_at(tokens, at, &STOPS)
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
        (has(&GIVES)
            && (self.gives_to_others(&names, &is_told, cited) || self.changes_other_columns(&names, &is_told, cited)))
            || (has(&["closes", "closed"]) && self.closes_others(&names, &is_told, cited))
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
    fn changes_other_columns(&self, names: &[String], is_told: &dyn Fn(&str) -> bool, cited: &[LineRange]) -> bool {
        let is_cited = |lines: LineRange| cited.iter().any(|range| range.intersection(lines).is_some());
        let updates = self.parsed().execs.iter().filter(|exec| exec.kind == ExecKind::Sql && exec.command == "UPDATE");
        updates.filter(|exec| exec.file.is_none() && is_cited(exec.lines)).any(|exec| {
            let written = exec.sql.iter().flat_map(|sql| &sql.tables).flat_map(|table| &table.columns_written);
            let named = |column: &&String| names.iter().any(|name| name.eq_ignore_ascii_case(column));
            let (told, others): (Vec<_>, Vec<_>) = written.partition(named);
            !told.is_empty() && others.into_iter().any(|column| !is_told(column))
        })
    }

    /// Whether cited CLOSEs are of one of these files and of others that are not told.
    fn closes_others(&self, names: &[String], is_told: &dyn Fn(&str) -> bool, cited: &[LineRange]) -> bool {
        let parsed = self.parsed();
        let own = self.statements_in(cited).filter(|statement| parsed.statements[*statement].verb == Verb::Close);
        let operands = own.flat_map(|statement| parsed.operands(&parsed.statements[statement]));
        let files: Vec<String> = operands
            .filter(|operand| !operand.is_inner() && !operand.is_constant())
            .map(|operand| operand.name().to_uppercase())
            .filter(|name| parsed.files.iter().any(|file| file.name == *name))
            .collect();
        files.iter().any(|file| names.contains(file)) && files.iter().any(|file| !is_told(file))
    }

    /// Whether a sentence says that something is so for a value only, or that another one is left out, and cited cases treat both alike.
    fn leaves_out_a_value(&self, tokens: &[Token<'_>], cited: &[LineRange]) -> bool {
        // A word without quotes must not be one of English by chance.
        let is = |at: usize, value: &str| match tokens.get(at) {
            Some(Token::Literal(told)) => !value.trim().is_empty() && told.trim() == value.trim(),
            Some(Token::Word(told)) => {
                told.len() > 2 && *told == value.trim() && !told.bytes().all(|b| b.is_ascii_digit())
            }
            _ => false,
        };
        let places = |value: &str| (0..tokens.len()).filter(|at| is(*at, value)).collect::<Vec<_>>();
        let before = ["for", "if", "a", "an", "the", "capital", "value", "type", "with", "is"];
        let is_only = |at: usize| matches!(tokens.get(at), Some(Token::Word("only" | "Only")));
        // `only a capital 'Y'`, `for 'Y' accounts only`.
        let is_limited = |at: usize| {
            let is_behind = (1..4).any(|back| {
                at >= back && is_only(at - back) && (at - back + 1..at).all(|between| is_at(tokens, between, &before))
            });
            let ends = |only: usize| matches!(tokens.get(only + 1), None | Some(Token::Sign(_)));
            let is_for = at > 0 && is_at(tokens, at - 1, &["for"]);
            is_behind || (is_for && [at + 1, at + 2].into_iter().any(|only| is_only(only) && ends(only)))
        };
        let is_out = |at: usize| {
            let denied = is_at(tokens, at + 1, &["is"]) && is_at(tokens, at + 2, &["not"]);
            denied && is_at(tokens, at + 3, &["included", "covered"])
        };
        self.alternatives(cited).into_iter().any(|values| {
            let told: Vec<Vec<usize>> = values.iter().map(|value| places(value)).collect();
            let is_one_out = told.iter().flatten().any(|at| is_out(*at));
            let is_one_meant = told.iter().flatten().any(|at| !is_out(*at));
            (is_one_out && is_one_meant)
                || (told.iter().any(Vec::is_empty) && told.iter().flatten().any(|at| is_limited(*at)))
        })
    }

    /// Returns the literals of cited cases that are treated alike: of WHENs with the same statements, and of a condition whose parts, joined by OR, differ in
    /// the value of one item alone.
    fn alternatives(&self, cited: &[LineRange]) -> Vec<Vec<String>> {
        let is_cited = |line| cited.iter().any(|range: &LineRange| range.contains(line));
        let branches = self.parsed().branches.iter().enumerate().filter(|(_, branch)| {
            matches!(branch.kind, BranchKind::If | BranchKind::When) && is_cited(branch.lines.start())
        });
        let conditions = branches.filter_map(|(index, _)| self.analysis.decisions().condition(index));
        let found = conditions.filter_map(|condition| match condition {
            Condition::Any(parts) => alternative_values(parts),
            _ => None,
        });
        found.collect()
    }
}

/// Returns the item and the literal of a condition that is one comparison.
fn equal_literal(condition: &Condition) -> Option<(&str, String)> {
    let Condition::Comparison { left, relation: RelationalOperator::Equal, right } = condition else { return None };
    let is_literal = right.text().starts_with(['\'', '"']);
    is_literal.then(|| (left.text(), right.text().trim_matches(['\'', '"']).trim().to_owned()))
}

/// Returns the values of the only item in which parts that OR joins differ.
fn alternative_values(parts: &[Condition]) -> Option<Vec<String>> {
    let leaves = |part: &Condition| {
        part.leaves()
            .map(|leaf| (leaf.to_string(), equal_literal(leaf).map(|(item, value)| (item.to_owned(), value))))
            .collect::<Vec<_>>()
    };
    let all: Vec<_> = parts.iter().map(leaves).collect();
    let is_common = |text: &String| all.iter().all(|part| part.iter().any(|(other, _)| other == text));
    let own: Option<Vec<(String, String)>> = all
        .iter()
        .map(|part| {
            let mut own = part.iter().filter(|(text, _)| !is_common(text));
            let (Some((_, Some(equal))), None) = (own.next(), own.next()) else { return None };
            Some(equal.clone())
        })
        .collect();
    let own = own?;
    own.iter().all(|(item, _)| *item == own[0].0).then(|| own.into_iter().map(|(_, value)| value).collect())
}
