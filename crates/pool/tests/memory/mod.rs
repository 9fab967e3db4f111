//! A store in memory, which does what the port says and nothing more.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use war_rig_pool::{
    FinishedTicket, OpenTicket, Store, StoreError, StoredChunk, StoredSource, StoredTicket, TicketState,
};
use war_rig_text::ContentHash;

#[derive(Default)]
pub struct Memory(Mutex<Kept>);

#[derive(Default)]
pub struct Kept {
    pub tickets: BTreeMap<String, StoredTicket>,
    pub chunks: BTreeMap<String, Vec<StoredChunk>>,
    pub sources: BTreeMap<String, (StoredSource, Option<String>)>,
    /// The tickets that were begun, in order.
    pub begun: Vec<String>,
    /// How many other tickets were in work as one was begun that had been begun more than once before.
    pub beside: Vec<usize>,
    /// The files of surveys that were kept, in order.
    pub surveyed: Vec<String>,
}

impl Memory {
    pub fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap()
    }
}

impl Memory {
    /// An answer was kept for a ticket.
    pub fn progressed(&self, file: &str) {
        let mut kept = self.kept();
        let ticket = kept.tickets.get_mut(file).expect("what is worked on was opened");
        ticket.attempts = ticket.attempts.min(1);
    }
}

impl Store for Memory {
    fn tickets(&self) -> Result<Vec<StoredTicket>, StoreError> {
        Ok(self.kept().tickets.values().cloned().collect())
    }

    fn open(&self, tickets: &[OpenTicket]) -> Result<(), StoreError> {
        for open in tickets {
            let mut kept = self.kept();
            let before = kept.tickets.get(&open.file).cloned();
            let attempts = before.as_ref().map_or(0, |before| before.attempts);
            let ticket = StoredTicket {
                file: open.file.clone(),
                base: open.base.clone(),
                state: TicketState::Pending,
                reason: open.reason.clone(),
                attempts: open.attempts.apply(attempts),
                answers_since: open
                    .answers_since
                    .or(before.as_ref().map(|before| before.answers_since))
                    .unwrap_or_default(),
                build_record: before.and_then(|before| before.build_record),
            };
            kept.tickets.insert(open.file.clone(), ticket);
        }
        Ok(())
    }

    fn begin(&self, file: &str) -> Result<u32, StoreError> {
        let mut kept = self.kept();
        kept.begun.push(file.to_owned());
        if kept.tickets.get(file).is_some_and(|ticket| ticket.attempts > 1) {
            let in_work = kept.tickets.values().filter(|ticket| ticket.state.is_in_work()).count();
            kept.beside.push(in_work);
        }
        let ticket = kept.tickets.get_mut(file).expect("what is begun was opened");
        ticket.state = TicketState::Writing;
        ticket.attempts += 1;
        Ok(ticket.attempts)
    }

    fn finish(&self, tickets: &[FinishedTicket]) -> Result<(), StoreError> {
        for finished in tickets {
            let mut kept = self.kept();
            let ticket = kept.tickets.get_mut(&finished.file).expect("what is finished was opened");
            ticket.state = finished.state;
            ticket.reason = finished.history.last().expect("it came there").reason.clone();
            ticket.attempts = if finished.is_quarantined { ticket.attempts } else { 0 };
            ticket.build_record = finished.build_record.clone().or(ticket.build_record.take());
            if let Some(chunks) = &finished.chunks {
                kept.chunks.insert(finished.file.clone(), chunks.clone());
            }
        }
        Ok(())
    }

    fn confirm_estate(&self, estate: ContentHash, files: &[&str]) -> Result<(), StoreError> {
        for file in files {
            let mut kept = self.kept();
            let ticket = kept.tickets.get_mut(*file).expect("what is settled was opened");
            ticket.build_record.as_mut().expect("it has a document").estate_hash = estate;
        }
        Ok(())
    }

    fn forget(&self, files: &[&str]) -> Result<(), StoreError> {
        let mut kept = self.kept();
        files.iter().for_each(|file| drop(kept.tickets.remove(*file)));
        Ok(())
    }

    fn chunks(&self, file: &str) -> Result<Vec<StoredChunk>, StoreError> {
        Ok(self.kept().chunks.get(file).cloned().unwrap_or_default())
    }

    fn last_answer_position(&self) -> Result<u64, StoreError> {
        Ok(0)
    }

    fn sources(&self) -> Result<Vec<StoredSource>, StoreError> {
        Ok(self.kept().sources.values().map(|(source, _)| source.clone()).collect())
    }

    fn surveys(&self, take: &mut dyn FnMut(&str, &str)) -> Result<(), StoreError> {
        for (file, (_, survey)) in &self.kept().sources {
            if let Some(survey) = survey {
                take(file, survey);
            }
        }
        Ok(())
    }

    fn save_sources(&self, sources: &[(StoredSource, Option<String>)]) -> Result<(), StoreError> {
        let mut kept = self.kept();
        for (source, survey) in sources {
            kept.surveyed.push(source.file.clone());
            kept.sources.insert(source.file.clone(), (source.clone(), survey.clone()));
        }
        Ok(())
    }

    fn forget_sources(&self, files: &[&str]) -> Result<(), StoreError> {
        let mut kept = self.kept();
        files.iter().for_each(|file| drop(kept.sources.remove(*file)));
        Ok(())
    }
}
