//! The kube-rs subject of the bench: a watcher whose events feed a queue whose one worker reads three fields from the
//! reflector's store, or kube-rs's Controller. Commands come from stdin, one per line, and each is answered by a line of
//! JSON on stdout; test/bench/README.md describes them.

mod allocator;
mod clock;
mod informer;
mod latencies;
mod memory;
mod object;
mod options;
mod queue;
mod read;
mod state;
mod widget;

use std::io::{Write, stdin, stdout};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

use k8s_openapi::api::core::v1::Pod;
use kube::runtime::reflector;
use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::object::Object;
use crate::options::Options;
use crate::state::State;
use crate::widget::Widget;

fn main() {
    let options = Options::from_arguments();
    match options.resource.as_str() {
        "widgets" => serve::<Widget>(options),
        _ => serve::<Pod>(options),
    }
}

fn serve<K: Object>(options: Options) {
    let state = State::new(options.controller, !options.arrivals.is_empty());
    let arrivals = options.arrivals.clone();
    let (store, writer) = reflector::store::<K>();
    let mut informer = Some((options, writer));
    for line in stdin().lines() {
        let line = line.expect("commands");
        let mut words = line.split_whitespace();
        let Some(command) = words.next() else { continue };
        let number = words.next().map_or(0, |n| n.parse().expect("a number"));
        match command {
            "sync" => {
                let (options, writer) = informer.take().expect("one sync");
                let shared = state.clone();
                thread::spawn(move || run_informer(options, writer, shared));
                state.wait_for_sync();
                answer(json!({"synced": state.reconciled.load(Relaxed)}));
            }
            "expect" => expect(&state, number, arrivals.clone()),
            "relist" => relist(&state, number),
            "counters" => answer(json!({
                "handler_calls": state.handled.load(Relaxed), "reconciled": state.reconciled.load(Relaxed),
                "lists": state.lists.load(Relaxed), "missing": state.missing.load(Relaxed),
                "empty": state.empty.load(Relaxed),
            })),
            "settle" => {
                memory::give_back();
                answer(json!({"settled": true}));
            }
            "read" => answer(read::read_times(&store)),
            "quit" => return,
            "queue" => answer(queue::queue_times(number)),
            _ => answer(json!({"error": format!("unknown command: {command}")})),
        }
    }
}

fn run_informer<K: Object>(options: Options, writer: reflector::store::Writer<K>, state: Arc<State>) {
    let mut builder = if options.current_thread { Builder::new_current_thread() } else { Builder::new_multi_thread() };
    let runtime = builder.enable_all().build().expect("a runtime");
    runtime.block_on(informer::run(options, writer, state));
}

fn answer(line: Value) {
    let mut out = stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).expect("stdout");
}

fn expect(state: &Arc<State>, events: u64, arrivals: String) {
    let reconciled = state.reconciled.load(Relaxed);
    state.expect(events);
    answer(json!({"armed": events}));
    let state = state.clone();
    thread::spawn(move || {
        state.wait();
        state.write_arrivals(&arrivals);
        let wall = (state.last_done.load(Relaxed) - state.started.load(Relaxed)) as f64 / 1e9;
        let at = |quantile| state.latencies.microseconds(quantile);
        answer(json!({
            "done": events, "reconciled": state.reconciled.load(Relaxed) - reconciled, "wall_s": wall,
            "p50_us": at(0.5), "p90_us": at(0.9), "p99_us": at(0.99), "p999_us": at(0.999), "max_us": at(1.0),
        }));
    });
}

fn relist(state: &Arc<State>, calls: u64) {
    let (lists_done, handled) = (state.lists_done.load(Relaxed), state.handled.load(Relaxed));
    answer(json!({"armed": calls}));
    let state = state.clone();
    thread::spawn(move || {
        state.wait_for_relist(lists_done, handled + calls);
        answer(json!({"relisted": true, "handler_calls": state.handled.load(Relaxed) - handled}));
    });
}
