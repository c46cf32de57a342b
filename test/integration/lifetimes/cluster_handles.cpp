// Tests of clients and embedded servers that outlive their context.
#include "own_context.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/apiserver/tls.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/test/catch.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

using namespace std::chrono_literals;
using namespace kubecoro;
using kubecoro::apiserver::embedded_server;
using kubecoro::apiserver::in_process_transport;
using kubecoro::apiserver::listener_options;
using kubecoro::untyped::config_map;
using lifetime_test::own_context;
namespace asio = boost::asio;

namespace {

/// All handles that a client returns.
struct client_handles
{
    std::optional<client> cluster;
    std::optional<resource_client<object>> maps;
    std::shared_ptr<source_provider> provider;
    std::shared_ptr<list_watch_source> source;
    std::unique_ptr<watch_stream> events;
    std::unique_ptr<answer> half_read;
    std::optional<asio::awaitable<result<client::raw_answer>>> not_awaited;

    void make(own_context& context, client c)
    {
        cluster.emplace(std::move(c));
        maps.emplace(cluster->resource(config_map::resource(), "default"));
        provider = cluster->provider();
        const source_scope scope{.ns = "default"};
        source = provider->open(config_map::resource(), scope);
        request version{.method = "GET", .target = "/version"};
        not_awaited.emplace(cluster->raw(version));
        REQUIRE(context.run(cluster->raw(version))); // leaves an idle connection
        auto begun = context.run(cluster->send(version));
        REQUIRE(begun);
        half_read = std::move(*begun);
    }
    void watch(own_context& context)
    {
        auto begun = context.run(maps->watch());
        REQUIRE(begun);
        events = std::move(*begun);
    }
    /// Checks that every call fails after the context was destroyed, even from another context.
    void use()
    {
        CHECK_FALSE(cluster->executor());
        own_context other;
        request version{.method = "GET", .target = "/version"};
        CHECK(other.run(cluster->raw(version)).has_error());
        CHECK(other.run(maps->get("a")).has_error());
    }
};

listener_options with_tls(const apiserver::tls_identity& identity)
{
    listener_options out;
    out.tls = identity;
    return out;
}

} // namespace

TEST_CASE("lifetimes: an embedded server, its transports and their clients outlive their context", "[lifetimes]")
{
    std::optional<embedded_server> server;
    std::shared_ptr<in_process_transport> transport;
    client_handles in_process;
    {
        own_context context;
        server.emplace(context.executor());
        transport = std::make_shared<in_process_transport>(*server);
        in_process.make(context, client(context.executor(), transport));
        in_process.watch(context);
        REQUIRE(context.run(server->listen({})));
        REQUIRE(context.run(server->stop()));
    }
    CHECK(server->counters().requests > 0);
    server->cut_connections();
    in_process.use();
    own_context other;
    CHECK(other.run(server->objects("configmaps")).has_error());
    CHECK(other.run(server->listen({})).has_error());
}

TEST_CASE("lifetimes: the handles of a client, including idle connections, outlive its context", "[lifetimes]")
{
    std::optional<embedded_server> server;
    client_handles plain;
    client_handles secured;
    {
        own_context context;
        server.emplace(context.executor());
        auto here = context.run(server->listen({}));
        REQUIRE(here);
        cluster_config config{.server = here->url()};
        auto made = client::create(context.executor(), config);
        REQUIRE(made);
        plain.make(context, *made);

        apiserver::tls_identity_options wishes;
        wishes.now = std::chrono::system_clock::now();
        wishes.client_user = "carol";
        wishes.client_groups = {"system:masters"};
        const auto identity = apiserver::tls_identity::generate(wishes);
        REQUIRE(identity);
        here = context.run(server->listen(with_tls(*identity)));
        REQUIRE(here);
        config = {.server = here->url(),
                  .ca = identity->ca_certificate,
                  .client_certificate = identity->client_certificate,
                  .client_key = identity->client_key};
        made = client::create(context.executor(), config);
        REQUIRE(made);
        secured.make(context, *made);
        secured.watch(context);
        REQUIRE(context.run(server->stop()));
    }
    plain.use();
    secured.use();
}
