// Reads arbitrary bytes as an object with managed fields: sets of fields are written back as they were read, and what a manager
// owns is a part of the object.
#include "fuzz.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/field_set.hpp>
#include <kubecoro/client/apply.hpp>

#include <boost/json.hpp>

#include <set>
#include <string>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace json = boost::json;

namespace {

void check_set(value_view fields)
{
    const auto set = field_set::of_fields(fields.to_json());
    if (!set) {
        fuzz::require(set.error() == cond::corrupt, "a set that cannot be read is corrupt");
        return;
    }
    const auto again = field_set::of_fields(set->to_fields());
    fuzz::require(again.has_value(), "what is written can be read");
    fuzz::require(*set == *again, "what is written is what was read");
    fuzz::require(set->united(*set) == *set, "a set has each path once");
    fuzz::require(set->common(*set) == *set, "a set has all its paths in common with itself");
    fuzz::require(set->minus(*set).empty(), "nothing is left of a set without its paths");
    set->for_each([&](const field_path& path) {
        fuzz::require(set->has(path), "a path of a set is in it");
        fuzz::require(!path_text(path).empty(), "a path has a text");
    });
}

/// Each member of the part is one of the whole.
void check_part(const json::value& part, const json::value& whole)
{
    if (!part.is_object() || !whole.is_object()) return;
    for (const auto& m : part.get_object()) {
        const auto* there = whole.get_object().if_contains(m.key());
        fuzz::require(there != nullptr, "what a manager owns is there");
        check_part(m.value(), *there);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto live = decode_object(fuzz::text(data, size));
    if (!live) return 0;
    std::set<std::string> managers{"me"};
    for (const auto entry : live->metadata()["managedFields"].items()) {
        check_set(entry["fieldsV1"]);
        if (managers.size() < 4) managers.emplace(entry["manager"].as_string());
    }
    auto whole = live->to_json();
    // The identity is there even if the object lacks it.
    for (const char* name : {"apiVersion", "kind"}) whole.as_object()[name];
    auto& metadata = whole.as_object()["metadata"];
    if (!metadata.is_object()) metadata = json::object{};
    for (const char* name : {"name", "namespace"}) metadata.as_object()[name];
    for (const auto& manager : managers) {
        if (const auto taken = extract(*live, manager)) check_part(*taken, whole);
        apply_migration how;
        how.from = {manager};
        how.to = "new";
        const auto patch = migration_patch(*live, how);
        if (patch && *patch)
            fuzz::require(json::parse(**patch).as_array().size() == 2, "a migration is two operations");
    }
    return 0;
}
