#include <kubecoro/api/decode.hpp>
#include <kubecoro/cache/notification.hpp>
#include <kubecoro/cache/object_changes.hpp>
#include <kubecoro/test/catch.hpp>

#include <random>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

object made(const std::string& text, const std::shared_ptr<object_encoding>& encoding = {})
{
    auto o = decode_object(text, {}, encoding);
    REQUIRE(o);
    return *o;
}

} // namespace

TEST_CASE("change: changed members are detected", "[cache][change]")
{
    const auto encoding = GENERATE(std::shared_ptr<object_encoding>(), make_object_encoding());
    const auto before = made(
        R"({"metadata":{"name":"a","labels":{"x":"1","y":"2"},"annotations":{"n":"1"}},"spec":{"a":1,"b":[1,2]},"status":{"p":1.0},"data":{"k":"v"}})",
        encoding);
    const auto reordered = made(
        R"({"status":{"p":1e0},"spec":{"b":[1,2],"a":1},"metadata":{"labels":{"y":"2","x":"1"},"annotations":{"n":"1"},"name":"a"},"data":{"k":"v"}})",
        encoding);
    const auto after = made(
        R"({"metadata":{"name":"a","labels":{"x":"1"},"annotations":{"n":"2"}},"spec":{"a":1,"b":[2,1]},"status":{"p":2},"data":{"k":"w"}})",
        encoding);
    const updated<object> nothing{before, reordered};
    CHECK_FALSE((spec_changed(nothing) || status_changed(nothing) || labels_changed(nothing) ||
                 annotations_changed(nothing) || member_changed(nothing, "data") || member_changed(nothing, "none")));
    const updated<object> everything{before, after};
    CHECK((spec_changed(everything) && status_changed(everything) && labels_changed(everything) &&
           annotations_changed(everything) && member_changed(everything, "data")));
    CHECK_FALSE(spec_changed({before, before}));
}

TEST_CASE("change: missing, null and empty are the same", "[cache][change]")
{
    const std::vector<object> empty{made("{}"), made(R"({"spec":null,"metadata":{}})"),
                                    made(R"({"spec":{},"metadata":{"labels":{},"annotations":null}})"),
                                    made(R"({"spec":[]})")};
    const auto full = made(R"({"spec":0,"metadata":{"labels":{"a":""},"annotations":{"b":""}}})");
    for (const auto& a : empty) {
        for (const auto& b : empty)
            CHECK_FALSE((spec_changed({a, b}) || labels_changed({a, b}) || annotations_changed({a, b})));
        for (const auto& u : {updated<object>{a, full}, updated<object>{full, a}})
            CHECK((spec_changed(u) && labels_changed(u) && annotations_changed(u)));
    }
}

TEST_CASE("change: random objects, with values interned at any time", "[cache][change][model]")
{
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const auto encoding = make_object_encoding();
        std::vector<std::pair<object, std::string>> seen;
        for (int i = 0; i < 30; ++i) {
            std::string spec = R"({"node":"n)" + std::to_string(random() % 2) + R"(","image":"i)" +
                               std::to_string(random() % 2) + R"("})";
            seen.emplace_back(made(R"({"status":)" + std::to_string(i) + R"(,"spec":)" + spec + "}", encoding), spec);
        }
        for (int i = 0; i < 60; ++i) {
            const auto& a = seen[random() % seen.size()];
            const auto& b = seen[random() % seen.size()];
            CHECK(spec_changed({a.first, b.first}) == (a.second != b.second));
            CHECK(status_changed({a.first, b.first}) == !a.first.is_same(b.first));
        }
    }
}

TEST_CASE("change: a resync is recognised by its version, not by its address", "[cache][change]")
{
    const auto five = made(R"({"metadata":{"name":"a","uid":"u","resourceVersion":"5"}})");
    const auto five_again = made(R"({"metadata":{"name":"a","uid":"u","resourceVersion":"5"}})");
    const auto six = made(R"({"metadata":{"name":"a","uid":"u","resourceVersion":"6"}})");
    const auto other = made(R"({"metadata":{"name":"a","uid":"v","resourceVersion":"5"}})");
    const auto unversioned = made(R"({"metadata":{"name":"a","uid":"u"}})");
    const auto unversioned_again = made(R"({"metadata":{"name":"a","uid":"u"}})");
    CHECK(updated<object>{five, five}.resync());
    CHECK(updated<object>{five, five_again}.resync());
    CHECK_FALSE(updated<object>{five, six}.resync());
    CHECK_FALSE(updated<object>{five, other}.resync());
    CHECK(updated<object>{unversioned, unversioned}.resync());
    CHECK_FALSE(updated<object>{unversioned, unversioned_again}.resync());
}
