// The value types in Boost.JSON's conversions, and what is kept of their texts.
#include <kubecoro/api/value_json.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/describe/class.hpp>
#include <boost/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace kubecoro;
namespace json = boost::json;

namespace {

struct budget
{
    std::map<std::string, quantity> limits;
    std::vector<int_or_string> ports;
    timestamp created;
    micro_timestamp renewed;
    go_duration period;
};
BOOST_DESCRIBE_STRUCT(budget, (), (limits, ports, created, renewed, period))

template<class T>
std::string refusal(std::string_view text)
{
    const auto read = from_json<T>(json::parse(text));
    REQUIRE_FALSE(read);
    return read.error().message();
}

} // namespace

TEST_CASE("values in JSON: a described struct is written as it was read", "[api][values]")
{
    const auto* text = R"({"limits":{"cpu":"1000m","memory":"0.5Gi"},"ports":[80,"80","http"],"created":)"
                       R"("2026-01-31T13:00:00.25+01:00","renewed":null,"period":"90m"})";
    const auto read = json::value_to<budget>(json::parse(text));
    CHECK(read.limits.at("cpu") == quantity::of(1));
    CHECK(read.ports == std::vector<int_or_string>{80, "80", "http"});
    CHECK(read.created.canonical() == "2026-01-31T12:00:00Z");
    CHECK(read.renewed.is_zero());
    CHECK(read.period == std::chrono::minutes{90});
    CHECK(json::serialize(json::value_from(read)) == text);
}

TEST_CASE("values in JSON: a number becomes a quantity with its digits", "[api][values]")
{
    const auto text = [](std::string_view number) { return from_json<quantity>(json::parse(number))->text(); };
    CHECK(text("5000") == "5000");
    CHECK(text("18446744073709551615") == "18446744073709551615");
    CHECK(text("-0.25") == "-0.25");
    CHECK(to_json(*from_json<quantity>(json::parse("5000"))) == json::value("5000"));
}

TEST_CASE("values in JSON: a wrong kind is named", "[api][values]")
{
    CHECK(refusal<quantity>("[1]") == "expected a quantity, got an array");
    CHECK(refusal<quantity>("\"1Gy\"") == "expected a quantity such as 250m or 64Mi, got '1Gy'");
    CHECK(refusal<timestamp>("0") == "expected a time, got a number");
    CHECK(refusal<micro_timestamp>("{}") == "expected a time, got an object");
    CHECK(refusal<go_duration>("null") == "expected a duration, got null");
    CHECK(refusal<int_or_string>("1.5") == "expected a string or a whole number of 32 bits, got a number");
    CHECK(refusal<int_or_string>("true") == "expected a string or a whole number of 32 bits, got a boolean");
    CHECK(json::try_value_to<quantity>(json::parse("true")).error() == cond::invalid);
    CHECK_THROWS_AS(json::value_to<quantity>(json::parse("true")), boost::system::system_error);
}
