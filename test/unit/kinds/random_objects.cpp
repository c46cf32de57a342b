// Random objects of each built-in kind, made from its schema. KUBECORO_SEED=N repeats a run; KUBECORO_LONG makes 10,000 of each kind.
#include "kind_checks.hpp"

#include <kubecoro/test/random_amount.hpp>
#include <kubecoro/test/random_object.hpp>

#include <boost/json/serialize.hpp>

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
namespace schemas = detail::builtin_schemas;

namespace {

/// Checks objects of a kind. Returns how many of them strict reading must refuse.
std::size_t check_kind(const detail::schema_kind& kind, const test::random_amount& count)
{
    test::built_in_objects maker(count.seed);
    std::size_t spoiled = 0;
    for (std::size_t i = 0; i < count.each; ++i) {
        const auto how = i == 0 ? test::content::full : i % 2 == 0 ? test::content::plain : test::content::odd;
        const auto made = maker.make(kind, how);
        spoiled += made.spoiled;
        const auto problems = test::problems_of(made.json, made.spoiled);
        if (problems.empty()) continue;
        INFO("object " << i << " of " << schemas::text(kind.kind) << ", KUBECORO_SEED=" << count.seed << ": "
                       << boost::json::serialize(made.json));
        FAIL(problems.front());
    }
    return spoiled;
}

} // namespace

TEST_CASE("random objects of every built-in kind survive their structs, and views read their JSON", "[kinds][random]")
{
    const auto count = test::wanted_amount();
    std::size_t kinds = 0, spoiled = 0;
    for (const auto& kind : schemas::kinds()) {
        if (kind.resource == 0 || !test::has_struct(schemas::text(kind.api_version), schemas::text(kind.kind)))
            continue;
        spoiled += check_kind(kind, count);
        ++kinds;
    }
    WARN(kinds << " kinds, " << count.each << " objects of each, seed " << count.seed);
    CHECK(kinds == test::struct_count());
    // Both ways were taken.
    CHECK(spoiled > kinds * count.each / 10);
    CHECK(spoiled < kinds * count.each / 2);
    const auto forms = test::forms_of_structs();
    WARN(forms.quick << " structs became protobuf in one pass, " << forms.whole << " by way of JSON, " << forms.none
                     << " not at all");
    CHECK(forms.quick > kinds * count.each / 4);
    // Random objects hold what others seldom do.
    CHECK(forms.whole < forms.quick);
}
