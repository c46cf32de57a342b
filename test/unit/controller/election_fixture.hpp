#pragma once
// Candidates of an election over an embedded server, in virtual time.

#include "networked_server.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/controller/leader_elector.hpp>
#include <kubecoro/test/seed_of.hpp>
#include <kubecoro/testing/every_step.hpp>
#include <kubecoro/testing/recording.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace election_test {

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace kubecoro;
using namespace std::chrono_literals;
using kubecoro::test::seed_of;
using untyped::lease;

struct cluster : replica_test::networked_server
{
    using networked_server::networked_server;

    object get(const std::string& name = "janitor")
    {
        auto read = run.run(plain().get(lease::resource(), "default", name));
        return read ? *read : object();
    }
    std::string text(std::string_view path, std::string_view none = {})
    {
        const auto o = get();
        return std::string(o.path(path).as_string(none));
    }
    std::int64_t number(std::string_view path)
    {
        const auto o = get();
        return o.path(path).as_int64(-1);
    }
    std::string holder() { return text("spec.holderIdentity", "none"); }
};

/// A candidate with a work that lasts until it is asked to end.
struct candidate
{
    std::shared_ptr<kt::fault_plan> plan = std::make_shared<kt::fault_plan>();
    kt::recording_logger log;
    std::shared_ptr<kt::recording_metrics> numbers = std::make_shared<kt::recording_metrics>();
    std::vector<std::string> events;
    leader_elector elector;
    std::vector<leadership> terms;
    bool working = false;
    kt::task<void> running;

    candidate(cluster& c, const std::string& identity, leader_election_options o = {})
        : elector(c.run.executor(), c.connect(plan), completed(std::move(o), identity))
    {
    }
    leader_election_options completed(leader_election_options o, const std::string& identity)
    {
        o.lease = "janitor";
        o.identity = identity;
        o.seed = seed_of(identity);
        o.metrics = numbers;
        o.log = log.handle();
        if (!o.on_new_leader) o.on_new_leader = [this](const std::string& who) { events.push_back("new " + who); };
        return o;
    }
    asio::awaitable<result<>> until_asked(leadership l)
    {
        struct mark
        {
            candidate& self;
            explicit mark(candidate& c) : self(c)
            {
                self.working = true;
                self.events.push_back("started");
            }
            ~mark()
            {
                self.working = false;
                self.events.push_back("stopped");
            }
        };
        const mark here(*this);
        terms.push_back(l);
        co_return co_await l.ending();
    }
    void start(kt::runner& run)
    {
        running = run.spawn(elector.run([this](leadership l) { return until_asked(std::move(l)); }));
    }
};

struct fixture
{
    kt::runner run;
    cluster api{run};

    fixture() = default;
    explicit fixture(std::uint64_t seed) : run(seed, kt::ready_order::shuffled) {}
    ~fixture() { static_cast<void>(run.run(api.server.stop())); }

    /// The time until `done` returns true.
    template<class F>
    duration time_until(const F& done)
    {
        return replica_test::time_until(run, done);
    }
    void end(candidate& c) { static_cast<void>(run.run(c.elector.stop())); }
};

} // namespace election_test
