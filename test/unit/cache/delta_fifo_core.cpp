#include "delta_fifo_core.hpp"

#include "store.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>

#include <map>
#include <random>

using namespace kubecoro;
namespace kt = kubecoro::testing;

namespace {

std::vector<std::string> text(const std::vector<delta>& batch)
{
    std::vector<std::string> out;
    for (const auto& d : batch) {
        switch (d.type) {
        case delta_type::added:
            out.push_back("+" + to_string(d.obj.key()));
            break;
        case delta_type::updated:
            out.push_back("~" + to_string(d.obj.key()));
            break;
        case delta_type::deleted:
            out.push_back("-" + to_string(d.obj.key()));
            break;
        case delta_type::replaced_all:
            out.push_back("list " + std::to_string(d.all->items.size()));
            break;
        case delta_type::sync_all:
            out.push_back("sync " + std::to_string(d.target));
            break;
        case delta_type::version:
            out.push_back("version " + d.resource_version);
            break;
        }
    }
    return out;
}
using lines = std::vector<std::string>;
object pod(std::string_view name, std::string_view version = "1") { return kt::make_pod("web", name, version); }

} // namespace

TEST_CASE("delta fifo: hands out single deltas together, lists and syncs alone, all in order", "[cache][delta_fifo]")
{
    delta_fifo_core f;
    const auto scope = f.add_scope();
    f.push(delta_type::added, pod("a"));
    f.push(delta_type::updated, pod("a"));
    f.version(scope, "7");
    f.replace(scope, {pod("b")}, "8");
    f.sync(3);
    f.push(delta_type::added, pod("c"));
    CHECK(f.size() == 6);
    CHECK(text(f.pop()) == lines{"+web/a", "~web/a", "version 7"});
    CHECK(text(f.pop()) == lines{"list 1"});
    CHECK(text(f.pop()) == lines{"sync 3"});
    CHECK(text(f.pop()) == lines{"+web/c"});
    CHECK(f.pop().empty());
    CHECK(f.empty());
}

TEST_CASE("delta fifo: of consecutive deletions of a key the first is kept", "[cache][delta_fifo]")
{
    delta_fifo_core f;
    const auto scope = f.add_scope();
    f.push(delta_type::deleted, pod("a", "5"));
    f.push(delta_type::added, pod("b"));
    f.push(delta_type::deleted, pod("a", "6"));
    CHECK(f.size() == 2);
    f.replace(scope, {pod("a", "7")}, "7");
    f.push(delta_type::deleted, pod("a", "8"));
    CHECK(f.size() == 4);
    const auto first = f.pop();
    CHECK(text(first) == lines{"-web/a", "+web/b"});
    CHECK(first.front().obj.resource_version() == "5");
    CHECK(text(f.pop()) == lines{"list 1"});
    CHECK(text(f.pop()) == lines{"-web/a"});
    f.push(delta_type::deleted, pod("a", "9"));
    CHECK(f.size() == 1);
}

TEST_CASE("delta fifo: a batch has a bound, and the fifo says when it is full", "[cache][delta_fifo]")
{
    delta_fifo_core f({.max_pending = 5, .max_batch = 2});
    for (int i = 0; i < 5; ++i) {
        CHECK_FALSE(f.full());
        f.push(delta_type::added, pod("p" + std::to_string(i)));
    }
    CHECK(f.full());
    CHECK(f.pop().size() == 2);
    CHECK_FALSE(f.full());
    CHECK(f.pop().size() == 2);
    CHECK(f.pop().size() == 1);
}

TEST_CASE("delta fifo: has synced when every scope's first list was processed, not when it was popped",
          "[cache][delta_fifo]")
{
    delta_fifo_core f;
    CHECK_FALSE(f.synced());
    const auto a = f.add_scope();
    const auto b = f.add_scope();
    f.push(delta_type::added, pod("x")); // client-go says synced here
    CHECK_FALSE(f.synced());
    f.replace(a, {}, "1");
    const auto single = f.pop();
    f.processed();
    CHECK_FALSE(f.synced(a));
    const auto list = f.pop();
    CHECK(list.front().all->initial);
    CHECK_FALSE(f.synced(a));
    f.processed();
    CHECK(f.synced(a));
    CHECK_FALSE(f.synced());
    f.replace(b, {}, "1");
    f.replace(b, {}, "2");
    CHECK(f.pop().front().all->initial);
    CHECK_FALSE(f.pop().front().all->initial);
    f.processed();
    CHECK(f.synced());
    f.replace(a, {}, "3");
    CHECK(f.synced());
}

TEST_CASE("delta fifo: knows which keys have something pending", "[cache][delta_fifo]")
{
    delta_fifo_core f({.max_pending = 10, .max_batch = 1});
    f.push(delta_type::added, pod("a"));
    f.push(delta_type::updated, pod("a", "2"));
    CHECK(f.has_pending({"web", "a"}));
    CHECK_FALSE(f.has_pending({"web", "b"}));
    CHECK(f.pop().size() == 1);
    CHECK(f.has_pending({"web", "a"}));
    CHECK(f.pop().size() == 1);
    CHECK_FALSE(f.has_pending({"web", "a"}));
}

namespace {

/** Random histories of a server, fed through fifo and store with pops at random moments, against a plain map.

    What is announced must replay to the server's state at each empty queue, each key a chain of its own. */
struct model
{
    explicit model(std::uint64_t seed) : random(seed)
    {
        for (int i = 0; i < 2; ++i) CHECK(fifo.add_scope() == static_cast<std::size_t>(i));
    }

    std::mt19937_64 random;
    delta_fifo_core fifo{{.max_pending = 40, .max_batch = 7}};
    store stored{{}, 6};
    std::map<std::string, object> server;
    /// What a listener believes.
    std::map<std::string, object> told;
    std::uint64_t version = 1;
    std::uint64_t uid = 1;

    std::uint64_t draw(std::uint64_t n) { return random() % n; }

    object make(const std::string& ns, const std::string& name, const std::string& id)
    {
        return kt::make_object({.ns = ns, .name = name, .resource_version = std::to_string(++version), .uid = id});
    }
    static std::string ns_of(std::size_t scope) { return scope == 0 ? "n0" : "n1"; }

    void change(bool seen)
    {
        const std::size_t scope = draw(2);
        const std::string name = "p" + std::to_string(draw(6));
        const std::string key = ns_of(scope) + "/" + name;
        const auto at = server.find(key);
        if (at == server.end()) {
            const auto o = server[key] = make(ns_of(scope), name, "u" + std::to_string(++uid));
            if (seen) fifo.push(delta_type::added, o);
        } else if (draw(3) == 0) {
            const auto last = make(ns_of(scope), name, std::string(at->second.uid()));
            server.erase(at);
            if (seen) fifo.push(delta_type::deleted, last);
            if (seen && draw(4) == 0) fifo.push(delta_type::deleted, last);
        } else {
            const auto o = at->second = make(ns_of(scope), name, std::string(at->second.uid()));
            if (seen) fifo.push(delta_type::updated, o);
        }
    }

    void relist(std::size_t scope)
    {
        std::vector<object> items;
        for (const auto& [key, o] : server)
            if (o.ns() == ns_of(scope)) items.push_back(o);
        fifo.replace(scope, std::move(items), std::to_string(version));
    }

    void tell(const notification& n)
    {
        const auto key = to_string(object_of(n).key());
        const auto known = told.find(key);
        if (const auto* a = std::get_if<added>(&n)) {
            REQUIRE(known == told.end());
            told[key] = a->obj;
        } else if (const auto* u = std::get_if<updated>(&n)) {
            REQUIRE(known != told.end());
            REQUIRE(known->second.is_same(u->before));
            REQUIRE(u->before.uid() == u->after.uid());
            known->second = u->after;
        } else {
            const auto& d = std::get<deleted>(n);
            REQUIRE(known != told.end());
            REQUIRE(known->second.uid() == d.obj.uid());
            if (d.final_state_unknown) REQUIRE(d.obj.is_same(known->second));
            told.erase(known);
        }
    }

    void pop()
    {
        const auto batch = fifo.pop();
        if (batch.empty()) return;
        const auto& first = batch.front();
        const auto news = first.type == delta_type::replaced_all
                              ? stored.replace(ns_of(first.scope), first.all->items, first.all->initial)
                              : stored.apply(batch);
        for (const auto& n : news) tell(n);
        fifo.processed();
    }

    void compare(const std::map<std::string, object>& with)
    {
        REQUIRE(stored.size() == with.size());
        for (const auto& [key, o] : with) {
            const auto found = stored.get(o.key());
            REQUIRE(found);
            REQUIRE(found.resource_version() == o.resource_version());
        }
    }

    void run(int steps)
    {
        relist(0);
        relist(1);
        bool blind = false; // a broken watch: changes nobody sees until a relist of everything
        for (int i = 0; i < steps; ++i) {
            switch (draw(12)) {
            case 0:
                blind = true;
                break;
            case 1:
                relist(0);
                relist(1);
                blind = false;
                break;
            case 2:
            case 3:
            case 4:
                pop();
                break;
            default:
                change(!blind);
            }
            if (fifo.empty()) {
                compare(told);
                if (!blind) compare(server);
            }
        }
        relist(0);
        relist(1);
        while (!fifo.empty()) pop();
        compare(server);
        compare(told);
        REQUIRE(fifo.synced());
    }
};

} // namespace

TEST_CASE("delta fifo and store: random histories end where the server is, each key a chain",
          "[cache][delta_fifo][model]")
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        INFO("seed " << seed);
        model(seed).run(120);
    }
}
