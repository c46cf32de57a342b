// Patches that the client makes, applied by the embedded server: for random objects of every built-in kind.
#include "patch/patch.hpp"

#include <kubecoro/api/patch.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/protobuf_samples.hpp>

#include <boost/json.hpp>

#include <map>
#include <string>
#include <vector>

using namespace kubecoro;
namespace json = boost::json;

namespace {

/// Removes, changes and exchanges members and items here and there.
void disturb(json::value& v, detail::random_source& random)
{
    if (auto* object = v.if_object()) {
        std::vector<std::string> gone;
        for (auto& [name, member] : *object)
            if (random() % 12 == 0 && name != "kind" && name != "apiVersion" && name != "name")
                gone.emplace_back(name);
            else
                disturb(member, random);
        for (const auto& name : gone) object->erase(name);
    } else if (auto* array = v.if_array()) {
        for (auto& item : *array) disturb(item, random);
        if (array->size() > 1 && random() % 4 == 0) std::swap(array->front(), array->back());
        if (!array->empty() && random() % 5 == 0) array->erase(array->begin());
    }
}

} // namespace

TEST_CASE("made patches: applied to the old version they give the new one", "[apiserver][patch]")
{
    detail::random_source random(20260131);
    test::protobuf_samples samples;
    std::size_t patched = 0;
    std::size_t refused = 0;
    while (const auto sample = samples.next()) {
        if (!sample->name.starts_with("object ")) continue;
        const auto before = json::parse(sample->json).as_object();
        json::value changed = before;
        disturb(changed, random);
        const auto& after = changed.as_object();
        INFO(sample->name << "\n" << json::serialize(before) << "\n" << json::serialize(after));

        json::value merged = before;
        apiserver::apply_merge_patch(merged, merge_patch(before, after));
        REQUIRE(merged == changed);

        const auto patch = strategic_merge_patch(before, after);
        if (!patch) {
            ++refused; // the random lists have items without, or with equal, merge keys
            continue;
        }
        INFO(json::serialize(*patch));
        auto target = before;
        const auto problem = apiserver::apply_strategic_merge(
            target, *patch, std::string(after.at("apiVersion").as_string()), std::string(after.at("kind").as_string()));
        INFO((problem ? problem->message : std::string()));
        REQUIRE_FALSE(problem);
        REQUIRE(json::value(target) == changed);
        ++patched;
    }
    CHECK(patched > refused);
}
