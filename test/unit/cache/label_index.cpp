// Tests of lists by selector: their results, their cost, and the maintenance of the indexes.

#include "object_names.hpp"

#include "store/store.hpp"

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>

#include <new>
#include <random>
#include <set>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace kt = kubecoro::testing;

namespace {

using cache_test::names;
using lines = std::vector<std::string>;
using labels = std::vector<std::pair<std::string, std::string>>;

object pod(std::string ns, std::string name, std::uint64_t version, labels of)
{
    return kt::make_object({.ns = std::move(ns),
                            .name = std::move(name),
                            .resource_version = std::to_string(version),
                            .uid = {},
                            .labels = std::move(of),
                            .members = {}});
}

label_selector parse(std::string_view text) { return label_selector::parse(text).value(); }

/// Returns the result of a full scan.
lines scan(const store& s, const label_selector& by, std::string_view ns = {})
{
    auto all = s.list(ns);
    std::erase_if(all, [&by](const object& o) { return !by.matches(o.labels()); });
    return names(all);
}

/// Returns the number of objects checked for a selector.
std::size_t looked_at(const store& s, const label_selector& by, std::string_view ns = {})
{
    const auto found = s.candidates(by, ns);
    return found ? found->size() : s.list(ns).size();
}

/// 400 pods of 10 apps, half of them in tier "front", in two namespaces; each with a name of its own as a label.
std::shared_ptr<store> shop()
{
    auto s = std::make_shared<store>();
    std::vector<object> items;
    for (int i = 0; i < 400; ++i) {
        const std::string n = std::to_string(i);
        items.push_back(
            pod(i % 2 ? "web" : "jobs", "p" + n, 1,
                {{"app", "a" + std::to_string(i % 10)}, {"pod", "p" + n}, {"tier", i % 4 < 2 ? "front" : "back"}}));
    }
    s->replace("", std::move(items), true);
    return s;
}

} // namespace

TEST_CASE("label index: a list by selector costs its result, not the size of the store", "[cache][labels]")
{
    const auto s = shop();
    const lister<object> l(s);
    CHECK(s->indexed_labels().empty());
    CHECK(l.list(parse("app=a3")).size() == 40);
    CHECK(s->indexed_labels() == lines{"app"});
    CHECK(looked_at(*s, parse("app=a3")) == 40);
    CHECK(looked_at(*s, parse("app=a3"), "web") == 40); // all of a3 is in web
    CHECK(looked_at(*s, parse("app=a3"), "jobs") == 0);
    CHECK(looked_at(*s, parse("app in (a3,a4,nothing)")) == 80);
    CHECK(looked_at(*s, parse("app=nothing")) == 0);
    // The most selective requirement is used, and the others are checked.
    CHECK(looked_at(*s, parse("app=a3,pod=p13,tier=front")) == 1);
    CHECK(names(l.list(parse("app=a3,pod=p13,tier=back"))).empty());
    CHECK(s->indexed_labels().size() == 3);
    CHECK(names(l.list(parse("app=a3,tier!=back"), "web")) == scan(*s, parse("app=a3,tier!=back"), "web"));
}

TEST_CASE("label index: a selector that only excludes, or is not selective, scans everything", "[cache][labels]")
{
    const auto s = shop();
    CHECK(looked_at(*s, parse("app!=a3")) == 400);
    CHECK(looked_at(*s, parse("!app"), "web") == 200);
    CHECK(looked_at(*s, parse("app notin (a1,a2)")) == 400);
    CHECK(s->indexed_labels().empty());
    CHECK(looked_at(*s, label_selector{}) == 400);
    CHECK(looked_at(*s, parse("missing")) == 0);
    CHECK(s->indexed_labels() == lines{"missing"});
    CHECK(looked_at(*s, parse("app>3,app")) == 400); // every pod has it
}

TEST_CASE("label index: a small store gets none, and at most sixteen labels are indexed", "[cache][labels]")
{
    store small;
    small.replace("", {pod("web", "a", 1, {{"app", "x"}}), pod("web", "b", 1, {{"app", "y"}})}, true);
    CHECK(looked_at(small, parse("app=x")) == 2);
    CHECK(small.indexed_labels().empty());
    CHECK(small.index_label("app"));
    CHECK_FALSE(small.index_label("app"));
    CHECK(looked_at(small, parse("app=x")) == 1);

    const auto s = shop();
    for (int i = 0; i < 40; ++i) CHECK(looked_at(*s, parse("key" + std::to_string(i) + "=v")) % 400 == 0);
    CHECK(s->indexed_labels().size() == 16);
    CHECK(names(lister<object>(s).list(parse("app=a3"))) == scan(*s, parse("app=a3")));
}

TEST_CASE("label index: is built from a list stored before it, and by the option", "[cache][labels]")
{
    const auto s = shop();
    s->apply(std::vector<delta>{{delta_type::updated, pod("web", "p3", 2, {{"app", "a9"}})},
                                {delta_type::deleted, pod("web", "p13", 3, {{"app", "a3"}})}});
    CHECK(names(lister<object>(s).list(parse("app=a3"))) == scan(*s, parse("app=a3")));
    CHECK(lister<object>(s).list(parse("app=a3")).size() == 38);
    CHECK(lister<object>(s).list(parse("app=a9")).size() == 41);
}

TEST_CASE("label index: compressed objects are found without being expanded", "[cache][labels]")
{
    auto encoding = make_object_encoding({.storage = {.policy = storage::compressed, .learn_from = 8}});
    const auto s = std::make_shared<store>(logger{}, 512, encoding);
    list_decoder decoder({}, encoding);
    std::string text = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[)";
    for (int i = 0; i < 400; ++i) {
        const auto n = std::to_string(i);
        text += std::string(i ? "," : "") + R"({"metadata":{"name":"p)" + n + R"(","namespace":"web","uid":"u)" + n +
                R"(","resourceVersion":"1","labels":{"app":"a)" + std::to_string(i % 10) +
                R"("}},"spec":{"image":"registry/of/images:)" + std::to_string(i % 7) + R"("}})";
    }
    REQUIRE(decoder.feed(text + "]}"));
    s->replace("", decoder.finish().value().items, true);
    while (s->renew(1000)) {
    }
    REQUIRE(encoding->stats().packed > 0);
    const auto before = encoding->stats().expansions;
    CHECK(lister<object>(s).list(parse("app=a3")).size() == 40);
    CHECK(lister<object>(s).list(parse("app in (a1,a2),app!=a1")).size() == 40);
    CHECK(encoding->stats().expansions == before);
}

TEST_CASE("label index: random stores against a full scan", "[cache][labels][model]")
{
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        INFO("seed " << seed);
        std::mt19937_64 random(seed);
        const auto draw = [&random](std::uint64_t n) { return random() % n; };
        const auto s = std::make_shared<store>(logger{}, draw(2) ? 8 : 512);
        std::uint64_t version = 0;
        const auto make = [&] {
            labels of;
            if (draw(4)) of.emplace_back("app", "a" + std::to_string(draw(3)));
            if (draw(2)) of.emplace_back("level", std::to_string(draw(40)));
            if (draw(8) == 0) of.emplace_back("tier", "");
            return pod("n" + std::to_string(draw(3)), "p" + std::to_string(draw(30)), ++version, std::move(of));
        };
        const lines selectors = {"app=a0",         "app in (a1,a2)",  "app",  "level>20",    "tier=",
                                 "app=a1,level<9", "app!=a1,level=3", "!app", "tier,app=a0", "app=a0,app=a1"};
        for (int step = 0; step < 60; ++step) {
            if (step == 15) REQUIRE(s->index_label("app"));
            if (step == 25) REQUIRE(s->index_label("level"));
            if (step == 30) REQUIRE(s->index_label("tier"));
            if (draw(5) == 0) {
                std::vector<object> items;
                for (auto n = draw(30); n > 0; --n) items.push_back(make());
                for (const auto& o : s->list(""))
                    if (draw(3)) items.push_back(o);
                s->replace("", std::move(items), false);
            } else {
                s->apply(std::vector<delta>{{draw(4) ? delta_type::updated : delta_type::deleted, make()}});
            }
            for (const auto& text : selectors) {
                const auto by = parse(text);
                const std::string ns = draw(2) ? "" : "n" + std::to_string(draw(3));
                INFO(text);
                REQUIRE(names(lister<object>(s).list(by, ns)) == scan(*s, by, ns));
            }
        }
    }
}

TEST_CASE("label index: one for which there is no memory can be made later, and costs nothing until then",
          "[cache][store][memory]")
{
    bool thrown = true;
    for (std::uint64_t nth = 1; thrown; ++nth) {
        CAPTURE(nth);
        REQUIRE(nth < 500);
        const auto s = shop();
        thrown = false;
        test::fail_allocation(nth);
        try {
            (void)s->index_label("tier");
        } catch (const std::bad_alloc&) {
            thrown = true;
        }
        test::fail_allocation(0);
        if (thrown) REQUIRE(s->index_label("tier"));
        const auto front = parse("tier=front");
        REQUIRE(names(s->candidates(front, "").value()) == scan(*s, front));
    }
}

TEST_CASE("label index: an object for which there is no memory is as it was, in all indexes", "[cache][store][memory]")
{
    bool thrown = true;
    for (std::uint64_t nth = 1; thrown; ++nth) {
        CAPTURE(nth);
        REQUIRE(nth < 100);
        label_indexes all;
        for (const auto* key : {"app", "tier"}) {
            REQUIRE(all.begin(key));
            all.finish(label_postings(key));
        }
        REQUIRE(all.begin("pod")); // is under construction
        const kept_object before(pod("web", "p", 1, {{"app", "a"}, {"tier", "front"}}));
        const kept_object now(pod("web", "p", 2, {{"app", "a"}, {"tier", "back"}}));
        all.change({}, before);
        thrown = false;
        test::fail_allocation(nth);
        try {
            all.change(before, now);
        } catch (const std::bad_alloc&) {
            thrown = true;
        }
        test::fail_allocation(0);
        for (const auto* selector : {"app=a", "tier in (front,back)"}) {
            const auto found = all.candidates(parse(selector), "", 100);
            REQUIRE(found);
            REQUIRE(found->size() == 1);
            CHECK(found->front().resource_version() == (thrown ? "1" : "2"));
        }
        CHECK(all.take_written_down("pod").size() == (thrown ? 1 : 2));
    }
}
