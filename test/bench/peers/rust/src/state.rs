use std::fs;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;

use kube::runtime::watcher::Event;

use crate::clock;
use crate::latencies::Latencies;
use crate::object::Object;

/// The state that the event stream, the worker and the commands share.
pub struct State {
    pub handled: AtomicU64,
    pub reconciled: AtomicU64,
    /// Reconciles whose object the store did not have.
    pub missing: AtomicU64,
    /// Reconciles that found one of the three fields empty.
    pub empty: AtomicU64,
    pub lists: AtomicU64,
    pub lists_done: AtomicU64,
    pub latencies: Latencies,
    /// Stamp and time of each reconcile; only when kept.
    arrivals: Option<Mutex<Vec<(i64, i64)>>>,
    pub started: AtomicI64,
    pub last_done: AtomicI64,
    /// The Controller keeps one request per object, so it reconciles less often than it receives changes.
    merging: AtomicBool,
    newest_handled: AtomicI64,
    newest_reconciled: AtomicI64,
    first_expected: AtomicU64,
    last_expected: AtomicU64,
    reached: Sender<()>,
    arrival: Mutex<Receiver<()>>,
}

impl State {
    pub fn new(merging: bool, keep_arrivals: bool) -> Arc<Self> {
        let (reached, arrival) = channel();
        Arc::new(Self {
            handled: AtomicU64::new(0),
            reconciled: AtomicU64::new(0),
            missing: AtomicU64::new(0),
            empty: AtomicU64::new(0),
            lists: AtomicU64::new(0),
            lists_done: AtomicU64::new(0),
            latencies: Latencies::new(),
            arrivals: keep_arrivals.then(Mutex::default),
            started: AtomicI64::new(0),
            last_done: AtomicI64::new(0),
            merging: AtomicBool::new(merging),
            newest_handled: AtomicI64::new(0),
            newest_reconciled: AtomicI64::new(0),
            first_expected: AtomicU64::new(0),
            last_expected: AtomicU64::new(0),
            reached,
            arrival: Mutex::new(arrival),
        })
    }

    /// Counts an event of the watch; `handle` is called for those that carry an object.
    pub fn observe<K: Object>(&self, event: &Event<K>, mut handle: impl FnMut(&K)) {
        match event {
            Event::Init => {
                self.lists.fetch_add(1, Relaxed);
            }
            Event::InitDone => {
                self.lists_done.fetch_add(1, Relaxed);
            }
            Event::InitApply(object) | Event::Apply(object) | Event::Delete(object) => {
                handle(object);
                if self.merging.load(Relaxed) {
                    self.newest_handled.store(object.stamp().parse().unwrap_or(0), Relaxed);
                }
                self.count_handled();
            }
        }
    }

    fn count_handled(&self) {
        let handled = self.handled.fetch_add(1, Relaxed) + 1;
        if handled == self.first_expected.load(Relaxed) {
            self.started.store(clock::now(), Relaxed);
        }
        if handled == self.last_expected.load(Relaxed) {
            let _ = self.reached.send(());
        }
    }

    /// One run of the worker: the three fields of an object found in the store.
    pub fn reconcile<K: Object>(&self, found: Option<&K>) {
        let (first, phase, stamp) = found.map_or(("", "", ""), |o| (o.first(), o.phase(), o.stamp()));
        let now = clock::now();
        self.last_done.store(now, Relaxed);
        if found.is_none() {
            self.missing.fetch_add(1, Relaxed);
        } else if first.is_empty() || phase.is_empty() || stamp.is_empty() {
            self.empty.fetch_add(1, Relaxed);
        } else if let Ok(stamp @ 1..) = stamp.parse::<i64>() {
            self.latencies.record(now - stamp);
            if let Some(kept) = &self.arrivals {
                kept.lock().unwrap().push((stamp, now));
            }
            if self.merging.load(Relaxed) {
                self.newest_reconciled.fetch_max(stamp, Relaxed);
            }
        }
        self.reconciled.fetch_add(1, Relaxed);
    }

    /// Starts a measured stretch of this number of events; `wait` awaits its end.
    pub fn expect(&self, events: u64) {
        self.latencies.clear();
        let handled = self.handled.load(Relaxed);
        self.first_expected.store(handled + 1, Relaxed);
        self.last_expected.store(handled + events, Relaxed);
    }

    pub fn wait(&self) {
        self.arrival.lock().unwrap().recv().unwrap();
        self.drain();
    }

    /// Returns when every event is reconciled. It polls: a worker that reported each idle moment would pay for that in the
    /// middle of a paced run.
    pub fn drain(&self) {
        while !self.merging.load(Relaxed) && self.reconciled.load(Relaxed) < self.handled.load(Relaxed) {
            sleep(Duration::from_millis(2));
        }
        while self.merging.load(Relaxed) && !self.rests() {}
    }

    /// The Controller does not report how much it has scheduled: it is idle when the newest event is reconciled and no
    /// further event comes.
    fn rests(&self) -> bool {
        let reconciled = self.reconciled.load(Relaxed);
        sleep(Duration::from_millis(250));
        reconciled == self.reconciled.load(Relaxed)
            && self.newest_reconciled.load(Relaxed) >= self.newest_handled.load(Relaxed)
    }

    /// Writes a line for each reconcile so far; the stamps tell those of a stretch.
    pub fn write_arrivals(&self, path: &str) {
        if let Some(kept) = &self.arrivals {
            let lines: String = kept.lock().unwrap().iter().map(|(stamp, at)| format!("{stamp} {at}\n")).collect();
            fs::write(path, lines).expect("the file of arrivals");
        }
    }

    /// Awaits the first list and the worker's processing of its objects.
    pub fn wait_for_sync(&self) {
        while self.lists_done.load(Relaxed) == 0 || self.reconciled.load(Relaxed) < self.handled.load(Relaxed) {
            sleep(Duration::from_millis(2));
        }
    }

    /// Awaits a list that ends from now on, and this number of events.
    pub fn wait_for_relist(&self, lists_done: u64, handled: u64) {
        while self.lists_done.load(Relaxed) == lists_done || self.handled.load(Relaxed) < handled {
            sleep(Duration::from_millis(2));
        }
        self.drain();
    }
}
