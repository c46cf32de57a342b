// Conversions between structs of two versions: what is copied, what the function says, and what neither struct knows.
#include <kubecoro/webhooks/detail/version_pair.hpp>

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/described.hpp>
#include <kubecoro/api/field_rule.hpp>
#include <kubecoro/api/go_duration.hpp>
#include <kubecoro/api/int_or_string.hpp>
#include <kubecoro/api/quantity.hpp>
#include <kubecoro/api/timestamp.hpp>
#include <kubecoro/meta_v1/object_meta.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/round_trips.hpp>

#include <boost/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace kubecoro;
namespace json = boost::json;

namespace {

struct rule_v1
{
    std::string path;
    int weight = 0;
};
BOOST_DESCRIBE_STRUCT(rule_v1, (), (path, weight))

struct spec_v1
{
    std::string host;
    std::optional<int> replicas;
    std::vector<rule_v1> rules;
    std::string port;
};
BOOST_DESCRIBE_STRUCT(spec_v1, (), (host, replicas, rules, port))

struct site_v1
{
    static resource_type resource() { return {"example.com", "v1", "sites", "Site"}; }
    meta_v1::object_meta metadata;
    spec_v1 spec;
};
BOOST_DESCRIBE_STRUCT(site_v1, (), (metadata, spec))

struct spec_v2
{
    std::vector<std::string> hosts;
    int replicas = 1;
    std::vector<rule_v1> rules;
    int port = 0;
};
BOOST_DESCRIBE_STRUCT(spec_v2, (), (hosts, replicas, rules, port))

struct site_v2
{
    static resource_type resource() { return {"example.com", "v2", "sites", "Site"}; }
    meta_v1::object_meta metadata;
    spec_v2 spec;
};
BOOST_DESCRIBE_STRUCT(site_v2, (), (metadata, spec))

result<> up(const site_v1& from, site_v2& to)
{
    if (from.spec.host == "bad") return failure(cond::invalid, "a bad host");
    to.spec.hosts = {from.spec.host};
    to.spec.port = from.spec.port.empty() ? 0 : std::stoi(from.spec.port);
    return {};
}

void down(const site_v2& from, site_v1& to)
{
    to.spec.host = from.spec.hosts.empty() ? "" : from.spec.hosts.front();
    if (from.spec.port != 0) to.spec.port = std::to_string(from.spec.port);
}

const detail::version_step to_v2 = detail::make_version_step<site_v1, site_v2>(up);
const detail::version_step to_v1 = detail::make_version_step<site_v2, site_v1>(down);

json::object v1(std::string_view spec)
{
    return {{"apiVersion", "example.com/v1"},
            {"kind", "Site"},
            {"metadata", json::parse(R"({"name":"a","namespace":"shop","uid":"5","generation":3,"labels":{"x":"y"},
                                         "managedFields":[{"manager":"kubectl","fieldsV1":{"f:spec":{}}}]})")},
            {"spec", json::parse(spec)}};
}

} // namespace

TEST_CASE("conversion: common fields are copied, the function says the rest", "[webhooks]")
{
    const auto from = v1(R"({"host":"h.example","replicas":3,"rules":[{"path":"/","weight":1}],"port":"80"})");
    const auto to = detail::convert(to_v2, from).value();
    CHECK(to.at("apiVersion") == "example.com/v2");
    CHECK(to.at("kind") == "Site");
    CHECK(to.at("metadata") == from.at("metadata"));
    CHECK(to.at("spec") ==
          json::parse(R"({"hosts":["h.example"],"replicas":3,"rules":[{"path":"/","weight":1}],"port":80})"));
    CHECK(detail::convert(to_v1, to).value() == from);
}

TEST_CASE("conversion: fields that neither version knows survive, also in items", "[webhooks]")
{
    const auto from =
        v1(R"({"host":"h","replicas":1,"rules":[{"path":"/","weight":1,"note":{"by":"ann"}}],"extra":[1,{"a":2}]})");
    const auto to = detail::convert(to_v2, from).value();
    CHECK(to.at("spec").at("extra") == json::parse(R"([1,{"a":2}])"));
    CHECK(to.at("spec").at("rules").at(0).at("note").at("by") == "ann");
    CHECK_FALSE(to.at("spec").as_object().contains("host"));
    CHECK(detail::convert(to_v1, to).value() == from);
}

TEST_CASE("conversion: a field whose type has changed is left to the function", "[webhooks]")
{
    const auto to = detail::convert(to_v2, v1(R"({"host":"h","port":"8080"})")).value();
    CHECK(to.at("spec").at("port") == 8080);
}

TEST_CASE("conversion: a value that a new struct has as well is stated, since a server may require it", "[webhooks]")
{
    const auto to = detail::convert(to_v2, v1(R"({"host":"h","port":"0"})")).value();
    CHECK(to.at("spec") == json::parse(R"({"hosts":["h"],"port":0})"));
    // Nothing is added to what both versions have, and no part appears.
    auto bare = v1("{}");
    bare.erase("spec");
    CHECK(detail::convert(detail::make_version_step<site_v1, site_v2>([](const site_v1&, site_v2&) {}), bare)
              .value()
              .contains("spec") == false);
}

TEST_CASE("conversion: of the metadata only labels and annotations change", "[webhooks]")
{
    const auto step = detail::make_version_step<site_v1, site_v2>([](const site_v1&, site_v2& to) {
        to.metadata.name = "other";
        to.metadata.finalizers = {"example.com/x"};
        to.metadata.labels.clear();
        to.metadata.annotations["note"] = "n";
    });
    const auto to = detail::convert(step, v1(R"({"host":"h"})")).value();
    CHECK(to.at("metadata") == json::parse(R"({"name":"a","namespace":"shop","uid":"5","generation":3,
        "annotations":{"note":"n"},"managedFields":[{"manager":"kubectl","fieldsV1":{"f:spec":{}}}]})"));
}

TEST_CASE("conversion: a failure of the function is the outcome, and so is an object of another version", "[webhooks]")
{
    CHECK(detail::convert(to_v2, v1(R"({"host":"bad"})")).error().message() == "a bad host");
    CHECK_FALSE(detail::convert(to_v1, v1(R"({"host":"h"})")));
}

namespace {

/// The forms that values may have, some of them with rules.
struct forms
{
    std::string text;
    bool yes = false;
    std::int32_t small = 0;
    std::int64_t large = 0;
    double real = 0;
    bytes data;
    quantity memory;
    timestamp at;
    micro_timestamp exactly;
    go_duration lasts;
    int_or_string share;
    json::value any;
    std::optional<std::string> maybe;
    std::map<std::string, rule_v1> named;
    static std::vector<field_rule> field_rules()
    {
        return {{.field = "text", .one_of = {"a", "b"}},
                {.field = "small", .minimum = -3, .maximum = -1},
                {.field = "maybe", .min_length = 20},
                {.field = "named", .min_items = 1}};
    }
};
BOOST_DESCRIBE_STRUCT(forms, (),
                      (text, yes, small, large, real, data, memory, at, exactly, lasts, share, any, maybe, named))

struct old_forms
{
    static resource_type resource() { return {"example.com", "v1", "forms", "Form"}; }
    meta_v1::object_meta metadata;
    forms spec;
    std::int32_t was = 0;
};
BOOST_DESCRIBE_STRUCT(old_forms, (), (metadata, spec, was))

struct new_forms
{
    static resource_type resource() { return {"example.com", "v2", "forms", "Form"}; }
    meta_v1::object_meta metadata;
    forms spec;
    std::int32_t now = 1;
};
BOOST_DESCRIBE_STRUCT(new_forms, (), (metadata, spec, now))

/// The two steps, as webhooks have them.
template<class A, class B>
struct pair_of_versions
{
    detail::version_step up, down;
    [[nodiscard]] result<json::object> convert(const json::object& from, std::string_view version) const
    {
        return detail::convert(version == B::resource().version ? up : down, from);
    }
};

template<class A, class B, class Up, class Down>
pair_of_versions<A, B> pair_of(Up up, Down down)
{
    return {detail::make_version_step<A, B>(up), detail::make_version_step<B, A>(down)};
}

} // namespace

TEST_CASE("round trips: values of all forms, lists, maps and unknown fields come back", "[webhooks]")
{
    const auto pair = pair_of<old_forms, new_forms>([](const old_forms& from, new_forms& to) { to.now = from.was; },
                                                    [](const new_forms& from, old_forms& to) { to.was = from.now; });
    CHECK(testing::lost_in_round_trips<old_forms, new_forms>(pair, {.objects = 500}) == "");
}

TEST_CASE("round trips: a field that is lost is found, with its seed and what became of the object", "[webhooks]")
{
    const auto forgetful = pair_of<old_forms, new_forms>(
        [](const old_forms&, new_forms&) {}, [](const new_forms& from, old_forms& to) { to.was = from.now; });
    const auto lost = testing::lost_in_round_trips<old_forms, new_forms>(forgetful, {.seed = 7});
    CHECK(lost.starts_with("seed 7: {\"apiVersion\":\"example.com/v1\""));
    CHECK(lost.find("\n-> {\"") != std::string::npos);

    const auto pair = pair_of<site_v1, site_v2>(up, down);
    CHECK(testing::lost_in_round_trips<site_v1, site_v2>(pair) != ""); // texts that are no ports
    const auto with_one_host = [](json::object& o) {
        auto& spec = o["spec"];
        if (!spec.is_object()) spec = json::object();
        auto& s = spec.get_object();
        if (o.at("apiVersion") == "example.com/v1") {
            s["host"] = "h";
            s["port"] = "80";
        } else {
            s["hosts"] = json::array{"h"};
        }
    };
    CHECK(testing::lost_in_round_trips<site_v1, site_v2>(pair, {.adjust = with_one_host}) == "");
    // A failure of a conversion is the outcome.
    const auto bad = [](json::object& o) { o["spec"] = json::object{{"host", "bad"}}; };
    CHECK(testing::lost_in_round_trips<site_v1, site_v2>(pair, {.adjust = bad}).ends_with("a bad host"));
}
