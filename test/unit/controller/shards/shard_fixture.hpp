#pragma once
// Members of a group with a controller each, over one embedded server, in virtual time.

#include "networked_server.hpp"

#include <kubecoro/api/edit.hpp>
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/controller/shard_member.hpp>
#include <kubecoro/test/pausable_executor.hpp>
#include <kubecoro/test/seed_of.hpp>
#include <kubecoro/testing/every_step.hpp>
#include <kubecoro/testing/recording.hpp>

#include <boost/json/object.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace shard_test {

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace kubecoro;
using namespace std::chrono_literals;
using kubecoro::test::pausable_executor;
using kubecoro::test::pause_switch;
using kubecoro::test::seed_of;
using untyped::config_map;
using untyped::lease;

/// The runs of all members.
struct journal
{
    /// The members that are in a run of the key.
    std::map<std::string, std::set<std::string>> running = {};
    /// Runs of the key, by member.
    std::map<std::string, std::map<std::string, int>> runs = {};
    int most_at_once = 0;

    void begin(const std::string& member, const std::string& key)
    {
        ++runs[key][member];
        auto& here = running[key];
        here.insert(member);
        most_at_once = std::max(most_at_once, static_cast<int>(here.size()));
    }
    void end(const std::string& member, const std::string& key) { running[key].erase(member); }
    /// Keys that this member has run.
    std::set<std::string> keys_of(const std::string& member) const
    {
        std::set<std::string> out;
        for (const auto& [key, by] : runs)
            if (by.contains(member)) out.insert(key);
        return out;
    }
    void forget() { runs.clear(); }
};

struct cluster : replica_test::networked_server
{
    using networked_server::networked_server;

    void make_objects(int n, const std::string& ns = "default")
    {
        for (int i = 0; i < n; ++i) make_object(ns, "object-" + std::to_string(i));
    }
    void make_object(const std::string& ns, const std::string& name)
    {
        json_text body{boost::json::value(new_object(config_map::resource(), {ns, name}))};
        REQUIRE(run.run(plain().create(config_map::resource(), ns, std::move(body))).has_value());
    }
    std::vector<object> leases()
    {
        auto page = run.run(plain().list(lease::resource(), "default"));
        return page ? page->items : std::vector<object>();
    }
};

struct participant
{
    std::string name;
    std::shared_ptr<kt::fault_plan> plan = std::make_shared<kt::fault_plan>();
    std::shared_ptr<pause_switch> process;
    asio::any_io_executor executor = pausable_executor(process);
    kt::recording_logger log;
    std::shared_ptr<kt::recording_metrics> numbers = std::make_shared<kt::recording_metrics>();
    journal& book;
    std::shared_ptr<time_source> time;
    /// Its informer keeps only the objects of its keys.
    bool divides = false;
    /// How long a run takes, and how long it takes to end once it is cancelled.
    duration takes{};
    duration ends_within{};
    /// When a pause ends.
    time_point wakes_at{};
    /// Called with each key and the version of its object as the run sees it.
    std::function<void(const std::string&, const std::string&)> on_run;
    client connection;
    informer_factory informers;
    shard_member member;
    controller<object> worker;
    std::unique_ptr<lister<object>> stored;
    kt::task<void> running;

    participant(cluster& c, journal& j, const std::string& identity, shard_options o = {}, controller_options how = {})
        : name(identity),
          process(std::make_shared<pause_switch>(c.run.executor())),
          book(j),
          time(c.run.shared_clock()),
          divides(o.divides_objects),
          connection(c.connect(plan, executor)),
          informers(connection, {.seed = seed_of(name)}),
          member(executor, connection, completed(std::move(o))),
          worker(
              executor, [this](const object_key& key, reconcile_context&) { return reconcile(key); },
              completed(std::move(how)))
    {
        informer_options kept{.namespaces = {"default"}};
        if (divides) kept.share = member.share();
        auto maps = informers.get<config_map>(std::move(kept));
        worker.watch(maps, enqueue_object());
        stored = std::make_unique<lister<object>>(maps.lister());
    }
    shard_options completed(shard_options o)
    {
        o.group = "janitor";
        o.identity = name;
        o.seed = seed_of(name);
        o.metrics = numbers;
        o.log = log.handle();
        return o;
    }
    controller_options completed(controller_options o)
    {
        o.name = "worker";
        o.workers = 40;
        o.share = member.share();
        o.sync_timeout = 0s; // networks are bad
        o.time = time;
        return o;
    }
    asio::awaitable<result<action>> reconcile(object_key key)
    {
        struct mark
        {
            participant& p;
            std::string key;
            mark(participant& who, std::string k) : p(who), key(std::move(k)) { p.book.begin(p.name, key); }
            mark(const mark&) = delete;
            mark& operator=(const mark&) = delete;
            ~mark() { p.book.end(p.name, key); }
        };
        const mark here(*this, key.name);
        const auto here_now = stored->get(key);
        if (on_run) on_run(key.name, here_now ? std::string(here_now.resource_version()) : "none");
        const auto done = co_await catch_failure(sleep_for(*time, takes));
        if (done) co_return action::done();
        co_await finish_despite_cancellation();
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        co_await sleep_for(*time, ends_within);
        co_return done.error();
    }
    void start(kt::runner& run)
    {
        informers.start();
        worker.start();
        running = run.spawn(member.run());
    }
    bool settled_among(std::size_t n) const
    {
        const auto s = member.stats();
        return s.state == shard_state::settled && s.members == n;
    }
};

struct fixture
{
    kt::runner run;
    cluster api{run};
    journal book;

    fixture() = default;
    explicit fixture(std::uint64_t seed) : run(seed, kt::ready_order::shuffled) {}
    ~fixture()
    {
        static_cast<void>(run.run(api.server.stop()));
        CHECK(book.most_at_once <= 1);
    }

    /// The time until `done` returns true.
    template<class F>
    duration time_until(const F& done)
    {
        return replica_test::time_until(run, done);
    }
    void end(participant& p)
    {
        CHECK(run.run(p.member.stop()).has_value());
        CHECK(run.run(p.worker.stop()).has_value());
        CHECK(run.run(p.informers.stop()).has_value());
    }
    /// The process of a member is gone, as far as the others can tell.
    void kill(participant& p)
    {
        p.plan->set_down(true);
        p.member.request_stop_at_once();
        p.worker.request_stop_at_once();
    }
};

} // namespace shard_test
