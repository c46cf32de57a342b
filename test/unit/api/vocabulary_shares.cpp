#include <kubecoro/test/catch.hpp>

#include "storage/encoding.hpp"

#include <kubecoro/api/decode.hpp>

#include <cstddef>
#include <string>
#include <string_view>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

using encoding_ptr = std::shared_ptr<object_encoding>;

/// A custom resource as a kube-apiserver writes it: its namespace comes after its labels, its uid after both.
std::string resource_in(std::string_view ns, int object, const std::string& labels, const std::string& spec)
{
    const std::string name = "n-" + std::to_string(object);
    return R"({"apiVersion":"x/v1","kind":"Run","metadata":{"labels":{)" + labels + R"(},"name":")" + name +
           R"(","namespace":")" + std::string(ns) + R"(","uid":"uid-)" + std::string(ns) + name + R"("},"spec":)" +
           spec + "}";
}

object decoded(const std::string& text, const encoding_ptr& e)
{
    auto o = decode_object(text, {}, e);
    REQUIRE(o);
    REQUIRE(o->to_text() == text);
    return *o;
}

/// 100 bytes that begin with a number.
std::string long_text(int n)
{
    std::string text = std::to_string(n);
    text.resize(100, 'x');
    return text;
}

/// A tenant's attempt to take all room: the same texts and containers in many objects of its namespace.
void fill(std::string_view ns, const encoding_ptr& e)
{
    constexpr int objects = 10;
    constexpr int texts_each = 2000;
    const std::string own(ns);
    for (int first = 0; first < 40'000; first += texts_each) {
        std::string list = R"({"args":[)";
        std::string labels;
        for (int i = first; i < first + texts_each; ++i) {
            const std::string comma = i == first ? "" : ",";
            list += comma + R"({"a":")" + own + long_text(i) + R"(","b":")" + own + long_text(i / 2) + R"("})";
            if (i < first + 250)
                labels += comma + '"' + own + "-" + std::to_string(i) + R"(":"v)" + std::to_string(i) + '"';
        }
        for (int object = 0; object < objects; ++object) (void)decoded(resource_in(ns, object, labels, list + "]}"), e);
    }
}

/// Mean bytes of objects of other namespaces, made from a few templates.
std::size_t bytes_of_others(const encoding_ptr& e)
{
    constexpr int count = 3000;
    std::size_t total = 0;
    for (int i = 0; i < 2 * count; ++i) {
        const std::string template_number = std::to_string(i % 60);
        std::string spec = R"({"template":)" + template_number + R"(,"env":[)";
        for (int v = 0; v < 10; ++v)
            spec += R"({"name":"VARIABLE_)" + std::to_string(v) + R"(","from":"configuration-of-template-)" +
                    template_number + "-" + std::to_string(v) + R"("},)";
        spec += R"({"image":"registry.example.com/team/image:)" + template_number + R"("}]})";
        const object o = decoded(resource_in("team-" + std::to_string(i % 20), i,
                                             R"("app.kubernetes.io/name":"app-)" + template_number + '"', spec),
                                 e);
        if (i >= count) total += o.bytes();
    }
    return total / count;
}

bool has_key(const vocabulary& words, std::string_view key)
{
    for (vocabulary::number n = 0; n < words.keys().size(); ++n)
        if (words.key(n) == key) return true;
    return false;
}

} // namespace

TEST_CASE("vocabulary: objects of one namespace leave room for those of others", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    fill("tenant", e);
    const auto& words = *encoding::words_of(e);
    CHECK(words.values().size() > 10'000);
    const std::size_t taken = e->stats().shared_bytes;
    CHECK(taken > 2u << 20);

    CHECK(bytes_of_others(e) <= bytes_of_others(make_object_encoding()));
    CHECK(has_key(words, "app.kubernetes.io/name"));
    CHECK(e->stats().shared_bytes < taken + taken / 10);
}

TEST_CASE("vocabulary: several namespaces share the tables", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    for (const char* ns : {"one", "two", "three"}) fill(ns, e);
    CHECK(bytes_of_others(e) <= bytes_of_others(make_object_encoding()));
}

TEST_CASE("vocabulary: objects without a namespace may take all room", "[api][vocabulary]")
{
    const auto e = make_object_encoding();
    fill("", e);
    CHECK(bytes_of_others(e) > 2 * bytes_of_others(make_object_encoding()));
}

TEST_CASE("owner_shares: an owner takes more while it holds at most three times the free room", "[api][vocabulary]")
{
    constexpr std::size_t all = 4000;
    const auto fill_up = [](owner_shares& shares, owner_shares::owner o, std::size_t& taken) {
        std::size_t own = 0;
        for (; shares.may_take(o, 1, all - taken); ++taken, ++own) shares.take(o, 1);
        return own;
    };
    owner_shares shares;
    std::size_t taken = 0;
    CHECK(fill_up(shares, 7, taken) == all * 3 / 4 + 1);
    const std::size_t second = fill_up(shares, 8, taken);
    CHECK(second >= 740);
    CHECK(second <= 760);
    CHECK(fill_up(shares, 7, taken) == 0);
    CHECK(fill_up(shares, owner_shares::none, taken) == all - 3001 - second);
    CHECK_FALSE(shares.may_take(9, 1, 0));
    CHECK(owner_shares::of("") == owner_shares::none);
    CHECK(owner_shares::of("a") != owner_shares::none);
}
