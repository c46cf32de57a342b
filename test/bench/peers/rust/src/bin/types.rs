//! k8s-openapi's structs, which kube-rs uses, as a subject of the bench's types: decodes pods, reads fields, copies and encodes them,
//! and prints the figures as a line of JSON; test/bench/README.md describes them.

#[path = "../allocator.rs"]
mod allocator;

use std::env::args;
use std::fs;
use std::hint::black_box;

use k8s_openapi::api::core::v1::Pod;
use serde_json::json;

fn main() {
    let least = argument("--milliseconds").map_or(300.0, |n| n.parse().expect("a number")) * 1e6;
    let bodies = records(&argument("--pods").expect("--pods FILE"));
    let pods: Vec<Pod> = bodies.iter().map(|b| decode(b)).collect();
    let sum: usize = pods.iter().map(ten).sum();
    let figures = json!({
        "decode_1": each(&bodies, least, |b| { black_box(one(&decode(b))); }),
        "decode_10": each(&bodies, least, |b| { black_box(ten(&decode(b))); }),
        "read_1": each(&pods, least, |p| { black_box(one(p)); }),
        "read_10": each(&pods, least, |p| { black_box(ten(p)); }),
        "to_struct": each(&bodies, least, |b| { black_box(decode(b)); }),
        "copy": each(&pods, least, |p| { black_box(p.clone()); }),
        "encode": each(&pods, least, |p| { black_box(serde_json::to_vec(p).expect("JSON")); }),
        "sum": sum,
    });
    println!("{figures}");
}

fn argument(name: &str) -> Option<String> {
    let words: Vec<String> = args().skip(1).collect();
    words.chunks(2).find(|pair| pair[0] == name).and_then(|pair| pair.get(1)).cloned()
}

fn records(file: &str) -> Vec<Vec<u8>> {
    let bytes = fs::read(file).expect("the records");
    let mut rest = bytes.as_slice();
    let mut out = Vec::new();
    while let Some((length, more)) = rest.split_first_chunk::<4>() {
        let (record, behind) = more.split_at(u32::from_le_bytes(*length) as usize);
        out.push(record.to_vec());
        rest = behind;
    }
    out
}

fn decode(body: &[u8]) -> Pod {
    serde_json::from_slice(body).expect("a pod")
}

fn length(text: Option<&String>) -> usize {
    text.map_or(0, String::len)
}

fn one(pod: &Pod) -> usize {
    length(pod.spec.as_ref().and_then(|s| s.node_name.as_ref()))
}

fn ten(pod: &Pod) -> usize {
    let (meta, spec, status) = (&pod.metadata, pod.spec.as_ref(), pod.status.as_ref());
    length(meta.name.as_ref())
        + length(meta.namespace.as_ref())
        + length(meta.uid.as_ref())
        + length(meta.labels.as_ref().and_then(|l| l.get("app")))
        + length(spec.and_then(|s| s.node_name.as_ref()))
        + length(spec.and_then(|s| s.service_account_name.as_ref()))
        + length(spec.and_then(|s| s.containers[0].image.as_ref()))
        + length(status.and_then(|s| s.phase.as_ref()))
        + length(status.and_then(|s| s.pod_ip.as_ref()))
        + status.and_then(|s| s.container_statuses.as_ref()).map_or(0, |c| c[0].restart_count as usize)
}

/// Nanoseconds of CPU, of all threads, that a visit takes. The first pass over all is not counted.
fn each<T>(items: &[T], least: f64, mut visit: impl FnMut(&T)) -> f64 {
    items.iter().for_each(&mut visit);
    let begin = cpu();
    let mut visits = 0;
    loop {
        items.iter().for_each(&mut visit);
        visits += items.len();
        let taken = cpu() - begin;
        if taken >= least {
            return taken / visits as f64;
        }
    }
}

fn cpu() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists on every Linux, and `t` is writable.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    assert_eq!(status, 0, "the clock of the process");
    t.tv_sec as f64 * 1e9 + t.tv_nsec as f64
}
