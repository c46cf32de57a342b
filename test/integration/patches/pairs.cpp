// Writes random versions of objects of the built-in kinds and the patches between them, one JSON object a line: kind, apiVersion, last,
// from, to, and the patches `merge`, `three_way`, and `strategic`, which is null where it is refused.
// Usage: patch_pairs COUNT SEED
#include "random_object.hpp"

#include <kubecoro/api/patch.hpp>

#include <boost/json/serialize.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace kubecoro;
namespace json = boost::json;

int main(int argc, char** argv)
{
    if (argc != 3) return 2;
    const auto count = std::strtoul(argv[1], nullptr, 10);
    test::object_maker maker{detail::random_source(std::strtoull(argv[2], nullptr, 10))};
    const auto kinds = detail::builtin_schemas::kinds();
    for (unsigned long made = 0; made < count;) {
        const auto& kind = kinds[maker.below(kinds.size())];
        if (kind.resource == 0) continue; // a list, or options
        const auto from = maker.make(kind);
        const auto other = maker.make(kind);
        const auto to = maker.changed(from, other);
        const auto last = maker.changed(from, other);
        const auto strategic = strategic_merge_patch(from, to);
        const json::value line{{"apiVersion", from.at("apiVersion")},
                               {"kind", from.at("kind")},
                               {"last", last},
                               {"from", from},
                               {"to", to},
                               {"merge", merge_patch(from, to)},
                               {"three_way", three_way_merge_patch(last, to, from)},
                               {"strategic", strategic ? json::value(*strategic) : json::value()}};
        std::puts(json::serialize(line).c_str());
        ++made;
    }
}
