//! kube-rs's work queue by itself: its scheduler, which the Controller puts in front of the reconciler.

use futures::{StreamExt, channel::mpsc};
use kube::runtime::scheduler::{ScheduleRequest, scheduler};
use serde_json::{Value, json};
use tokio::{runtime::Builder, time::Instant};

const KEYS: u32 = 1_000_000;

/// So many distinct keys requested for now, then taken one by one. A key is done when it was taken: the scheduler knows no more.
pub fn queue_times() -> Value {
    let keys: Vec<_> = (0..KEYS).map(|i| (format!("namespace-{}", i % 100), format!("pod-{i:07}"))).collect();
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (requests, receiver) = mpsc::unbounded();
        let mut queue = Box::pin(scheduler(receiver));
        let began = Instant::now();
        for message in keys {
            requests.unbounded_send(ScheduleRequest { message, run_at: Instant::now() }).expect("an open channel");
        }
        let added = per_key(began);
        let began = Instant::now();
        for _ in 0..KEYS {
            queue.next().await.expect("a key");
        }
        let taken = per_key(began);
        json!({"add_ns": added, "get_done_ns": taken, "cycle_ns": added + taken})
    })
}

fn per_key(began: Instant) -> f64 {
    began.elapsed().as_nanos() as f64 / f64::from(KEYS)
}
