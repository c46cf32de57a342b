#include "targets.hpp"

#include <array>

namespace kubecoro::bench {

namespace {

/// Reads protobuf where the kind has it.
constexpr std::string_view plain = "kubecoro/plain";
constexpr std::string_view json = "kubecoro/json";
constexpr std::string_view compressed = "kubecoro/compressed";
constexpr std::string_view bare_socket = "floor";
constexpr std::string_view go = "client-go/protobuf";
constexpr std::string_view go_json = "client-go/json";
constexpr std::string_view go_dynamic = "client-go/dynamic";
constexpr std::string_view rust = "kube-rs/best";
constexpr std::string_view controller = "kube-rs/controller";
constexpr std::uint64_t many = 150'000;
constexpr std::uint64_t some = 50'000;
constexpr std::uint64_t few = 20'000;
constexpr std::uint64_t started = 10'000;
constexpr std::uint64_t own = 1'000;
constexpr std::string_view loop = "kubecoro/controller";
constexpr std::string_view runtime = "controller-runtime/controller";
constexpr std::string_view runtime_queue = "controller-runtime/queue";

constexpr std::array targets{
    target{"cold sync, protobuf", "sync", "cpu", plain, "small", many, go, 1 / 6.},
    target{"cold sync, protobuf", "sync", "cpu", plain, "small", many, rust, 1 / 5.},
    target{"cold sync, protobuf", "sync", "cpu", plain, "small", many, {}, 7},
    target{"cold sync, JSON", "sync", "cpu", json, "small", many, go_json, 1 / 30.},
    target{"cold sync, JSON", "sync", "cpu", json, "small", many, rust, 1 / 5.},
    target{"cold sync, JSON", "sync", "cpu", json, "small", many, {}, 8.5},
    target{"cold sync, compressed", "sync", "cpu", compressed, "small", many, go, 1 / 2.5, 1 / 4.},
    target{"cold sync, compressed", "sync", "cpu", compressed, "small", many, go_json, 1 / 20., 1 / 30.},
    target{"cold sync, compressed", "sync", "cpu", compressed, "small", many, rust, 1 / 2.7, 1 / 4.},
    target{"cold sync, compressed", "sync", "cpu", compressed, "small", many, {}, 15, 10},

    target{"steady memory, compressed", "steady", "rss", compressed, "small", many, go, 1 / 20., 1 / 30.},
    target{"steady memory, compressed", "steady", "rss", compressed, "small", many, go_json, 1 / 20., 1 / 30.},
    target{"steady memory, compressed", "steady", "rss", compressed, "small", many, rust, 1 / 50., 1 / 70.},
    target{"steady memory, compressed", "steady", "rss_per_object", compressed, "small", many, {}, 0.6, 0.42},
    target{"steady memory, plain", "steady", "rss", plain, "small", many, go, 1 / 8., 1 / 10.},
    target{"steady memory, plain", "steady", "rss", plain, "small", many, go_json, 1 / 8., 1 / 10.},
    target{"steady memory, plain", "steady", "rss", plain, "small", many, rust, 1 / 20., 1 / 25.},
    target{"steady memory, plain", "steady", "rss_per_object", plain, "small", many, {}, 1.6, 1.3},
    target{"low redundancy, compressed", "steady", "rss", compressed, "low", few, go, 1 / 5.},
    target{"low redundancy, compressed", "steady", "rss", compressed, "low", few, go_json, 1 / 5.},
    target{"low redundancy, compressed", "steady", "rss", compressed, "low", few, rust, 1 / 12.},
    target{"low redundancy, compressed", "steady", "rss_per_object", compressed, "low", few, {}, 2.2},
    target{"low redundancy, plain", "steady", "rss", plain, "low", few, go, 1 / 3.},
    target{"low redundancy, plain", "steady", "rss", plain, "low", few, go_json, 1 / 3.},
    target{"low redundancy, plain", "steady", "rss_per_object", plain, "low", few, {}, 3.6},
    target{"peak memory, compressed", "peak", "peak", compressed, "small", many, go, 1 / 15., 1 / 25.},
    target{"peak memory, compressed", "peak", "peak", compressed, "small", many, go_json, 1 / 15., 1 / 25.},
    target{"peak memory, compressed", "peak", "peak", compressed, "small", many, rust, 1 / 25.},
    target{"peak memory, compressed", "peak", "peak", compressed, "small", many, "own steady", 1.4},
    target{"peak memory, plain", "peak", "peak", plain, "small", many, "own steady", 1.4},

    target{"saturated events, protobuf", "events", "rate", plain, "small", many, go, 4, 0, true},
    target{"saturated events, protobuf", "events", "rate", plain, "small", many, rust, 3.5, 0, true},
    target{"saturated events, protobuf", "events", "rate", plain, "small", many, {}, 90'000, 0, true},
    target{"saturated events, JSON", "events", "rate", json, "small", many, go_json, 20, 30, true},
    target{"saturated events, compressed", "events", "rate", compressed, "small", many, rust, 2.5, 4, true},

    // Waking the core is most of a latency at this rate, for every subject alike: the base is a bare socket's.
    target{"latency at 1,000/s", "paced-1000", "p50", plain, "small", many, bare_socket, 2.0},
    target{"latency at 1,000/s", "paced-1000", "p99", plain, "small", many, bare_socket, 1.3},
    target{"latency at 1,000/s, 120 s", "tail", "p99.9", plain, "small", many, go, 1 / 20.},
    target{"latency at 1,000/s, 120 s", "tail", "p99.9", plain, "small", many, rust, 1 / 3.},
    target{"latency at 5,000/s", "paced-5000", "p99", plain, "small", many, go, 1 / 25.},
    target{"latency at 5,000/s", "paced-5000", "p99", plain, "small", many, rust, 1 / 1.5},
    target{"latency at 5,000/s", "paced-5000", "p99", plain, "small", many, {}, 150},
    // plain measures event -> handler -> queue -> worker; this adds the controller.
    target{"event to reconcile at 1,000/s", "paced-1000", "p99", loop, "small", many, go, 1 / 2.},
    target{"event to reconcile at 1,000/s", "paced-1000", "p99", loop, "small", many, runtime, 1 / 2.},
    target{"event to reconcile at 1,000/s", "paced-1000", "p99", loop, "small", many, controller, 1 / 20.},
    target{"event to reconcile at 1,000/s", "paced-1000", "p99", loop, "small", many, {}, 150},
    target{"event to reconcile at 5,000/s", "paced-5000", "p99", loop, "small", many, go, 1 / 2.},
    target{"event to reconcile at 5,000/s", "paced-5000", "p99", loop, "small", many, runtime, 1 / 2.},
    target{"event to reconcile at 5,000/s", "paced-5000", "p99", loop, "small", many, controller, 1 / 20.},
    target{"event to reconcile at 5,000/s", "paced-5000", "p99", loop, "small", many, {}, 150},
    // A cold sync with a controller behind it.
    target{"10,000 objects reconciled after the start", "sync", "wall", loop, "operator", started, go, 1 / 3.5},
    target{"10,000 objects reconciled after the start", "sync", "wall", loop, "operator", started, runtime, 1 / 3.5},
    target{"10,000 objects reconciled after the start", "sync", "wall", loop, "operator", started, controller, 1 / 4.},
    target{"idle operator, 1,000 objects", "steady", "rss", loop, "operator", own, {}, 12},

    target{"work queue, cycle", "queue", "cycle_ns", plain, "operator", own, go, 1 / 8., 1 / 15.},
    target{"work queue, cycle", "queue", "cycle_ns", plain, "operator", own, runtime_queue, 1 / 8., 1 / 15.},
    target{"work queue, cycle", "queue", "cycle_ns", plain, "operator", own, rust, 1 / 3.},
    target{"work queue, cycle", "queue", "cycle_ns", plain, "operator", own, {}, 200, 100},
    // Goal: no worse than the peers; the stretch is the cycle's target.
    target{"work queue, adding 1,000,000 keys", "queue", "add_ns", plain, "operator", own, go, 1, 1 / 8.},
    target{"work queue, adding 1,000,000 keys", "queue", "add_ns", plain, "operator", own, runtime_queue, 1, 1 / 8.},
    // Keys added to kube-rs's scheduler wait in a channel until a key is requested.
    target{"work queue, 1,000,000 keys through it", "queue", "distinct_ns", plain, "operator", own, rust, 1 / 3.},
    target{"work queue, delaying 1,000,000 keys", "queue", "add_after_ns", plain, "operator", own, go, 1, 1 / 8.},
    target{"work queue, delaying 1,000,000 keys", "queue", "add_after_ns", plain, "operator", own, runtime_queue, 1},
    target{"work queue, delaying 1,000,000 keys", "queue", "add_after_ns", plain, "operator", own, rust, 1, 1 / 3.},
    target{"work queue, memory of a delayed key", "queue", "add_after_bytes", plain, "operator", own, go, 1},
    target{"work queue, memory of a delayed key", "queue", "add_after_bytes", plain, "operator", own, runtime_queue, 1},
    target{"work queue, memory of a delayed key", "queue", "add_after_bytes", plain, "operator", own, rust, 1},
    target{"work queue, two add and four work", "queue", "contended_ns", plain, "operator", own, go, 1, 1 / 8.},
    target{"work queue, two add and four work", "queue", "contended_ns", plain, "operator", own, runtime_queue, 1},
    target{"work queue, two add and four work", "queue", "contended_ns", plain, "operator", own, rust, 1, 1 / 3.},
    target{"read one field", "read", "one_field_ns", plain, "small", many, {}, 60},
    target{"read one field, allocations", "micro", "allocations", "read_one_field", "-", 0, {}, 0},
    target{"read five fields", "read", "five_fields_ns", plain, "small", many, {}, 300},
    target{"read five fields, allocations", "micro", "allocations", "read_five_fields", "-", 0, {}, 0},
    target{"scan by field", "read", "scan_ns_per_object", plain, "small", many, {}, 60},
    target{"scan by field, allocations", "micro", "allocations", "scan_by_field", "-", 0, {}, 0},

    target{"relist after 410, 1 % changed, protobuf", "relist", "cpu", plain, "small", many, go, 1 / 8.},
    target{"relist after 410, 1 % changed, protobuf", "relist", "cpu_total", plain, "small", many, {}, 0.12},
    target{"relist after 410, 1 % changed, JSON", "relist", "cpu", json, "small", many, go_json, 1 / 30.},
    target{"relist after 410, 1 % changed, JSON", "relist", "cpu", json, "small", many, rust, 1 / 10.},
    target{"relist after 410, 1 % changed, JSON", "relist", "cpu_total", json, "small", many, {}, 0.40},
    target{"relist, memory in percent, plain", "relist", "growth", plain, "small", many, {}, 5},
    target{"relist, memory in percent, compressed", "relist", "growth", compressed, "small", many, {}, 5},
    target{"relist, spurious handler calls, plain", "relist", "spurious_calls", plain, "small", many, {}, 0},
    target{"relist, spurious handler calls, compressed", "relist", "spurious_calls", compressed, "small", many, {}, 0},

    // client-go's typed JSON client is cheaper than the dynamic one.
    target{"custom resources, CPU", "sync", "cpu", plain, "custom", some, go_json, 1 / 20.},
    target{"custom resources, CPU", "sync", "cpu", plain, "custom", some, go_dynamic, 1 / 20.},
    target{"custom resources, CPU", "sync", "cpu", plain, "custom", some, rust, 1 / 2.},
    target{"custom resources, CPU", "sync", "cpu", plain, "custom", some, {}, 20},
    target{"custom resources, memory", "steady", "rss", compressed, "custom", some, go_json, 1 / 25.},
    target{"custom resources, memory", "steady", "rss", compressed, "custom", some, go_dynamic, 1 / 25.},
    target{"custom resources, memory", "steady", "rss", compressed, "custom", some, rust, 1 / 25.},
};

/// The value that a target compares, of kubecoro or of a peer.
cell cell_of(const target& t, std::string_view subject)
{
    cell what{.workload = std::string(t.workload),
              .subject = std::string(subject),
              .data = std::string(t.data),
              .objects = t.objects,
              .metric = std::string(t.metric),
              .unit = {}};
    if (subject == "own steady") {
        what.subject = t.subject;
        what.workload = "steady";
        what.metric = "rss";
    }
    return what;
}

std::string amount_text(const target& t, double amount)
{
    return t.against.empty() ? number_text(amount) : factor_text(amount);
}

} // namespace

std::span<const target> all_targets() { return targets; }

judgement judge(const target& t, const std::vector<row>& rows)
{
    judgement j{.what = &t};
    const auto* ours = find_row(rows, cell_of(t, t.subject));
    const auto* theirs = t.against.empty() ? nullptr : find_row(rows, cell_of(t, t.against));
    if (!ours || (!theirs && !t.against.empty())) {
        j.absent = ours ? t.against : t.subject;
        j.why = why_missing(rows, cell_of(t, j.absent));
        return j;
    }
    j.ours = ours->value.median;
    j.unit = ours->what.unit;
    j.theirs = theirs ? theirs->value.median : 0;
    const double measure = theirs ? j.theirs : 1;
    auto meets = [&](double bound) { return t.more ? j.ours >= bound * measure : j.ours <= bound * measure; };
    j.outcome = t.stretch > 0 && meets(t.stretch) ? verdict::stretch_reached
                : meets(t.reach)                  ? verdict::reached
                                                  : verdict::not_reached;
    return j;
}

std::string wish_text(const target& t)
{
    auto text = std::string(t.more ? "at least " : "at most ") + amount_text(t, t.reach);
    if (!t.against.empty()) text += " of " + std::string(t.against);
    if (t.stretch > 0) text += " (stretch " + amount_text(t, t.stretch) + ")";
    return text;
}

std::string verdict_text(const judgement& j)
{
    if (j.outcome == verdict::not_measured)
        return "not measured: " + (j.why.empty() ? "no number of " : j.why + ", ") + std::string(j.absent);
    auto found = number_text(j.ours) + " " + std::string(j.unit);
    if (j.theirs > 0) found += " = " + factor_text(j.ours / j.theirs) + " of " + number_text(j.theirs);
    switch (j.outcome) {
    case verdict::reached:
        return "reached: " + found;
    case verdict::stretch_reached:
        return "stretch reached: " + found;
    default:
        return "NOT reached: " + found;
    }
}

} // namespace kubecoro::bench
