//! The references of statements, by their operands: labels, programs, files, and the entry points that they define.

use super::grammar::unquoted;
use crate::code::{CodeWord, WordKind};
use crate::model::{
    CallKind, DELETES_FILE, FileUse, LabelReference, ParsedCobol, ProgramCall, ReferenceKind, Statement,
};
use crate::operands::{Operand, OperandKind, OperandPhrase, OperandRole};
use crate::verb::Verb;
use std::sync::Arc;

/// Collects the references of all statements and EXEC blocks, in statement order.
pub(super) fn collect_uses(out: &mut ParsedCobol) {
    let mut found = CollectedUses::default();
    for (index, statement) in out.statements.iter().enumerate() {
        UseCollector { parsed: out, index, statement, found: &mut found }.find();
    }
    let CollectedUses { references, calls, file_uses, copied_file_uses, entries } = found;
    // References outside all statements come before those of statements.
    let place = |statement: Option<usize>| statement.map_or(0, |statement| statement + 1);
    out.references.extend(references);
    out.references.sort_by_key(|reference| place(reference.statement));
    out.calls.extend(calls);
    out.calls.sort_by_key(|call| place(call.statement));
    (out.file_uses, out.copied_file_uses) = (file_uses, copied_file_uses);
    for (program, name) in entries {
        out.programs[program].entries.push(name);
    }
}

#[derive(Default)]
struct CollectedUses {
    references: Vec<LabelReference>,
    calls: Vec<ProgramCall>,
    file_uses: Vec<FileUse>,
    copied_file_uses: Vec<FileUse>,
    entries: Vec<(usize, String)>,
}

/// The references of one statement.
struct UseCollector<'a, 'f> {
    parsed: &'a ParsedCobol,
    index: usize,
    statement: &'a Statement,
    found: &'f mut CollectedUses,
}

impl<'a> UseCollector<'a, '_> {
    fn find(&mut self) {
        match self.statement.verb {
            Verb::Perform => self.perform(),
            Verb::Go => self.go_to(),
            Verb::Alter => {
                self.own().for_each(|label| self.refer(ReferenceKind::Alter, label, None));
            }
            Verb::Sort | Verb::Merge => self.sort(),
            Verb::Xml => self.procedures(ReferenceKind::XmlParse),
            Verb::Call => self.call(),
            Verb::Open => self.open(),
            Verb::Close => self.own().for_each(|file| self.use_file(file, "CLOSE".to_owned())),
            Verb::Delete
                if self.parsed.words_after_verb(self.statement).first().is_some_and(|word| word.is("FILE")) =>
            {
                self.own().for_each(|file| self.use_file(file, DELETES_FILE.to_owned()));
            }
            Verb::Read | Verb::Return | Verb::Write | Verb::Rewrite | Verb::Delete | Verb::Start | Verb::Release => {
                self.file_verb()
            }
            Verb::Entry => {
                let name = self.parsed.words_after_verb(self.statement).first();
                let name = name.map(|name| unquoted(name.text).to_uppercase());
                self.found.entries.extend(self.statement.program.zip(name));
            }
            _ => {}
        }
    }

    /// Returns its operands, except those in parentheses.
    fn own(&self) -> impl Iterator<Item = Operand<'a>> + use<'a> {
        self.parsed.operands(self.statement).filter(|operand| !operand.is_inner())
    }

    /// Returns the first operand after a keyword.
    fn behind(&self, phrase: OperandPhrase) -> Option<Operand<'a>> {
        self.own().find(|operand| operand.phrase() == phrase)
    }

    fn refer(&mut self, kind: ReferenceKind, target: Operand<'a>, through: Option<Operand<'a>>) {
        let qualifier = |label: Operand<'a>| label.qualifiers().next().map(str::to_uppercase);
        self.found.references.push(LabelReference {
            kind,
            target: target.name().to_uppercase(),
            qualifier: qualifier(target),
            through: through.map(|label| label.name().to_uppercase()),
            through_section: through.and_then(qualifier),
            is_repeated: false,
            line: self.statement.lines.start(),
            statement: Some(self.index),
            paragraph: self.statement.paragraph,
            program: self.statement.program,
            file: self.statement.file.clone(),
        });
    }

    fn perform(&mut self) {
        let label = |phrase: OperandPhrase| self.behind(phrase).filter(|operand| operand.role() == OperandRole::Label);
        let Some(target) = label(OperandPhrase::First) else { return };
        let through = label(OperandPhrase::Through);
        let behind = self.parsed.words(self.statement).from(through.unwrap_or(target).end());
        let repeats = |word: CodeWord<'_>| word.is_any(&["UNTIL", "VARYING", "WITH", "TEST"]);
        let is_repeated = behind.first().is_some_and(repeats) || behind.has("TIMES");
        self.refer(ReferenceKind::Perform, target, through);
        if let Some(reference) = self.found.references.last_mut() {
            reference.is_repeated = is_repeated;
        }
    }

    /// Several labels require DEPENDING; without it, the words after the first belong to the enclosing statement.
    fn go_to(&mut self) {
        let depends = self.parsed.words(self.statement).has("DEPENDING");
        let labels = self.own().filter(|operand| operand.role() == OperandRole::Label);
        labels.take(if depends { usize::MAX } else { 1 }).for_each(|label| {
            self.refer(ReferenceKind::GoTo, label, None);
        });
    }

    /// Adds the procedures that a statement names: each label with its THRU label.
    fn procedures(&mut self, kind: ReferenceKind) {
        let mut labels = self.own().filter(|operand| operand.role() == OperandRole::Label).peekable();
        while let Some(label) = labels.next() {
            let through = labels.next_if(|next| next.phrase() == OperandPhrase::Through);
            self.refer(kind, label, through);
        }
    }

    fn sort(&mut self) {
        let verb = self.statement.verb;
        for operand in self.own() {
            match (operand.phrase(), operand.role()) {
                (OperandPhrase::First, _) => self.use_file(operand, verb.to_string()),
                (OperandPhrase::Using, OperandRole::File) => self.use_file(operand, format!("READ BY {verb}")),
                (OperandPhrase::Giving, OperandRole::File) => self.use_file(operand, format!("WRITE BY {verb}")),
                _ => {}
            }
        }
        self.procedures(ReferenceKind::Sort);
    }

    fn call(&mut self) {
        // The words before the program name are a calling convention: `STATIC`, `WINAPI`, a mnemonic name.
        let Some(target) = self.own().filter(|operand| operand.phrase() == OperandPhrase::First).last() else {
            return;
        };
        let is_literal = target.words().first().is_some_and(|word| word.kind == WordKind::Literal);
        let is_argument = |operand: &Operand<'_>| {
            matches!(operand.phrase(), OperandPhrase::Using | OperandPhrase::Content | OperandPhrase::Value)
        };
        let using = self.own().filter(is_argument).map(argument).collect();
        let name = unquoted(target.name()).trim();
        self.found.calls.push(ProgramCall {
            target: name.to_uppercase(),
            spelling: (is_literal && name.contains(char::is_lowercase)).then(|| name.to_owned()),
            kind: if is_literal { CallKind::Static } else { CallKind::Dynamic },
            is_literal,
            is_certain: false,
            using,
            candidates: Arc::default(),
            moved_items: Arc::default(),
            lines: self.statement.own_lines(),
            statement: Some(self.index),
            paragraph: self.statement.paragraph,
            program: self.statement.program,
            file: self.statement.file.clone(),
        });
    }

    fn use_file(&mut self, file: Operand<'a>, operation: String) {
        if file.is_constant() {
            return;
        }
        let is_file = |name: &String| {
            let mut files = self.parsed.files.iter();
            files.any(|known| known.program == self.statement.program && known.name == *name)
        };
        let uses = match self.statement.file {
            None => &mut self.found.file_uses,
            Some(_) => &mut self.found.copied_file_uses,
        };
        uses.push(FileUse {
            file: file.file_names().find(is_file).unwrap_or_else(|| file.name().to_uppercase()),
            operation,
            key: None,
            into: None,
            from: None,
            lines: self.statement.own_lines(),
            paragraph: self.statement.paragraph,
            program: self.statement.program,
        });
    }

    fn open(&mut self) {
        for file in self.own() {
            let mode = match file.phrase() {
                OperandPhrase::Input => "INPUT",
                OperandPhrase::Output => "OUTPUT",
                OperandPhrase::InputOutput => "I-O",
                _ => "EXTEND",
            };
            self.use_file(file, format!("OPEN {mode}"));
        }
    }

    fn file_verb(&mut self) {
        let Some(file) = self.behind(OperandPhrase::First) else { return };
        let next = self.parsed.words(self.statement).get(file.end());
        let operation = match next.filter(|next| next.is_any(&["NEXT", "PREVIOUS"])) {
            Some(direction) => format!("{} {}", self.statement.verb, direction.text.to_uppercase()),
            None => self.statement.verb.to_string(),
        };
        let before = self.found.file_uses.len();
        self.use_file(file, operation);
        let [key, into, from] =
            [OperandPhrase::Key, OperandPhrase::Into, OperandPhrase::From].map(|phrase| self.behind(phrase));
        if let Some(used) = self.found.file_uses.get_mut(before) {
            used.key = key.filter(|key| key.kind() == OperandKind::Name).map(argument);
            used.into = into.map(argument);
            used.from = from.map(argument);
        }
    }
}

/// Returns an operand without its qualifiers and subscripts: `WS-AREA`, `'TEXT'`, `LENGTH OF WS-AREA`.
fn argument(operand: Operand<'_>) -> String {
    match (operand.kind(), operand.words().first()) {
        (OperandKind::LengthOrAddress, Some(what)) => {
            format!("{} OF {}", what.text.to_uppercase(), operand.name().to_uppercase())
        }
        (_, Some(first)) if first.kind == WordKind::Literal => first.text.to_owned(),
        _ => operand.name().to_uppercase(),
    }
}
