//! Search errors, in the words the user reads.

use crate::args::QueryArgs;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::printer::sanitize_line;
use unicode_width::UnicodeWidthStr;
use war_rig_catalogue::{CursorError, CursorErrorKind, FilterError, QueryError, RowKind, UnknownCatalogueName};

/// The number of characters shown on either side of a filter's error.
const SHOWN: usize = 60;

/// The failure for an invalid query.
pub fn query_failure(kind: RowKind, args: &QueryArgs, error: QueryError) -> Failure {
    let fields = |unknown: &UnknownCatalogueName| {
        let listed = format!("`war-rig search {kind} --help` lists the fields");
        match unknown.nearest {
            Some(nearest) => format!("did you mean `{nearest}`? {listed}"),
            None => listed,
        }
    };
    match error {
        QueryError::Words(error) => Failure::usage(format!("TEXT: {error}")).with_hint(error.hint),
        QueryError::Filter(error) => {
            let text = args.filter.as_deref().unwrap_or_default();
            let failure = Failure::usage(format!("`--filter`: {error}")).with_excerpt(excerpt(text, &error));
            failure.with_hint(error.hint)
        }
        QueryError::Field(ref unknown) => Failure::usage(format!("`--fields`: {error}")).with_hint(fields(unknown)),
        QueryError::Sort(ref unknown) => Failure::usage(format!("`--sort`: {error}")).with_hint(fields(unknown)),
        QueryError::DuplicateField(_) => {
            Failure::usage(format!("`--fields`: {error}")).with_hint("name each field once")
        }
        QueryError::PlaceBackwards => Failure::usage(format!("`--sort`: {error}"))
            .with_hint("write `--sort place`, or a field with `-` before it, such as `--sort -file`"),
        QueryError::Unordered(_) => Failure::usage(format!("`--sort`: {error}"))
            .with_hint(format!("`war-rig search {kind} --help` says which fields hold lists")),
    }
}

/// Formats a filter with a mark below the character where parsing failed.
fn excerpt(text: &str, error: &FilterError) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let at = error.column.saturating_sub(1).min(characters.len());
    let (from, to) = (at.saturating_sub(SHOWN), characters.len().min(at + SHOWN));
    let piece =
        |range: std::ops::Range<usize>| sanitize_line(&characters[range].iter().collect::<String>()).into_owned();
    let (before, after) = (piece(from..at), piece(at..to));
    let left = if from > 0 { "…" } else { "" };
    let right = if to < characters.len() { "…" } else { "" };
    let blanks = " ".repeat(left.width() + before.width());
    vec!["  |".to_owned(), format!("  | {left}{before}{after}{right}"), format!("  | {blanks}^")]
}

/// The hint for a state file that cannot be removed.
const SEE_THE_FOLDER: &str =
    "see that there is room and that the folder of state files may be written, then run the command again";

/// The failure for a cursor that cannot be closed.
pub fn close_failure(error: CursorError) -> Failure {
    let hint = match error.kind {
        CursorErrorKind::Storage(_) | CursorErrorKind::NotRemoved(_) => SEE_THE_FOLDER,
        CursorErrorKind::Missing => {
            "there is nothing to remove: it was closed before, or went after 24 hours in which nobody used it; else name it as it was printed"
        }
        CursorErrorKind::Foreign => "the file is left as it is; name a state file as it was printed",
        CursorErrorKind::Newer { .. } => "the file is left as it is; close it with the newer War Rig that wrote it",
        CursorErrorKind::InUse => "wait until that process has ended, then close it",
        CursorErrorKind::OutsideFolder
        | CursorErrorKind::Damaged(_)
        | CursorErrorKind::OtherQuery(_)
        | CursorErrorKind::NotCreated(_)
        | CursorErrorKind::NotRecorded(_) => {
            return cursor_failure(error);
        }
    };
    cursor_failure(error).with_hint(hint)
}

/// The failure for a cursor that cannot continue.
pub fn cursor_failure(error: CursorError) -> Failure {
    let status = match error.kind {
        CursorErrorKind::Missing | CursorErrorKind::OutsideFolder | CursorErrorKind::OtherQuery(_) => ExitStatus::Usage,
        CursorErrorKind::Foreign | CursorErrorKind::Newer { .. } | CursorErrorKind::Damaged(_) => {
            ExitStatus::StoreUnusable
        }
        CursorErrorKind::InUse => ExitStatus::Locked,
        CursorErrorKind::Storage(_)
        | CursorErrorKind::NotCreated(_)
        | CursorErrorKind::NotRecorded(_)
        | CursorErrorKind::NotRemoved(_) => ExitStatus::Storage,
    };
    Failure::new(status, error.to_string()).with_hint(error.advice())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(column: usize) -> FilterError {
        FilterError { column, message: "a field is expected".to_owned(), hint: String::new() }
    }

    #[test]
    fn the_mark_stands_below_the_character() {
        let check = |text: &str, column, expected: [&str; 2]| {
            assert_eq!(excerpt(text, &error(column))[1..], expected, "{text}");
        };
        check("progam = 1", 1, ["  | progam = 1", "  | ^"]);
        check("name = ", 8, ["  | name = ", "  |        ^"]);
        check("name = '\u{5168}' x", 12, ["  | name = '\u{5168}' x", "  |             ^"]);
        check("a\nb\u{1b} c", 5, ["  | a b c", "  |    ^"]);
        check("", 1, ["  | ", "  | ^"]);
        let long = format!("{}!{}", "a".repeat(100), "b".repeat(100));
        let shown = excerpt(&long, &error(101));
        assert_eq!(shown[1], format!("  | …{}!{}…", "a".repeat(60), "b".repeat(59)));
        assert_eq!(shown[2].chars().position(|c| c == '^'), shown[1].chars().position(|c| c == '!'));
    }

    #[test]
    fn state_files_end_the_program_with_their_codes() {
        use CursorErrorKind as Is;
        for (kind, code) in [
            (Is::Missing, 2),
            (Is::OutsideFolder, 2),
            (Is::OtherQuery("rules".to_owned()), 2),
            (Is::Foreign, 10),
            (Is::Newer { found: 2, known: 1 }, 10),
            (Is::Damaged("cut off".to_owned()), 10),
            (Is::InUse, 11),
            (Is::Storage("full".to_owned()), 15),
        ] {
            let text = kind.to_string();
            let failure = cursor_failure(CursorError { file: "a.json".into(), kind });
            assert_eq!(failure.status().code(), code, "{text}");
            assert_eq!(failure.line(), format!("`a.json`: {text}"));
        }
    }

    #[test]
    fn who_closes_or_makes_a_state_file_is_not_told_of_pages() {
        use CursorErrorKind as Is;
        let error = |kind| CursorError { file: "a.json".into(), kind };
        for kind in [Is::Missing, Is::Foreign, Is::InUse, Is::Storage("read-only".to_owned())] {
            let text = kind.to_string();
            let hint = close_failure(error(kind)).hint().unwrap().to_owned();
            assert!(!hint.contains("page") && !hint.contains("begin"), "{text}: {hint}");
        }
        let failure = cursor_failure(error(Is::NotCreated("read-only".to_owned())));
        assert_eq!(failure.status().code(), 15);
        assert!(failure.hint().unwrap().starts_with("no walk was begun; see that there is room"));
    }

    #[test]
    fn fields_that_there_are_none_of_are_told_with_the_nearest() {
        let args = QueryArgs { text: Vec::new(), filter: None, docs: None };
        let failure = |error| query_failure(RowKind::Rules, &args, error);
        let unknown = UnknownCatalogueName { asked: "progam".to_owned(), nearest: Some("program") };
        let told = failure(QueryError::Sort(unknown));
        assert_eq!(told.line(), "`--sort`: there is no field `progam` to order by");
        assert_eq!(told.hint(), Some("did you mean `program`? `war-rig search rules --help` lists the fields"));
        let told = failure(QueryError::PlaceBackwards);
        assert_eq!(told.line(), "`--sort`: `place` is an order of one direction");
        let told = failure(QueryError::DuplicateField("line".to_owned()));
        assert_eq!(
            (told.status(), told.line()),
            (ExitStatus::Usage, "`--fields`: `line` is asked for twice".to_owned())
        );
    }
}
