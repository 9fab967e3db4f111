//! The kinds of hazards, and the sentences that tell them.

mod about;
mod sentences;

use crate::verb::Verb;
use derive_more::Display;
use sentences::{affected, always_has, first_of, is_or_are, it_or_them, never_or_always, other_status, unfilled};
use strum::IntoStaticStr;
use war_rig_text::LineNumber;

/// A kind of hazard, with what it is about. The weightiest come first. `Display` tells it in a sentence.
#[derive(Debug, Display, IntoStaticStr, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[strum(serialize_all = "snake_case")]
pub enum HazardKind {
    /// Nothing in a loop changes what its UNTIL tests, and nothing leaves the loop.
    #[display("Nothing in the loop changes {}, so UNTIL {until} never becomes true, and nothing leaves the loop.", items.join(" or "))]
    EndlessLoop {
        /// The condition after UNTIL.
        until: String,
        /// The items that it tests.
        items: Vec<String>,
    },
    /// A loop ends at the end of the data alone: where its operation fails in any other way, it goes on.
    #[display("{}", sentences::ends_only_at_end(until, operation))]
    EndsOnlyAtEnd {
        /// The condition after UNTIL.
        until: String,
        /// The operation with its object: `READ of CARD-FILE`.
        operation: String,
    },
    /// Nothing is seen to test the result of an operation.
    #[display("Nothing is seen to test {item} after {operation}.")]
    UntestedStatus {
        /// The operation with its object: `READ of CARD-FILE`.
        operation: String,
        /// The item that holds the result.
        item: String,
    },
    /// The status of another file is tested behind an operation, or shown where it failed, and not that of its own.
    #[display("{}, which belongs to another file; {own} is not. Is that meant?", other_status(operation, item, *tested))]
    OtherStatus {
        /// The operation with its file: `CLOSE of CARD-FILE`.
        operation: String,
        /// The status that is tested or shown.
        item: String,
        /// Whether it is tested, and not shown.
        tested: bool,
        /// The status of the operation's file.
        own: String,
    },
    /// Values that may be NULL reach items without indicator variables.
    #[display("{}", sentences::null_unseen(values, *of_no_rows))]
    NullUnseen {
        /// The values, as written.
        values: Vec<String>,
        /// Whether they are NULL where no row is found; else their columns may be.
        of_no_rows: bool,
    },
    /// SQLCODE is compared with the number of an error without its sign.
    #[display(
        "SQLCODE is compared with {code}, but Db2 has only an error -{code}: this is never true. Is the sign missing?"
    )]
    #[strum(serialize = "sqlcode_sign")]
    SqlCodeSign {
        /// The number.
        code: u32,
    },
    /// Statements name an item that nothing declares.
    #[display("Nothing declares {item}.")]
    Undeclared {
        /// The name.
        item: String,
    },
    /// An ALTER changes where the GO TOs of paragraphs lead.
    #[display("{}", sentences::altered(paragraphs))]
    Altered {
        /// The paragraphs.
        paragraphs: Vec<String>,
    },
    /// A paragraph performs itself, or a program calls itself.
    #[display("{}", sentences::runs_itself(name, by_way_of.as_deref(), *is_program))]
    RunsItself {
        /// The paragraph or program.
        name: String,
        /// The paragraph that it performs and that performs it in turn.
        by_way_of: Option<String>,
        /// Whether it is a program.
        is_program: bool,
    },
    /// Control falls into a paragraph that other statements lead to only after failures.
    #[display("Control falls from {from} into {into}, which is otherwise reached only after failures. Is that meant?")]
    FallsIntoErrorPath {
        /// The paragraph before it.
        from: String,
        /// The paragraph.
        into: String,
    },
    /// The paragraph of a handler does not leave: control goes on into another that is performed.
    #[display(
        "Nothing ends the program in {handler}, to which a HANDLE leads: control goes on into {into}, which is otherwise performed. Is that meant?"
    )]
    HandlerGoesOn {
        /// The paragraph of the handler.
        handler: String,
        /// The paragraph that control goes on into.
        into: String,
    },
    /// Nothing ends a main line: control goes on into what it has performed.
    #[display("{}", sentences::main_line_goes_on(last, into, further))]
    #[strum(serialize = "main_line_goes_on")]
    MainLineGoesOn {
        /// The last paragraph of the main line.
        last: String,
        /// The paragraph that control goes on into.
        into: String,
        /// Those that it falls into behind that.
        further: Vec<String>,
    },
    /// EXIT SECTION or EXIT PARAGRAPH leaves what nothing performs, and control goes on into what is performed.
    #[display(
        "{exit} leaves {left}, which nothing performs: control goes on into {into}, which is otherwise performed. Is GOBACK meant?"
    )]
    StrayExit {
        /// The statement: `EXIT SECTION`.
        exit: String,
        /// The section or paragraph that it leaves.
        left: String,
        /// The paragraph that control goes on into.
        into: String,
    },
    /// A GO TO jumps out of what is performed, to a label that does nothing, and control does not come back.
    #[display(
        "GO TO {label} jumps behind the end of what is performed, {performed}: control does not come back, but goes on into {into}. Is a THRU missing?"
    )]
    LeavesPerform {
        /// The label.
        label: String,
        /// The last paragraph of what is performed.
        performed: String,
        /// The paragraph that control goes on into.
        into: String,
    },
    /// A text gets a code with fewer digits than it has characters, and than its other codes have.
    #[display("{item} gets {code} and blanks behind it, where its other codes have {room} digits. Is a zero missing?")]
    ShortCode {
        /// The code.
        code: String,
        /// The text.
        item: String,
        /// Its length in characters.
        room: u64,
    },
    /// Conditions that are never true, because a check before them leaves wherever they would be.
    #[display("{}", sentences::excluded_by(tests, *check))]
    ExcludedTest {
        /// The conditions as written.
        tests: Vec<String>,
        /// The line of the check.
        check: LineNumber,
    },
    /// An ELSE with statements that is never taken, because what is around its IF holds only where the condition does.
    #[display(
        "{test} is always true here, so that its ELSE never runs: line {around} lets nothing else come here. Was the ELSE meant to run behind it?"
    )]
    DeadElse {
        /// The condition as written.
        test: String,
        /// The line of the loop or condition around it.
        around: LineNumber,
    },
    /// A condition with statements under it that never holds, because what is around its IF holds only where it does not.
    #[display(
        "{test} is never true here: line {around} lets nothing come here for which it would be. Does an ELSE or a period stand in the wrong place?"
    )]
    DeadBranch {
        /// The condition as written.
        test: String,
        /// The line of the loop or condition around it.
        around: LineNumber,
    },
    /// Two tests of one item that a condition joins are never both true, or one of them always is.
    #[display("{}", never_or_always(tests, *always))]
    Contradiction {
        /// The tests, as written.
        tests: [String; 2],
        /// Whether OR joins them, and one is always true.
        always: bool,
    },
    /// An item is compared with a value that it has no room for.
    #[display("{item} {room}: {test} is {} true.", if *always { "always" } else { "never" })]
    OutOfRange {
        /// The item.
        item: String,
        /// What keeps other values out: `holds at most 99`, `has no sign`, `has no decimals`.
        room: String,
        /// The test, as written.
        test: String,
        /// Whether the test is always true; else it never is.
        always: bool,
    },
    /// Items are tested, but nothing sets them.
    #[display("{} {} tested, but nothing sets {}{}", affected(items, "item"), is_or_are(items), it_or_them(items), always_has(items, value.as_deref()))]
    NeverSet {
        /// The items.
        items: Vec<String>,
        /// Their VALUE, which they always have; none if their contents are undefined.
        value: Option<String>,
    },
    /// Items without a VALUE are used, but nothing sets them.
    #[strum(serialize = "never_set")]
    #[display("{}", unfilled(items, group.as_deref(), *is_part))]
    Unfilled {
        /// The items, all of one group.
        items: Vec<String>,
        /// The nearest group around them.
        group: Option<String>,
        /// Whether that group is used as a whole; otherwise the items themselves are named.
        is_part: bool,
    },
    /// Numbers without a VALUE are only counted up or calculated from themselves.
    #[display("{} {} calculated from {} own contents alone, and no VALUE or statement gives a first one.",
        affected(items, "number"), is_or_are(items), if items.len() == 1 { "its" } else { "their" }
    )]
    #[strum(serialize = "no_first_value")]
    NoFirstValue {
        /// The numbers.
        items: Vec<String>,
    },
    /// A packed number of a record gets nothing but blanks.
    #[display("{}", sentences::blank_number(items, group))]
    BlankNumber {
        /// The numbers, in source order.
        items: Vec<String>,
        /// The record.
        group: String,
    },
    /// The failure of an operation is tested, and nothing is done then.
    #[display("That {operation} fails is tested, but nothing is done then.")]
    IgnoredFailure {
        /// The operation with its object.
        operation: String,
    },
    /// A SELECT, or the first FETCH of a cursor, that always gives a row is tested for none.
    #[display("{}", sentences::always_a_row(operation, *tested))]
    AlwaysARow {
        /// The statement with its table: `SELECT of POLICY`.
        operation: String,
        /// Whether the program tests an item that it fills.
        tested: bool,
    },
    /// The item that ends a loop keeps its last value in a program that others call.
    #[display(
        "{item} becomes {value}, which ends the loop, and never {first} again: called anew in the same run, the program does not come into the loop. Is it called once only?"
    )]
    KeptEnd {
        /// The item.
        item: String,
        /// The value that ends the loop.
        value: String,
        /// Its VALUE.
        first: String,
    },
    /// A CICS command changes a record that the program does not read for update.
    #[display(
        "{command} of {file}, but no READ of the program reads a record of it for UPDATE: CICS refuses it (INVREQ), unless a program that calls this one has read it."
    )]
    RewrittenUnread {
        /// The command.
        command: String,
        /// The file.
        file: String,
    },
    /// An SQL statement passes an item to the database that nothing sets.
    #[display("{command} passes {item} to the database, but nothing sets it, and it has no VALUE.")]
    #[strum(serialize = "never_set")]
    UnsetInput {
        /// The item.
        item: String,
        /// The statement: `DECLARE CURSOR`.
        command: String,
    },
    /// Items are tested for values, but statements only set them to others.
    #[display("{} {} tested for {}, but nothing sets {} to that.", affected(items, "item"), is_or_are(items), values.join(", "), it_or_them(items))]
    NeverHolds {
        /// The items.
        items: Vec<String>,
        /// The values, each with its condition name.
        values: Vec<String>,
    },
    /// A phrase for the success of a statement belongs to another, which stands last in the phrase for its failure.
    #[display(
        "{phrase} belongs to the {verb} before it, and not to the {around} around that, which has none. Is END-{verb} missing before it?"
    )]
    NestedPhrase {
        /// The phrase: `NOT INVALID KEY`.
        phrase: String,
        /// The verb of the statement that it belongs to.
        verb: Verb,
        /// The verb of the statement around that, which has no such phrase.
        around: Verb,
    },
    /// A condition joins two equal tests.
    #[display("The condition tests {test} twice. Should one of them be another test?")]
    RepeatedTest {
        /// The test, as written.
        test: String,
    },
    /// Of two values of an item that OR joins, the tests that AND adds apply to one alone.
    #[display("{test} is enough for the condition, whatever {others} says: AND binds first. Are parentheses missing?")]
    OrBesideAnd {
        /// The test of the other value, which is enough.
        test: String,
        /// The tests that do not apply to it.
        others: String,
    },
    /// A communication area is used, but nothing asks whether there is one.
    #[display(
        "{item} is used, but nothing tests EIBCALEN: without a communication area, or with a shorter one, other storage is read or overwritten. Is there always one?"
    )]
    UncheckedArea {
        /// The area.
        item: String,
    },
    /// Subscripts lie outside their tables.
    #[display("{}", sentences::beyond_table(subscripted, *value, *entries))]
    BeyondTable {
        /// The items with their subscripts, as written.
        subscripted: Vec<String>,
        /// The value of the subscript.
        value: u64,
        /// The number of entries.
        entries: u32,
    },
    /// An item that is counted up without a limit is the subscript of tables.
    #[display("{}", sentences::unchecked_subscript(item, tables, *entries))]
    UncheckedSubscript {
        /// The item.
        item: String,
        /// The tables.
        tables: Vec<String>,
        /// The number of entries of each.
        entries: u32,
    },
    /// A loop that looks for an entry of a table ends by a switch, and the subscript is used as if it were still that of the entry.
    #[display(
        "{entry} is the entry behind the one that was found: the loop at line {line} has counted {counter} on before it ends because of {is_found}."
    )]
    PassedEntry {
        /// The entry, as written.
        entry: String,
        /// The subscript.
        counter: String,
        /// What holds once the entry is found.
        is_found: String,
        /// The line of the loop.
        line: LineNumber,
    },
    /// A calculation is cut whose item is rounded elsewhere.
    #[display("{item} is rounded in {others} other calculations, but cut in this one. Is ROUNDED missing?")]
    Unrounded {
        /// The item.
        item: String,
        /// The number of the others.
        others: usize,
    },
    /// A redefinition is larger than what it redefines.
    #[display(
        "{item} has {length} bytes, {redefined}, which it redefines, has {room}: what is written to it may overwrite what follows."
    )]
    LargerRedefinition {
        /// The redefinition.
        item: String,
        /// Its length in bytes.
        length: u64,
        /// The redefined item.
        redefined: String,
        /// The length of the redefined item.
        room: u64,
    },
    /// A MOVE cuts what it moves.
    #[display("{}", sentences::cut_by_move((from, *length), (to, *room), *is_numeric))]
    Truncated {
        /// The sending item or literal.
        from: String,
        /// Its length in characters, or its digits before the decimal point.
        length: u64,
        /// The receiving items.
        to: Vec<String>,
        /// The same for each receiving item.
        room: u64,
        /// Whether both are numbers, of which the leading digits are lost.
        is_numeric: bool,
    },
    /// A number is moved to a text that has room for its first digits alone.
    #[display(
        "{to} has room for {room} of the {digits} digits of {item}, and gets the first, zeros in front included: the last digits are lost."
    )]
    #[strum(serialize = "truncated")]
    LastDigits {
        /// The number.
        item: String,
        /// Its digits.
        digits: u64,
        /// The text.
        to: String,
        /// Its characters.
        room: u64,
    },
    /// A difference is moved to a number without a sign.
    #[display("{item} gets a difference, which may be negative; {to}, to which it is moved, has no sign.")]
    LostSign {
        /// The item that gets the difference.
        item: String,
        /// The number.
        to: String,
    },
    /// A MOVE cuts a group, which another MOVE brings back.
    #[display("{from} has {length} bytes, {to} has room for {room}, and another MOVE brings it back from there: {} {} not fit.", first_of(lost, "item"), if lost.len() == 1 { "does" } else { "do" })]
    GroupCut {
        /// The group.
        from: String,
        /// Its length in bytes.
        length: u64,
        /// The receiving item.
        to: String,
        /// Its length in bytes.
        room: u64,
        /// The items that do not fit, in order.
        lost: Vec<String>,
    },
    /// An edited item shows fewer digits than the numbers have that are moved to it.
    #[display(
        "{item} shows {room} digits before the decimal point, and numbers of up to {digits} are moved to it: larger numbers lose their leading digits."
    )]
    #[strum(serialize = "truncated")]
    ShownCut {
        /// The most digits before the decimal point of what is moved to it.
        digits: u64,
        /// The edited item.
        item: String,
        /// The digits that it shows before the decimal point.
        room: u64,
    },
    /// What a STRING puts together is longer than the receiving item, and nothing tests for that.
    #[display("STRING puts {length} characters together, {item} has room for {room}: longer text is cut.")]
    #[strum(serialize = "truncated")]
    StringTooLong {
        /// The least number of characters that it puts together.
        length: u64,
        /// The receiving item.
        item: String,
        /// The characters of the receiving item.
        room: u64,
    },
    /// A MOVE moves an item to itself.
    #[display("{item} is moved to itself. Is another item meant?")]
    MovedToItself {
        /// The item.
        item: String,
    },
    /// A CICS command gives an item a value of another length.
    #[display("CICS gives {option} in {written} bytes, {item} has {length}: {}.", if length < written { "what follows it may be overwritten" } else { "it is not filled" })]
    OtherLength {
        /// The option: `ABSTIME`.
        option: &'static str,
        /// The item.
        item: String,
        /// Its length in bytes.
        length: u64,
        /// The bytes that CICS writes.
        written: u64,
    },
    /// An item is set again before anything reads it.
    #[display("{item} is set again before anything reads it. Is one of the two meant for another item?")]
    SetTwice {
        /// The item.
        item: String,
    },
    /// The result of a calculation may have more digits than the receiving item, and nothing tests for that.
    #[display(
        "By the types, {expression} can have {digits} digits before the decimal point, {item} has room for {room}, and nothing tests for a SIZE ERROR. Can it become so large?"
    )]
    MayOverflow {
        /// The expression.
        expression: String,
        /// The digits before the decimal point of its largest result.
        digits: u64,
        /// The receiving item.
        item: String,
        /// The digits before the decimal point of the receiving item.
        room: u64,
    },
    /// A counter of records may need more digits than it has.
    #[display("{item} counts in a loop over input, has {room} digits, and nothing tests or resets it there. Can there be more than {}?", "9".repeat(usize::try_from(*room).unwrap_or_default()))]
    #[strum(serialize = "may_overflow")]
    CountsTooFar {
        /// The counter.
        item: String,
        /// Its digits before the decimal point.
        room: u64,
    },
    /// The failure of an operation is tested where a failure is being handled, and nothing is done then.
    #[display("That {operation} fails is tested, but nothing is done then, where another failure is already handled.")]
    #[strum(serialize = "ignored_failure")]
    IgnoredAfterFailure {
        /// The operation with its object.
        operation: String,
    },
    /// A STRING fills an item that nothing clears, or nothing since it got another text: what it does not overwrite stays.
    #[display("STRING fills {item}, which {}", sentences::not_cleared(holds.as_deref()))]
    NeverCleared {
        /// The item.
        item: String,
        /// What it got last before: a constant, or words about it; none if nothing ever clears it.
        holds: Option<String>,
    },
    /// A file is opened, but never read or written.
    #[display("{file} is opened, but never read or written.")]
    OpenedInVain {
        /// The file.
        file: String,
    },
    /// A file is declared, but never opened.
    #[display("{file} is declared, but never opened.")]
    NeverOpened {
        /// The file.
        file: String,
    },
    /// A batch program changes tables, but states no COMMIT and no ROLLBACK.
    #[display(
        "Tables are changed, but the program states no COMMIT and no ROLLBACK{}",
        sentences::committed_by(called)
    )]
    NoCommit {
        /// The programs that it calls, in the order of their names; not those that end it by an abend.
        called: Vec<String>,
    },
    /// The code states a date.
    #[display("The date {date} is written into the code.")]
    HardCodedDate {
        /// The date, as written.
        date: String,
    },
    /// The code states the year from which a year of two digits belongs to another century.
    #[display("The century of a year depends on {condition}, a limit that is written into the code.")]
    #[strum(serialize = "hard_coded_date")]
    CenturyWindow {
        /// The condition.
        condition: String,
    },
    /// A comment states another length of a record than the record has.
    #[display("The comment says a length of {stated} bytes, {record} has {length}.")]
    #[strum(serialize = "comment_disagrees")]
    CommentedLength {
        /// The record or the file.
        record: String,
        /// The length in the comment.
        stated: u64,
        /// Its length in bytes.
        length: u64,
    },
    /// A comment names a paragraph that the source does not have.
    #[display("The comment names {name}, which the source does not have.")]
    #[strum(serialize = "comment_disagrees")]
    CommentedName {
        /// The name.
        name: String,
    },
    /// Control never reaches a paragraph.
    #[display("Control never reaches {paragraph}.")]
    Unreached {
        /// The paragraph.
        paragraph: String,
    },
    /// An item is set, but nothing reads it.
    #[display("{item} is set, but nothing reads it.")]
    NeverRead {
        /// The item.
        item: String,
    },
    /// An item is declared, but never named again.
    #[display("{item} is declared, but never used.")]
    NeverUsed {
        /// The item.
        item: String,
    },
    /// A copybook is copied, but none of its items is named.
    #[display("Copybook {copybook} is copied, but none of its items is used.")]
    CopiedInVain {
        /// The copybook.
        copybook: String,
    },
}

#[cfg(test)]
mod tests;
