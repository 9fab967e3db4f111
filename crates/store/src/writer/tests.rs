//! Groups, commands that fail in them, and a full disk.

use super::*;
use rusqlite::params;
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Barrier};

fn connection(folder: &Path) -> Connection {
    let connection = Connection::open(folder.join("a.db")).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = wal; PRAGMA synchronous = full; CREATE TABLE t (a INTEGER UNIQUE, b BLOB)",
        )
        .unwrap();
    connection
}

fn put(number: i64, size: usize) -> impl FnMut(&Connection) -> Result<i64, StoreFault> + Send + 'static {
    move |connection| {
        connection.execute("INSERT INTO t VALUES (?1, ?2)", params![number, vec![7_u8; size]])?;
        Ok(number)
    }
}

fn rows(folder: &Path) -> Vec<i64> {
    let connection = Connection::open(folder.join("a.db")).unwrap();
    let mut statement = connection.prepare("SELECT a FROM t ORDER BY a").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// The answer to the command at an index.
type Told = (usize, Result<i64, StoreFault>);

/// The given commands, with the answer to each.
struct Given {
    group: Vec<Box<dyn WriteCommand>>,
    answers: Vec<Told>,
    told: (Sender<Told>, Receiver<Told>),
}

impl Given {
    fn new() -> Self {
        Self { group: Vec::new(), answers: Vec::new(), told: channel() }
    }

    fn give(&mut self, work: impl FnMut(&Connection) -> Result<i64, StoreFault> + Send + 'static) {
        let (told, index) = (self.told.0.clone(), self.group.len());
        let reply = move |answer| told.send((index, answer)).unwrap();
        self.group.push(Box::new(PendingWrite { work, reached: None, reply }));
    }

    /// Commits all of it as one group, and returns which commands failed.
    fn commit(mut self, pen: &mut WriterThread) -> Vec<Result<i64, StoreFaultKind>> {
        pen.commit(std::mem::take(&mut self.group));
        drop(self.told.0);
        self.answers.extend(self.told.1.iter());
        self.answers.sort_by_key(|(index, _)| *index);
        self.answers.into_iter().map(|(_, answer)| answer.map_err(|fault| fault.kind)).collect()
    }
}

#[test]
fn a_command_that_fails_is_taken_back_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut pen = WriterThread { connection: connection(folder.path()), broken: None };
    let mut given = Given::new();
    given.give(put(1, 1));
    given.give(|connection| {
        put(2, 1)(connection)?;
        put(1, 1)(connection)
    });
    given.give(|connection| {
        put(3, 1)(connection)?;
        Err(StoreFault::refused("no"))
    });
    given.give(put(4, 1));
    assert_eq!(given.commit(&mut pen), [Ok(1), Err(StoreFaultKind::Storage), Err(StoreFaultKind::Refused), Ok(4)]);
    assert_eq!(rows(folder.path()), [1, 4]);
}

#[test]
fn a_command_that_undoes_the_transaction_takes_no_other_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut pen = WriterThread { connection: connection(folder.path()), broken: None };
    let mut given = Given::new();
    given.give(put(1, 1));
    given.give(|connection| {
        connection.execute_batch("ROLLBACK")?;
        Err(StoreFault::refused("no"))
    });
    given.give(put(2, 1));
    given.give(|connection| {
        connection.execute_batch("ROLLBACK")?;
        Ok(9)
    });
    given.give(put(3, 1));
    assert_eq!(
        given.commit(&mut pen),
        [Ok(1), Err(StoreFaultKind::Refused), Ok(2), Err(StoreFaultKind::Damaged), Ok(3)]
    );
    assert_eq!(rows(folder.path()), [1, 2, 3]);
}

#[test]
fn what_finds_no_room_fails_and_the_others_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let connection = connection(folder.path());
    let pages: i64 = connection.query_row("PRAGMA max_page_count = 12", [], |row| row.get(0)).unwrap();
    assert_eq!(pages, 12);
    let mut pen = WriterThread { connection, broken: None };
    let mut given = Given::new();
    given.give(put(1, 100));
    given.give(put(2, 1_000_000));
    given.give(put(3, 100));
    assert_eq!(given.commit(&mut pen), [Ok(1), Err(StoreFaultKind::Storage), Ok(3)]);
    assert_eq!(rows(folder.path()), [1, 3]);
    // When there is room again, it continues.
    pen.connection.query_row("PRAGMA max_page_count = 1000", [], |_| Ok(())).unwrap();
    let mut given = Given::new();
    given.give(put(2, 1_000_000));
    assert_eq!(given.commit(&mut pen), [Ok(2)]);
}

#[test]
fn nothing_is_written_after_a_commit_that_may_not_be_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let mut pen = WriterThread { connection: connection(folder.path()), broken: None };
    pen.broken = Some(StoreFault { kind: StoreFaultKind::SyncLost, message: "disk I/O error".to_owned() });
    let mut given = Given::new();
    given.give(put(1, 1));
    assert_eq!(given.commit(&mut pen), [Err(StoreFaultKind::SyncLost)]);
    assert_eq!(rows(folder.path()), [0; 0]);
}

#[test]
fn a_writer_that_has_ended_is_told_and_nobody_hangs() {
    let folder = tempfile::tempdir().unwrap();
    let writer = StoreWriter::begin(connection(folder.path())).unwrap();
    assert_eq!(writer.write(put(1, 1)), Ok(1));
    let died = writer.write(|_: &Connection| -> Result<i64, StoreFault> { panic!("a defect of ours") });
    assert_eq!(died, Err(StoreFault::writer_gone()));
    assert_eq!(writer.write(put(2, 1)), Err(StoreFault::writer_gone()));
    drop(writer);
    assert_eq!(rows(folder.path()), [1]);
}

#[test]
fn what_was_given_before_the_end_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let writer = StoreWriter::begin(connection(folder.path())).unwrap();
    let (begun, may_go_on) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let (in_thread, go_on) = (Arc::clone(&begun), Arc::clone(&may_go_on));
    writer
        .give(
            move |_| {
                in_thread.wait();
                go_on.wait();
                Ok(())
            },
            |_| {},
        )
        .unwrap();
    begun.wait();
    // The thread is busy, so all of these wait, and there are more than one group takes.
    let count = GROUP as i64 + 40;
    for number in 0..count {
        writer.give(put(number, 1), |_| {}).unwrap();
    }
    may_go_on.wait();
    drop(writer);
    assert_eq!(rows(folder.path()), (0..count).collect::<Vec<_>>());
}
