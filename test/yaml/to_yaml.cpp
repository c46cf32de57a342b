#include "random_values.hpp"

#include <kubecoro/api/yaml.hpp>
#include <kubecoro/client/detail/yaml_text.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/random_amount.hpp>

#include <boost/json.hpp>

#include <string>

using namespace kubecoro;
namespace json = boost::json;

namespace {

std::string read_back(const json::value& value)
{
    const auto read = detail::read_document(to_yaml(value));
    return read ? json::serialize(*read) : read.error();
}

} // namespace

TEST_CASE("yaml: what to_yaml writes is read as the same value", "[yaml]")
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 20'000; ++i) {
        const auto value = test::random_value(random, 4);
        INFO(to_yaml(value));
        REQUIRE(read_back(value) == json::serialize(value));
    }
}

TEST_CASE("yaml: long keys, times, marks and ends of documents are written so that they are read again", "[yaml]")
{
    const std::string long_key(2000, 'k');
    const std::string long_text(5000, 'x');
    for (const json::value& value : std::initializer_list<json::value>{
             json::object{{long_key, 1}}, json::object{{long_key, json::object{{"a", json::array{1}}}}},
             json::array{json::object{{long_key, json::array{1}}, {"b", 2}}}, json::object{{long_text, long_text}},
             json::value("2001-12-14t21:59:43z"), json::value("... x"), json::value("... my text"),
             json::object{{"... my key", 1}}, json::object{{"...", "---"}},
             json::object{{"\xEF\xBB\xBF"
                           "a",
                           "b\xEF\xBB\xBF"}},
             json::value("<<"), json::object{{"<<", json::object{{"a", 1}}}}, json::value(1e20), json::value("1e3"),
             json::object{{"a: b", "#c"}}}) {
        INFO(to_yaml(value));
        CHECK(read_back(value) == json::serialize(value));
    }
}
