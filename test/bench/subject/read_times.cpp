#include "read_times.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

namespace kubecoro::bench {

namespace {

using wall = std::chrono::steady_clock;
constexpr std::chrono::milliseconds long_enough{300};

/// The time of pass(), which visits `count` objects, per object.
template<class Pass>
double per_object(std::size_t count, Pass pass)
{
    const auto begin = wall::now();
    auto now = begin;
    std::size_t visits = 0;
    for (; now - begin < long_enough; now = wall::now()) {
        pass();
        visits += count;
    }
    return std::chrono::duration<double, std::nano>(now - begin).count() / static_cast<double>(visits);
}

} // namespace

read_times measure_reads(const lister<object>& from, const field_paths& paths)
{
    auto objects = from.list();
    if (objects.empty()) return {};
    std::shuffle(objects.begin(), objects.end(), std::mt19937(1));

    read_times t;
    auto each = [&](auto read) {
        return per_object(objects.size(), [&] {
            for (const auto& o : objects) t.bytes += read(o);
        });
    };
    t.get = each([&](const object& o) { return from.get(o.key()) ? 1u : 0u; });
    t.one_field = each([&](const object& o) { return read_first(o, paths).size(); });
    t.five_fields = each([&](const object& o) { return read_five(o, paths); });
    const std::string wanted(read_first(objects.front(), paths));
    t.scan = per_object(objects.size(),
                        [&] { from.for_each([&](const object& o) { t.bytes += read_first(o, paths) == wanted; }); });
    return t;
}

} // namespace kubecoro::bench
