// Each object that the real serializers made goes through its struct and comes out equal.
#include <kubecoro/all_kinds.hpp>
#include <kubecoro/api/structs.hpp>
#include <kubecoro/test/protobuf_samples.hpp>

#include <kubecoro/test/catch.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>

using namespace kubecoro;

namespace {

/// Reads an object into the struct of its kind and returns what it writes, or the failure.
using round_trip = std::function<result<std::string>(const object&)>;

/// By apiVersion and kind.
std::map<std::string, round_trip> round_trips()
{
    std::map<std::string, round_trip> out;
    each_kind([&out]<class T>() {
        const auto type = T::resource();
        out[type.api_version() + ' ' + type.kind] = [](const object& o) -> result<std::string> {
            auto value = read_struct<T>(o, struct_rules::strict);
            if (!value) return value.error();
            // A copy and a moved copy are as good.
            T copy = *value;
            T moved = std::move(*value);
            if (!(copy == moved)) return failure(cond::internal, "a copy differs");
            return to_text(moved);
        };
    });
    return out;
}

} // namespace

TEST_CASE("every object of the built-in kinds goes through its struct without a change", "[kinds][samples]")
{
    const auto of = round_trips();
    REQUIRE(of.size() > 60);
    std::set<std::string> seen;
    test::protobuf_samples samples;
    while (const auto sample = samples.next()) {
        if (!sample->name.starts_with("object ")) continue;
        const auto o = object::parse(sample->json);
        REQUIRE(o.has_value());
        const auto kind = std::string(o->api_version()) + ' ' + std::string(o->kind());
        const auto trip = of.find(kind);
        if (trip == of.end()) continue;
        seen.insert(kind);
        CAPTURE(sample->name);
        const auto text = trip->second(*o);
        if (!text) FAIL(text.error().describe() << " in " << o->to_text());
        const auto back = object::parse(*text);
        REQUIRE(back.has_value());
        if (!(back->root() == o->root())) FAIL_CHECK(*text << "\nis not\n" << o->to_text());
    }
    for (const auto& [kind, trip] : of) {
        CAPTURE(kind);
        CHECK(seen.contains(kind));
    }
}
