#include "summary.hpp"

#include <array>
#include <string_view>

namespace kubecoro::bench {

namespace {

struct summary_line
{
    std::string_view work;
    std::string_view workload;
    std::string_view metric;
    /// The subject of kubecoro.
    std::string_view subject;
    std::string_view data = "small";
    std::uint64_t objects = 150'000;
    bool more = false;
};

constexpr std::array lines{
    summary_line{"cold sync, CPU per pod", "sync", "cpu", "kubecoro/plain"},
    summary_line{"cold sync, CPU per pod, compressed", "sync", "cpu", "kubecoro/compressed"},
    summary_line{"memory at rest, per pod", "steady", "rss_per_object", "kubecoro/plain"},
    summary_line{"memory at rest, per pod, compressed", "steady", "rss_per_object", "kubecoro/compressed"},
    summary_line{"peak memory: sync, all changed, relist; compressed", "peak", "peak", "kubecoro/compressed"},
    summary_line{"changes handled on one core", "events", "rate", "kubecoro/plain", "small", 150'000, true},
    summary_line{"latency at 1,000 changes/s, p99", "paced-1000", "p99", "kubecoro/plain"},
    summary_line{"latency at 1,000 changes/s, p99.9 of two minutes", "tail", "p99.9", "kubecoro/plain"},
    summary_line{"relist after 410, CPU", "relist", "cpu_total", "kubecoro/plain"},
    summary_line{"work queue, distinct keys, per key", "queue", "distinct_ns", "kubecoro/plain", "operator", 1'000},
    summary_line{"custom resources, sync, CPU per object", "sync", "cpu", "kubecoro/plain", "custom", 50'000},
    summary_line{"custom resources, memory at rest; compressed", "steady", "rss", "kubecoro/compressed", "custom",
                 50'000},
};

bool belongs(const row& r, const summary_line& l)
{
    return r.value.rounds && r.what.workload == l.workload && r.what.metric == l.metric && r.what.data == l.data &&
           r.what.objects == l.objects;
}

const row* ours(const std::vector<row>& rows, const summary_line& l)
{
    for (const auto& r : rows)
        if (belongs(r, l) && r.what.subject == l.subject) return &r;
    return nullptr;
}

const row* best_of(const std::vector<row>& rows, const summary_line& l, std::string_view library)
{
    const row* best = nullptr;
    for (const auto& r : rows) {
        if (!belongs(r, l) || !r.what.subject.starts_with(library) || r.what.subject.ends_with("-stripped")) continue;
        const bool better =
            !best || (l.more ? r.value.median > best->value.median : r.value.median < best->value.median);
        if (better) best = &r;
    }
    return best;
}

/// "46.0 us (protobuf)".
std::string cell_text(const row* r)
{
    if (!r) return "not measured";
    return number_text(r->value.median) + " " + r->what.unit.substr(0, r->what.unit.find('/')) + " (" +
           r->what.subject.substr(r->what.subject.find('/') + 1) + ")";
}

std::string share_text(const row* own, const row* theirs)
{
    if (!own || !theirs || theirs->value.median <= 0) return "-";
    return factor_text(own->value.median / theirs->value.median);
}

} // namespace

table summary_table(const std::vector<row>& rows)
{
    table t{.title = "Summary",
            .header = {"150,000 pods, one core", "kubecoro", "best client-go", "best kube-rs", "of client-go's",
                       "of kube-rs's"},
            .lines = {}};
    for (const auto& l : lines) {
        const auto* own = ours(rows, l);
        const auto* go = best_of(rows, l, "client-go/");
        const auto* rust = best_of(rows, l, "kube-rs/");
        t.lines.push_back({std::string(l.work), cell_text(own), cell_text(go), cell_text(rust), share_text(own, go),
                           share_text(own, rust)});
    }
    return t;
}

} // namespace kubecoro::bench
