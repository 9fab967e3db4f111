//! Describes failures: the operation, how the program detects that it failed, and what else must hold.

use super::StaticWriter;
use super::conditions::{CONDITION, ENCLOSING_TOLD, LONGEST, together};
use crate::phrases::{in_words, list, sentence, shorten};
use crate::sql_phrases::{handled, sql_rows};
use war_rig_cobol::{
    Branch, BranchKind, CodeText, Condition, DliOperation, ExecBlock, ExecKind, FileControl, Operand, OperandPhrase,
    OperandRole, OperationStatus, ParsedCobol, RelationalOperator, SqlCondition, SqlStatement, Statement, Verb,
    always_selects_a_row, assigned_items,
};
use war_rig_template::{ErrorHandling, PartialItem};

/// How many operations are named that one condition may test.
const OPERATIONS: usize = 3;

/// The SQL statements that report with code 100 that no row meets what they ask for.
const SEARCHES: [&str; 4] = ["DELETE", "FETCH", "SELECT", "UPDATE"];

/// The SQLCODE of no row.
const NO_ROW: &str = "100";

/// How many tests of an operation, and how many statements under a test, are searched for others.
const TESTS_LOOKED_AT: usize = 200;

/// The longest condition of an SQL statement that its name has, in characters.
const ROWS: usize = 60;

/// How many statements before a test are searched for the PERFORM that runs the tested operation.
const PERFORMS_LOOKED_AT: usize = 200;

/// Whether an SQL statement looks for rows: an INSERT does with a SELECT.
fn searches(exec: &ExecBlock) -> bool {
    let selects = |sql: &SqlStatement| sql.clauses.iter().any(|clause| clause.word == "SELECT");
    SEARCHES.contains(&exec.command.as_str()) || exec.command == "INSERT" && exec.sql.as_deref().is_some_and(selects)
}

/// Whether an UPDATE or DELETE is of the row that a cursor stands at, which is there.
fn is_at_a_cursor(exec: &ExecBlock) -> bool {
    exec.cursor.is_some() && exec.command != "FETCH"
}

/// Whether a WHENEVER NOT FOUND leads elsewhere before a test.
fn leaves_for_no_row(exec: &ExecBlock) -> bool {
    let handlers = exec.sql.iter().flat_map(|sql| &sql.handlers);
    handlers.into_iter().any(|handler| handler.condition == SqlCondition::NotFound)
}

impl<'a> StaticWriter<'_, 'a> {
    /// Describes a WHENEVER that leads somewhere as the handling of a failure of the SQL statements below it.
    pub(super) fn whenever(&self, statement: usize, exec: usize) -> Option<PartialItem<ErrorHandling>> {
        let execs = &self.reading.parsed.execs;
        let handlers = execs.iter().filter_map(|found| found.sql.as_ref()).flat_map(|sql| &sql.handlers);
        let mut own = handlers.filter(|handler| handler.whenever == exec);
        let handler = own.next()?;
        let statements = match 1 + own.count() {
            1 => "The SQL statement below this WHENEVER".to_owned(),
            count => format!("Any of {count} SQL statements below this WHENEVER"),
        };
        let how = match handler.condition {
            SqlCondition::SqlError => "fails: SQLCODE is less than 0",
            SqlCondition::SqlWarning => "ends with a warning",
            SqlCondition::NotFound => "finds no row: SQLCODE is 100 (no row)",
        };
        let body = ErrorHandling {
            condition: sentence(&format!("{statements} {how}")),
            action: sentence(&handled(handler)),
            outcome: self.outcome_of_handler(statement),
            ..ErrorHandling::default()
        };
        Some(PartialItem::new(body, self.cite(execs[exec].lines)))
    }

    /// Words the condition of a branch that is taken after a failure, given the branch that detects this: itself or one around it.
    pub(super) fn failure(&self, index: usize, detects: usize) -> String {
        let parsed = self.reading.parsed;
        let around = self.reading.decisions.enclosing_branches(parsed.branches[index].statement);
        let own = Some(index).into_iter().chain(around).filter(|branch| *branch != detects);
        let own: Vec<usize> = own.filter(|branch| parsed.branches[*branch].kind != BranchKind::Loop).collect();
        // Branches inside the one that detects the failure come after it. What they exclude is told with what it excludes.
        let excluded = |branch: usize| self.reading.decisions.condition(branch).and_then(|asked| self.excluded(asked));
        let item = excluded(detects).map(|(_, item)| item);
        let is_merged = |branch: &usize| {
            *branch > detects
                && item.is_some()
                && excluded(*branch).map(|(_, item)| item) == item
                && self.test_alike(*branch, detects)
        };
        let excludes_most = own.iter().copied().find(|branch| is_merged(branch)).unwrap_or(detects);
        let failing = self.failing(detects, excludes_most);
        let mut within: Vec<String> = Vec::new();
        for branch in own {
            if is_merged(&branch) || (branch < detects && self.is_told_by_failure(branch, detects)) {
                continue;
            }
            let condition = match self.test_alike(branch, detects) {
                true => self.condition(&parsed.branches[branch], LONGEST),
                false => self.condition_or_success(branch),
            };
            if within.contains(&condition) {
                continue;
            }
            if within.len() == ENCLOSING_TOLD {
                return format!("{failing}, and {} and more around it", together(&within));
            }
            within.push(condition);
        }
        within.extend(self.checks_since_operation(detects));
        match within.is_empty() {
            true => failing,
            false => format!("{failing}, and {}", together(&within)),
        }
    }

    /// Words that the checks between an operation and the test of its result do not leave, without those of the result itself.
    fn checks_since_operation(&self, test: usize) -> Vec<String> {
        let reading = self.reading;
        if reading.flow.branch_leaves(test) {
            return Vec::new();
        }
        let last = reading.outcomes.checked_operation(test);
        let mut checks = self.checks_behind(last, reading.parsed.branches[test].statement);
        checks.leaving.retain(|check| {
            reading.outcomes.of_branch(*check) != Some(OperationStatus::Failure) && !self.test_alike(test, *check)
        });
        self.checks_in_words(&checks)
    }

    /// Whether the words of a failure imply the condition of a branch around the one that detects it.
    fn is_told_by_failure(&self, outer: usize, detects: usize) -> bool {
        let reading = self.reading;
        let operations = reading.outcomes.checked_operations(detects);
        if !operations.is_empty() && operations.iter().all(|operation| self.runs_under(*operation, outer, detects)) {
            return true;
        }
        let condition = |branch: usize| reading.decisions.condition(branch);
        if condition(detects).is_some_and(|asked| self.goes_without_saying(outer, asked)) {
            return true;
        }
        let fails = matches!(reading.outcomes.of_branch(outer), Some(OperationStatus::Failure));
        let about =
            |branch: usize| condition(branch).and_then(|condition| self.excluded(condition)).map(|(_, item)| item);
        let is_merged = || about(outer).is_some() && about(outer) == about(detects);
        let shares_item = || {
            let items = |branch: usize| condition(branch).map(|condition| self.items_of(condition)).unwrap_or_default();
            items(outer).iter().any(|item| items(detects).contains(item))
        };
        match self.test_alike(detects, outer) {
            true => is_merged() || (fails && !shares_item()),
            // The item held the result of an earlier operation.
            false => reading.outcomes.of_branch(outer).is_some() && shares_item(),
        }
    }

    /// Returns the items that a condition names, those of its condition names included.
    pub(super) fn items_of(&self, condition: &Condition) -> Vec<String> {
        let words = condition.operands().into_iter().flat_map(|operand| operand.iter());
        let item = |name: String| match self.reading.condition_names.get(name.as_str()) {
            Some((item, _)) => (*item).to_owned(),
            None => name,
        };
        words.into_iter().map(|word| item(word.text.to_uppercase())).collect()
    }

    /// Whether an operation runs under a branch, before another branch under it tests the result.
    pub(super) fn runs_under(&self, operation: usize, outer: usize, test: usize) -> bool {
        let parsed = self.reading.parsed;
        let is_under = |statement: usize| {
            let mut around = self.reading.decisions.enclosing_branches(statement);
            around.any(|branch| branch == outer)
        };
        let paragraph = parsed.statements[operation].paragraph;
        let tested_at = parsed.branches[test].statement;
        if paragraph == parsed.statements[tested_at].paragraph {
            return is_under(operation);
        }
        let performs = paragraph.and_then(|paragraph| self.last_to_lead_to(paragraph, tested_at));
        performs.is_some_and(|performs| performs > parsed.branches[outer].statement && is_under(performs))
    }

    /// Returns the last statement before another that leads to a paragraph.
    fn last_to_lead_to(&self, paragraph: usize, before: usize) -> Option<usize> {
        let leads = |statement: &usize| self.leads_to(*statement, paragraph);
        (before.saturating_sub(PERFORMS_LOOKED_AT)..before).rev().find(leads)
    }

    fn leads_to(&self, statement: usize, paragraph: usize) -> bool {
        self.reading.led_to.get(&statement).is_some_and(|(first, last)| (*first..=*last).contains(&paragraph))
    }

    /// Names the line that performs the operation whose result a branch tests, if other lines perform it as well, whose results this branch does not
    /// test: ` (performed in line 20)`.
    fn performed_in(&self, branch: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        let &[operation] = self.reading.outcomes.checked_operations(branch) else { return None };
        let test = parsed.branches[branch].statement;
        let (operation, test_in) = (&parsed.statements[operation], &parsed.statements[test]);
        let paragraph = operation.paragraph.filter(|paragraph| Some(*paragraph) != test_in.paragraph)?;
        // In a loop, the test may be of what was performed in the round before.
        let is_loop = |branch: usize| parsed.branches[branch].kind == BranchKind::Loop;
        let around: Vec<usize> = self.reading.decisions.enclosing_branches(test).collect();
        let performs = self.last_to_lead_to(paragraph, test).filter(|_| !around.iter().copied().any(is_loop))?;
        let is_certain = self.reading.decisions.enclosing_branches(performs).all(|branch| around.contains(&branch));
        let is_one_of_several =
            self.reading.led_to.keys().any(|other| *other != performs && self.leads_to(*other, paragraph));
        let performs = &parsed.statements[performs];
        let is_here = performs.paragraph == test_in.paragraph && performs.file.is_none();
        (is_here && is_certain && is_one_of_several).then(|| format!(" (performed in line {})", performs.lines.start()))
    }

    /// Words the condition of a branch, or that an operation succeeded, if this is what it tests.
    pub(super) fn condition_or_success(&self, branch: usize) -> String {
        let is_success = self.reading.outcomes.of_branch(branch) == Some(OperationStatus::Success);
        let operation = Some(branch).filter(|_| is_success).and_then(|branch| self.checked_operation(branch));
        match operation {
            Some(operation) => format!("{operation} succeeds"),
            None => self.condition(&self.reading.parsed.branches[branch], LONGEST),
        }
    }

    /// Describes a failure: the operation, and how the program detects it. The branch `tested` is this one or one inside it that excludes more.
    fn failing(&self, index: usize, tested: usize) -> String {
        let parsed = self.reading.parsed;
        let branch = &parsed.branches[index];
        let ends = self.reading.outcomes.of_branch(index) == Some(OperationStatus::EndOfData);
        let operation = self.reading.outcomes.checked_operation(index).map(|at| &parsed.statements[at]);
        let kind = operation.and_then(|found| found.exec).map(|at| parsed.execs[at].kind);
        let is_sql = kind == Some(ExecKind::Sql);
        let is_dli = kind == Some(ExecKind::Dli) || operation.is_some_and(|found| self.dli_call(found).is_some());
        let fails = match (ends, is_sql, operation.map(|found| found.verb)) {
            (true, ..) if is_dli => "finds no segment",
            (true, true, _) => "finds no row",
            (true, false, Some(Verb::Search)) => "finds no entry",
            (true, false, _) => "finds no more data",
            (false, _, Some(Verb::Read | Verb::Start | Verb::Delete | Verb::Rewrite))
                if branch.kind == BranchKind::Phrase =>
            {
                "finds no such record"
            }
            // What a code of a called program means is its own affair: 4 may be the end of its data.
            (false, _, Some(Verb::Call)) if !is_dli && self.names_codes(tested) => "answers",
            (false, ..) => {
                let decisions = self.reading.decisions;
                let condition = decisions.condition(tested).cloned();
                self.failure_of(index, &condition.unwrap_or_else(|| decisions.when_other_condition(tested)))
            }
        };
        let operation = operation.and_then(|_| self.checked_operation(index));
        let operation = operation.map(|operation| operation + &self.performed_in(index).unwrap_or_default());
        let is_first = self.reading.branches_of(branch.statement).iter().position(|at| *at == index) <= Some(1);
        let is_other = parsed.is_when_other(branch);
        match (operation, branch.kind) {
            (Some(operation), BranchKind::Phrase) if ends => format!("{operation} {fails}"),
            (Some(operation), BranchKind::Phrase) => {
                format!("{operation} {fails} ({})", in_words(parsed.condition(branch)))
            }
            (Some(operation), _) if is_other && is_first => format!("{operation} {fails}"),
            (Some(operation), _) if is_other => format!("{operation} {fails} in any other way"),
            (Some(operation), _) => format!("{operation} {fails}: {}", self.status(tested)),
            (None, _) => self.status(tested),
        }
    }

    /// Words that the operation that a branch tests fails where a condition holds, that it may as well have found no data, or that an optional file
    /// is new or absent: OPEN succeeds then with status 05.
    pub(super) fn failure_of(&self, branch: usize, condition: &Condition) -> &'static str {
        let parsed = self.reading.parsed;
        let operation = self.reading.outcomes.checked_operation(branch);
        if let Some(no_data) = operation.and_then(|at| self.no_data(branch, at, condition)) {
            return no_data;
        }
        let operation = operation.map(|at| &parsed.statements[at]);
        let Some(open) = operation.filter(|found| found.verb == Verb::Open) else { return "fails" };
        let is_optional = |operand: &Operand<'_>| {
            let is_it = |file: &FileControl| {
                file.optional && file.program == open.program && file.name.eq_ignore_ascii_case(operand.name())
            };
            parsed.files.iter().any(is_it)
        };
        let optional = self.tested_files(branch, open).into_iter().find(is_optional);
        match optional.filter(|_| self.excludes_others(condition, open.program, "5")) {
            Some(file) if file.phrase() == OperandPhrase::Input => "fails or finds no file",
            Some(_) => "fails or makes a new file",
            None => "fails",
        }
    }

    /// Words that an operation fails or has no data to give, if the condition excludes neither and no other test is about the end of the data.
    fn no_data(&self, branch: usize, operation: usize, condition: &Condition) -> Option<&'static str> {
        let parsed = self.reading.parsed;
        let found = &parsed.statements[operation];
        let (words, code) = match found.exec.map(|exec| &parsed.execs[exec]) {
            Some(exec)
                if exec.kind == ExecKind::Sql
                    && searches(exec)
                    && !always_selects_a_row(exec)
                    && !is_at_a_cursor(exec)
                    && !leaves_for_no_row(exec) =>
            {
                ("finds no row or fails", NO_ROW)
            }
            None if found.verb == Verb::Read && self.reading.branches_of(operation).is_empty() => {
                let is_next = || parsed.words(found).has("NEXT");
                let mut file = parsed.operands(found).filter(|operand| operand.role() == OperandRole::File);
                let file = file.next().map(|operand| operand.name().to_uppercase())?;
                let is_it =
                    |file_control: &&FileControl| file_control.program == found.program && file_control.name == file;
                // An indexed file has records by key, of which none may be there.
                let is_in_order = parsed.files.iter().find(is_it)?.organization.ends_with("SEQUENTIAL");
                (is_in_order || is_next()).then_some(("finds no more data or fails", "10"))?
            }
            _ => return None,
        };
        let tests = self.reading.outcomes.tests_of(operation);
        // Of more tests, one may be about that code.
        if tests.len() > TESTS_LOOKED_AT || !self.excludes_others(condition, found.program, code) {
            return None;
        }
        // Another test of the operation, or one under this branch, is about that code.
        let names_it = |other: &usize| {
            let asked = self.reading.decisions.condition(*other);
            asked.is_some_and(|asked| asked.leaves().any(|leaf| self.names_code(leaf, found.program, code)))
        };
        let test = parsed.branches[branch].statement;
        let below = parsed.statements.iter().enumerate().skip(test + 1).take(TESTS_LOOKED_AT);
        let mut below = below.take_while(|(_, next)| next.depth > parsed.statements[test].depth);
        let is_tested =
            tests.iter().any(names_it) || below.any(|(index, _)| self.reading.branches_of(index).iter().any(names_it));
        (!is_tested).then_some(words)
    }

    /// Whether a condition only excludes codes of a whole item, and not this one, which has no zeros in front.
    fn excludes_others(&self, condition: &Condition, program: Option<usize>, code: &str) -> bool {
        let excludes = |leaf: &Condition| match leaf {
            Condition::Comparison { left, relation: RelationalOperator::NotEqual, .. } => {
                !left.words().iter().any(|word| word.is_sign(":")) && !self.names_code(leaf, program, code)
            }
            Condition::ConditionName { name, negated: true } => {
                let named = self.reading.decisions.plain_condition_name(name.words(), program);
                named.is_some_and(|name| name.value.is_some()) && !self.names_code(leaf, program, code)
            }
            _ => false,
        };
        condition.leaves().all(excludes)
    }

    /// Whether a part of a condition compares with a code, by itself, by an item that always has it, or by a condition name. A range may include it.
    fn names_code(&self, leaf: &Condition, program: Option<usize>, code: &str) -> bool {
        let decisions = self.reading.decisions;
        let is_it = |value: &str| {
            let plain = value.trim_matches(['\'', '"']).trim_start_matches(['+', '0']);
            // SQLSTATE 02000 comes with SQLCODE 100.
            plain == code || (code == NO_ROW && plain == "2000")
        };
        let has_it = |operand: &CodeText| {
            let only = operand.words().only();
            let constant = only.filter(|word| word.is_name()).and_then(|word| decisions.constant(word.text, program));
            is_it(constant.unwrap_or(operand.text()))
        };
        match leaf {
            Condition::Comparison { left, right, .. } => has_it(left) || has_it(right),
            Condition::ConditionName { name, .. } => {
                let named = decisions.plain_condition_name(name.words(), program);
                named.and_then(|name| name.value.as_deref()).is_some_and(|values| {
                    let values = CodeText::read(values);
                    values.words().iter().any(|value| value.is_any(&["THRU", "THROUGH"]) || is_it(value.text))
                })
            }
            _ => false,
        }
    }

    /// Whether a condition holds for certain codes alone.
    fn names_codes(&self, branch: usize) -> bool {
        fn is_of_codes(condition: &Condition) -> bool {
            match condition {
                Condition::Comparison { relation, .. } => *relation == RelationalOperator::Equal,
                Condition::Any(parts) => parts.iter().all(is_of_codes),
                _ => false,
            }
        }
        self.reading.decisions.condition(branch).is_some_and(is_of_codes)
    }

    /// Names the operation that a branch tests, and every other that it may test instead; none if there are too many.
    pub(super) fn checked_operation(&self, branch: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        let mut names: Vec<String> = Vec::new();
        for at in self.reading.outcomes.checked_operations(branch) {
            let found = &parsed.statements[*at];
            let name = match found.exec {
                Some(exec) => self.commands(&parsed.execs[exec], branch),
                None => self.interface_call(found).unwrap_or_else(|| self.tested_operation(branch, found)),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        (1..=OPERATIONS).contains(&names.len()).then(|| names.join(" or "))
    }

    /// Names the embedded command that a branch tests, with all its objects if both sides of a preceding IF contain such a command:
    /// `CICS READ of F1 or F2`.
    fn commands(&self, exec: &ExecBlock, branch: usize) -> String {
        let parsed = self.reading.parsed;
        let all = self.reading.outcomes.checked_operations(branch).iter();
        let execs = all.filter_map(|at| parsed.statements[*at].exec).map(|at| &parsed.execs[at]);
        let alike = execs.clone().filter(|other| (other.kind, &other.command) == (exec.kind, &exec.command));
        let mut resources: Vec<&str> = alike.filter_map(|other| other.resource.as_deref()).collect();
        resources.dedup();
        let of = if resources.is_empty() { String::new() } else { format!(" of {}", resources.join(" or ")) };
        // Of several statements on one table, the rows tell which is meant.
        let command = (exec.command.as_str(), exec.resource.as_deref().unwrap_or_default());
        let is_one_of_several = self.reading.repeated_commands.contains(&command) && execs.count() == 1;
        let rows = sql_rows(exec, ROWS).filter(|_| is_one_of_several);
        format!("{} {}{of}{}", exec.kind.in_words(), exec.command, rows.unwrap_or_default())
    }

    /// Names the operation that a branch tests; of an OPEN or CLOSE of several files those of the files whose status it tests.
    fn tested_operation(&self, branch: usize, found: &Statement) -> String {
        let parsed = self.reading.parsed;
        let all = parsed.operands(found).filter(|operand| operand.role() == OperandRole::File).count();
        let tested = self.tested_files(branch, found);
        if !matches!(found.verb, Verb::Open | Verb::Close) || tested.len() == all {
            return operation_of(parsed, found);
        }
        let mode = |file: &Operand<'_>| open_mode(parsed, found, Some(file.name()));
        let named = |files: &[Operand<'_>]| {
            let names: Vec<&str> = files.iter().map(|file| file.name()).collect();
            format!("{}{} of {}", found.verb, mode(&files[0]), names.join(" or "))
        };
        let alike = tested.chunk_by(|one, other| mode(one) == mode(other));
        alike.map(named).collect::<Vec<_>>().join(" or ")
    }

    /// Returns the files of a statement whose status a branch asks for; all if it names none of these.
    fn tested_files(&self, branch: usize, found: &Statement) -> Vec<Operand<'a>> {
        let parsed = self.reading.parsed;
        let words = parsed.condition(&parsed.branches[branch]);
        let is_status = |status: &str| {
            words.iter().any(|word| {
                let name = word.text.to_uppercase();
                name == status
                    || self.reading.condition_names.get(name.as_str()).is_some_and(|(item, _)| *item == status)
            })
        };
        let is_tested = |operand: &Operand<'_>| {
            let is_it =
                |file: &&FileControl| file.program == found.program && file.name.eq_ignore_ascii_case(operand.name());
            parsed.files.iter().find(is_it).and_then(|file| file.status.as_deref()).is_some_and(is_status)
        };
        let files = parsed.operands(found).filter(|operand| operand.role() == OperandRole::File);
        let (tested, others): (Vec<_>, Vec<_>) = files.partition(is_tested);
        if tested.is_empty() { others } else { tested }
    }

    /// Returns the DL/I operation of a CALL.
    fn dli_call(&self, found: &Statement) -> Option<&'a DliOperation> {
        let mut operations = self.reading.dli_of(found.own_lines());
        operations.find(|operation| operation.interface.is_some() && found.verb == Verb::Call)
    }

    /// Names a CALL by what it asks of IMS or MQ: `DL/I GU of CUSTOMER`, `MQOPEN`.
    fn interface_call(&self, found: &Statement) -> Option<String> {
        if found.verb != Verb::Call {
            return None;
        }
        if let Some(operation) = self.dli_call(found) {
            let mut segments: Vec<&str> = operation.targets().map(|segment| segment.name.as_str()).collect();
            segments.dedup();
            let of = if segments.is_empty() { String::new() } else { format!(" of {}", segments.join(" and ")) };
            return Some(format!("DL/I {}{of}", operation.function()));
        }
        let operands = self.reading.parsed.operands(found);
        let target =
            operands.filter(|operand| operand.phrase() == OperandPhrase::First && !operand.is_inner()).last()?;
        let name = target.text().strip_prefix(['\'', '"'])?.trim_end_matches(['\'', '"']);
        name.starts_with("MQ").then(|| name.to_owned())
    }

    /// Words the status that a branch tests, with the meaning of a single value.
    fn status(&self, index: usize) -> String {
        let branch = &self.reading.parsed.branches[index];
        let asked = self.reading.decisions.condition(index);
        let meaning = asked.and_then(|asked| super::statuses::meaning(asked, self.reading.parsed));
        let words = match self.denied(index) {
            Some(denied) => {
                let program = self.reading.parsed.statements[branch.statement].program;
                self.wording(program, CONDITION).tell(&denied, CONDITION)
            }
            None => self.condition(branch, CONDITION),
        };
        meaning.map(|meaning| format!("{words} ({meaning})")).unwrap_or(words)
    }

    /// Words that an operation succeeded, with its name if known.
    pub(super) fn succeeding(&self, index: usize, branch: &'a Branch) -> String {
        let Some(operation) = self.checked_operation(index) else { return self.condition(branch, CONDITION) };
        match branch.kind {
            BranchKind::Phrase => format!("{operation} succeeds"),
            _ => format!("{operation} succeeds ({})", self.condition(branch, CONDITION)),
        }
    }

    /// Returns everything that this branch and those around it exclude for one item: after `IF X = 0 ... ELSE IF X = 16 ... ELSE` X is neither 0
    /// nor 16. None if only one of them excludes a value.
    fn denied(&self, index: usize) -> Option<Condition> {
        let parsed = self.reading.parsed;
        let (mut all, item) = self.excluded(self.reading.decisions.condition(index)?)?;
        let mut add = |excluded: Vec<Condition>| {
            let new: Vec<Condition> = excluded.into_iter().filter(|excluded| !all.contains(excluded)).collect();
            all.splice(0..0, new);
        };
        add(self.excluded_before(index, index, &item));
        for outer in self.reading.decisions.enclosing_branches(parsed.branches[index].statement) {
            let denied = self.reading.decisions.condition(outer).and_then(|outer| self.excluded(outer));
            if let Some((denied, _)) = denied.filter(|(_, about)| *about == item && self.test_alike(index, outer)) {
                add(denied);
                add(self.excluded_before(outer, index, &item));
            }
        }
        (all.len() > 1).then(|| Condition::all(all))
    }

    /// Whether two branches, one around the other, test the result of the same operations.
    pub(super) fn test_alike(&self, inner: usize, outer: usize) -> bool {
        let operations = self.operations_tested_beside(inner);
        // Where no operation is known, only the cases of one chain are certain to belong together.
        let is_certain = !operations.is_empty() || self.reading.parsed.branches[outer].kind == BranchKind::Else;
        is_certain && operations == self.operations_tested_beside(outer)
    }

    /// Returns the operations whose result a branch or another one of its statement tests.
    fn operations_tested_beside(&self, branch: usize) -> &[usize] {
        let siblings = self.reading.branches_of(self.reading.parsed.branches[branch].statement).iter();
        let tested = siblings.map(|branch| self.reading.outcomes.checked_operations(*branch));
        tested.into_iter().find(|tested| !tested.is_empty()).unwrap_or_default()
    }

    /// Returns the parts of a condition that only excludes values of one item, and the item.
    pub(super) fn excluded(&self, condition: &Condition) -> Option<(Vec<Condition>, String)> {
        match condition {
            Condition::Comparison { left, relation: RelationalOperator::NotEqual, .. } => {
                Some((vec![condition.clone()], left.text().to_uppercase()))
            }
            Condition::ConditionName { name, negated: true } => {
                let named = self.reading.decisions.plain_condition_name(name.words(), None)?;
                Some((vec![condition.clone()], self.reading.decisions.condition_item(named)?.name.clone()))
            }
            Condition::All(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.excluded(part)).collect::<Option<_>>()?;
                let item = parts.first()?.1.clone();
                let is_one = parts.iter().all(|(_, about)| *about == item);
                is_one.then(|| (parts.into_iter().flat_map(|(excluded, _)| excluded).collect(), item))
            }
            _ => None,
        }
    }
}

/// Names an operation by its verb and its object: `READ of STOCK-FILE`, `OPEN of A and B`, `COMPUTE of TOTAL`.
pub(super) fn operation_of(parsed: &ParsedCobol, found: &Statement) -> String {
    let own = || parsed.operands(found).filter(|operand| !operand.is_inner());
    let first = || own().filter(|operand| operand.phrase() == OperandPhrase::First);
    let names: Vec<String> = match found.verb {
        Verb::Write | Verb::Rewrite | Verb::Release | Verb::Search | Verb::Sort | Verb::Merge => {
            first().take(1).map(|operand| operand.name().to_owned()).collect()
        }
        // The words before the program's name are a calling convention.
        Verb::Call | Verb::Invoke => first().last().map(|operand| operand.text().to_owned()).into_iter().collect(),
        _ => {
            let files = own().filter(|operand| operand.role() == OperandRole::File);
            let files: Vec<String> = files.map(|operand| operand.name().to_owned()).collect();
            if files.is_empty() { assigned_items(parsed, found) } else { files }
        }
    };
    match names.is_empty() {
        true => found.verb.to_string(),
        false => shorten(&format!("{}{} of {}", found.verb, open_mode(parsed, found, None), list(&names))),
    }
}

/// Returns the mode in which an OPEN opens this file, or all its files: ` INPUT`. Nothing if they differ, or if it is no OPEN.
fn open_mode(parsed: &ParsedCobol, found: &Statement, file: Option<&str>) -> &'static str {
    let own = parsed.operands(found).filter(|operand| operand.role() == OperandRole::File && found.verb == Verb::Open);
    let own = own.filter(|operand| file.is_none_or(|file| operand.name() == file));
    let modes: Vec<_> = own.map(|operand| operand.phrase()).collect();
    match modes.first().filter(|first| modes.iter().all(|mode| mode == *first)) {
        Some(OperandPhrase::Input) => " INPUT",
        Some(OperandPhrase::Output) => " OUTPUT",
        Some(OperandPhrase::InputOutput) => " I-O",
        Some(OperandPhrase::Extend) => " EXTEND",
        _ => "",
    }
}
