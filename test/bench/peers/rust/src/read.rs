use std::hint::black_box;
use std::time::{Duration, Instant};

use kube::runtime::reflector::{ObjectRef, Store};
use serde_json::{Value, json};

use crate::object::Object;

const MEASURED: Duration = Duration::from_millis(300);

/// Measures the store: a get by key, one and five fields of an existing object, and a scan of all objects by one field.
/// Keys and objects are visited in a shuffled order, as a controller meets them, so that misses of the processor's
/// caches count.
pub fn read_times<K: Object>(store: &Store<K>) -> Value {
    let mut objects = store.state();
    shuffle(&mut objects);
    let keys: Vec<_> = objects.iter().map(|o| ObjectRef::from_obj(o.as_ref())).collect();

    let get = per_item(&keys, |key| {
        black_box(store.get(key).map_or(0, |o| o.first().len()));
    });
    let one = per_item(&objects, |o| {
        black_box(o.first());
    });
    let five = per_item(&objects, |o| {
        black_box((o.first(), o.phase(), o.stamp(), o.meta().name.as_deref(), o.fifth()));
    });
    let wanted = objects.first().map_or(String::new(), |o| o.first().to_string());
    let scan = per_item(&[()], |()| {
        black_box(store.state().iter().filter(|o| o.first() == wanted).count());
    }) / objects.len().max(1) as f64;
    json!({"get_ns": get, "one_field_ns": one, "five_fields_ns": five, "scan_ns_per_object": scan})
}

fn per_item<T>(items: &[T], mut visit: impl FnMut(&T)) -> f64 {
    let begin = Instant::now();
    let mut visits = 0;
    while begin.elapsed() < MEASURED && !items.is_empty() {
        items.iter().for_each(&mut visit);
        visits += items.len();
    }
    begin.elapsed().as_nanos() as f64 / visits.max(1) as f64
}

fn shuffle<T>(items: &mut [T]) {
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    for i in (1..items.len()).rev() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(i, (random >> 33) as usize % (i + 1));
    }
}
