// Listing many objects by a label selector, with the label's index and without.
#include "allocations.hpp"
#include "store/store.hpp"

#include <kubecoro/api/selector.hpp>
#include <kubecoro/testing/objects.hpp>

#include <string>
#include <vector>

namespace kubecoro::bench {

using namespace detail;

namespace {

constexpr std::size_t stored = 150'000;

/// Ten objects have each value of "ten", a thousand each of "thousand".
const store& filled()
{
    static const store& made = []() -> const store& {
        static store s;
        std::vector<object> all;
        all.reserve(stored);
        for (std::size_t i = 0; i < stored; ++i)
            all.push_back(testing::make_object(
                {.ns = "ns-" + std::to_string(i % 100),
                 .name = "pod-" + std::to_string(i),
                 .resource_version = std::to_string(i + 1),
                 .labels = {{"ten", std::to_string(i / 10)}, {"thousand", std::to_string(i / 1000)}}}));
        benchmark::DoNotOptimize(s.replace({}, std::move(all), true));
        return s;
    }();
    return made;
}

/// Lists like a lister; without an index every object is examined.
void list_by_selector(benchmark::State& state)
{
    const auto& s = filled();
    const bool index = state.range(0) != 0;
    const std::string key = state.range(1) == 10 ? "ten" : "thousand";
    const auto selector = label_selector::parse(key + "=77").value();
    if (index) s.index_label(key);
    state.SetLabel(std::to_string(state.range(1)) + " of 150,000, " + (index ? "index" : "no index"));
    allocation_report report(state);
    for (auto _ : state) {
        auto found = index ? s.candidates(selector, {}).value_or(std::vector<object>{}) : std::vector<object>{};
        std::erase_if(found, [&selector](const object& o) { return !selector.matches(o.labels()); });
        if (!index)
            s.visit({}, [&](const object& o) {
                if (selector.matches(o.labels())) found.push_back(o);
            });
        benchmark::DoNotOptimize(found);
    }
}
BENCHMARK(list_by_selector)->Args({1, 10})->Args({0, 10})->Args({1, 1000})->Args({0, 1000});

} // namespace

} // namespace kubecoro::bench
