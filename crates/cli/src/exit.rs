//! The exit codes: one closed list, from which `--help` prints its table.

use std::fmt::Write;
use std::process::ExitCode;

/// The exit status of the program. Scripts branch on these numbers, so none ever changes its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// Everything that was requested is done.
    Ok,
    /// A bug in this program.
    Internal,
    /// The arguments or the settings are invalid; nothing was done.
    Usage,
    /// The run finished, but not every file has its document.
    TicketsFailed,
    /// A gate requested with `--fail-on` failed.
    GateFailed,
    /// Questions wait in batches; the same command goes on when they are answered.
    Waiting,
    /// The store cannot be used.
    StoreUnusable,
    /// Another process has locked the store.
    Locked,
    /// The provider rejects the key, or its quota is exhausted.
    Authentication,
    /// The spending limit is reached.
    SpendCap,
    /// The provider or the broker does not answer.
    Unavailable,
    /// A file cannot be written.
    Storage,
    /// Ctrl-C.
    Interrupted,
    /// A termination request.
    Terminated,
}

impl ExitStatus {
    /// Every status, ordered by code.
    pub const ALL: [ExitStatus; 14] = [
        ExitStatus::Ok,
        ExitStatus::Internal,
        ExitStatus::Usage,
        ExitStatus::TicketsFailed,
        ExitStatus::GateFailed,
        ExitStatus::Waiting,
        ExitStatus::StoreUnusable,
        ExitStatus::Locked,
        ExitStatus::Authentication,
        ExitStatus::SpendCap,
        ExitStatus::Unavailable,
        ExitStatus::Storage,
        ExitStatus::Interrupted,
        ExitStatus::Terminated,
    ];

    /// The exit code of the process.
    pub fn code(self) -> u8 {
        match self {
            ExitStatus::Ok => 0,
            ExitStatus::Internal => 1,
            ExitStatus::Usage => 2,
            ExitStatus::TicketsFailed => 3,
            ExitStatus::GateFailed => 4,
            ExitStatus::Waiting => 5,
            ExitStatus::StoreUnusable => 10,
            ExitStatus::Locked => 11,
            ExitStatus::Authentication => 12,
            ExitStatus::SpendCap => 13,
            ExitStatus::Unavailable => 14,
            ExitStatus::Storage => 15,
            // 128 and the number of the signal, as shells report it.
            ExitStatus::Interrupted => 130,
            ExitStatus::Terminated => 143,
        }
    }

    /// The description of the status, used in `--help` and in the README.
    pub fn meaning(self) -> &'static str {
        match self {
            ExitStatus::Ok => "ok",
            ExitStatus::Internal => "internal error",
            ExitStatus::Usage => "usage or configuration",
            ExitStatus::TicketsFailed => "finished, some tickets failed",
            ExitStatus::GateFailed => "a gate failed (--fail-on)",
            ExitStatus::Waiting => "questions wait in batches, run again later",
            ExitStatus::StoreUnusable => "store missing, corrupt or newer",
            ExitStatus::Locked => "locked by another process",
            ExitStatus::Authentication => "authentication or quota",
            ExitStatus::SpendCap => "spend cap reached",
            ExitStatus::Unavailable => "provider or broker unavailable",
            ExitStatus::Storage => "storage (disk full, read-only)",
            ExitStatus::Interrupted => "interrupted (Ctrl-C)",
            ExitStatus::Terminated => "interrupted (terminated)",
        }
    }

    /// Returns the table of all codes, one per line, indented like help texts.
    pub fn table() -> String {
        let mut table = String::from("Exit codes:\n");
        for status in ExitStatus::ALL {
            writeln!(table, "  {:<4} {}", status.code(), status.meaning()).expect("a string takes every write");
        }
        table
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        ExitCode::from(status.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_rise_and_none_is_used_twice() {
        assert!(ExitStatus::ALL.windows(2).all(|pair| pair[0].code() < pair[1].code()));
    }

    #[test]
    fn the_table_has_a_line_for_every_code() {
        let table = ExitStatus::table();
        assert_eq!(table.lines().count(), ExitStatus::ALL.len() + 1);
        assert!(table.contains("  0    ok\n"), "{table}");
        assert!(table.contains("  15   storage (disk full, read-only)\n"), "{table}");
    }
}
