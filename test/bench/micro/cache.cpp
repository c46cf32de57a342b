// The informer's own tables and queues, without an informer.
#include "allocations.hpp"
#include "corpus.hpp"
#include "listener/listener_core.hpp"
#include "store/store.hpp"

#include <algorithm>
#include <array>

namespace kubecoro::bench {

using namespace detail;

namespace {

const std::vector<object>& objects() { return encoded_corpus(data_kind::small); }

/// The same objects at a later version.
const std::vector<object>& later()
{
    static const auto made = [] {
        data_set data({.kind = data_kind::small, .objects = corpus_size});
        std::vector<object> all;
        std::string text;
        for (std::uint32_t i = 0; i < data.size(); ++i) {
            text.clear();
            data.append(text, i, object_state::second);
            all.push_back(object::parse(text).value());
        }
        return all;
    }();
    return made;
}

void index_by_node(store& s)
{
    benchmark::DoNotOptimize(
        s.add_index("node", [](const object& o, index_sink out) { out(o["spec"]["nodeName"].as_string()); }));
}

void fill(store& s) { benchmark::DoNotOptimize(s.replace({}, objects(), true)); }

/// One change of a stored object; optionally with an index.
void store_update(benchmark::State& state)
{
    store s;
    if (state.range(0)) index_by_node(s);
    fill(s);
    state.SetLabel(state.range(0) ? "one index" : "no index");
    const std::array<const std::vector<object>*, 2> versions{&later(), &objects()};
    std::size_t next = 0;
    allocation_report report(state);
    for (auto _ : state) {
        const auto& o = (*versions[next / corpus_size % 2])[next % corpus_size];
        const delta change{.type = delta_type::updated, .obj = o};
        benchmark::DoNotOptimize(s.apply({&change, 1}));
        ++next;
    }
}
BENCHMARK(store_update)->Arg(0)->Arg(1);

/// Objects that return with their stored version, as in a relist; per object.
void store_replace_unchanged(benchmark::State& state)
{
    store s;
    fill(s);
    allocation_report report(state);
    report.per_iteration(corpus_size);
    for (auto _ : state) benchmark::DoNotOptimize(s.replace({}, objects(), false));
}
BENCHMARK(store_replace_unchanged)->Unit(benchmark::kMillisecond);

void store_get(benchmark::State& state)
{
    store s;
    fill(s);
    const auto& all = objects();
    std::size_t next = 0;
    allocation_report report(state);
    for (auto _ : state) {
        benchmark::DoNotOptimize(s.get(all[next].key()));
        next = (next + 7919) % corpus_size;
    }
}
BENCHMARK(store_get);

/// Per object.
void store_list(benchmark::State& state)
{
    store s;
    fill(s);
    allocation_report report(state);
    report.per_iteration(corpus_size);
    for (auto _ : state) benchmark::DoNotOptimize(s.list({}));
}
BENCHMARK(store_list);

/// The objects of one node: about thirty.
void store_by_index(benchmark::State& state)
{
    store s;
    index_by_node(s);
    fill(s);
    const std::string node(objects().front()["spec"]["nodeName"].as_string());
    allocation_report report(state);
    for (auto _ : state) benchmark::DoNotOptimize(s.by_index("node", node));
    state.counters["found"] = static_cast<double>(s.by_index("node", node).size());
}
BENCHMARK(store_by_index);

/// In and out of a handler's queue in batches; per event. Events merge when more than max_pending wait.
void listener(benchmark::State& state)
{
    constexpr std::size_t batch = 256;
    std::vector<notification<object>> events;
    for (std::size_t i = 0; i < batch; ++i) events.emplace_back(updated<object>{objects()[i], later()[i]});
    listener_core queue(static_cast<std::size_t>(state.range(0)));
    state.SetLabel(state.range(0) < static_cast<std::int64_t>(batch) ? "merging" : "delivering");
    allocation_report report(state);
    report.per_iteration(batch);
    for (auto _ : state) {
        queue.add(events);
        benchmark::DoNotOptimize(queue.pop(batch));
        queue.finished();
    }
}
BENCHMARK(listener)->Arg(1024)->Arg(16);

} // namespace

} // namespace kubecoro::bench
