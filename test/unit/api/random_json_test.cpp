// Any JSON that a generator can think of, against Boost.JSON's own reading of it.
#include <kubecoro/test/catch.hpp>

#include "json_samples.hpp"

#include <kubecoro/api/decode.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <rapidcheck.h>

using namespace kubecoro;
namespace json = boost::json;

namespace {

rc::Gen<std::string> any_text()
{
    // Few different ones, so that they recur and get numbers; the rest is anything that is UTF-8.
    const auto known = rc::gen::element<std::string>("name", "Running", "metadata", "data", "k:{\"type\":\"a\"}", "");
    const auto other = rc::gen::resize(20, rc::gen::container<std::string>(rc::gen::inRange<char>('\x01', '\x7f')));
    return rc::gen::oneOf(known, known, other);
}

rc::Gen<json::value> any_value(int depth)
{
    const auto text = rc::gen::map(any_text(), [](const std::string& s) { return json::value(s); });
    const auto whole = rc::gen::map(rc::gen::resize(100, rc::gen::arbitrary<std::int64_t>()),
                                    [](std::int64_t i) { return json::value(i); });
    const auto huge = rc::gen::map(rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>()),
                                   [](std::uint64_t i) { return json::value(i); });
    const auto real = rc::gen::map(rc::gen::resize(100, rc::gen::arbitrary<std::int32_t>()),
                                   [](std::int32_t i) { return json::value(i / 8.0); });
    const auto word = rc::gen::element<json::value>(nullptr, true, false, json::array(), json::object());
    if (depth == 0) return rc::gen::oneOf(text, whole, huge, real, word);
    const auto inner = rc::gen::lazy([depth] { return any_value(depth - 1); });
    const auto array = rc::gen::map(
        rc::gen::resize(7, rc::gen::container<std::vector<json::value>>(inner)),
        [](const std::vector<json::value>& items) { return json::value(json::array(items.begin(), items.end())); });
    using member_list = std::vector<std::pair<std::string, json::value>>;
    const auto object =
        rc::gen::map(rc::gen::resize(7, rc::gen::container<member_list>(rc::gen::pair(any_text(), inner))),
                     [](const member_list& members) {
                         json::object o;
                         for (const auto& [key, value] : members) o.insert_or_assign(key, value);
                         return json::value(o);
                     });
    return rc::gen::oneOf(text, whole, huge, real, word, array, object, object);
}

} // namespace

TEST_CASE("random JSON: with and without a vocabulary, every value comes back", "[api][tape][vocabulary]")
{
    const auto shared = make_object_encoding();
    const bool holds = rc::check("what is decoded is what Boost.JSON reads", [&] {
        const json::object root{{"metadata", *any_value(3)}, {"spec", *any_value(4)}, {"data", *any_value(2)}};
        const std::string text = json::serialize(root);
        const auto alone = object::parse(text);
        RC_ASSERT(alone.has_value());
        RC_ASSERT(testing_samples::same_json(alone->to_json(), testing_samples::oracle(text)));
        // Ten times the same: from unknown to known.
        for (int i = 0; i < 10; ++i) {
            const auto o = decode_object(text, {}, shared);
            RC_ASSERT(o.has_value());
            RC_ASSERT(o->to_text() == alone->to_text());
            RC_ASSERT(o->root() == alone->root());
        }
    });
    CHECK(holds);
}
