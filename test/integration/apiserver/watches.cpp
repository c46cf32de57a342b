// Tests of watches over sockets and of the end of connections.
#include "raw_client.hpp"
#include "running_server.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/test/catch.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <list>

using namespace kubecoro;
using namespace kubecoro::apiserver;

namespace {

const std::string config_maps = "/api/v1/namespaces/default/configmaps";

raw_tls trusting() { return {test_identity().ca_certificate, {}, {}}; }

received_answer open_watch(raw_client& client, const std::string& query = "?watch=1")
{
    client.send("GET " + config_maps + query + " HTTP/1.1\r\nHost: a\r\n" + admin_header + "\r\n");
    return client.head();
}

} // namespace

TEST_CASE("watch: headers are sent at once, events as they happen, the end is clean", "[apiserver][integration]")
{
    running_server server{with_tls()};
    raw_client client{server.at(), trusting()};
    const auto head = open_watch(client, "?watch=1&timeoutSeconds=1");
    CHECK(head.status == 200);
    CHECK(head.headers.at("transfer-encoding") == "chunked");
    REQUIRE(server.execute("POST", config_maps, config_map("seen")));
    CHECK(client.body_until("\"seen\"").find(R"({"type":"ADDED")") == 0);
    CHECK(client.body_ended());
    CHECK(client.get("/healthz").body == "ok"); // the connection stays open
    CHECK(server.server().counters().watches == 1);
    CHECK(server.eventually([](const server_counters& c) { return c.open_watches == 0; }));
}

TEST_CASE("watch: frames of protobuf are sent as events happen", "[apiserver][integration][protobuf]")
{
    running_server server{with_tls()};
    raw_client client{server.at(), trusting()};
    client.send("GET " + config_maps + "?watch=1&timeoutSeconds=1 HTTP/1.1\r\nHost: a\r\nAccept: " +
                "application/vnd.kubernetes.protobuf\r\n" + admin_header + "\r\n");
    CHECK(client.head().headers.at("content-type") == "application/vnd.kubernetes.protobuf;stream=watch");
    REQUIRE(server.execute("POST", config_maps, config_map("seen")));
    const auto frames = client.body_until(std::string("\x1a\x00\x22\x00", 4));
    detail::watch_decoder decoder({}, {}, {}, wire_form::protobuf);
    std::vector<watch_event> events;
    REQUIRE(decoder.feed(frames, events).has_value());
    REQUIRE(events.size() == 1);
    CHECK(events[0].type == watch_event_type::added);
    CHECK(events[0].obj.name() == "seen");
    CHECK(client.body_ended());
}

TEST_CASE("watch: a client that disconnects frees its watch", "[apiserver][integration]")
{
    running_server server{with_tls()};
    {
        raw_client client{server.at(), trusting()};
        CHECK(open_watch(client).status == 200);
        CHECK(server.eventually([](const server_counters& c) { return c.open_watches == 1; }));
    }
    CHECK(server.eventually([](const server_counters& c) { return c.open_watches == 0 && c.open_connections == 0; }));
}

TEST_CASE("watch: after compaction an old version is answered with a 410 event", "[apiserver][integration]")
{
    running_server server;
    REQUIRE(server.execute("POST", config_maps, config_map("a")));
    REQUIRE(server.execute("POST", config_maps, config_map("b")));
    server.compact();
    raw_client client{server.at()};
    open_watch(client, "?watch=1&resourceVersion=1");
    const std::string text = client.body_until("\"code\":410");
    CHECK(text.find(R"({"type":"ERROR")") == 0);
    CHECK(client.body_ended());
}

TEST_CASE("cut: every connection breaks, new ones are accepted", "[apiserver][integration]")
{
    running_server server{with_tls()};
    raw_client watching{server.at(), trusting()};
    open_watch(watching);
    raw_client idle{server.at(), trusting()};
    CHECK(idle.get("/healthz").status == 200);
    server.server().cut_connections();
    CHECK_FALSE(watching.body_ended());
    CHECK(idle.closed_by_server());
    raw_client next{server.at(), trusting()};
    CHECK(next.get("/healthz").status == 200);
    CHECK(server.eventually([](const server_counters& c) { return c.open_watches == 0 && c.open_connections == 1; }));
}

TEST_CASE("refuse: new connections are closed while refusing", "[apiserver][integration]")
{
    running_server server;
    raw_client there{server.at()};
    CHECK(there.get("/healthz").status == 200);
    server.server().refuse_connections(true);
    {
        raw_client refused{server.at()};
        CHECK(refused.closed_by_server());
    }
    CHECK(there.get("/healthz").status == 200);
    server.server().refuse_connections(false);
    raw_client again{server.at()};
    CHECK(again.get("/healthz").status == 200);
}

TEST_CASE("stop: open watches end cleanly, idle connections close", "[apiserver][integration]")
{
    running_server server{with_tls()};
    std::list<raw_client> watching;
    for (int i = 0; i < 5; ++i) open_watch(watching.emplace_back(server.at(), trusting()));
    raw_client idle{server.at(), trusting()};
    CHECK(idle.get("/healthz").status == 200);
    raw_client silent{server.at(), trusting()};
    server.stop();
    for (auto& client : watching) CHECK(client.body_ended());
    CHECK(idle.closed_by_server());
    CHECK(silent.closed_by_server());
    CHECK(server.server().counters().open_connections == 0);
    CHECK_THROWS(raw_client{server.at(), trusting()});
    server.stop();
}

TEST_CASE("watch: a client that does not read is disconnected after the time limit", "[apiserver][integration]")
{
    listener_options endpoint;
    endpoint.write_timeout = std::chrono::milliseconds{300};
    running_server server{endpoint};
    raw_client client{server.at()};
    CHECK(open_watch(client).status == 200);
    const std::string large(900'000, 'x');
    REQUIRE(server.execute("POST", config_maps, config_map("large", large)));
    for (int i = 0; i < 30 && server.server().counters().open_watches == 1; ++i)
        REQUIRE(server.execute("PATCH", config_maps + "/large", R"({"data":{"n":")" + std::to_string(i) + "\"}}"));
    CHECK(server.eventually([](const server_counters& c) { return c.open_watches == 0 && c.open_connections == 0; }));
}

TEST_CASE("200 connections at once, each with a watch", "[apiserver][integration]")
{
    running_server server;
    std::list<raw_client> clients;
    for (int i = 0; i < 200; ++i) open_watch(clients.emplace_back(server.at()));
    CHECK(server.server().counters().open_watches == 200);
    REQUIRE(server.execute("POST", config_maps, config_map("for-all")));
    for (auto& client : clients) CHECK(client.body_until("for-all").find("for-all") != std::string::npos);
}

TEST_CASE("a connection beyond the limit is closed", "[apiserver][integration]")
{
    server_options options;
    options.max_connections = 2;
    running_server server{{}, options};
    raw_client one{server.at()};
    CHECK(open_watch(one).status == 200);
    raw_client two{server.at()};
    CHECK(open_watch(two).status == 200);
    raw_client three{server.at()};
    CHECK(three.closed_by_server());
    REQUIRE(server.execute("POST", config_maps, config_map("c")));
    CHECK(one.body_until("ADDED").find("ADDED") != std::string::npos);
}

TEST_CASE("a server out of file descriptors continues by closing the longest waiting connection",
          "[apiserver][integration]")
{
    running_server server;
    raw_client idle{server.at()};
    CHECK(idle.get("/healthz").status == 200);
    // Leaves four descriptors, which the next client needs: three for its event loop, one for its socket.
    std::vector<int> taken;
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    const int highest = dup(0);
    REQUIRE(highest > 0);
    taken.push_back(highest);
    rlimit low = before;
    low.rlim_cur = static_cast<rlim_t>(highest) + 20;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &low) == 0);
    for (int fd = dup(0); fd >= 0; fd = dup(0)) taken.push_back(fd);
    for (int i = 0; i < 4; ++i, taken.pop_back()) ::close(taken.back());
    {
        raw_client next{server.at()};
        CHECK(next.get("/healthz").status == 200);
        CHECK(idle.closed_by_server());
    }
    for (const int fd : taken) ::close(fd);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
}
