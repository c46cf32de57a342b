//! The requests.

use std::collections::BTreeMap;
use std::future::Future;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{ListParams, ObjectMeta, PostParams, WatchEvent, WatchParams};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::counting;

/// The number of objects that exist before; gets and watches name them.
const PREPARED: usize = 100;

pub struct Work {
    objects: Api<ConfigMap>,
    made: AtomicUsize,
    seen: AtomicUsize,
    goal: AtomicUsize,
    ended: AtomicUsize,
    news: Notify,
}

impl Work {
    pub fn new(objects: Api<ConfigMap>) -> Self {
        let zero = || AtomicUsize::new(0);
        Self { objects, made: zero(), seen: zero(), goal: zero(), ended: zero(), news: Notify::new() }
    }

    pub async fn get(&self, i: usize) -> Result<(), String> {
        let object = self.objects.get(&prepared_name(i)).await.map_err(|e| e.to_string())?;
        let filled = object.data.is_some_and(|data| data.get("a").is_some_and(|a| !a.is_empty()));
        if filled { Ok(()) } else { Err("an empty answer".into()) }
    }

    pub async fn create(&self) -> Result<(), String> {
        let name = format!("bench-made-{}-{}", process::id(), self.made.fetch_add(1, Relaxed));
        let value = "v".repeat(256);
        let object = ConfigMap {
            metadata: ObjectMeta {
                name: Some(name),
                labels: Some(BTreeMap::from([("bench".into(), "made".into())])),
                ..Default::default()
            },
            data: Some(["a", "b", "c", "d"].into_iter().map(|key| (key.to_string(), value.clone())).collect()),
            ..Default::default()
        };
        let made = self.objects.create(&PostParams::default(), &object).await.map_err(|e| e.to_string())?;
        if made.metadata.resource_version.is_some() { Ok(()) } else { Err("an empty answer".into()) }
    }

    /// Waits until the watches have had that many events since they were opened.
    pub async fn events(&self, count: usize) -> Result<Value, String> {
        self.goal.store(count, Relaxed);
        while self.seen.load(Relaxed) < count {
            if self.ended.load(Relaxed) > 0 {
                return Err("a watch has ended".into());
            }
            self.news.notified().await;
        }
        Ok(json!({"seen": self.seen.load(Relaxed)}))
    }
}

fn prepared_name(i: usize) -> String {
    format!("bench-{}", i % PREPARED)
}

/// Makes a number of requests, some of them at once, and counts what the program allocates meanwhile.
pub async fn many<F, R>(work: &Arc<Work>, in_flight: usize, count: usize, one: F) -> Result<Value, String>
where
    F: Fn(Arc<Work>, usize) -> R + Copy + Send + 'static,
    R: Future<Output = Result<(), String>> + Send,
{
    let (calls, bytes) = counting::so_far();
    let begin = Instant::now();
    let next = Arc::new(AtomicUsize::new(0));
    let lines: Vec<_> = (0..in_flight)
        .map(|_| {
            let (work, next) = (work.clone(), next.clone());
            tokio::spawn(async move {
                loop {
                    let i = next.fetch_add(1, Relaxed);
                    if i >= count {
                        return Ok(());
                    }
                    one(work.clone(), i).await?;
                }
            })
        })
        .collect();
    for line in lines {
        line.await.map_err(|e| e.to_string()).and_then(|done: Result<(), String>| done)?;
    }
    let wall = begin.elapsed().as_secs_f64();
    let (calls_now, bytes_now) = counting::so_far();
    Ok(json!({"done": count, "wall_s": wall, "allocations": calls_now - calls, "allocated_bytes": bytes_now - bytes}))
}

/// Opens that many watches of one object each, one after the other, from the present version on.
pub async fn watch(work: &Arc<Work>, count: usize) -> Result<Value, String> {
    let present = work.objects.list(&ListParams::default().limit(1)).await.map_err(|e| e.to_string())?;
    let version = present.metadata.resource_version.ok_or("a list without a version")?;
    for i in 0..count {
        let of_one = WatchParams::default().fields(&format!("metadata.name={}", prepared_name(i)));
        let events = work.objects.watch(&of_one, &version).await.map_err(|e| e.to_string())?;
        let work = work.clone();
        tokio::spawn(async move {
            let mut events = events.boxed();
            while let Some(event) = events.next().await {
                if let Ok(WatchEvent::Modified(_)) = event {
                    if work.seen.fetch_add(1, Relaxed) + 1 == work.goal.load(Relaxed) {
                        work.news.notify_one();
                    }
                }
            }
            work.ended.fetch_add(1, Relaxed);
            work.news.notify_one();
        });
    }
    Ok(json!({"watching": count}))
}
