//! kube-rs's work queue by itself: its scheduler, which the Controller puts in front of the reconciler.

use std::thread;
use std::time::Duration;

use futures::{StreamExt, channel::mpsc};
use kube::runtime::scheduler::{ScheduleRequest, scheduler};
use serde_json::{Value, json};
use tokio::{runtime::Builder, time::Instant};

use crate::memory::resident_bytes;

const WORKING_SET: usize = 1_000;

type Key = (String, String);
type Requests = mpsc::UnboundedSender<ScheduleRequest<Key>>;

/// See the README of the bench, command `queue`. A key is done when it was taken: the scheduler has no other state.
pub fn queue_times(count: u64) -> Value {
    let keys: Vec<Key> = (0..count).map(|i| (format!("namespace-{}", i % 100), format!("pod-{i:07}"))).collect();
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let cycle = cycle(&keys).await;
        let (added, taken) = distinct(keys.clone()).await;
        let (add_after, add_after_bytes) = add_after(&keys).await;
        let contended = contended(keys).await;
        json!({
            "cycle_ns": cycle, "add_ns": added, "get_done_ns": taken, "add_after_ns": add_after,
            "add_after_bytes": add_after_bytes, "contended_ns": contended,
        })
    })
}

fn request(requests: &Requests, message: Key, run_at: Instant) {
    requests.unbounded_send(ScheduleRequest { message, run_at }).expect("an open channel");
}

/// A thousand overdue keys repeatedly, one after the other. The Controller requests keys for now, and
/// the scheduler's timer, which counts milliseconds, delays each by one or two: that is a latency, not work.
async fn cycle(keys: &[Key]) -> f64 {
    let (requests, receiver) = mpsc::unbounded();
    let mut queue = Box::pin(scheduler(receiver));
    let began = Instant::now();
    let mut cycles = 0;
    while cycles < keys.len() {
        for key in keys.iter().take(WORKING_SET) {
            request(&requests, key.clone(), began);
            queue.next().await.expect("a key");
            cycles += 1;
        }
    }
    per_key(began, cycles)
}

/// All requested for now, then taken one by one.
async fn distinct(keys: Vec<Key>) -> (f64, f64) {
    let count = keys.len();
    let (requests, receiver) = mpsc::unbounded();
    let mut queue = Box::pin(scheduler(receiver));
    let began = Instant::now();
    for key in keys {
        request(&requests, key, Instant::now());
    }
    let added = per_key(began, count);
    let began = Instant::now();
    for _ in 0..count {
        queue.next().await.expect("a key");
    }
    (added, per_key(began, count))
}

/// With delays between one and two hours, out of order; one key for now is taken at the end, so that the
/// scheduler has read all requests. Returns the time, and the resident bytes including the keys, which the scheduler owns.
async fn add_after(keys: &[Key]) -> (f64, f64) {
    let count = keys.len();
    let resident = resident_bytes();
    let own = keys.to_vec();
    let (requests, receiver) = mpsc::unbounded();
    let mut queue = Box::pin(scheduler(receiver));
    let began = Instant::now();
    let mut place = 0;
    for key in own {
        let spread = Duration::from_secs_f64(3600.0 * place as f64 / count as f64);
        request(&requests, key, Instant::now() + Duration::from_secs(3600) + spread);
        place = (place + 7_919) % count;
    }
    request(&requests, (String::new(), "last".into()), Instant::now());
    queue.next().await.expect("a key");
    let took = per_key(began, count);
    (took, resident_bytes().saturating_sub(resident) as f64 / count.max(1) as f64)
}

/// Two threads request. The scheduler is one stream: one worker takes from it, whatever the number of reconcilers.
async fn contended(keys: Vec<Key>) -> f64 {
    let part = keys.len() / 2;
    let (requests, receiver) = mpsc::unbounded();
    let mut queue = Box::pin(scheduler(receiver));
    let began = Instant::now();
    let producers: Vec<_> = keys
        .chunks(part.max(1))
        .take(2)
        .map(|own| {
            let (own, requests) = (own.to_vec(), requests.clone());
            thread::spawn(move || own.into_iter().for_each(|key| request(&requests, key, Instant::now())))
        })
        .collect();
    for _ in 0..2 * part {
        queue.next().await.expect("a key");
    }
    let took = per_key(began, 2 * part);
    producers.into_iter().for_each(|p| p.join().expect("a producer"));
    took
}

fn per_key(began: Instant, keys: usize) -> f64 {
    began.elapsed().as_nanos() as f64 / keys.max(1) as f64
}
