// kubecoro's own informer against the replay server: it syncs, follows events, and relists after an expiry.
#include "replay_server.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <future>
#include <optional>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace kubecoro::bench;

namespace {

constexpr std::uint32_t count = 300;

struct tally
{
    std::size_t added = 0;
    std::size_t updated = 0;
    std::size_t deleted = 0;
};

/// Runs a task to its end on this thread.
result<> run(asio::io_context& io, asio::awaitable<result<>> task)
{
    std::optional<result<>> out;
    asio::co_spawn(io, std::move(task), [&](std::exception_ptr thrown, result<> r) {
        if (thrown) r = failure(cond::internal, "threw");
        out = r;
    });
    while (!out) io.run_one();
    return *out;
}

void check_against(data_kind kind, const resource_type& resource)
{
    replay_options options;
    options.data = {kind, count, 9};
    const auto server = replay_server::start(options).value();
    asio::io_context io(1);
    cluster_config config;
    config.server = "http://127.0.0.1:" + std::to_string(server->port());
    auto cluster = client::create(io.get_executor(), config).value();
    informer_factory informers(cluster);
    auto informer = informers.get(resource);
    tally seen;
    const auto registration =
        informer.add_event_handler({.on_add = [&](const added<object>&) { ++seen.added; },
                                    .on_update = [&](const updated<object>&) { ++seen.updated; },
                                    .on_delete = [&](const deleted<object>&) { ++seen.deleted; }});
    informers.start();
    REQUIRE(run(io, registration.has_synced()));
    CHECK(seen.added == count);
    CHECK(informer.lister().list().size() == count);
    REQUIRE(test::eventually([&] {
        io.poll();
        return server->objects().counts().open_watches == 1;
    }));

    auto played = std::async(std::launch::async, [&] { return server->objects().play(5 * count, 0).sent; });
    while (seen.updated < 5 * count) io.run_one();
    CHECK(played.get() == 5 * count);
    CHECK(informer.stats().resource_version == std::to_string(first_version + 6 * count));

    auto expired = std::async(std::launch::async, [&] { return server->objects().expire(10); });
    while (seen.updated < 5 * count + count / 10) io.run_one();
    CHECK(expired.get() == count / 10);
    CHECK(informer.lister().list().size() == count);
    REQUIRE(run(io, informers.stop()));
    CHECK(seen.added == count);
    CHECK(seen.updated == 5 * count + count / 10);
    CHECK(seen.deleted == 0);
}

} // namespace

TEST_CASE("an informer of pods follows the replay server")
{
    check_against(data_kind::small, untyped::pod::resource());
}

TEST_CASE("an informer of custom resources follows the replay server")
{
    check_against(data_kind::custom, {"bench.example.com", "v1", "widgets", "Widget", true});
}
