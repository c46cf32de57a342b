// An event recorder that several threads use while it sends and stops: every event is sent or counted as dropped.
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/controller/event_recorder.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

constexpr int threads = 4;
constexpr int events_each = 400;
constexpr int all = threads * events_each;
constexpr auto patience = 60s;

void record(const event_recorder& recorder, int thread)
{
    event_target pod;
    pod.api_version = "v1";
    pod.kind = "Pod";
    pod.ns = "default";
    for (int i = 0; i < events_each; ++i) {
        pod.name = "p" + std::to_string(thread) + "-" + std::to_string(i);
        recorder.event(pod, event_type::normal, "Seen", "Look", "a pod");
    }
}

} // namespace

TEST_CASE("recorder: events of many threads are sent or counted, also those recorded while it stops", "[stress]")
{
    const bool stops_meanwhile = GENERATE(false, true);
    asio::thread_pool pool(threads);
    apiserver::embedded_server server(pool.get_executor());
    const client cluster(pool.get_executor(), std::make_shared<apiserver::in_process_transport>(server));
    const auto wait_for = [&](auto work) {
        auto done = asio::co_spawn(pool, std::move(work), asio::use_future);
        REQUIRE(done.wait_for(patience) == std::future_status::ready);
        return done.get();
    };
    const event_recorder recorder(
        cluster, {.max_pending = 2 * all, .requests_per_second = 0, .flush_limit = patience, .log = logger::silent()});
    {
        std::vector<std::jthread> recording;
        for (int t = 0; t < threads; ++t) recording.emplace_back([&recorder, t] { record(recorder, t); });
        if (stops_meanwhile) recorder.request_stop();
    }
    CHECK(wait_for(recorder.stop()));
    const auto seen = recorder.stats();
    CHECK(seen.recorded == all);
    CHECK(seen.pending == 0);
    CHECK(seen.created + seen.dropped_stopped == all);
    if (!stops_meanwhile) CHECK(seen.created == all);
    const resource_type events{.group = "events.k8s.io", .version = "v1", .plural = "events", .kind = "Event"};
    const auto stored = wait_for(cluster.list(events, "default"));
    REQUIRE(stored);
    CHECK(stored->items.size() == seen.created);
    CHECK(wait_for(server.stop()));
}
