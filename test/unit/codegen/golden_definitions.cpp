// Types that are generated from a definition print that definition.
#include "golden_files.hpp"

#include <kubecoro/api/crd.hpp>
#include <golden/forms_v1/atlas.hpp>
#include <golden/forms_v1/choice.hpp>
#include <golden/forms_v1/release.hpp>
#include <golden/forms_v1/scalar.hpp>
#include <golden/forms_v1/shelf.hpp>
#include <golden/forms_v2alpha1/release.hpp>
#include <golden/loose_v1/box.hpp>
#include <golden/loose_v1/puzzle.hpp>
#include <golden/loose_v1/wrapper.hpp>
#include <golden/names_v1/letter.hpp>
#include <golden/names_v1/union_.hpp>
#include <golden/names_v1/well.hpp>
#include <golden/wide_v1/region.hpp>

#include <kubecoro/test/catch.hpp>

#include <algorithm>

using namespace kubecoro;
using namespace golden_test;
namespace json = boost::json;

namespace {

/// The definition of a kind in golden/crds, with these versions alone, of which the first is stored.
json::value definition_in_file(const resource_type& of, const std::vector<std::string>& versions)
{
    for (auto& document : definitions()) {
        if (document.at_pointer("/spec/names/kind") != json::value(of.kind) ||
            document.at_pointer("/spec/group") != json::value(of.group))
            continue;
        json::array kept;
        for (const auto& name : versions)
            for (auto& v : document.at_pointer("/spec/versions").as_array())
                if (v.at("name") == json::value(name)) kept.push_back(v);
        for (auto& v : kept) v.as_object()["storage"] = &v == &kept.front();
        document.at_pointer("/spec/versions") = std::move(kept);
        return document;
    }
    return nullptr;
}

template<class... T>
void print_their_definitions()
{
    const auto one = [](const resource_type& type, const result<json::object>& printed) {
        INFO(type.kind << ' ' << type.version);
        REQUIRE(printed);
        CHECK(json::value(*printed) == definition_in_file(type, {type.version}));
    };
    (one(T::resource(), definition_of<T>()), ...);
}

} // namespace

TEST_CASE("golden: each type prints the definition that it was made from", "[codegen][golden]")
{
    print_their_definitions<forms_v1::atlas, forms_v1::choice, forms_v1::release, forms_v1::scalar, forms_v1::shelf,
                            forms_v2alpha1::release, loose_v1::box, loose_v1::puzzle, loose_v1::wrapper,
                            names_v1::letter, names_v1::union_, names_v1::well, wide_v1::region>();
}

TEST_CASE("golden: versions are put together in one definition", "[codegen][golden]")
{
    const auto both = definition_of<forms_v1::release>({.other_versions = {version_of<forms_v2alpha1::release>()}});
    REQUIRE(both);
    CHECK(json::value(*both) == definition_in_file(forms_v1::release::resource(), {"v1", "v2alpha1"}));
}
