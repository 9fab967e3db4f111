//! The store as JSON.

use super::{StatusView, text};
use crate::batches::BatchRecord;
use serde_json::{Map, Value, json};
use war_rig_store::{CallTotals, LockHolder, LockStatus, RunEnd, RunStatus, TicketStatus};

/// Returns all data, with keys in a fixed order, and with times only on request.
pub fn to_json(view: &StatusView) -> Value {
    let times = view.times;
    json!({
        "store": {
            "file": view.file.to_string_lossy(),
            "version": view.version,
            "locked": view.held != LockStatus::Free,
            "holder": match &view.held {
                LockStatus::HeldBy(Some(who)) => holder(who, times),
                LockStatus::HeldBy(None) | LockStatus::Free => Value::Null,
            },
        },
        "runs": view.status.runs.iter().map(|one| run(one, times)).collect::<Vec<_>>(),
        "tickets": view.status.tickets.iter().map(ticket).collect::<Vec<_>>(),
        "calls": calls(view.calls()),
        "batches": view.batches.iter().map(batch).collect::<Vec<_>>(),
    })
}

fn batch(batch: &BatchRecord) -> Value {
    json!({
        "batch": batch.id,
        "output": batch.purpose,
        "model": batch.model,
        "state": batch.progress(),
        "requests": batch.requests,
        "bytes": batch.bytes,
        "prompt_tokens": batch.tokens,
        "most_usd": batch.most.to_usd(),
    })
}

fn holder(holder: &LockHolder, times: bool) -> Value {
    let mut value = json!({ "pid": holder.pid, "host": holder.host, "command": holder.command });
    if times {
        value["since"] = holder.since.into();
    }
    value
}

fn run(run: &RunStatus, times: bool) -> Value {
    let (end, exit) = match run.end {
        RunEnd::Running => ("running", None),
        RunEnd::Killed => ("killed", None),
        RunEnd::Exited(code) => ("exited", Some(code)),
    };
    let totals = run.totals.as_deref().map(|totals| serde_json::from_str::<Value>(totals).unwrap_or(Value::Null));
    let mut value = json!({
        "run": run.number,
        "output": run.output,
        "command": run.command,
        "scribe": run.scribe,
        "end": end,
        "exit": exit,
        "meaning": exit.and_then(text::exit_code_meaning),
        "tickets": run.tickets,
        "calls": calls(run.calls),
        "totals": totals,
    });
    if times {
        value["started"] = run.started.into();
        value["ended"] = run.ended.into();
    }
    value
}

fn ticket(ticket: &TicketStatus) -> Value {
    let step = |(run, step): &(u64, war_rig_pool::Transition)| json!({ "run": run, "from": step.from, "to": step.to, "reason": step.reason });
    let history: Vec<Value> = ticket.history.iter().map(step).collect();
    let mut value = Map::new();
    value.insert("output".to_owned(), ticket.output.as_str().into());
    value.insert("file".to_owned(), ticket.file.as_str().into());
    value.insert("state".to_owned(), ticket.state.to_string().into());
    value.insert("reason".to_owned(), ticket.reason.as_str().into());
    value.insert("attempts".to_owned(), ticket.attempts.into());
    value.insert("history".to_owned(), history.into());
    value.into()
}

fn calls(sums: CallTotals) -> Value {
    json!({
        "calls": sums.calls,
        "sent": sums.sent,
        "answered": sums.answered,
        "too_long": sums.too_long,
        "failed": sums.failed,
        "lost": sums.lost,
        "prompt_tokens": sums.prompt_tokens,
        "completion_tokens": sums.completion_tokens,
        "cost_usd": sums.cost,
        "lost_cost_usd": sums.lost_cost,
    })
}
