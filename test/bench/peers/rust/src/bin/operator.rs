//! Operators with kube-rs, for the bench of controllers: see test/bench/README.md, "Controllers".

#[path = "../allocator.rs"]
mod allocator;
#[path = "../memory.rs"]
#[allow(dead_code)] // resident_bytes: the driver reads it from outside
mod memory;

use std::convert::Infallible;
use std::env::args;
use std::io::{Write, stdin, stdout};
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use futures::StreamExt;
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::future::{join_all, ready};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::runtime::controller::{Action, Config, Controller};
use kube::runtime::reflector::{Store, store::Writer};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Api, Client};
use serde_json::{Value, json};

const USAGE: &str = "usage: rust_operator KUBECONFIG reconcile OBJECTS CONTROLLERS | idle | agent NODE";

/// Concurrent reconciles of a Controller: as in the informer's program.
const CONCURRENCY: u16 = 64;

fn main() {
    let words: Vec<String> = args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [kubeconfig, "reconcile", objects, controllers] => reconcile_all(kubeconfig, number(objects), number(controllers)),
        [kubeconfig, "idle"] => serve_idle(|synced| run(kubeconfig, move |client| idle(client, synced))),
        [kubeconfig, "agent", node] => serve_idle(|synced| run(kubeconfig, move |client| agent(client, node, synced))),
        _ => {
            eprintln!("{USAGE}");
            exit(2);
        }
    }
}

fn number(word: &str) -> u64 {
    word.parse().expect("a number")
}

fn say(line: Value) {
    let mut out = stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).expect("stdout");
}

/// Runs the body with a client on a runtime of one thread.
fn run<F: Future<Output = ()>>(kubeconfig: &str, body: impl FnOnce(Client) -> F) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let file = Kubeconfig::read_from(kubeconfig).expect("a kubeconfig");
        let config = kube::Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.expect("a usable kubeconfig");
        body(Client::try_from(config).expect("a client")).await;
    });
}

/// Counts reconciles, and reports when a number is reached.
struct Counter {
    reconciled: AtomicU64,
    goal: AtomicU64,
    reached: SyncSender<()>,
}

fn reconcile_all(kubeconfig: &str, objects: u64, controllers: u64) {
    let (reached, reports) = sync_channel(1);
    let counter = Arc::new(Counter { reconciled: 0.into(), goal: (objects * controllers).into(), reached });
    let (again, triggers) = unbounded();
    let (store, writer) = reflector::store_shared(1024);
    let shared = counter.clone();
    let kubeconfig = kubeconfig.to_owned();
    thread::spawn(move || run(&kubeconfig, move |client| control(client, controllers, writer, shared, triggers)));
    reports.recv().expect("reconciles");
    say(json!({"ready": true, "reconciled": counter.reconciled.load(Relaxed)}));
    serve(&store, &counter, &reports, &again);
}

fn serve(store: &Store<ConfigMap>, counter: &Counter, reports: &Receiver<()>, again: &UnboundedSender<()>) {
    for line in stdin().lines() {
        let line = line.expect("commands");
        match line.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["again", times] => {
                let before = counter.reconciled.load(Relaxed);
                for _ in 0..number(times) {
                    counter.goal.store(counter.reconciled.load(Relaxed) + store.len() as u64, Relaxed);
                    again.unbounded_send(()).expect("a controller");
                    reports.recv().expect("reconciles");
                }
                say(json!({"reconciled": counter.reconciled.load(Relaxed) - before}));
            }
            _ => settle(),
        }
    }
}

fn settle() {
    memory::give_back();
    say(json!({"settled": true}));
}

/// Controllers that share one watch and one store.
async fn control(
    client: Client,
    controllers: u64,
    writer: Writer<ConfigMap>,
    counter: Arc<Counter>,
    triggers: UnboundedReceiver<()>,
) {
    let store = writer.as_reader();
    let mut triggers = Some(triggers);
    let mut all = Vec::new();
    for _ in 0..controllers {
        let shared = writer.subscribe().expect("a shared store");
        let mut one = Controller::for_shared_stream(shared, store.clone()).with_config(Config::default().concurrency(CONCURRENCY));
        if let Some(triggers) = triggers.take() {
            one = one.reconcile_all_on(triggers);
        }
        all.push(tokio::spawn(one.run(reconcile, |_, _, _| Action::await_change(), counter.clone()).for_each(|_| ready(()))));
    }
    let watched = watcher(Api::<ConfigMap>::all(client), watcher::Config::default().streaming_lists());
    watched.default_backoff().reflect_shared(writer).for_each(|event| ready(complain(event.err()))).await;
    join_all(all).await;
}

fn complain(error: Option<watcher::Error>) {
    if let Some(error) = error {
        eprintln!("rust_operator: {error}");
    }
}

async fn reconcile(_: Arc<ConfigMap>, counter: Arc<Counter>) -> Result<Action, Infallible> {
    if counter.reconciled.fetch_add(1, Relaxed) + 1 == counter.goal.load(Relaxed) {
        counter.reached.send(()).expect("a driver");
    }
    Ok(Action::await_change())
}

/// Answers when the body has reported that it has synced.
fn serve_idle(body: impl FnOnce(SyncSender<()>) + Send) {
    let (synced, reports) = sync_channel(2);
    thread::scope(|threads| {
        threads.spawn(move || body(synced));
        reports.recv().expect("a sync");
        say(json!({"ready": true}));
        for line in stdin().lines() {
            line.expect("commands");
            settle();
        }
        exit(0);
    });
}

/// Two controllers that have nothing to do. kube-rs serves no metrics or health checks, and has no election.
async fn idle(client: Client, synced: SyncSender<()>) {
    let config = watcher::Config::default().streaming_lists();
    let maps = Controller::new(Api::<ConfigMap>::all(client.clone()), config.clone());
    let pods = Controller::new(Api::<Pod>::all(client), config);
    let (map_store, pod_store) = (maps.store(), pods.store());
    // wait_until_ready wakes one task, which may be the Controller's.
    tokio::spawn(async move {
        while map_store.is_empty() || pod_store.is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        synced.send(()).expect("a driver");
    });
    tokio::spawn(maps.run(nothing, |_, _, _| Action::await_change(), Arc::new(())).for_each(|_| ready(())));
    pods.run(nothing, |_, _, _| Action::await_change(), Arc::new(())).for_each(|_| ready(())).await;
}

async fn nothing<K>(_: Arc<K>, _: Arc<()>) -> Result<Action, Infallible> {
    Ok(Action::await_change())
}

/// A reflector of the pods of a node.
async fn agent(client: Client, node: &str, synced: SyncSender<()>) {
    let (store, writer) = reflector::store::<Pod>();
    let config = watcher::Config::default().streaming_lists().fields(&format!("spec.nodeName={node}"));
    tokio::spawn(async move {
        store.wait_until_ready().await.expect("a writer");
        assert!(!store.is_empty(), "no pods of the node");
        synced.send(()).expect("a driver");
    });
    let watched = watcher(Api::<Pod>::all(client), config);
    watched.default_backoff().reflect(writer).for_each(|event| ready(complain(event.err()))).await;
}
