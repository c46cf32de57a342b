// Reads that callers share: those after one that cannot begin do not wait for ever.
#include "failing_allocations.hpp"
#include "rest_fixture.hpp"

#include <kubecoro/client/discovery.hpp>

#include <string>
#include <utility>

using namespace kubecoro;
using namespace kubecoro::rest_test;
namespace asio = boost::asio;

namespace {

const resource_type sites{"example.com", "v1", "sites", "Site", true};
const std::string groups = R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"example.com"},"versions":[)"
                           R"({"version":"v1","resources":[{"resource":"sites","responseKind":{"kind":"Site"}}]}]}]})";
const std::string site = R"({"kind":"Site","apiVersion":"example.com/v1","metadata":{"name":"a"}})";

/// Discovery, no schemas, and objects that are created.
class small_server final : public transport
{
public:
    explicit small_server(std::shared_ptr<time_source> time) : time_(std::move(time)) {}
    asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
    {
        if (std::exchange(hangs, false)) {
            auto stopped = co_await never_.wait();
            co_return stopped.error();
        }
        reply out{.status = 404};
        if (r.method == "POST") out = {.status = 201, .body = {site}};
        if (r.target == "/api" || r.target == "/apis") out = {.body = {groups}};
        std::unique_ptr<answer> made = std::make_unique<scripted_answer>(std::move(out), time_, bulk_hints_);
        co_return made;
    }

    /// The next request has no response.
    bool hangs = false;

private:
    latch never_;
    std::shared_ptr<time_source> time_;
    std::shared_ptr<std::vector<bool>> bulk_hints_ = std::make_shared<std::vector<bool>>();
};

struct small_world
{
    explicit small_world(client_options o = {}) : cluster(make(std::move(o))) {}
    client make(client_options o)
    {
        o.time = run.shared_clock();
        return client(run.executor(), server, std::move(o));
    }

    testing::runner run;
    std::shared_ptr<small_server> server = std::make_shared<small_server>(run.shared_clock());
    client cluster;
};

client_options checked()
{
    client_options out;
    out.checks.always = true;
    return out;
}

/// The caller that reads is cancelled, and the one that waits for it at any step of taking its place.
template<class T>
void check_cancelled_in_turn(small_world& the, const std::function<asio::awaitable<result<T>>()>& ask, std::size_t step)
{
    the.server->hangs = true;
    const auto reads = the.run.spawn(ask());
    const auto waits = the.run.spawn(ask());
    the.run.run_until_idle();
    reads.cancel();
    the.run.cancel_after(step, waits, asio::cancellation_type::terminal);
    the.run.run_until_idle();
    CHECK(reads.done());
    CHECK(waits.done());
    CHECK(the.run.run(ask()));
}

constexpr std::size_t more_steps_than_there_are = 30;

} // namespace

TEST_CASE("discovery: a read that lacks memory does not stop those after it", "[client][discovery]")
{
    test::for_each_allocation([](std::uint64_t nth) {
        small_world the;
        const discovery names(the.cluster);
        const std::function<asio::awaitable<result<resource_type>>()> ask = [&] { return names.resource_for("sites"); };
        (void)the.run.run(test::failing(nth, ask));
        const auto second = the.run.run(ask());
        REQUIRE(second);
        CHECK(second->kind == "Site");
    });
}

TEST_CASE("checked writes: a read of a schema that lacks memory does not stop the writes after it", "[client][checks]")
{
    test::for_each_allocation([](std::uint64_t nth) {
        small_world the(checked());
        const std::function<asio::awaitable<result<object>>()> create = [&] {
            return the.cluster.create(sites, "ns", site);
        };
        (void)the.run.run(test::failing(nth, create));
        CHECK(the.run.run(create()));
    });
}

TEST_CASE("discovery: a waiting caller that is cancelled as it begins to read does not stop those after it",
          "[client][discovery]")
{
    for (std::size_t step = 0; step < more_steps_than_there_are; ++step) {
        CAPTURE(step);
        small_world the;
        const discovery names(the.cluster);
        check_cancelled_in_turn<resource_type>(
            the, [&] { return names.resource_for("sites"); }, step);
    }
}

TEST_CASE("checked writes: a waiting write that is cancelled as it begins to read does not stop those after it",
          "[client][checks]")
{
    for (std::size_t step = 0; step < more_steps_than_there_are; ++step) {
        CAPTURE(step);
        small_world the(checked());
        check_cancelled_in_turn<object>(
            the, [&] { return the.cluster.create(sites, "ns", site); }, step);
    }
}
