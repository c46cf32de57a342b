// Random histories of a server through the FIFO and the store, compared with a plain map.

#include "scripted_fifo.hpp"
#include "store/store.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>

#include <map>
#include <random>
#include <string>
#include <utility>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace kt = kubecoro::testing;

namespace {

/** Feeds random histories of a server through the FIFO and the store, with pops at random times.

    The notifications must reproduce the server's state whenever the queue is empty, and form a chain for each key. */
struct model
{
    explicit model(std::uint64_t seed) : random(seed)
    {
        for (std::size_t i = 0; i < 2; ++i) CHECK(fifo.add() == i);
    }

    std::mt19937_64 random;
    cache_test::scripted_fifo fifo{7};
    store stored{{}, 6};
    std::map<std::string, object> server;
    /// The state a listener derives from its notifications.
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
        if (at == server.end() && seen && draw(8) == 0) {
            fifo.push(delta_type::deleted, make(ns_of(scope), name, "u0")); // an unknown object
        } else if (at == server.end()) {
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

    void tell(const notification<object>& n)
    {
        const auto key = to_string(object_of(n).key());
        const auto known = told.find(key);
        if (const auto* a = std::get_if<added<object>>(&n)) {
            REQUIRE(known == told.end());
            told[key] = a->obj;
        } else if (const auto* u = std::get_if<updated<object>>(&n)) {
            REQUIRE(known != told.end());
            REQUIRE(known->second.is_same(u->before));
            REQUIRE(u->before.uid() == u->after.uid());
            known->second = u->after;
        } else {
            const auto& d = std::get<deleted<object>>(n);
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
        bool blind = false; // a broken watch: changes are invisible until a full relist
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

TEST_CASE("delta fifo and store: random histories end in the server's state, each key a chain",
          "[cache][delta_fifo][model]")
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        INFO("seed " << seed);
        model(seed).run(120);
    }
}
