// Tests of a list that enters the store in steps.

#include "store/list_change.hpp"
#include "object_names.hpp"
#include "store/store.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;
using cache_test::names;
namespace kt = kubecoro::testing;

namespace {

using lines = std::vector<std::string>;

std::string line(const notification<object>& n)
{
    const auto& o = object_of(n);
    const auto text = std::string(o.ns()) + "/" + std::string(o.name()) + "@" + std::string(o.resource_version());
    if (const auto* a = std::get_if<added<object>>(&n)) return (a->initial ? "initial " : "added ") + text;
    if (std::holds_alternative<updated<object>>(n)) return "updated " + text;
    return (std::get<deleted<object>>(n).final_state_unknown ? "lost " : "deleted ") + text;
}

lines lines_of(const std::vector<notification<object>>& news)
{
    lines out;
    for (const auto& n : news) out.push_back(line(n));
    return out;
}

detail::index_function by_app()
{
    return [](const object& o, index_sink out) { out(o.labels()["app"].as_string()); };
}

class random_lists
{
public:
    explicit random_lists(std::uint64_t seed) : random_(seed) {}
    std::uint64_t draw(std::uint64_t n) { return random_() % n; }
    object pod()
    {
        return kt::make_object({.ns = draw(3) ? "web" : "jobs",
                                .name = std::string(1, static_cast<char>('a' + draw(8))),
                                .resource_version = std::to_string(1 + draw(9)),
                                .uid = draw(6) ? "u1" : "u2",
                                .labels = {{"app", draw(2) ? "shop" : "mail"}},
                                .members = {}});
    }
    /// New items, stored handles, and the same key several times.
    std::vector<object> list(const std::vector<object>& stored, std::string_view ns)
    {
        std::vector<object> out;
        for (auto n = draw(12); n != 0; --n) {
            auto o = !stored.empty() && draw(2) ? stored[draw(stored.size())] : pod();
            if (ns.empty() || o.ns() == ns) out.push_back(std::move(o));
        }
        return out;
    }

private:
    std::mt19937_64 random_;
};

/// The content that a reader sees.
lines seen_by(const store& s)
{
    auto out = names(s.list({}));
    if (s.has_index("app"))
        for (const auto* value : {"shop", "mail"})
            for (const auto& o : names(s.by_index("app", value))) out.push_back(value + (" " + o));
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace

TEST_CASE("list_change: random lists in steps equal lists in one step, and readers see all or nothing",
          "[cache][store][turns][model]")
{
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        INFO("seed " << seed);
        random_lists r(seed);
        const std::size_t large = r.draw(2) ? 1 : 100; // a copy of the tables, or a change in place
        store stepwise({}, large);
        store at_once({}, large);
        bool indexed = false;
        for (int round = 0; round != 4; ++round) {
            const std::string ns = r.draw(2) ? "" : "web";
            const auto items = r.list(stepwise.list({}), ns);
            const bool initial = r.draw(2) == 0;
            const auto expected = lines_of(at_once.replace(ns, items, initial));

            list_change change(stepwise, ns, items, initial);
            std::vector<notification<object>> news;
            auto before = seen_by(stepwise);
            bool more = true;
            do {
                for (more = true; more;) {
                    std::size_t most = 1 + r.draw(3);
                    more = change.prepare(most);
                    if (!indexed && r.draw(20) == 0) {
                        indexed = true;
                        REQUIRE(stepwise.add_index("app", by_app()));
                        REQUIRE(at_once.add_index("app", by_app()));
                        before = seen_by(stepwise);
                    }
                    if (r.draw(20) == 0) (void)stepwise.index_label(r.draw(2) ? "app" : "team");
                    REQUIRE(seen_by(stepwise) == before);
                }
            } while (!change.make(news));
            // Among the deletions the order is that of the tables.
            auto made = lines_of(news);
            auto wanted = expected;
            std::sort(made.begin(), made.end());
            std::sort(wanted.begin(), wanted.end());
            REQUIRE(made == wanted);
            REQUIRE(seen_by(stepwise) == seen_by(at_once));
            std::size_t most = 1;
            while (change.let_go(most)) most = 1;
            REQUIRE(seen_by(stepwise) == seen_by(at_once));
        }
        const auto shop = label_selector::parse("app=shop").value();
        (void)stepwise.index_label("app");
        if (const auto found = stepwise.candidates(shop, {})) {
            lines matching;
            for (const auto& o : stepwise.list({}))
                if (shop.matches(o.labels())) matching.push_back(cache_test::name_of(o));
            std::sort(matching.begin(), matching.end());
            REQUIRE(names(*found) == matching);
        }
    }
}

TEST_CASE("list_change: the steps are as small as requested", "[cache][store][turns][costs]")
{
    // Each step of one object: their number grows with that of the objects, not faster.
    const auto steps = [](int n) {
        store s({}, 1);
        std::vector<object> items;
        for (int i = 0; i != n; ++i) items.push_back(kt::make_pod("web", "p" + std::to_string(i), "1"));
        std::size_t calls = 0;
        REQUIRE(s.add_index("name", [&calls](const object& o, index_sink out) {
            ++calls;
            out(o.name());
        }));
        list_change change(s, "", items, true);
        std::size_t all = 0;
        std::size_t most = 1;
        for (std::size_t seen = 0; change.prepare(most); ++all) {
            CHECK(calls - seen <= 1);
            seen = calls;
            most = 1;
        }
        std::vector<notification<object>> news;
        REQUIRE(change.make(news));
        CHECK(news.size() == static_cast<std::size_t>(n));
        return all;
    };
    const auto few = steps(50);
    CHECK(few >= 150); // found, indexed, and put into the tables
    CHECK(steps(100) <= 2 * few + 10);
}

TEST_CASE("list_change: objects of removed namespaces leave in steps", "[cache][store][turns]")
{
    store s({}, 1);
    s.replace("", {kt::make_pod("web", "a", "1"), kt::make_pod("jobs", "b", "1"), kt::make_pod("mail", "c", "1")},
              true);
    const std::vector<std::string> gone{"web", "mail", "unknown"};
    list_change change(s, gone);
    std::size_t most = 1;
    while (change.prepare(most)) most = 1;
    CHECK(s.size() == 3);
    std::vector<notification<object>> news;
    REQUIRE(change.make(news));
    CHECK(names(s.list({})) == lines{"jobs/b@1"});
    auto made = lines_of(news);
    std::sort(made.begin(), made.end());
    CHECK(made == lines{"lost mail/c@1", "lost web/a@1"});
}

TEST_CASE("list_change: a reader keeps what it reads, however often lists replace it", "[cache][store][turns]")
{
    store s({}, 1);
    const auto list = [](int version) {
        std::vector<object> out;
        for (int i = 0; i != 50; ++i)
            out.push_back(kt::make_pod("web", "p" + std::to_string(i), std::to_string(version)));
        return out;
    };
    s.replace("", list(1), true);
    std::size_t seen = 0;
    s.visit("", [&](const object& o) {
        CHECK(o.resource_version() == "1");
        ++seen;
        s.replace("", list(1 + static_cast<int>(seen)), false);
    });
    CHECK(seen == 50);
}
