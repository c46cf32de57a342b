// Compares generated JSON with Boost.JSON's reading of it.
#include <kubecoro/test/catch.hpp>

#include "json_samples.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/object_encoding.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <rapidcheck.h>

#include <memory>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace json = boost::json;

namespace {

rc::Gen<std::string> any_text()
{
    // Some texts come from a small set, so that they recur and get numbers; the others are arbitrary UTF-8.
    const auto known = rc::gen::element<std::string>("name", "Running", "metadata", "data", "k:{\"type\":\"a\"}", "");
    const auto other = rc::gen::resize(20, rc::gen::container<std::string>(rc::gen::inRange<char>('\x01', '\x7f')));
    const auto foreign =
        rc::gen::element<std::string>("\u00e9t\u00e9", "\u4e16\u754c", "\U0001f680", "\"\\/\b\f\n\r\t", "\x7f");
    return rc::gen::oneOf(known, known, other, foreign);
}

/// @param width  Approximate maximum number of items per container.
rc::Gen<json::value> any_value(int depth, int width = 7)
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
    const auto inner = rc::gen::lazy([=] { return any_value(depth - 1, width); });
    const auto array = rc::gen::map(
        rc::gen::resize(width, rc::gen::container<std::vector<json::value>>(inner)),
        [](const std::vector<json::value>& items) { return json::value(json::array(items.begin(), items.end())); });
    using member_list = std::vector<std::pair<std::string, json::value>>;
    const auto object =
        rc::gen::map(rc::gen::resize(width, rc::gen::container<member_list>(rc::gen::pair(any_text(), inner))),
                     [](const member_list& members) {
                         json::object o;
                         for (const auto& [key, value] : members) o.insert_or_assign(key, value);
                         return json::value(o);
                     });
    return rc::gen::oneOf(text, whole, huge, real, word, array, object, object);
}

/// Decodes the text without a vocabulary and ten times with one, while it learns, in plain and compressed form.
void check_text(const std::string& text, const std::vector<std::shared_ptr<object_encoding>>& encodings)
{
    const auto alone = object::parse(text);
    RC_ASSERT(alone.has_value());
    RC_ASSERT(testing_samples::same_json(alone->to_json(), testing_samples::oracle(text)));
    for (int i = 0; i < 10; ++i)
        for (const auto& encoding : encodings) {
            const auto o = decode_object(text, {}, encoding);
            RC_ASSERT(o.has_value());
            const auto rests = encoding->at_rest(*o);
            RC_ASSERT(rests.to_text() == alone->to_text());
            RC_ASSERT(rests.root() == alone->root());
        }
}

} // namespace

TEST_CASE("random JSON: every value survives a round trip with any vocabulary and storage", "[api][tape][vocabulary]")
{
    const std::vector<std::shared_ptr<object_encoding>> encodings{
        make_object_encoding(), make_object_encoding({.storage = {.policy = storage::compressed, .learn_from = 20}})};
    const auto check = [&](const char* what, int metadata, int spec, int width) {
        return rc::check(what, [&] {
            const json::object root{{"metadata", *any_value(metadata, width)},
                                    {"spec", *any_value(spec, width)},
                                    {"data", *any_value(2, width)}};
            check_text(json::serialize(root), encodings);
        });
    };
    CHECK(check("documents shaped like cluster objects", 3, 4, 7));
    CHECK(check("wide documents", 1, 2, 60));
    CHECK(check("deep documents", 5, 12, 2));
}
