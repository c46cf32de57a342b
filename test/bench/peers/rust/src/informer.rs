use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;

use futures::{Stream, StreamExt};
use kube::runtime::controller::{Action, Config, Controller};
use kube::runtime::reflector::{ObjectRef, Store, store::Writer};
use kube::runtime::{WatchStreamExt, watcher};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::object::Object;
use crate::options::Options;
use crate::state::State;

/// Runs until the process ends: feeds the event stream of a watcher into a store, and processes each event.
pub async fn run<K: Object>(options: Options, writer: Writer<K>, state: Arc<State>) {
    let client = Client::try_from(connection(&options).await).expect("a client");
    let objects: Api<K> =
        if options.namespace.is_empty() { Api::all(client) } else { Api::namespaced(client, &options.namespace) };
    let watched = watcher(objects, options.watcher_config());
    let strip = options.strip_managed_fields;
    if options.controller {
        control(watched.modify(move |o| prepare(o, strip)), writer, state, options.concurrency).await;
    } else {
        reflect(watched.default_backoff().modify(move |o| prepare(o, strip)), writer, state).await;
    }
}

/// A cluster with its TLS and credentials, or the replay server.
async fn connection(options: &Options) -> kube::Config {
    if options.kubeconfig.is_empty() {
        return kube::Config::new(options.server.parse().expect("the server's URL"));
    }
    let file = Kubeconfig::read_from(&options.kubeconfig).expect("a kubeconfig");
    kube::Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.expect("a usable kubeconfig")
}

fn prepare<K: Object>(object: &mut K, strip_managed_fields: bool) {
    if strip_managed_fields {
        object.meta_mut().managed_fields = None; // None, not cleared: that would keep the vector's memory
    }
}

type Event<K> = watcher::Result<watcher::Event<K>>;

/// The structure of a program on kube-rs's stream: reflector store, keys to a worker, the worker looks objects up.
async fn reflect<K: Object>(events: impl Stream<Item = Event<K>>, writer: Writer<K>, state: Arc<State>) {
    let (queue, keys) = unbounded_channel();
    tokio::spawn(work(writer.as_reader(), keys, state.clone()));
    let mut events = pin!(events.reflect(writer));
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => state.observe(&event, |object| queue.send(ObjectRef::from_obj(object)).expect("a worker")),
            Err(error) => eprintln!("kube-rs subject: {error}"),
        }
    }
}

/// Waits first: the store is empty until the first list is complete.
async fn work<K: Object>(store: Store<K>, mut keys: UnboundedReceiver<ObjectRef<K>>, state: Arc<State>) {
    store.wait_until_ready().await.expect("a writer");
    while let Some(key) = keys.recv().await {
        state.reconcile(store.get(&key).as_deref());
    }
}

/// kube-rs's Controller as `Controller::new` creates it, with its events counted.
async fn control<K: Object>(
    events: impl Stream<Item = Event<K>> + Send + 'static,
    writer: Writer<K>,
    state: Arc<State>,
    concurrency: u16,
) {
    let store = writer.as_reader();
    let counts = state.clone();
    let events = events
        .reflect(writer)
        .inspect(move |event| match event {
            Ok(event) => counts.observe(event, |_| {}),
            Err(error) => eprintln!("kube-rs subject: {error}"),
        })
        .applied_objects();
    Controller::for_stream(events, store)
        .with_config(Config::default().concurrency(concurrency))
        .run(reconcile, |_, _, _| Action::await_change(), state)
        .for_each(|_| futures::future::ready(()))
        .await;
}

async fn reconcile<K: Object>(object: Arc<K>, state: Arc<State>) -> Result<Action, Infallible> {
    state.reconcile(Some(object.as_ref()));
    Ok(Action::await_change())
}
