// Clients that stall, flood, break off and send garbage.
#include "running_endpoints.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <deque>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;
using asio::ip::tcp;

namespace {

constexpr std::string_view livez = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n";

endpoint_options with(endpoint_limits limits)
{
    endpoint_options out;
    out.health = health_checks();
    out.limits = limits;
    return out;
}

/// A client that never reads, and so leaves answers in the server's hands.
struct deaf_client
{
    explicit deaf_client(const running_endpoints& program)
    {
        socket.open(tcp::v4());
        socket.set_option(asio::socket_base::receive_buffer_size(2048));
        socket.connect({asio::ip::address_v4::loopback(), program.at().port});
    }
    void send(std::string_view bytes) { asio::write(socket, asio::buffer(bytes.data(), bytes.size())); }
    asio::io_context io;
    tcp::socket socket{io};
};

/// Metrics of several megabytes.
std::shared_ptr<prometheus_metrics> many_metrics()
{
    auto out = std::make_shared<prometheus_metrics>();
    for (int i = 0; i < 200; ++i)
        for (int k = 0; k < 40; ++k)
            out->make_counter("m" + std::to_string(i), {{"k", std::to_string(k) + std::string(200, 'x')}})->add();
    return out;
}

} // namespace

TEST_CASE("endpoints: a client that sends a byte now and then is closed at the request's deadline",
          "[endpoints][integration]")
{
    running_endpoints program(with({.read_timeout = 200ms}));
    auto slow = program.client();
    std::size_t sent = 0;
    CHECK(test::eventually([&] {
        if (sent < livez.size() - 1) slow.send(livez.substr(sent++, 1)); // never the last one
        return program.server().stats().closed_by_server == 1;
    }));
    CHECK(test::eventually([&] { return program.server().stats().open_connections == 0; }));
    CHECK(test::eventually(
        [&] { return program.log().count("a connection was closed reason=\"its client is too slow\"") == 1; }));
}

TEST_CASE("endpoints: an idle connection is closed", "[endpoints][integration]")
{
    running_endpoints program(with({.idle_timeout = 100ms}));
    auto idle = program.client();
    CHECK(idle.get("/livez").status == 200);
    CHECK(idle.closed_by_server());
}

TEST_CASE("endpoints: headers have a limit, and the refusal arrives", "[endpoints][integration]")
{
    running_endpoints program(with({.max_head_bytes = 4096}));
    auto client = program.client();
    REQUIRE(client.send("GET /livez HTTP/1.1\r\nHost: localhost\r\nA: " + std::string(100'000, 'x') + "\r\n\r\n"));
    CHECK(client.answer().status == 431);
    CHECK(client.closed_by_server());
    auto endless = program.client();
    for (int i = 0; i < 10'000 && endless.send("A: " + std::string(1000, 'x') + "\r\n"); ++i) {
    }
    CHECK(test::eventually([&] { return program.server().stats().open_connections == 0; }));
}

TEST_CASE("endpoints: bodies are refused, announced or chunked", "[endpoints][integration]")
{
    running_endpoints program(with({}));
    for (const char* headers :
         {"Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
          "Content-Length: 99999999999\r\n\r\n"}) {
        auto client = program.client();
        REQUIRE(client.send(std::string("POST /livez HTTP/1.1\r\nHost: localhost\r\n") + headers));
        CHECK(client.answer().status == 413);
        CHECK(client.closed_by_server());
    }
}

TEST_CASE("endpoints: garbage is answered once and closed", "[endpoints][integration]")
{
    running_endpoints program(with({}));
    for (const std::string bytes :
         {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n", "GET /livez\r\n\r\n", "\r\n\r\n\r\n\r\n",
          "GET /livez HTTP/9.9\r\n\r\n", "GET /livez HTTP/1.1\r\nHost localhost\r\n\r\n"}) {
        auto client = program.client();
        REQUIRE(client.send(bytes));
        CHECK(client.answer().status == 400);
        CHECK(client.closed_by_server());
    }
}

TEST_CASE("endpoints: pipelined requests are answered in order, one at a time", "[endpoints][integration]")
{
    running_endpoints program(with({}));
    auto client = program.client();
    std::string many;
    for (int i = 0; i < 500; ++i) many += livez;
    REQUIRE(client.send(many + "GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
    for (int i = 0; i < 500; ++i) REQUIRE(client.answer().body == "ok");
    CHECK(client.answer().status == 404);
    CHECK(client.closed_by_server());
}

TEST_CASE("endpoints: a client that closes its sending side still receives the answer", "[endpoints][integration]")
{
    running_endpoints program(with({}));
    asio::io_context io;
    tcp::socket socket(io);
    socket.connect({asio::ip::address_v4::loopback(), program.at().port});
    asio::write(socket, asio::buffer(livez.data(), livez.size()));
    socket.shutdown(tcp::socket::shutdown_send);
    std::string all;
    boost::system::error_code error;
    asio::read(socket, asio::dynamic_buffer(all), error);
    CHECK(error == asio::error::eof);
    CHECK(all.ends_with("\r\n\r\nok"));
}

TEST_CASE("endpoints: thousands of connections never displace a probe", "[endpoints][integration]")
{
    running_endpoints program(with({.max_connections = 32}));
    asio::io_context io;
    // As many at a time as fit into the usual limit of open files, and none of them is closed by its client.
    constexpr std::uint64_t at_a_time = 600;
    for (std::uint64_t round = 1; round <= 5; ++round) {
        std::deque<tcp::socket> silent;
        for (std::uint64_t i = 0; i < at_a_time; ++i)
            silent.emplace_back(io).connect({asio::ip::address_v4::loopback(), program.at().port});
        auto probe = program.client();
        CHECK(probe.get("/livez").status == 200);
        CHECK(test::eventually([&] { return program.server().stats().closed_by_server >= round * (at_a_time - 32); }));
        CHECK(program.server().stats().open_connections <= 33);
    }
    CHECK(program.log().lines().size() < 10); // whatever clients do, the log grows slowly
}

TEST_CASE("endpoints: a client that does not read is closed, and what it holds is freed", "[endpoints][integration]")
{
    endpoint_options options = with({.answer_timeout = 2s});
    options.prometheus = many_metrics();
    running_endpoints program(std::move(options));
    deaf_client deaf(program);
    deaf.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(test::eventually([&] { return program.server().stats().answer_bytes > 1'000'000; }));
    CHECK(test::eventually([&] { return program.server().stats().answer_bytes == 0; }));
    CHECK(test::eventually([&] { return program.server().stats().open_connections == 0; }));
}

TEST_CASE("endpoints: clients that do not read hold so much together, and probes pass", "[endpoints][integration]")
{
    endpoint_options options = with({.max_answer_bytes = 3'000'000, .answer_timeout = 1h});
    options.prometheus = many_metrics();
    running_endpoints program(std::move(options));
    std::deque<deaf_client> deaf;
    for (int i = 0; i < 4; ++i) {
        deaf.emplace_back(program).send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
        CHECK(test::eventually([&, i] { return program.server().stats().requests >= static_cast<unsigned>(i + 1); }));
    }
    CHECK(program.server().stats().answer_bytes <= 3'000'000);
    auto client = program.client();
    CHECK(client.get("/livez").status == 200);
    // They give way once they have stalled for a second.
    CHECK(test::eventually([&] { return client.get("/metrics").status == 200; }));
    CHECK(program.server().stats().answer_bytes <= 3'000'000);
    deaf.clear();
    CHECK(test::eventually([&] { return program.server().stats().answer_bytes == 0; }));
    CHECK(client.get("/metrics").status == 200);
}

TEST_CASE("endpoints: an answer that is larger than all answers may be is refused, and closes no other",
          "[endpoints][integration]")
{
    endpoint_options options = with({.max_answer_bytes = 100'000, .answer_timeout = 20s});
    options.prometheus = many_metrics();
    running_endpoints program(std::move(options));
    auto client = program.client();
    const auto refused = client.get("/metrics");
    CHECK(refused.status == 503);
    CHECK(refused.headers.at("retry-after") == "1");
    CHECK(client.get("/livez").status == 200);
}
