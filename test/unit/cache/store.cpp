#include "object_names.hpp"

#include "store/store.hpp"
#include "store/store_tables.hpp"

#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>
#include <kubecoro/testing/recording.hpp>

#include <algorithm>
#include <map>
#include <new>
#include <random>
#include <set>
#include <stdexcept>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace kt = kubecoro::testing;

namespace {

using cache_test::names;
using lines = std::vector<std::string>;

object pod(std::string_view ns, std::string_view name, std::string_view version, std::string uid = {})
{
    return kt::make_object({.ns = std::string(ns),
                            .name = std::string(name),
                            .resource_version = std::string(version),
                            .uid = std::move(uid),
                            .labels = {},
                            .members = {}});
}

std::vector<notification<object>> put(store& s, object o)
{
    return s.apply(std::vector<delta>{{delta_type::added, std::move(o)}});
}
std::vector<notification<object>> erase(store& s, object o)
{
    return s.apply(std::vector<delta>{{delta_type::deleted, std::move(o)}});
}

lines text(const std::vector<notification<object>>& batch)
{
    lines out;
    for (const auto& n : batch) {
        const auto what = n.index() == 0 ? "+" : n.index() == 1 ? "~" : "-";
        out.push_back(what + cache_test::name_of(object_of(n)));
    }
    return out;
}

} // namespace

TEST_CASE("store: apply() and replace() return the changes", "[cache][store]")
{
    store s;
    CHECK(text(put(s, pod("web", "a", "1"))) == lines{"+web/a@1"});
    auto news = put(s, pod("web", "a", "2"));
    REQUIRE(text(news) == lines{"~web/a@2"});
    CHECK(std::get<updated<object>>(news.front()).before.resource_version() == "1");
    CHECK(put(s, pod("web", "a", "2")).empty());
    CHECK(text(put(s, pod("", "n", "1"))) == lines{"+n@1"});
    CHECK(s.size() == 2);
    CHECK(s.bytes() == s.get({"web", "a"}).bytes() + s.get({"", "n"}).bytes());

    news = erase(s, pod("web", "a", "3"));
    REQUIRE(text(news) == lines{"-web/a@3"});
    CHECK_FALSE(std::get<deleted<object>>(news.front()).final_state_unknown);
    CHECK(erase(s, pod("web", "a", "3")).empty());
    CHECK_FALSE(s.get({"web", "a"}));
    erase(s, pod("", "n", "2"));
    CHECK(s.size() == 0);
    CHECK(s.bytes() == 0);
    CHECK(s.namespaces().empty());
}

TEST_CASE("store: any key may be expected", "[cache][store]")
{
    store s;
    s.expect({"web", "a"});
    put(s, pod("web", "a", "1"));
    for (const object_key_view key : {object_key_view{"web", "a"}, {"web", "b"}, {"jobs", "a"}, {"", ""}})
        s.expect(key);
    const object stored = s.get({"web", "a"});
    CHECK(s.find(stored.key(), stored.uid(), "1").is_same(stored));
    CHECK(s.size() == 1);
}

TEST_CASE("store: the deletion of an unknown object has no effect", "[cache][store]")
{
    store s;
    s.apply(std::vector<delta>{{.type = delta_type::added, .obj = kt::make_pod("web", "a", "1")}});
    CHECK(s.apply(std::vector<delta>{{.type = delta_type::deleted, .obj = kt::make_pod("web", "b", "2")},
                                     {.type = delta_type::deleted, .obj = kt::make_pod("jobs", "a", "3")}})
              .empty());
    CHECK(s.size() == 1);
}

TEST_CASE("store: a new uid under an old key is a deletion and an add", "[cache][store]")
{
    store s;
    put(s, pod("web", "a", "1", "u1"));
    const auto news = put(s, pod("web", "a", "5", "u2"));
    REQUIRE(text(news) == lines{"-web/a@1", "+web/a@5"});
    CHECK(std::get<deleted<object>>(news.front()).final_state_unknown);
    SECTION("in a list as well")
    {
        const auto relisted = s.replace("", {pod("web", "a", "9", "u3")}, false);
        CHECK(text(relisted) == lines{"-web/a@5", "+web/a@9"});
    }
    SECTION("and the deletion of another uid than the stored one has no known final state")
    {
        const auto gone = erase(s, pod("web", "a", "7", "u9"));
        REQUIRE(gone.size() == 1);
        CHECK(std::get<deleted<object>>(gone.front()).final_state_unknown);
        CHECK(std::get<deleted<object>>(gone.front()).obj.uid() == "u2");
    }
}

TEST_CASE("store: a list replaces its namespace only, deletions first, and keeps unchanged objects", "[cache][store]")
{
    const std::size_t large = GENERATE(0, 512); // on a copy, and in place
    store s({}, large);
    s.replace("", {pod("web", "a", "1"), pod("web", "b", "2"), pod("jobs", "c", "3")}, true);
    const object kept = s.get({"web", "b"});
    const auto news = s.replace("web", {pod("web", "d", "7"), pod("web", "b", "2")}, false);
    REQUIRE(text(news) == lines{"-web/a@1", "+web/d@7"});
    CHECK(std::get<deleted<object>>(news[0]).final_state_unknown);
    CHECK_FALSE(std::get<added<object>>(news[1]).initial);
    CHECK(s.get({"web", "b"}).is_same(kept));
    CHECK(names(s.list("")) == lines{"jobs/c@3", "web/b@2", "web/d@7"});
    CHECK(names(s.list("web")) == lines{"web/b@2", "web/d@7"});
    CHECK(s.list("nowhere").empty());

    CHECK(text(s.replace("", {}, false)).size() == 3);
    CHECK(s.size() == 0);
    const auto initial = s.replace("", {pod("web", "a", "8"), pod("web", "a", "9")}, true);
    REQUIRE(text(initial) == lines{"+web/a@9"});
    CHECK(std::get<added<object>>(initial[0]).initial);
}

TEST_CASE("store: a list that exhausts memory announces the changes that were made, and another call the others",
          "[cache][store]")
{
    const std::size_t large = GENERATE(0, 512); // on a copy, and in place
    const std::vector<object> items{pod("web", "b", "3"), pod("web", "d", "4"), pod("another", "e", "5")};
    std::size_t partly = 0;
    for (std::uint64_t nth = 1; nth < 1000; ++nth) {
        store s({}, large);
        s.replace("", {pod("web", "a", "1"), pod("web", "b", "2")}, true);
        std::vector<notification<object>> news;
        bool failed = false;
        test::fail_allocation(nth);
        try {
            s.replace("", items, false, news);
        } catch (const std::bad_alloc&) {
            failed = true;
        }
        test::fail_allocation(0);

        std::map<object_key, std::string> announced{{{"web", "a"}, "web/a@1"}, {{"web", "b"}, "web/b@2"}};
        for (const auto& n : news) {
            const object& o = object_of(n);
            announced[object_key(o.key())] = cache_test::name_of(o);
            if (std::holds_alternative<deleted<object>>(n)) announced.erase(object_key(o.key()));
        }
        lines told;
        for (const auto& [key, name] : announced) told.push_back(name);
        INFO("allocation " << nth);
        REQUIRE(names(s.list("")) == told);
        if (failed && !news.empty()) ++partly;
        s.replace("", items, false, news);
        REQUIRE(text(news) == lines{"-web/a@1", "~web/b@3", "+web/d@4", "+another/e@5"});
        if (failed) continue;
        CHECK(nth > 5);
        CHECK((partly != 0) == (large != 0));
        return;
    }
    FAIL("never succeeds");
}

TEST_CASE("store: indexes find objects by value after every change", "[cache][store]")
{
    kt::recording_logger log;
    store s(log.handle());
    put(s, kt::make_pod("web", "a", "1", "n1"));
    const auto by_node = [](const object& o, auto out) {
        const auto node = o["spec"]["nodeName"].as_string();
        if (!node.empty()) out(node);
        if (node == "twice") out(node);
    };
    REQUIRE(s.add_index("node", by_node));
    CHECK(s.add_index("node", by_node).error() == cond::already_exists);
    CHECK(s.has_index("node"));
    CHECK_FALSE(s.has_index("zone"));
    CHECK(names(s.by_index("node", "n1")) == lines{"web/a@1"});
    CHECK(s.count_by_index("node", "n1") == 1);
    CHECK(s.count_by_index("node", "n9") == 0);
    // Each wrong name is said once.
    for (int i = 0; i < 3; ++i) {
        CHECK(s.by_index("zone", "n1").empty());
        CHECK(s.count_by_index("zone", "n1") == 0);
        CHECK(s.values_of("nodes").empty());
    }
    CHECK(log.lines().size() == 2);

    put(s, kt::make_pod("web", "b", "2", "n1"));
    put(s, kt::make_pod("web", "c", "3"));
    put(s, kt::make_pod("web", "d", "4", "twice"));
    CHECK(names(s.by_index("node", "n1")) == lines{"web/a@1", "web/b@2"});
    CHECK(names(s.by_index("node", "twice")) == lines{"web/d@4"});

    put(s, kt::make_pod("web", "a", "5", "n2"));
    CHECK(names(s.by_index("node", "n1")) == lines{"web/b@2"});
    put(s, kt::make_pod("web", "b", "6", "n1"));
    CHECK(names(s.by_index("node", "n1")) == lines{"web/b@6"});
    erase(s, kt::make_pod("web", "b", "7", "n1"));
    auto values = s.values_of("node");
    std::sort(values.begin(), values.end());
    CHECK(values == lines{"n2", "twice"});
}

TEST_CASE("store: an index function that throws excludes its object only", "[cache][store]")
{
    kt::recording_logger log;
    store s(log.handle());
    REQUIRE(s.add_index("node", [](const object& o, auto out) {
        const auto node = o["spec"]["nodeName"].as_string();
        if (node == "bad") throw std::runtime_error("no such node");
        if (node == "worse") throw 7;
        out(node);
    }));
    put(s, kt::make_pod("web", "a", "1", "n2"));
    // Inside a batch: the changes before and after it are indexed.
    s.apply(std::vector<delta>{{delta_type::added, kt::make_pod("web", "d", "7", "n2")},
                               {delta_type::updated, kt::make_pod("web", "a", "8", "bad")},
                               {delta_type::added, kt::make_pod("web", "e", "9", "n2")}});
    CHECK(names(s.by_index("node", "n2")) == lines{"web/d@7", "web/e@9"});
    const auto a = s.get({"web", "a"});
    CHECK(a.resource_version() == "8");
    CHECK(s.index_failures() == 1);
    CHECK(log.count("web/a") == 1);
    erase(s, kt::make_pod("web", "a", "10", "bad"));
    CHECK_FALSE(s.get({"web", "a"}));
    // In a list as well, and when the index is built.
    s.replace("", {kt::make_pod("web", "f", "11", "worse"), kt::make_pod("web", "e", "9", "n2")}, false);
    CHECK(s.index_failures() == 2);
    CHECK(names(s.by_index("node", "n2")) == lines{"web/e@9"});
    REQUIRE(s.add_index("name", [](const object& o, auto out) {
        if (o.name() == "e") throw std::runtime_error("no");
        out(o.name());
    }));
    CHECK(s.index_failures() == 3);
    CHECK(s.values_of("name") == lines{"f"});
    // A tenant cannot fill the log with them.
    for (int i = 0; i < 1000; ++i) put(s, kt::make_pod("web", "many", std::to_string(100 + i), "bad"));
    CHECK(s.index_failures() == 1003);
    CHECK(log.count("an index function threw") == 10);
}

TEST_CASE("store: finds an object by key, uid and version, and a list of the same handles changes nothing",
          "[cache][store]")
{
    store s;
    s.replace("", {pod("web", "a", "1", "ua"), pod("web", "b", "2", "ub"), pod("jobs", "c", "3", "uc")}, true);
    const object a = s.find({"web", "a"}, "ua", "1");
    REQUIRE(a.is_same(s.get({"web", "a"})));
    CHECK_FALSE(s.find({"web", "a"}, "ua", "2"));
    CHECK_FALSE(s.find({"web", "a"}, "ub", "1"));
    CHECK_FALSE(s.find({"jobs", "a"}, "ua", "1"));

    const object b = s.get({"web", "b"});
    CHECK(s.replace("", s.list(""), false).empty());
    CHECK(s.replace("web", {b, a}, false).empty());
    CHECK(text(s.replace("web", {a, a}, false)) == lines{"-web/b@2"});
    CHECK(text(s.replace("web", {a, pod("web", "a", "9", "ua")}, false)) == lines{"~web/a@9"});
    const object nine = s.get({"web", "a"});
    CHECK(text(s.replace("web", {pod("web", "a", "10", "ua"), nine, nine}, false)) == lines{"~web/a@10"});
    CHECK(text(s.replace("web", {b, s.get({"web", "a"})}, false)) == lines{"+web/b@2"});
    CHECK(s.get({"jobs", "c"}));
}

TEST_CASE("store: random changes and lists against a plain map, indexes included", "[cache][store][model]")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        INFO("seed " << seed);
        std::mt19937_64 random(seed);
        const auto draw = [&random](std::uint64_t n) { return random() % n; };
        store s({}, draw(8));
        std::map<std::string, object> expected;
        int version = 0;
        const auto make = [&] {
            return kt::make_pod("n" + std::to_string(draw(3)), "p" + std::to_string(draw(5)), std::to_string(++version),
                                "node" + std::to_string(draw(3)));
        };
        for (int step = 0; step < 60; ++step) {
            if (step == 20)
                REQUIRE(s.add_index("node", [](const object& o, index_sink out) {
                    out(o["spec"]["nodeName"].as_string());
                    out(o.ns());
                }));
            switch (draw(4)) {
            case 0: {
                const std::string ns = draw(2) ? "" : "n" + std::to_string(draw(3));
                std::map<std::string, object> listed;
                std::vector<object> items;
                for (std::uint64_t i = draw(8); i > 0; --i) {
                    auto o = make();
                    if (!ns.empty() && o.ns() != ns) continue;
                    items.push_back(o);
                    listed[to_string(o.key())] = o;
                }
                // Like the result of a decoder with known objects: some of the stored handles, at any position.
                for (const auto& o : s.list(ns)) {
                    if (draw(4) == 0) continue;
                    items.insert(items.begin() + static_cast<std::ptrdiff_t>(draw(items.size() + 1)), o);
                    listed.emplace(to_string(o.key()), o);
                }
                std::erase_if(expected, [&ns](const auto& e) { return ns.empty() || e.second.ns() == ns; });
                expected.insert(listed.begin(), listed.end());
                const std::size_t before = s.list(ns).size();
                const bool nothing_new = std::all_of(items.begin(), items.end(),
                                                     [&s](const object& o) { return s.get(o.key()).is_same(o); });
                const auto news = s.replace(ns, std::move(items), false);
                if (nothing_new) REQUIRE(news.size() == before - listed.size());
                break;
            }
            case 1: {
                const auto o = make();
                expected.erase(to_string(o.key()));
                erase(s, o);
                break;
            }
            default: {
                const auto o = make();
                expected[to_string(o.key())] = o;
                put(s, o);
            }
            }
            std::vector<object> all;
            std::set<std::string> values;
            std::map<std::string, std::vector<object>> by_value;
            std::size_t bytes = 0;
            for (const auto& [key, o] : expected) {
                all.push_back(o);
                bytes += o.bytes();
                by_value[std::string(o["spec"]["nodeName"].as_string())].push_back(o);
                by_value[std::string(o.ns())].push_back(o);
            }
            REQUIRE(names(s.list("")) == names(all));
            REQUIRE(s.size() == all.size());
            REQUIRE(s.bytes() == bytes);
            if (step < 20) continue;
            REQUIRE(s.values_of("node").size() == by_value.size());
            for (const auto& [value, objects] : by_value) REQUIRE(names(s.by_index("node", value)) == names(objects));
        }
    }
}

TEST_CASE("lister: selects by label and namespace", "[cache][lister]")
{
    auto s = std::make_shared<store>();
    const auto labelled = [&](std::string ns, std::string name, std::string app) {
        put(*s, kt::make_object({.ns = std::move(ns),
                                 .name = std::move(name),
                                 .resource_version = "1",
                                 .uid = {},
                                 .labels = {{"app", std::move(app)}},
                                 .members = {}}));
    };
    labelled("web", "a", "shop");
    labelled("web", "b", "mail");
    labelled("jobs", "c", "shop");
    const lister<object> l(s);
    CHECK(l.size() == 3);
    CHECK(l.get("web", "a"));
    CHECK_FALSE(l.get("web", "c"));
    const auto shop = label_selector::parse("app=shop").value();
    CHECK(names(l.list(shop)) == lines{"jobs/c@1", "web/a@1"});
    CHECK(names(l.list(shop, "web")) == lines{"web/a@1"});
    CHECK(names(l.list(label_selector{}, "jobs")) == lines{"jobs/c@1"});
    auto ns = l.namespaces();
    std::sort(ns.begin(), ns.end());
    CHECK(ns == lines{"jobs", "web"});
    REQUIRE(s->add_index("app", [](const object& o, auto out) { out(o.labels()["app"].as_string()); }));
    auto keys = l.index_keys("app", "shop");
    std::sort(keys.begin(), keys.end());
    CHECK(keys == std::vector<object_key>{{"jobs", "c"}, {"web", "a"}});
    CHECK(l.by_index("app", "mail").size() == 1);
    CHECK(l.index_values("app").size() == 2);
    CHECK(l.has_index("app"));
}

TEST_CASE("store: an object that cannot be stored in another form stays, and so do its index values",
          "[cache][store][memory]")
{
    bool thrown = true;
    for (std::uint64_t nth = 1; thrown; ++nth) {
        CAPTURE(nth);
        REQUIRE(nth < 100);
        store_tables all;
        all.add_index(secondary_index("by size"));
        REQUIRE(all.labels().begin("app")); // an index under construction logs each change
        const object before = pod("web", "a", "1");
        const object now = pod("web", "a", "1");
        all.put(before, {{"large", "a value that needs memory of its own"}});
        thrown = false;
        test::fail_allocation(nth);
        try {
            all.renew(kept_object(before), now);
        } catch (const std::bad_alloc&) {
            thrown = true;
        }
        test::fail_allocation(0);
        const object& stored = thrown ? before : now;
        CHECK(all.find({"web", "a"}).is_same(stored));
        const auto found = all.index("by size")->find("large");
        REQUIRE(found.size() == 1);
        CHECK(found.front().is_same(stored));
        CHECK(all.size_of("web") == 1);
        CHECK((thrown || nth > 1));
    }
}

namespace {

std::vector<object> pods_of(const std::string& ns, int count)
{
    std::vector<object> all;
    for (int i = 0; i < count; ++i) all.push_back(pod(ns, "p" + std::to_string(i), "1", "u" + ns + std::to_string(i)));
    return all;
}

/// A store whose namespaces n0, n1 and so on have as many pods.
void fill(store& s, int namespaces, int pods)
{
    for (int n = 0; n < namespaces; ++n)
        (void)s.replace("n" + std::to_string(n), pods_of("n" + std::to_string(n), pods), true);
}

/// Bytes that this thread allocates for a list of 200 pods of one namespace, in a store with as many others.
std::uint64_t bytes_for_a_list(int others)
{
    store s({}, 100);
    fill(s, others, 200);
    const auto items = pods_of("late", 200);
    const auto before = kubecoro::test::allocations_so_far().bytes;
    (void)s.replace("late", items, true);
    return kubecoro::test::allocations_so_far().bytes - before;
}

} // namespace

TEST_CASE("store: a large list of one namespace copies no objects of others", "[cache][store]")
{
    // A namespace more costs its entry in a table of namespaces.
    CHECK(bytes_for_a_list(65) < bytes_for_a_list(1) + 64 * 300);
}

TEST_CASE("store: namespaces are removed as one change, and copied at most once", "[cache][store]")
{
    store s({}, 100);
    fill(s, 40, 150);
    REQUIRE(s.add_index("version", [](const object& o, index_sink out) { out(o.resource_version()); }));
    const std::string one_name[] = {"n0"};
    const auto before_one = kubecoro::test::allocations_so_far().bytes;
    std::vector<notification<object>> one;
    s.remove(one_name, one);
    const auto for_one = kubecoro::test::allocations_so_far().bytes - before_one;
    CHECK(one.size() == 150);
    CHECK(s.size() == 39 * 150);
    CHECK(s.list("n0").empty());

    std::vector<std::string> names;
    for (int n = 1; n < 39; ++n) names.push_back("n" + std::to_string(n));
    const auto before = kubecoro::test::allocations_so_far().bytes;
    std::vector<notification<object>> news;
    s.remove(names, news);
    CHECK(kubecoro::test::allocations_so_far().bytes - before < 3 * for_one);
    CHECK(news.size() == 38 * 150);
    CHECK(std::all_of(news.begin(), news.end(), [](const auto& n) { return n.index() == 2; }));
    CHECK(s.namespaces() == std::vector<std::string>{"n39"});
    CHECK(s.by_index("version", "1").size() == 150);
}

TEST_CASE("store: an empty namespace is removed as that of cluster-scoped objects", "[cache][store]")
{
    store s;
    (void)put(s, pod("", "node", "1"));
    (void)put(s, pod("web", "a", "2"));
    std::vector<notification<object>> news;
    const std::string none[] = {""};
    s.remove(none, news);
    CHECK(text(news) == lines{"-node@1"});
    CHECK(names(s.list({})) == lines{"web/a@2"});
}
