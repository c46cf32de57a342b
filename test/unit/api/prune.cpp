// Compares pruning while decoding with a reference that prunes a whole JSON value by the rules of decode.hpp.
#include "fixtures.hpp"
#include "json_samples.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <optional>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace json = boost::json;

namespace {

struct step
{
    std::string name;
    bool any = false;
};
using steps = std::vector<step>;
/// The position of a value; items of lists have no name.
using place = std::vector<std::optional<std::string>>;

std::string text_of(const steps& path)
{
    std::string out;
    for (const auto& s : path) {
        if (s.any || (s.name != "*" && s.name.find_first_of(".[]\"\\") == std::string::npos && !s.name.empty())) {
            if (!out.empty()) out += '.';
            out += s.any ? "*" : s.name;
            continue;
        }
        out += "[\"";
        for (char c : s.name) {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
        }
        out += "\"]";
    }
    return out;
}

class reference
{
public:
    std::vector<steps> keep;
    std::vector<steps> drop;

    [[nodiscard]] std::optional<json::value> prune(const json::value& v, const place& at) const
    {
        if (below_any(always, at)) return v;
        const bool dropped = below_any(drop, at);
        const bool selected = !dropped && (keep.empty() || below_any(keep, at));
        const bool way = at.empty() || above_any(always, at) || (!dropped && above_any(keep, at));
        if (!selected && !(way && (v.is_object() || v.is_array()))) return std::nullopt;
        if (const auto* o = v.if_object()) {
            json::object out;
            for (const auto& m : *o)
                if (auto kept = inner(m.value(), at, std::string(m.key()))) out.emplace(m.key(), std::move(*kept));
            return out;
        }
        if (const auto* a = v.if_array()) {
            json::array out;
            for (const auto& item : *a)
                if (auto kept = inner(item, at, std::nullopt)) out.push_back(std::move(*kept));
            return out;
        }
        return v;
    }

private:
    [[nodiscard]] std::optional<json::value> inner(const json::value& v, place at,
                                                   std::optional<std::string> name) const
    {
        at.push_back(std::move(name));
        return prune(v, at);
    }
    /// True if `path` matches the first steps of `at`, or `at` those of `path`.
    static bool fits(const steps& path, const place& at)
    {
        for (std::size_t i = 0; i < std::min(path.size(), at.size()); ++i)
            if (!path[i].any && at[i] != path[i].name) return false;
        return true;
    }
    static bool below_any(const std::vector<steps>& paths, const place& at)
    {
        return std::any_of(paths.begin(), paths.end(),
                           [&](const steps& p) { return p.size() <= at.size() && fits(p, at); });
    }
    static bool above_any(const std::vector<steps>& paths, const place& at)
    {
        return std::any_of(paths.begin(), paths.end(),
                           [&](const steps& p) { return p.size() > at.size() && fits(p, at); });
    }

    std::vector<steps> always{{{"apiVersion"}},         {{"kind"}},
                              {{"metadata"}, {"name"}}, {{"metadata"}, {"namespace"}},
                              {{"metadata"}, {"uid"}},  {{"metadata"}, {"resourceVersion"}}};
};

/// Generates documents and paths from the same few names, so that they match.
class world
{
public:
    explicit world(std::uint64_t seed) : random_(seed) {}

    steps path()
    {
        steps out;
        for (std::size_t n = 1 + random_.below(4); n != 0; --n) {
            const bool any = random_.below(4) == 0;
            out.push_back({any ? "*" : name(), any});
        }
        return out;
    }
    json::value object(int depth)
    {
        json::object o;
        for (std::size_t n = random_.below(6); n != 0; --n) o[name()] = value(depth);
        return o;
    }
    std::size_t below(std::size_t n) { return random_.below(n); }

private:
    std::string name()
    {
        constexpr std::array<std::string_view, 11> names{"metadata", "name", "uid", "kind", "spec",  "a",
                                                         "b",        "a.b",  "*",   "",     "q\"\\["};
        return std::string(names[random_.below(names.size())]);
    }
    json::value value(int depth)
    {
        switch (depth == 0 ? random_.below(3) : random_.below(6)) {
        case 0:
            return "text \xc3\xa4\n";
        case 1:
            return 12345;
        case 2:
            return nullptr;
        case 3: {
            json::array a;
            for (std::size_t n = random_.below(4); n != 0; --n) a.push_back(value(depth - 1));
            return a;
        }
        default:
            return object(depth - 1);
        }
    }

    testing_samples::generator random_;
};

result<object> in_chunks(std::string_view item, std::size_t chunk, const decode_options& o)
{
    const std::string text = R"({"items":[)" + std::string(item) + "]}";
    list_decoder decoder(o);
    for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(std::min(chunk, rest.size())))
        if (auto fed = decoder.feed(rest.substr(0, chunk)); !fed) return fed.error();
    auto page = decoder.finish();
    if (!page) return page.error();
    return page->items.at(0);
}

std::string pruned(std::string_view text, prune_options prune)
{
    decode_options o;
    o.prune = std::move(prune);
    const auto whole = decode_object(text, o);
    REQUIRE(whole);
    for (const std::size_t chunk : {1, 3, 64}) CHECK(in_chunks(text, chunk, o)->to_text() == whole->to_text());
    return whole->to_text();
}

} // namespace

TEST_CASE("prune: keeps the requested and the identifying fields", "[api][prune]")
{
    CHECK(pruned(testing_samples::pod, {.keep = {"spec.nodeName", "spec.containers.*.name"}}) ==
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"front-1","namespace":"web","uid":"7a5c-1",)"
          R"("resourceVersion":"12345"},)"
          R"("spec":{"nodeName":"n1","containers":[{"name":"main"},{"name":"side"}]}})");
    CHECK(pruned(testing_samples::pod, {.drop = {"*"}}) ==
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"front-1","namespace":"web","uid":"7a5c-1",)"
          R"("resourceVersion":"12345"}})");
    CHECK(pruned(R"({"a":{"b":1,"c":2},"d":3})", {.keep = {"a"}, .drop = {"a.b"}}) == R"({"a":{"c":2}})");
}

TEST_CASE("prune: a name with a dot, and a star as a name", "[api][prune]")
{
    CHECK(pruned(R"({"metadata":{"name":"n","annotations":{"x.io/last":"long","y":"2"}}})",
                 {.drop = {R"(metadata.annotations["x.io/last"])"}}) ==
          R"({"metadata":{"name":"n","annotations":{"y":"2"}}})");
    CHECK(pruned(R"({"a":{"*":1,"b":2}})", {.drop = {R"(a["*"])"}}) == R"({"a":{"b":2}})");
    CHECK(pruned(R"({"a":{"q\"\\":1,"b":2}})", {.drop = {R"(a["q\"\\"])"}}) == R"({"a":{"b":2}})");
}

TEST_CASE("prune: on the way to a kept path only containers are kept", "[api][prune]")
{
    CHECK(pruned(R"({"a":"text","b":null,"c":[1,[2]],"d":{"x":1}})", {.keep = {"a.x", "b.x", "c.*.x", "d.y"}}) ==
          R"({"c":[[]],"d":{}})");
    CHECK(pruned(R"({"a":[{"x":1,"y":2},3,{"x":[4]}],"b":5})", {.keep = {"*.*.x"}}) == R"({"a":[{"x":1},{"x":[4]}]})");
}

TEST_CASE("prune: decoding fails with an invalid path", "[api][prune]")
{
    for (const char* path :
         {"", ".", "a.", ".a", "a..b", "a[b]", "a[\"b\"", "a[\"b", "a[\"b\"]c", "a\"b", "a]", "a[\"b\\"}) {
        CAPTURE(path);
        decode_options o;
        o.prune.drop = {path};
        CHECK(decode_object("{}", o).error() == cond::invalid);
        list_decoder list(o);
        CHECK(list.feed("{").error() == cond::invalid);
        watch_decoder watch(o);
        std::vector<watch_event> events;
        CHECK(watch.feed("{}\n", events).error() == cond::invalid);
    }
}

TEST_CASE("prune: pruned values do not count towards limits, but must end", "[api][prune]")
{
    decode_options o;
    o.limits.max_object_bytes = 256;
    o.prune.drop = {"data"};
    const std::string big(5000, 'x');
    CHECK(in_chunks(R"({"kind":"A","data":{"k":")" + big + R"(","l":[")" + big + R"("]}})", 100, o)->to_text() ==
          R"({"kind":"A"})");
    // A container is only searched for its end; any other value is parsed.
    CHECK(in_chunks(R"({"kind":"A","data":)" + std::string(300, '[') + "tru" + std::string(300, ']') + R"(,"x":"y"})",
                    7, o)
              ->to_text() == R"({"kind":"A","x":"y"})");
    CHECK(in_chunks(R"({"data":)" + std::string(300, '[') + "}", 7, o).error() == cond::unreachable);
    CHECK(decode_object(R"({"data":[{"a":"]}"})", o).error() == cond::corrupt);
    CHECK(decode_object(R"({"data":[])", o).error() == cond::corrupt);
    CHECK(decode_object(R"({"data":[]]})", o).error() == cond::corrupt);
    CHECK(decode_object(R"({"data":[] "b":1})", o).error() == cond::corrupt);
    CHECK(in_chunks(R"({"data":tru})", 7, o).error() == cond::corrupt);
    CHECK(in_chunks("{\"data\":\"\xff\"}", 7, o).error() == cond::corrupt);
}

TEST_CASE("prune: bookmarks, errors and Status are not pruned", "[api][prune]")
{
    decode_options o;
    o.prune.keep = {"spec"};
    const std::string lines =
        R"({"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}})"
        "\n"
        R"({"object":{"metadata":{"name":"a","labels":{"b":"c"}},"spec":1,"status":2},"type":"ADDED"})"
        "\n"
        R"({"type":"ADDED","object":{"metadata":{"name":"a","labels":{"b":"c"}},"spec":1,"status":2}})"
        "\n"
        R"({"object":{"kind":"Status","code":410,"reason":"Expired","message":"old"},"type":"ERROR"})"
        "\n";
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{50}, lines.size()}) {
        watch_decoder decoder(o);
        std::vector<watch_event> events;
        for (std::string_view rest = lines; !rest.empty(); rest.remove_prefix(std::min(chunk, rest.size())))
            REQUIRE(decoder.feed(rest.substr(0, chunk), events));
        REQUIRE(decoder.finish());
        REQUIRE(events.size() == 4);
        CHECK(events[0].ends_initial_events());
        for (int i : {1, 2})
            CHECK(events[static_cast<std::size_t>(i)].obj.to_text() == R"({"metadata":{"name":"a"},"spec":1})");
        CHECK(events[3].status->code == 410);
    }
    const auto status = decode_object(R"({"kind":"Status","status":"Failure","code":404})", o).value();
    CHECK(status["code"].as_int64() == 404);
    list_decoder list(o);
    REQUIRE(list.feed(R"({"kind":"PodList","metadata":{"resourceVersion":"7","continue":"t"},"items":[]})"));
    CHECK(list.finish()->continue_token == "t");
}

TEST_CASE("prune: agrees with the reference on random documents and paths", "[api][prune][model]")
{
    for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
        CAPTURE(seed);
        world w(seed);
        reference expected;
        decode_options o;
        for (std::size_t n = w.below(3); n != 0; --n) expected.keep.push_back(w.path());
        for (std::size_t n = w.below(4); n != 0; --n) expected.drop.push_back(w.path());
        for (const auto& p : expected.keep) o.prune.keep.push_back(text_of(p));
        for (const auto& p : expected.drop) o.prune.drop.push_back(text_of(p));
        if (w.below(3) == 0) {
            o.drop_managed_fields = true;
            expected.drop.push_back({{"metadata"}, {"managedFields"}});
        }
        const auto document = w.object(4);
        const std::string text = json::serialize(document);
        CAPTURE(text, o.prune.keep, o.prune.drop);
        const auto wanted = expected.prune(document, {});
        const auto got = in_chunks(text, 1 + w.below(40), o);
        REQUIRE(got);
        REQUIRE(wanted);
        CHECK(got->to_json() == *wanted);
    }
}

TEST_CASE("prune: a text that is left out has no limit", "[api][prune]")
{
    const std::string text = R"({"items":[{"metadata":{"name":"a"},"v":")" + std::string(1000, 'x') + R"(\n","w":[")" +
                             std::string(1000, 'y') + R"("],"n":)" + std::string(1000, '1') + "}]}";
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{900}, text.size()}) {
        CAPTURE(chunk);
        list_decoder decoder({.limits = {.max_object_bytes = 100}, .prune = {.drop = {"v", "w.*", "n"}}});
        for (std::size_t at = 0; at < text.size(); at += chunk) REQUIRE(decoder.feed(text.substr(at, chunk)));
        const auto page = decoder.finish();
        REQUIRE(page);
        REQUIRE(page->items.size() == 1);
        CHECK(page->left_out.empty());
        CHECK(page->items[0].to_text() == R"({"metadata":{"name":"a"},"w":[]})");
    }
}
