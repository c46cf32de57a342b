//! kube-rs as a subject of the bench's requests: gets, creates and watches of config maps by a typed Api. Commands come from
//! stdin, one per line, and each is answered by a line of JSON on stdout; test/bench/README.md describes them.

#[path = "requests/counting.rs"]
mod counting;
#[allow(dead_code, reason = "the resident size is for the informer's program")]
#[path = "../memory.rs"]
mod memory;
#[path = "requests/work.rs"]
mod work;

use std::env::args;
use std::io::{Write, stdin, stdout};
use std::sync::Arc;
use std::thread;

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config};
use serde_json::{Value, json};
use tokio::runtime::Builder;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::work::Work;

/// Requests run on one thread of their own, where the watches also live between the commands.
fn main() {
    let kubeconfig = kubeconfig_argument();
    let (sender, commands) = unbounded_channel();
    let runs = thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(serve(kubeconfig, commands));
    });
    for line in stdin().lines() {
        let line = line.expect("commands");
        if line == "quit" || sender.send(line).is_err() {
            break;
        }
    }
    drop(sender);
    runs.join().expect("the commands");
}

/// `--resource configmaps` is the only resource and may be omitted.
fn kubeconfig_argument() -> String {
    let words: Vec<String> = args().skip(1).collect();
    words
        .chunks(2)
        .find(|pair| pair[0] == "--kubeconfig")
        .and_then(|pair| pair.get(1))
        .expect("--kubeconfig FILE")
        .clone()
}

async fn serve(kubeconfig: String, mut commands: UnboundedReceiver<String>) {
    let file = Kubeconfig::read_from(&kubeconfig).expect("a kubeconfig");
    let config =
        Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.expect("a usable kubeconfig");
    let client = Client::try_from(config).expect("a client");
    let work = Arc::new(Work::new(Api::namespaced(client, "default")));
    while let Some(line) = commands.recv().await {
        let line = carry_out(&work, &line).await.unwrap_or_else(|why| json!({"error": why}));
        let mut out = stdout().lock();
        writeln!(out, "{line}").and_then(|()| out.flush()).expect("stdout");
    }
}

async fn carry_out(work: &Arc<Work>, line: &str) -> Result<Value, String> {
    let mut words = line.split_whitespace();
    let verb = words.next().unwrap_or_default();
    let numbers: Vec<usize> = words.map(|n| n.parse().expect("a number")).collect();
    match (verb, numbers.as_slice()) {
        ("get", &[in_flight, count]) => work::many(work, in_flight, count, |w, i| async move { w.get(i).await }).await,
        ("create", &[in_flight, count]) => {
            work::many(work, in_flight, count, |w, _| async move { w.create().await }).await
        }
        ("watch", &[count]) => work::watch(work, count).await,
        ("events", &[count]) => work.events(count).await,
        ("settle", &[]) => {
            memory::give_back();
            Ok(json!({"settled": true}))
        }
        _ => Err(format!("unknown command: {line}")),
    }
}
