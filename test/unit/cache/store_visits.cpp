// Tests of iterations over a changing store: no references are taken, and no object is lost.

#include "store/store_visits.hpp"

#include "store/store.hpp"

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>

#include <algorithm>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace kt = kubecoro::testing;

namespace {

using lines = std::vector<std::string>;

object pod(int i, int version) { return kt::make_pod("web", "p" + std::to_string(i), std::to_string(version)); }

std::vector<object> pods(int count, int version)
{
    std::vector<object> out;
    for (int i = 0; i < count; ++i) out.push_back(pod(i, version));
    return out;
}

std::string text(const object& o) { return std::string(o.name()) + "@" + std::string(o.resource_version()); }

lines texts(const std::vector<borrowed_object>& objects)
{
    lines out;
    show(objects, [&out](const object& o) { out.push_back(text(o)); });
    return out;
}

void leave(store_visits& all, std::vector<kept_object> gone)
{
    {
        store_visits::removal removed(all, gone.size());
        for (auto& o : gone) removed.add(std::move(o));
    }
    all.bound();
}

} // namespace

TEST_CASE("store visits: one state is shown, whatever changes in the store", "[cache][store]")
{
    const std::size_t large = GENERATE(0, 512); // a list on a copy, and in place
    auto s = std::make_shared<store>(logger{}, large);
    s->replace("", pods(100, 1), true);
    lister<object> l(s);
    std::vector<object> kept;
    int shown = 0;
    l.for_each([&](const object& o) {
        CHECK(o.resource_version() == "1");
        if (++shown % 10 == 0) kept.push_back(o);
        if (shown == 20) s->replace("web", pods(50, 2), false);
        if (shown == 40)
            s->apply(std::vector<delta>{{delta_type::deleted, pod(3, 3)}, {delta_type::updated, pod(4, 3)}});
        if (shown == 60) s->replace("", {}, false);
        if (shown == 70) l.for_each([](const object&) { FAIL("the store is empty"); });
        if (shown == 80) {
            l = lister<object>(std::make_shared<store>());
            s.reset();
        }
    });
    CHECK(shown == 100);
    REQUIRE(kept.size() == 10);
    for (const auto& o : kept) CHECK(o.resource_version() == "1");
}

TEST_CASE("store visits: one state is shown, whatever the writer has no memory for", "[cache][store][memory]")
{
    const std::size_t large = GENERATE(0, 512); // a list on a copy, and in place
    int failed = 0;
    for (std::uint64_t nth = 1; nth <= 150; ++nth) {
        CAPTURE(large, nth);
        store s(logger{}, large);
        REQUIRE(s.add_index("state", [](const object& o, index_sink out) { out("of long text: " + text(o)); }));
        s.replace("", pods(20, 1), true);
        int shown = 0;
        s.visit("", [&](const object& o) {
            CHECK(o.resource_version() == "1");
            if (++shown > 2) return;
            const std::vector<delta> changes{{delta_type::deleted, pod(3, 2)}, {delta_type::updated, pod(4, 2)}};
            const auto list = pods(10, 3);
            test::fail_allocation(nth);
            try {
                if (shown == 1)
                    (void)s.apply(changes);
                else
                    s.replace("web", list, false);
            } catch (const std::bad_alloc&) {
                ++failed;
            }
            test::fail_allocation(0);
            (void)pods(200, 9); // overwrites what was freed
        });
        CHECK(shown == 20);
    }
    CHECK(failed > 10);
}

TEST_CASE("store visits: a namespace, nothing, and a function that throws", "[cache][store]")
{
    const auto s = std::make_shared<store>();
    const lister<object> l(s);
    const auto none = [](const object&) { FAIL("the namespace is empty"); };
    l.for_each(none);
    s->replace("", pods(20, 1), true);
    l.for_each(none, "nowhere");
    int shown = 0;
    const auto give_up = [&shown](const object&) {
        if (++shown == 5) throw std::runtime_error("enough");
    };
    CHECK_THROWS_WITH(l.for_each(give_up, "web"), "enough");
    CHECK(shown == 5);
    s->replace("", pods(20, 2), false);
    l.for_each([](const object& o) { CHECK(o.resource_version() == "2"); });
}

TEST_CASE("store visits: compressed objects are expanded one at a time", "[cache][store][storage]")
{
    const auto encoding = make_object_encoding({.storage = {.policy = storage::compressed, .learn_from = 8}});
    list_decoder decoder({}, encoding);
    std::string list = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[)";
    for (int i = 0; i < 300; ++i) {
        const auto n = std::to_string(i);
        list += std::string(i ? "," : "") + R"({"metadata":{"name":"p)" + n + R"(","namespace":"web","uid":"u)" + n +
                R"(","resourceVersion":"1"},"spec":{"image":"registry/of/images/and/more:)" + std::to_string(i % 7) +
                R"("}})";
    }
    REQUIRE(decoder.feed(list + "]}"));
    {
        const auto s = std::make_shared<store>(logger{}, 512, encoding);
        s->replace("", decoder.finish().value().items, true);
        while (s->renew(1000)) {
        }
        REQUIRE(encoding->stats().packed > 0);
        int changed = 0;
        lister<object>(s).for_each([&](const object& o) {
            if (changed++ == 100) s->replace("", {}, false);
            CHECK(o["spec"]["image"].as_string().starts_with("registry/"));
        });
        CHECK(changed == 300);
    }
    CHECK(encoding->stats().broken == 0);
}

TEST_CASE("store visits: removed objects are kept while visits are open, and no longer", "[cache][store]")
{
    store_visits all;
    const auto stay = [](const object& o) { return std::vector<kept_object>(1, kept_object(o)); };
    CHECK_FALSE(all.any());
    leave(all, stay(pod(1, 1)));
    CHECK(all.aside() == 0);
    {
        store_visits::visit first;
        all.open(first);
        {
            store_visits::visit second;
            all.open(second);
            CHECK(all.any());
            leave(all, stay(pod(2, 1)));
        }
        CHECK(all.aside() == 1);
    }
    CHECK(all.aside() == 0);
    CHECK_FALSE(all.any());
}

TEST_CASE("store visits: a long visit takes references, and no more objects are set aside", "[cache][store]")
{
    store_visits all;
    std::vector<kept_object> stored;
    for (const auto& o : pods(2000, 1)) stored.emplace_back(o);
    store_visits::visit v;
    for (const auto& o : stored) v.objects.emplace_back(o);
    const auto before = texts(v.objects);
    all.open(v);
    leave(all, {stored.begin(), stored.begin() + 1999});
    CHECK(all.aside() == 1999);
    leave(all, {stored.begin() + 1999, stored.end()});
    CHECK(all.aside() == 0);
    CHECK_FALSE(all.any());
    stored.clear();
    CHECK(texts(v.objects) == before);
}

TEST_CASE("store visits: any order of opening, changing and closing", "[cache][store][model]")
{
    const auto seed = GENERATE(range(1u, 21u));
    CAPTURE(seed);
    std::mt19937 random(seed);
    struct guest
    {
        store_visits::visit at;
        lines seen;
    };
    store_visits all;
    std::vector<kept_object> stored;
    for (const auto& o : pods(200, 0)) stored.emplace_back(o);
    std::vector<std::unique_ptr<guest>> guests;
    for (int step = 1; step < 600; ++step) {
        const auto what = random() % 10;
        if (what == 0 && guests.size() < 4) {
            auto& g = *guests.emplace_back(std::make_unique<guest>());
            for (const auto& o : stored) g.at.objects.emplace_back(o);
            g.seen = texts(g.at.objects);
            all.open(g.at);
        } else if (what == 1 && !guests.empty()) {
            const auto leaves = guests.begin() + static_cast<std::ptrdiff_t>(random() % guests.size());
            CHECK(texts((*leaves)->at.objects) == (*leaves)->seen);
            guests.erase(leaves);
        } else {
            std::vector<kept_object> gone;
            for (int n = 0; n < 20; ++n) {
                const auto i = random() % stored.size();
                gone.push_back(std::exchange(stored[i], kept_object(pod(static_cast<int>(i), step))));
            }
            if (all.any()) leave(all, std::move(gone));
        }
        CHECK(all.aside() <= 1024);
    }
    for (const auto& g : guests) CHECK(texts(g->at.objects) == g->seen);
}
