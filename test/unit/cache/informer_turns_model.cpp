// Tests of what happens between the turns of long work on an informer's strand.

#include "informer_fixture.hpp"

#include <kubecoro/testing/every_step.hpp>

#include <map>
#include <memory>
#include <random>

namespace asio = boost::asio;
using namespace informer_test;
using kubecoro::cond;
using kubecoro::object;
using kubecoro::result;

namespace {

/// Without the lines of the log, of which there are several for each event.
struct quiet
{
    kt::runner run;
    kubecoro::test::scripted_informers cluster{run};
    std::unique_ptr<kubecoro::informer_factory>& informers = cluster.informers;

    ~quiet() { CHECK(run.run(informers->stop())); }
    kt::scripted_source& source() { return cluster.source(pod::resource()); }
};

/// The events of one handler, each checked against those before it.
struct ledger
{
    std::map<std::string, std::string> known;
    bool in_order = true;

    static std::string key(const object& o) { return std::string(o.ns()) + "/" + std::string(o.name()); }
    kubecoro::event_handler<> handler()
    {
        return {.on_add =
                    [this](const kubecoro::added<>& e) {
                        in_order &= known.emplace(key(e.obj), e.obj.resource_version()).second;
                    },
                .on_update =
                    [this](const kubecoro::updated<>& e) {
                        auto& at = known[key(e.after)];
                        in_order &= at == e.before.resource_version();
                        at = e.after.resource_version();
                    },
                .on_delete = [this](const kubecoro::deleted<>& e) { in_order &= known.erase(key(e.obj)) == 1; }};
    }
};

std::map<std::string, std::string> content_of(const kubecoro::shared_informer<>& pods)
{
    std::map<std::string, std::string> out;
    for (const auto& o : pods.lister().list()) out.emplace(ledger::key(o), o.resource_version());
    return out;
}

} // namespace

TEST_CASE("turns: handlers that come and go in the middle of lists, events and resyncs miss nothing",
          "[cache][turns][model]")
{
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        INFO("seed " << seed);
        std::mt19937_64 random(seed);
        const auto draw = [&random](std::uint64_t n) { return random() % n; };
        const auto count = static_cast<int>(600 + draw(600));
        quiet f;
        int version = 10;
        const auto version_text = [&version] { return std::to_string(++version); };
        std::map<int, object> server;
        for (int i = 0; i != count; ++i)
            server.emplace(i, kt::make_pod("web", "pod-" + std::to_string(i), version_text()));
        const auto listed = [&] {
            std::vector<object> all;
            for (const auto& [i, o] : server) all.push_back(o);
            return all;
        };
        f.source().on_list(kt::make_page(listed(), version_text()));
        auto watch = f.source().on_watch();
        // The steps below take hours.
        auto pods = f.informers->get<pod>(
            {.policy = kubecoro::reflector_policy{.watch_timeout_min = 24h, .watch_timeout_max = 24h}});
        std::vector<std::pair<std::unique_ptr<ledger>, kubecoro::registration>> handlers;
        std::vector<std::unique_ptr<ledger>> removed;
        const auto add_handler = [&] {
            auto l = std::make_unique<ledger>();
            auto r = pods.add_event_handler(l->handler(),
                                            {.policy = draw(2) ? kubecoro::coalesce::hybrid : kubecoro::coalesce::never,
                                             .max_pending = 100'000,
                                             .resync = draw(2) ? 0s : 30s});
            handlers.emplace_back(std::move(l), std::move(r));
        };
        add_handler();
        f.informers->start();
        int indexes = 0;
        for (int step = 0; step != 150; ++step) {
            (void)f.run.step(draw(12));
            const int i = static_cast<int>(draw(static_cast<std::uint64_t>(count)));
            switch (draw(12)) {
            case 0:
                if (handlers.size() < 8) add_handler();
                break;
            case 1:
                if (handlers.size() > 3) {
                    const auto which = draw(handlers.size());
                    handlers[which].second.remove();
                    // Its events may still be on their way: it lives on.
                    std::swap(handlers[which], handlers.back());
                    removed.push_back(std::move(handlers.back().first));
                    handlers.pop_back();
                }
                break;
            case 2:
                if (indexes < 3)
                    REQUIRE(pods.add_index("index-" + std::to_string(++indexes),
                                           [](const object& o, kubecoro::index_sink out) { out(o.name()); }));
                break;
            case 3: {
                // Everything changes while the watch is gone.
                watch.send(kt::error_event(410, "Expired"));
                for (auto& [k, o] : server)
                    if (draw(3) == 0) o = kt::make_pod("web", std::string(o.name()), version_text());
                server.erase(i);
                f.source().on_list(kt::make_page(listed(), version_text()));
                watch = f.source().on_watch();
                f.run.advance(3s);
                break;
            }
            default:
                if (server.contains(i) && draw(4) == 0) {
                    watch.send(kt::deleted(kt::make_pod("web", "pod-" + std::to_string(i), version_text())));
                    server.erase(i);
                } else {
                    const bool is_new = !server.contains(i);
                    server[i] = kt::make_pod("web", "pod-" + std::to_string(i), version_text());
                    watch.send(is_new ? kt::added(server[i]) : kt::modified(server[i]));
                }
            }
        }
        f.run.advance(8min); // lists after failures take their time
        std::map<std::string, std::string> expected;
        for (const auto& [i, o] : server) expected.emplace(ledger::key(o), o.resource_version());
        INFO(pods.describe());
        REQUIRE((content_of(pods) == expected));
        for (int n = 1; n <= indexes; ++n)
            CHECK(pods.lister().index_values("index-" + std::to_string(n)).size() == expected.size());
        for (const auto& [l, r] : handlers) {
            CHECK(l->in_order);
            CHECK((l->known == expected));
        }
    }
}

namespace {

std::vector<object> pods_of(const std::string& ns, int count, int version = 1)
{
    std::vector<object> out;
    for (int i = 0; i != count; ++i)
        out.push_back(kt::make_pod(ns, "pod-" + std::to_string(i), std::to_string(version)));
    return out;
}

/// Two namespaces with objects for several turns each.
struct long_life : kubecoro::test::scripted_informers
{
    explicit long_life(kt::runner& r) : scripted_informers(r)
    {
        static const auto web = pods_of("web", 600);
        static const auto jobs = pods_of("jobs", 600);
        for (const auto* const all : {&web, &jobs}) {
            const auto s = provider->source(pod::resource(), {.ns = std::string(all->front().ns())});
            for (int i = 0; i < 2; ++i) {
                s->on_list(kt::make_page(*all, "5"));
                s->on_watch();
            }
        }
    }
};

asio::awaitable<result<>> work_long(long_life* l)
{
    auto pods = l->informers->get<pod>({.namespaces = {"web"}});
    const auto early = pods.add_event_handler({.on_add = [](const kubecoro::added<>&) {}}, {.resync = 1s});
    l->informers->start();
    if (const auto synced = co_await early.has_synced(); !synced) co_return synced;
    const auto late = pods.add_event_handler({.on_add = [](const kubecoro::added<>&) {}});
    auto events = pods.subscribe();
    if (const auto joined = co_await late.has_synced(); !joined) co_return joined;
    if (const auto added = co_await pods.add_namespace("jobs"); !added) co_return added;
    late.remove();
    if (const auto removed = co_await pods.remove_namespace("web"); !removed) co_return removed;
    co_return co_await l->informers->stop();
}

} // namespace

TEST_CASE("turns: long work that is cancelled or destroyed between two turns", "[cache][turns][every_step]")
{
    const auto make = [](kt::runner& r) {
        auto l = std::make_shared<long_life>(r);
        return kt::scenario{work_long(l.get()), l};
    };
    std::size_t finished = 0;
    const auto cancelled = kt::cancel_after_every_step(make, [&](const result<>& r) {
        if (r)
            ++finished;
        else
            CHECK(r.error() == cond::cancelled);
    });
    REQUIRE(cancelled);
    CHECK(*cancelled > 100);
    CHECK(finished >= 1);
    const auto destroyed = kt::stop_after_every_step(make);
    REQUIRE(destroyed);
    CHECK(*destroyed > 100);
}
