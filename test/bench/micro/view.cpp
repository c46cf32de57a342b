// Reading encoded objects in place.
#include "allocations.hpp"
#include "corpus.hpp"

#include <kubecoro/api/decode.hpp>

#include <algorithm>
#include <random>

namespace kubecoro::bench {

namespace {

/// Shuffled, as in a real program, so that misses of the processor's caches count.
const std::vector<object>& objects()
{
    static const auto shuffled = [] {
        auto all = encoded_corpus(data_kind::small);
        std::shuffle(all.begin(), all.end(), std::mt19937(1));
        return all;
    }();
    return shuffled;
}

template<class Read>
void each(benchmark::State& state, Read read)
{
    const auto& all = objects();
    std::size_t next = 0;
    allocation_report report(state);
    for (auto _ : state) {
        read(all[next]);
        next = next + 1 == all.size() ? 0 : next + 1;
    }
}

void read_one_field(benchmark::State& state)
{
    each(state, [](const object& o) { benchmark::DoNotOptimize(o["spec"]["nodeName"].as_string()); });
}
BENCHMARK(read_one_field);

/// The same by the path that the bench's `read` uses.
void read_hot_field(benchmark::State& state)
{
    each(state, [](const object& o) { benchmark::DoNotOptimize(o.path("spec.nodeName").as_string()); });
}
BENCHMARK(read_hot_field);

void read_five_fields(benchmark::State& state)
{
    each(state, [](const object& o) {
        benchmark::DoNotOptimize(o["spec"]["nodeName"].as_string());
        benchmark::DoNotOptimize(o["status"]["phase"].as_string());
        benchmark::DoNotOptimize(o["status"]["podIP"].as_string());
        benchmark::DoNotOptimize(o.labels()["app"].as_string());
        benchmark::DoNotOptimize(o["spec"]["containers"][0]["image"].as_string());
    });
}
BENCHMARK(read_five_fields);

/// Objects in the order of the list that brought them; per object.
void scan_by_field(benchmark::State& state)
{
    const auto& all = encoded_corpus(data_kind::small);
    const std::string wanted(all.front()["spec"]["nodeName"].as_string());
    allocation_report report(state);
    report.per_iteration(static_cast<double>(all.size()));
    for (auto _ : state)
        benchmark::DoNotOptimize(std::count_if(
            all.begin(), all.end(), [&](const object& o) { return o["spec"]["nodeName"].as_string() == wanted; }));
}
BENCHMARK(scan_by_field);

void to_text(benchmark::State& state)
{
    each(state, [](const object& o) { benchmark::DoNotOptimize(o.to_text()); });
}
BENCHMARK(to_text);

void compare_equal(benchmark::State& state)
{
    const auto& all = objects();
    const auto again = decode_object(all.front().to_text()).value();
    allocation_report report(state);
    for (auto _ : state) benchmark::DoNotOptimize(all.front().root() == again.root());
}
BENCHMARK(compare_equal);

} // namespace

} // namespace kubecoro::bench
