//! The findings of a probe, as text.

use super::{BrokerProbe, JetStreamProbe, QueueProbe};

/// The oldest version with all required features: 2.9.
const OLDEST: (u64, u64) = (2, 9);
/// Below this limit, a message is cut into many pieces.
const SMALL_MESSAGE: usize = 64 * 1_024;
/// From this many milliseconds on, the broker is too far away for the requests before each call.
const FAR: f64 = 250.0;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProbeLevel {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// It works, but should be different.
    Warning,
    /// It does not work.
    Error,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeFinding {
    /// Its subject: a fixed word.
    pub about: &'static str,
    /// How much it matters.
    pub level: ProbeLevel,
    /// The finding.
    pub text: String,
    /// What the user can do, if anything.
    pub advice: Option<&'static str>,
}

impl ProbeFinding {
    fn good(about: &'static str, text: impl Into<String>) -> Self {
        Self { about, level: ProbeLevel::Good, text: text.into(), advice: None }
    }

    fn note(about: &'static str, text: impl Into<String>) -> Self {
        Self { level: ProbeLevel::Note, ..Self::good(about, text) }
    }

    fn warning(about: &'static str, text: impl Into<String>) -> Self {
        Self { level: ProbeLevel::Warning, ..Self::good(about, text) }
    }

    fn error(about: &'static str, text: impl Into<String>) -> Self {
        Self { level: ProbeLevel::Error, ..Self::good(about, text) }
    }

    fn advise(mut self, advice: &'static str) -> Self {
        self.advice = Some(advice);
        self
    }
}

impl BrokerProbe {
    /// Returns all findings, always in the same order: one for each thing that was checked.
    pub fn findings(&self) -> Vec<ProbeFinding> {
        let mut findings = vec![self.of_version(), self.of_cluster(), self.of_tls(), self.of_login()];
        findings.extend([self.of_messages(), self.of_round_trip()]);
        findings.extend(self.of_jetstream());
        findings.push(of_sync());
        findings.extend(self.of_queue());
        findings
    }

    fn of_version(&self) -> ProbeFinding {
        let text = format!("nats-server {}", self.version);
        match version_of(&self.version) {
            Some(version) if version >= OLDEST => ProbeFinding::good("version", text),
            Some(_) => ProbeFinding::error("version", text).advise("use version 2.9 or later"),
            None => ProbeFinding::warning("version", format!("{text}, which is no version that is known"))
                .advise("use version 2.9 or later"),
        }
    }

    fn of_cluster(&self) -> ProbeFinding {
        match &self.cluster {
            Some(cluster) => ProbeFinding::good("cluster", format!("part of the cluster `{cluster}`")),
            None => ProbeFinding::note(
                "cluster",
                "one server alone: while it is down no ticket is handed out, and none is lost",
            ),
        }
    }

    fn of_tls(&self) -> ProbeFinding {
        match (self.is_encrypted, self.is_loopback) {
            (true, _) => ProbeFinding::good("tls", "the connection is encrypted"),
            (false, true) => ProbeFinding::good("tls", "not encrypted, on this machine"),
            (false, false) => ProbeFinding::warning(
                "tls",
                "not encrypted: sources, prompts and answers can be read and changed on the way",
            )
            .advise("give the server a certificate, and take `insecure` out of the settings"),
        }
    }

    fn of_login(&self) -> ProbeFinding {
        match (self.asks_for_login, self.is_loopback) {
            (true, _) => ProbeFinding::good("login", "the server asks who one is"),
            (false, true) => ProbeFinding::note("login", "the server lets everybody on this machine in"),
            (false, false) => ProbeFinding::warning(
                "login",
                "the server asks nobody who they are: whoever reaches it may take tickets",
            )
            .advise("give it users with the permissions of docs/nats-permissions.conf"),
        }
    }

    fn of_messages(&self) -> ProbeFinding {
        let text = format!("messages of at most {} bytes", self.max_message);
        match self.max_message < SMALL_MESSAGE {
            true => ProbeFinding::warning("max_payload", text).advise("raise `max_payload` of the server to 1MB"),
            false => ProbeFinding::good("max_payload", text),
        }
    }

    fn of_round_trip(&self) -> ProbeFinding {
        match self.round_trip_ms {
            Some(ms) if ms >= FAR => ProbeFinding::warning(
                "round_trip",
                format!("a round trip takes {ms:.1} ms, twice that before each call"),
            )
            .advise("put the broker nearer to coordinator and workers, or give workers more jobs"),
            Some(ms) => ProbeFinding::good("round_trip", format!("a round trip takes {ms:.1} ms")),
            None => ProbeFinding::note("round_trip", "how long a round trip takes is not known"),
        }
    }

    fn of_jetstream(&self) -> Vec<ProbeFinding> {
        let account = match &self.jetstream {
            JetStreamProbe::Off => {
                return vec![
                    ProbeFinding::error("jetstream", "the server has no JetStream for this account")
                        .advise("start the server with `-js`, or enable JetStream for the account"),
                ];
            }
            JetStreamProbe::Unknown(why) => {
                return vec![
                    ProbeFinding::warning("jetstream", format!("whether there is JetStream is not known: {why}"))
                        .advise("give the user the permissions of its role: docs/nats-permissions.conf"),
                ];
            }
            JetStreamProbe::On(account) => account,
        };
        let limit = account.storage_limit.map_or("no limit".to_owned(), |limit| format!("{limit} bytes at most"));
        let text = format!("JetStream is there: {} bytes used, {limit}", account.storage_used);
        let mut findings = vec![match account.storage_limit {
            Some(limit) if account.storage_used >= limit => {
                ProbeFinding::error("jetstream", text).advise("give the account more storage")
            }
            Some(_) | None => ProbeFinding::good("jetstream", text),
        }];
        let is_missing = matches!(self.queue, QueueProbe::Missing);
        if is_missing && account.wants_max_bytes {
            findings.push(
                ProbeFinding::error(
                    "limits",
                    "the account wants every stream to have a limit, and ours is made without",
                )
                .advise("make the stream WAR_RIG_TICKETS_1 by hand with `max_bytes`, as docs/several-machines.md says"),
            );
        }
        if is_missing && account.streams_limit.is_some_and(|limit| account.streams >= limit) {
            findings.push(
                ProbeFinding::error(
                    "limits",
                    format!("the account has all {} streams that it may have", account.streams),
                )
                .advise("allow one more stream"),
            );
        }
        findings
    }

    fn of_queue(&self) -> Vec<ProbeFinding> {
        let survey = match &self.queue {
            QueueProbe::Missing => {
                return vec![ProbeFinding::note("queue", "no coordinator has made the queue of tickets yet")];
            }
            QueueProbe::Unknown(why) => {
                return vec![
                    ProbeFinding::warning("queue", format!("what is in the queue is not known: {why}"))
                        .advise("give the user the permissions of its role: docs/nats-permissions.conf"),
                ];
            }
            QueueProbe::There(survey) => survey,
        };
        let mut findings = Vec::new();
        if let Some(differs) = &survey.differs {
            findings.push(
                ProbeFinding::error("queue", format!("the queue is not as it must be: {differs}")).advise(
                    "delete the stream WAR_RIG_TICKETS_1 while no run is under way: it is made and filled anew",
                ),
            );
        }
        match survey.consumer {
            Some(consumer) => findings.push(ProbeFinding::good("queue",
                format!(
                    "tickets of {} estates: {} noted, {} of them with a worker or given back, {} slots of workers are free",
                    survey.waiting.len(),
                    survey.waiting.iter().map(|estate| estate.notes).sum::<u64>(),
                    consumer.in_work,
                    consumer.free_slots
                ),
            )),
            None => findings.push(ProbeFinding::note("queue", "the queue has no consumer: a coordinator makes it")),
        }
        for estate in &survey.waiting {
            let text = format!("estate {}: {} tickets noted", estate.estate, estate.notes);
            findings.push(match self.unserved.contains(&estate.estate) {
                false => ProbeFinding::note("estate", text),
                true => ProbeFinding::warning("estate",
                    format!("{text}, and no coordinator listens that would hand them out"),
                )
                .advise(
                    "repeat its `war-rig document --broker URL`, which goes on and takes them back; where there is no such estate any more, delete the stream WAR_RIG_TICKETS_1 while no run is under way",
                ),
            });
        }
        if survey.foreign > 0 {
            let text = format!("{} messages in the queue are no tickets of an estate", survey.foreign);
            findings.push(ProbeFinding::warning("queue", text).advise("see who else publishes to war_rig.1.tickets.*"));
        }
        findings
    }
}

/// Servers do not report when they sync.
fn of_sync() -> ProbeFinding {
    ProbeFinding::note(
        "sync",
        "when notes reach the disk is not known: JetStream acknowledges before it syncs, so War Rig does not rely on it; a power cut costs no ticket",
    )
}

/// Returns the first two numbers of a version such as `2.9.10` or `v2.12.0-beta`.
fn version_of(text: &str) -> Option<(u64, u64)> {
    let mut numbers = text.trim_start_matches('v').split('.').map(str::parse::<u64>);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::JetStreamAccount;
    use crate::subjects::EstateId;
    use crate::tickets::{ConsumerSurvey, EstateNotes, QueueSurvey};

    fn probe() -> BrokerProbe {
        BrokerProbe {
            address: "tls://broker:4222".to_owned(),
            version: "2.10.1".to_owned(),
            server: "n1".to_owned(),
            cluster: Some("c".to_owned()),
            is_loopback: false,
            is_encrypted: true,
            asks_for_login: true,
            max_message: 1 << 20,
            round_trip_ms: Some(0.5),
            jetstream: JetStreamProbe::On(JetStreamAccount {
                storage_used: 10,
                storage_limit: Some(100),
                streams: 1,
                streams_limit: None,
                wants_max_bytes: false,
            }),
            queue: QueueProbe::There(QueueSurvey {
                made: "now".to_owned(),
                replicas: 3,
                waiting: Vec::new(),
                foreign: 0,
                consumer: Some(ConsumerSurvey { in_work: 0, delivered_again: 0, free_slots: 2 }),
                differs: None,
            }),
            unserved: Vec::new(),
        }
    }

    /// Asserts the findings above a note after a change.
    fn check(change: impl FnOnce(&mut BrokerProbe), expected: &[(&str, ProbeLevel)]) {
        let mut probe = probe();
        change(&mut probe);
        let findings = probe.findings();
        let bad: Vec<_> = findings.iter().filter(|finding| finding.level > ProbeLevel::Note).collect();
        let told: Vec<_> = bad.iter().map(|finding| (finding.about, finding.level)).collect();
        assert_eq!(told, expected);
        assert!(bad.iter().all(|finding| finding.advice.is_some()), "{bad:?}");
    }

    #[test]
    fn what_is_as_it_should_be_is_nothing_to_worry_about() {
        check(|_| {}, &[]);
        check(|probe| (probe.is_encrypted, probe.asks_for_login, probe.is_loopback) = (false, false, true), &[]);
        assert_eq!(probe().findings().iter().filter(|finding| finding.about == "sync").count(), 1);
    }

    #[test]
    fn each_thing_that_is_wrong_is_told_with_advice() {
        check(|probe| probe.version = "2.8.4".to_owned(), &[("version", ProbeLevel::Error)]);
        check(|probe| probe.version = "unknown".to_owned(), &[("version", ProbeLevel::Warning)]);
        check(|probe| probe.is_encrypted = false, &[("tls", ProbeLevel::Warning)]);
        check(|probe| probe.asks_for_login = false, &[("login", ProbeLevel::Warning)]);
        check(|probe| probe.max_message = 1_000, &[("max_payload", ProbeLevel::Warning)]);
        check(|probe| probe.round_trip_ms = Some(400.0), &[("round_trip", ProbeLevel::Warning)]);
        check(|probe| probe.jetstream = JetStreamProbe::Off, &[("jetstream", ProbeLevel::Error)]);
        let unknown = || "permissions violation".to_owned();
        check(|probe| probe.jetstream = JetStreamProbe::Unknown(unknown()), &[("jetstream", ProbeLevel::Warning)]);
        check(|probe| probe.queue = QueueProbe::Unknown(unknown()), &[("queue", ProbeLevel::Warning)]);
        let account = |storage_limit, streams_limit, wants_max_bytes| {
            JetStreamProbe::On(JetStreamAccount {
                storage_used: 10,
                storage_limit,
                streams: 1,
                streams_limit,
                wants_max_bytes,
            })
        };
        check(|probe| probe.jetstream = account(Some(10), None, false), &[("jetstream", ProbeLevel::Error)]);
        check(
            |probe| (probe.jetstream, probe.queue) = (account(None, Some(1), true), QueueProbe::Missing),
            &[("limits", ProbeLevel::Error), ("limits", ProbeLevel::Error)],
        );
        check(|probe| probe.jetstream = account(None, Some(1), true), &[]);
        let survey = |change: fn(&mut QueueSurvey)| {
            let QueueProbe::There(mut survey) = probe().queue else { unreachable!() };
            change(&mut survey);
            QueueProbe::There(survey)
        };
        check(
            |probe| probe.queue = survey(|survey| survey.differs = Some("its `discard` is `Old`".to_owned())),
            &[("queue", ProbeLevel::Error)],
        );
        check(|probe| probe.queue = survey(|survey| survey.foreign = 1), &[("queue", ProbeLevel::Warning)]);
        let (served, unserved) = (EstateId::random(), EstateId::random());
        let QueueProbe::There(mut survey) = probe().queue else { unreachable!() };
        survey.waiting =
            [(&served, 3), (&unserved, 2)].map(|(estate, notes)| EstateNotes { estate: estate.clone(), notes }).into();
        check(
            |probe| (probe.queue, probe.unserved) = (QueueProbe::There(survey), vec![unserved.clone()]),
            &[("estate", ProbeLevel::Warning)],
        );
    }
}
