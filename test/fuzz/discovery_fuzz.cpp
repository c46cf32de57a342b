// Reads arbitrary bytes as each document of discovery: what is found can be found by its name, and failures are short and
// printable.
#include "fuzz.hpp"

#include "discovery/discovery_core.hpp"

#include <kubecoro/api/decode.hpp>

#include <algorithm>
#include <string>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

void check_words(const failure& f)
{
    const auto words = f.message();
    fuzz::require(words.size() < 8000, "a failure is short");
    fuzz::require(std::none_of(words.begin(), words.end(), [](char c) { return c == '\x1b' || c == '\n'; }),
                  "a failure is printable");
}

void check_found(const discovered_resources& all)
{
    for (std::size_t i = 0; i < std::min<std::size_t>(all.resources.size(), 20); ++i) {
        const auto& r = all.resources[i];
        fuzz::require(!r.type.plural.empty() && !r.type.kind.empty(), "a resource has names");
        // A slash in the name of a group or version would make it another one.
        if (group_version::parse(r.type.api_version()) == group_version{r.type.group, r.type.version})
            fuzz::require(pick_kind(all, r.type.api_version(), r.type.kind).has_value(), "a kind is found");
        if (r.type.plural.find('.') == r.type.plural.npos)
            fuzz::require(pick_resource(all, r.type.plural).has_value(), "a resource is found by its name");
        for (const auto& c : r.categories) fuzz::require(!members_of(all, c).empty(), "a category has members");
    }
    for (const char* word : {"pods", "p", "a.b", "a.v1.b", "deploymnts"})
        if (const auto found = matching_resources(all, word); !found) check_words(found.error());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::text(data, size);
    (void)read_version(text);
    if (const auto index = read_openapi_index(text))
        for (const auto& d : *index)
            fuzz::require(d.target.starts_with("/openapi/v3/"), "documents are those of this server");
    const auto document = decode_object(text);
    if (!document) return 0;
    if (const auto all = read_aggregated(*document)) check_found(*all);
    if (const auto versions = read_group_versions(*document))
        fuzz::require(versions->size() <= 10'000, "the number of versions is bounded");
    if (auto list = read_resource_list(*document, {"g", "v1"})) check_found({std::move(*list), {}});
    return 0;
}
