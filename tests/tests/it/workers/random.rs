//! Anything that can go wrong, at random and one after the other, and the same bytes in the end.

use super::scene::{JOBS, Scene, in_vain, right};
use std::time::{Duration, Instant};
use war_rig_tests::crash::{RunningProcess, Seed, cases};

/// Workers at a time.
const WORKERS: usize = 3;

/// Seconds after which a silent worker has lost its tickets. A broker that starts again and a line that is cut keep everybody silent for a second or
/// so, on a slow machine for longer, and take no attempt.
const DEADLINE: u64 = 3;

/// What takes attempts with it. A ticket whose attempts were in vain three times is set aside, so that there are two at the most.
const DEATHS: usize = 2;

/// What happens to a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blow {
    /// A worker is killed, and another one takes its place, in the same folder or in a new one.
    Worker { is_same: bool },
    /// A worker stands still for longer than its deadline.
    Freeze,
    /// The coordinator is killed and run again.
    Coordinator,
    /// The broker is killed and comes back, with its store or without.
    Broker { is_wiped: bool },
    /// All connections are cut.
    Cut,
}

impl Blow {
    fn any(random: &mut fastrand::Rng) -> Self {
        match random.u8(..7) {
            0 => Self::Worker { is_same: random.bool() },
            1 => Self::Freeze,
            2 => Self::Coordinator,
            3 | 4 => Self::Broker { is_wiped: random.bool() },
            _ => Self::Cut,
        }
    }

    fn is_deadly(self) -> bool {
        match self {
            Self::Worker { .. } | Self::Freeze | Self::Coordinator => true,
            Self::Broker { .. } | Self::Cut => false,
        }
    }

    fn falls(self, scene: &mut Scene, run: &mut RunningProcess, random: &mut fastrand::Rng) {
        let hand = random.usize(..scene.hands.len());
        match self {
            Self::Worker { is_same } => {
                // One that was killed before and replaced does not run any more.
                let Some(hand) = scene.hands.iter_mut().rev().find(|hand| hand.worker.is_running()) else {
                    return;
                };
                hand.worker.kill();
                if is_same {
                    hand.worker.start();
                } else {
                    scene.hands(1, latency(random));
                }
            }
            Self::Freeze => {
                let hand = &mut scene.hands[hand];
                if hand.worker.is_running() {
                    hand.worker.freeze();
                    // Past its deadline the coordinator says that its attempts were in vain, if it had any.
                    let (before, begun) = (in_vain(&run.stderr()), Instant::now());
                    let longest = Duration::from_millis(1500) * DEADLINE as u32;
                    while in_vain(&run.stderr()) == before && !run.has_ended() && begun.elapsed() < longest {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                    hand.worker.thaw();
                }
            }
            Self::Coordinator => {
                run.kill();
                *run = scene.document();
            }
            Self::Broker { is_wiped: true } => scene.server.restart_wiped(),
            Self::Broker { is_wiped: false } => scene.server.restart(),
            Self::Cut => scene.proxy.cut(),
        }
    }
}

fn latency(random: &mut fastrand::Rng) -> Duration {
    Duration::from_millis(random.u64(20..300))
}

fn one_after_the_other(seed: &Seed) {
    let mut random = fastrand::Rng::with_seed(seed.0);
    let mut scene = Scene::new().deadline(DEADLINE);
    for _ in 0..WORKERS {
        let latency = latency(&mut random);
        scene.hands(1, latency);
    }
    scene.proxy.repeat(random.usize(1..=2));
    let mut run = scene.document();
    let (mut blows, mut deaths) = (Vec::new(), 0);
    for _ in 0..random.usize(2..6) {
        let blow = Blow::any(&mut random);
        if blow.is_deadly() && deaths == DEATHS {
            continue;
        }
        deaths += usize::from(blow.is_deadly());
        // It falls when the run has come a little further, or does not.
        let (calls, begun) = (scene.calls().len() + random.usize(..4), Instant::now());
        while scene.calls().len() < calls && begun.elapsed() < Duration::from_secs(2) {
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(random.u64(..100)));
        blows.push(blow);
        blow.falls(&mut scene, &mut run, &mut random);
    }
    let what = format!("{blows:?}");
    let run = scene.end_of(run);
    scene.check(&run, right(), deaths * WORKERS * JOBS, &what);
}

#[test]
fn whatever_goes_wrong_the_bytes_are_the_same() {
    let first = Seed::any();
    for number in 0..cases(3) as u64 {
        one_after_the_other(&Seed(first.0.wrapping_add(number)));
    }
}
