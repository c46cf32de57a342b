// Servers with several addresses, slow name look-ups, and peers that vanish silently.
#include "client_fixture.hpp"
#include "connect/name_resolver.hpp"
#include "connect/socket_connector.hpp"
#include "http/http_transport.hpp"
#include "silence.hpp"

#include <atomic>
#include <future>

using namespace kubecoro;
using namespace kubecoro::test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

using texts = std::vector<std::string>;

detail::socket_options plain(client_fixture& the, unsigned short port, detail::blocking_lookup lookup)
{
    return {.executor = asio::any_io_executor(the.io.get_executor()),
            .time = real_clock(),
            .address = {.tls = false, .host = "api.example", .port = std::to_string(port)},
            .names = std::make_shared<detail::name_resolver>(real_clock(), std::move(lookup)),
            .connect_timeout = 10s};
}

asio::awaitable<result<int>> status_of(std::shared_ptr<transport> over, std::string method)
{
    request r;
    r.method = std::move(method);
    r.target = "/x";
    auto got = co_await over->send(std::move(r));
    if (!got) co_return got.error();
    for (;;) {
        auto piece = co_await (*got)->read_some();
        if (!piece) co_return piece.error();
        if (piece->empty()) co_return (*got)->head().status;
    }
}

/// A look-up that blocks until the test releases it.
struct slow_lookup
{
    std::promise<void> go;
    std::atomic<int> calls{0};
    /// Settled when the function has been destroyed: its thread has ended then, too.
    std::promise<void> forgotten;

    detail::blocking_lookup function()
    {
        const auto token = std::shared_ptr<void>(nullptr, [this](void*) { forgotten.set_value(); });
        return [this, token, may_go = go.get_future().share()](const std::string&) -> detail::lookup_result {
            ++calls;
            may_go.wait();
            return texts{"127.0.0.1"};
        };
    }
};

} // namespace

TEST_CASE("connecting: an address that drops packets does not delay the others", "[client][integration]")
{
    client_fixture the;
    byte_server server;
    const silent_listener silent("127.0.0.2", server.port());
    auto c = detail::make_socket_connector(plain(the, server.port(), [](const std::string&) -> detail::lookup_result {
        return texts{"127.0.0.2", "127.0.0.1"};
    }));
    auto over = detail::make_http_transport(c, real_clock(), {.host = "h", .tls = false});
    CHECK(the.run(status_of(over, "GET")).value() == 200);
    CHECK(server.accepted() == 1);
}

TEST_CASE("connecting: the failure lists every address that refused", "[client][integration]")
{
    client_fixture the;
    unsigned short free_port;
    {
        byte_server server;
        free_port = server.port();
    }
    auto c = detail::make_socket_connector(plain(the, free_port, [](const std::string&) -> detail::lookup_result {
        return texts{"127.0.0.1", "127.0.0.2"};
    }));
    const auto refused = the.run(c->connect());
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::unreachable);
    CHECK(refused.error().message() == "connect to api.example:" + std::to_string(free_port) +
                                           ": 127.0.0.1: Connection refused, 127.0.0.2: Connection refused");
}

TEST_CASE("connecting: connections that begin together share one look-up", "[client][integration]")
{
    slow_lookup lookup;
    client_fixture the;
    byte_server server;
    auto c = detail::make_socket_connector(plain(the, server.port(), lookup.function()));
    std::vector<std::shared_ptr<std::optional<result<std::unique_ptr<detail::byte_stream>>>>> all;
    for (int i = 0; i < 6; ++i) {
        all.push_back(std::make_shared<std::optional<result<std::unique_ptr<detail::byte_stream>>>>());
        asio::co_spawn(the.io, c->connect(),
                       [out = all.back()](std::exception_ptr, auto got) { *out = std::move(got); });
    }
    // When nothing is ready any more, all of them have asked.
    while (the.io.poll_one() != 0) {
    }
    lookup.go.set_value();
    for (const auto& one : all) {
        the.io.restart();
        while (!*one) the.io.run_one();
        CHECK((*one)->has_value());
    }
    CHECK(lookup.calls == 1);
    // The next connection uses the cached result.
    CHECK(the.run(c->connect()));
    CHECK(lookup.calls == 1);
    c.reset();
    lookup.forgotten.get_future().wait();
}

TEST_CASE("connecting: a shutdown does not wait for a look-up in progress", "[client][integration]")
{
    slow_lookup lookup;
    {
        client_fixture the;
        auto c = detail::make_socket_connector(plain(the, 1, lookup.function()));
        auto cancelled = the.start(c->connect());
        while (lookup.calls == 0) the.io.poll_one();
        the.stop.emit(asio::cancellation_type::terminal);
        the.io.restart();
        while (!*cancelled) the.io.run_one();
        REQUIRE_FALSE(**cancelled);
        CHECK((*cancelled)->error() == cond::cancelled);
        // Another one is destroyed with its context while it waits.
        auto abandoned = the.start(c->connect());
        while (the.io.poll_one() != 0) {
        }
        CHECK_FALSE(*abandoned);
        CHECK(lookup.calls == 1);
    }
    lookup.go.set_value();
    lookup.forgotten.get_future().wait();
}

TEST_CASE("connecting: the system's look-up finds localhost and names what it does not find", "[client][integration]")
{
    const auto lookup = detail::system_lookup();
    const auto here = lookup("localhost");
    REQUIRE(here);
    CHECK(std::any_of(here->begin(), here->end(), [](const auto& a) { return a == "127.0.0.1" || a == "::1"; }));
    const auto nowhere = lookup("no..such..name");
    REQUIRE_FALSE(nowhere);
    CHECK(nowhere.error().message().find("look up no..such..name: ") == 0);
}

TEST_CASE("connecting: an idle connection with a vanished peer costs only a short delay", "[client][integration]")
{
    for (const char* method : {"GET", "PUT", "POST"}) {
        INFO(method);
        client_fixture the;
        byte_server server;
        server.next([](peer& p) -> asio::awaitable<void> {
            auto asked = co_await p.request();
            // From here on even the kernel sends no acknowledgement.
            p.go_deaf();
            co_await p.send(answer_text(200, "{}"));
            co_await p.until_gone();
        });
        auto options =
            plain(the, server.port(), [](const std::string&) -> detail::lookup_result { return texts{"127.0.0.1"}; });
        auto over = detail::make_http_transport(detail::make_socket_connector(std::move(options)), real_clock(),
                                                {.host = "h", .tls = false, .patience_after_idling = 50ms});
        REQUIRE(the.run(status_of(over, "GET")));
        const auto again = the.run(status_of(over, method));
        if (std::string(method) != "GET") {
            REQUIRE_FALSE(again);
            CHECK(again.error() == cond::timed_out);
        } else {
            CHECK(again.value() == 200);
            CHECK(server.accepted() == 2);
        }
    }
}
