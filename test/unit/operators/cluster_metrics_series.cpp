// Lines of the text format, and the parts that families are made of.
#include "label_conversion.hpp"
#include "series.hpp"
#include "writers.hpp"

#include <kubecoro/test/catch.hpp>

#include <cmath>
#include <limits>

using namespace kubecoro;
using namespace kubecoro::cluster_metrics;

namespace {

/// `f{o="n",l="VALUE"} NUMBER` and a line end.
std::string line_of(std::string_view value, double number)
{
    static const auto named = object::parse(R"({"metadata":{"name":"n"}})").value();
    static constexpr identity_labels only_name{.name = "o", .has_namespace = false};
    std::string out;
    series_sink sink(out);
    sink.begin("f", named, only_name);
    sink.add({{"l", value}}, number);
    return out;
}

std::string between(std::string_view line, std::string_view start, std::string_view end)
{
    REQUIRE(line.starts_with(start));
    REQUIRE(line.ends_with(end));
    return std::string(line.substr(start.size(), line.size() - start.size() - end.size()));
}

std::string number_text(double v) { return between(line_of("", v), "f{o=\"n\",l=\"\"} ", "\n"); }

std::string escaped(std::string_view text) { return between(line_of(text, 1), "f{o=\"n\",l=\"", "\"} 1\n"); }

} // namespace

TEST_CASE("cluster-metrics: numbers are written as Go writes them", "[cluster_metrics]")
{
    CHECK(number_text(0) == "0");
    CHECK(number_text(1) == "1");
    CHECK(number_text(-1) == "-1");
    CHECK(number_text(42) == "42");
    CHECK(number_text(999999) == "999999");
    CHECK(number_text(1000000) == "1e+06");
    CHECK(number_text(1234567) == "1.234567e+06");
    CHECK(number_text(1767225602) == "1.767225602e+09");
    CHECK(number_text(16729255936) == "1.6729255936e+10");
    CHECK(number_text(0.25) == "0.25");
    CHECK(number_text(3.92) == "3.92");
    CHECK(number_text(123.456) == "123.456");
    CHECK(number_text(-1234567.25) == "-1.23456725e+06");
    CHECK(number_text(0.0001) == "0.0001");
    CHECK(number_text(0.00001) == "1e-05");
    CHECK(number_text(-62135596800) == "-6.21355968e+10");
    CHECK(number_text(9007199254740991) == "9.007199254740991e+15");
    CHECK(number_text(9007199254740992) == "9.007199254740992e+15");
    CHECK(number_text(9223372036854775807.0) == "9.223372036854776e+18");
    CHECK(number_text(-9223372036854775807.0) == "-9.223372036854776e+18");
    CHECK(number_text(1e100) == "1e+100");
    CHECK(number_text(std::numeric_limits<double>::infinity()) == "+Inf");
    CHECK(number_text(-std::numeric_limits<double>::infinity()) == "-Inf");
    CHECK(number_text(std::nan("")) == "NaN");
}

TEST_CASE("cluster-metrics: values of labels cannot end their line or their quotes", "[cluster_metrics]")
{
    CHECK(escaped("").empty());
    CHECK(escaped("plain text {,} =").size() == 16);
    CHECK(escaped("a\"b") == R"(a\"b)");
    CHECK(escaped("a\\") == R"(a\\)");
    CHECK(escaped("\n\n") == R"(\n\n)");
    CHECK(escaped(R"("} 1)") == R"(\"} 1)");
    // Texts are read by words.
    for (const char special : {'"', '\\', '\n'})
        for (std::size_t size = 1; size < 40; ++size)
            for (std::size_t at = 0; at < size; ++at) {
                std::string text(size, '#'); // the neighbour of a quote
                text[at] = special;
                const auto tail = text.substr(at + 1);
                const std::string code{'\\', special == '\n' ? 'n' : special};
                REQUIRE(escaped(text) == text.substr(0, at) + code + tail);
                REQUIRE(escaped(tail) == tail);
            }
}

TEST_CASE("cluster-metrics: amounts are numbers of cores, bytes or things", "[cluster_metrics]")
{
    const auto o = object::parse(R"({"cpu":"250m","half":"1500u","memory":"16337164Ki","large":"9223372036854775807",
        "plain":3,"wrong":"x","nothing":null})")
                       .value();
    const map_view<std::optional<quantity>> amounts(o.root());
    CHECK(exact_amount(amounts["cpu"]) == 0.25);
    CHECK(exact_amount(amounts["half"]) == 0.002); // rounded up, as Go does
    CHECK(exact_amount(amounts["memory"]) == 16729255936.0);
    CHECK(exact_amount(amounts["large"]) == 9223372036854775807.0);
    CHECK(whole_amount(amounts["cpu"]) == 1.0);
    CHECK(whole_amount(amounts["plain"]) == 3.0);
    CHECK_FALSE(exact_amount(amounts["wrong"]));
    CHECK_FALSE(whole_amount(amounts["nothing"]));
    CHECK_FALSE(whole_amount(amounts["absent"]));
}

TEST_CASE("cluster-metrics: resources have units, or no series", "[cluster_metrics]")
{
    CHECK(unit_of("cpu")->unit == "core");
    CHECK(unit_of("ephemeral-storage")->unit == "byte");
    CHECK(unit_of("hugepages-1Gi")->unit == "byte");
    CHECK(unit_of("attachable-volumes-csi")->unit == "byte");
    CHECK(unit_of("example.com/gpu")->unit == "integer");
    for (const char* none : {"example", "kubernetes.io/x", "requests.example.com/gpu", ""}) {
        INFO(none);
        CHECK_FALSE(unit_of(none));
    }
}

TEST_CASE("cluster-metrics: times are seconds since 1970", "[cluster_metrics]")
{
    const auto o =
        object::parse(R"({"t":"2026-01-01T00:00:02Z","zone":"2026-01-01T01:00:02+01:00","zero":"0001-01-01T00:00:00Z",
        "wrong":"today","number":5})")
            .value();
    const map_view<std::optional<timestamp>> times(o.root());
    CHECK(unix_time(times["t"]) == 1767225602.0);
    CHECK(unix_time(times["zone"]) == 1767225602.0);
    for (const char* none : {"zero", "wrong", "number", "absent"}) {
        INFO(none);
        CHECK_FALSE(unix_time(times[none]));
    }
}

TEST_CASE("cluster-metrics: names of labels become such of series", "[cluster_metrics]")
{
    CHECK(sanitized("app.kubernetes.io/name") == "app_kubernetes_io_name");
    CHECK(sanitized("a\xc3\xa4z") == "a_z"); // a character of two bytes
    const auto o = object::parse(R"({"l":{"partOf":"1","a-b":"2","a.b":"3","a/b":"4","V2Name":"5"}})").value();
    using pairs = std::vector<std::pair<std::string, std::string>>;
    CHECK(converted_labels(o["l"], {"*"}) == pairs{{"label_v2_name", "5"},
                                                   {"label_a_b_conflict1", "2"},
                                                   {"label_a_b_conflict2", "3"},
                                                   {"label_a_b_conflict3", "4"},
                                                   {"label_part_of", "1"}});
    CHECK(converted_labels(o["l"], {"a.b", "none"}) == pairs{{"label_a_b", "3"}});
    CHECK(converted_labels({}, {"*"}).empty());
    const auto named_like_a_conflict =
        object::parse(R"({"l":{"a-b":"1","a.b":"2","a_b_conflict1":"3","a_b_conflict2":"4"}})").value();
    CHECK(converted_labels(named_like_a_conflict["l"], {"*"}) ==
          pairs{{"label_a_b_conflict1", "1"}, {"label_a_b_conflict2", "2"}}); // each name once
}

TEST_CASE("cluster-metrics: the allowlist of labels is parsed as in kube-state-metrics", "[cluster_metrics]")
{
    const auto two = parse_allowlist("pods=[app,app.kubernetes.io/name],nodes=[*]").value();
    CHECK(two.at("pods") == label_names{"app", "app.kubernetes.io/name"});
    CHECK(two.at("nodes") == label_names{"*"});
    CHECK(parse_allowlist("").value().empty());
    for (const char* wrong : {"pods", "pods=", "pods=[", "pods=[]", "=[a]", "pods=[a]nodes=[b]", "pods=[a],",
                              "pods=[a],pods=[b]", "pods]=[a"}) {
        INFO(wrong);
        const auto parsed = parse_allowlist(wrong);
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error() == cond::invalid);
    }
}

TEST_CASE("cluster-metrics: owners that differ in their uid only are one series", "[cluster_metrics]")
{
    const auto owned = object::parse(R"({"metadata":{"name":"n","ownerReferences":[
        {"kind":"Job","name":"a","uid":"u1"},
        {"kind":"Job","name":"a","uid":"u2"},
        {"kind":"Job","name":"a","uid":"u3","controller":true}]}})")
                           .value();
    static constexpr identity_labels only_name{.name = "o", .has_namespace = false};
    std::string out;
    series_sink sink(out);
    sink.begin("f", owned, only_name);
    owners({owned, {}, {}}, sink);
    CHECK(out == "f{o=\"n\",owner_kind=\"Job\",owner_name=\"a\",owner_is_controller=\"false\"} 1\n"
                 "f{o=\"n\",owner_kind=\"Job\",owner_name=\"a\",owner_is_controller=\"true\"} 1\n");
}
