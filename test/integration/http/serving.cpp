// A server made of lib/http alone: a function that answers requests with bodies, and a certificate that is swapped.
#include "certificates.hpp"
#include "raw_client.hpp"

#include <kubecoro/http/detail/http_server.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace kubecoro::detail;
using apiserver::raw_client;
using apiserver::raw_tls;

namespace {

using handler = std::function<asio::awaitable<http_reply>(incoming_request)>;

struct handling final : fair_service
{
    handling(std::shared_ptr<connection_table> table, handler h)
        : fair_service(std::move(table), {}), handle(std::move(h))
    {
    }
    asio::awaitable<std::optional<http_reply>> answer(incoming_request& request, connection&) override
    {
        co_return co_await handle(std::move(request));
    }
    byte_budget* bodies() noexcept override { return &budget; }

    handler handle;
    byte_budget budget{10'000};
};

asio::awaitable<http_reply> echo(incoming_request request)
{
    co_return text_reply(200, request.method + " " + request.target + " " + std::move(request.body));
}

/// Runs on a thread of its own.
struct program
{
    explicit program(handler h = echo)
        : strand(make_kept_strand(asio::any_io_executor(io.get_executor()))),
          table(std::make_shared<connection_table>(8, real_clock(), strand)),
          service(std::make_shared<handling>(table, std::move(h))),
          server({.title = "test", .service = service, .table = table, .strand = strand}),
          thread([this] { io.run(); })
    {
    }
    ~program()
    {
        server.request_stop();
        CHECK(asio::co_spawn(io, server.join(), asio::use_future).get());
        work.reset();
        thread.join();
    }
    apiserver::embedded_server::endpoint listen(std::function<std::shared_ptr<server_tls>()> tls = {})
    {
        listen_options options;
        options.at = parse_listen_address("127.0.0.1:0").value();
        options.tls = std::move(tls);
        options.limits.http.body = 8'000;
        const auto bound = server.listen(std::move(options)).value();
        return {bound.address.to_string(), bound.port, bound.tls};
    }

    asio::io_context io{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
    kept_executor strand;
    std::shared_ptr<connection_table> table;
    std::shared_ptr<handling> service;
    http_server server;
    std::thread thread;
};

std::shared_ptr<server_tls> identity_of(const test::authority& root)
{
    const auto made = root.issue("hooks", {"IP:127.0.0.1"});
    return make_server_tls({made.certificate, made.key}).value();
}

raw_tls trusting(const test::authority& root)
{
    raw_tls out;
    out.ca = root.certificate();
    return out;
}

} // namespace

TEST_CASE("http: a function answers requests with bodies, within their limits", "[http][integration]")
{
    program server;
    const auto at = server.listen();
    raw_client client(at);
    CHECK(client.request("POST", "/a?b=c", "", "hello").body == "POST /a?b=c hello");
    CHECK(client.get("/").body == "GET / ");
    CHECK(client.request("POST", "/", "", std::string(8'000, 'x')).status == 200);
    CHECK(client.request("POST", "/", "", std::string(8'001, 'x')).status == 413);
    CHECK(client.closed_by_server());

    raw_client holds(at);
    holds.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 8000\r\n\r\n" + std::string(7'000, 'x'));
    CHECK(test::eventually([&] { return server.service->budget.used() == 7'000; }));
    CHECK(raw_client(at).request("POST", "/", "", std::string(4'000, 'x')).status == 429);
    CHECK(raw_client(at).request("POST", "/", "", std::string(2'000, 'x')).status == 200);
    holds.send(std::string(1'000, 'x'));
    CHECK(holds.answer().status == 200);
    CHECK(server.service->budget.used() == 0);
}

TEST_CASE("http: connections have the certificate of their time", "[http][integration][tls]")
{
    const test::authority old_root("old"), new_root("new");
    std::mutex mutex;
    auto current = identity_of(old_root);
    program server;
    const auto at = server.listen([&] {
        const std::lock_guard lock(mutex);
        return current;
    });
    raw_client before(at, trusting(old_root));
    CHECK(before.get("/").status == 200);
    {
        const std::lock_guard lock(mutex);
        current = identity_of(new_root);
    }
    CHECK_THROWS(raw_client(at, trusting(old_root)));
    CHECK(raw_client(at, trusting(new_root)).request("PUT", "/x", "", "1").body == "PUT /x 1");
    CHECK(before.get("/").status == 200);
}

TEST_CASE("http: a stop lets the request in progress finish", "[http][integration]")
{
    std::promise<void> begun;
    wake_signal go_on_now;
    program server([&](incoming_request) -> asio::awaitable<http_reply> {
        begun.set_value();
        [[maybe_unused]] const auto woken = co_await go_on_now.wait();
        co_return text_reply(200, "done");
    });
    const auto at = server.listen();
    raw_client client(at), idle(at);
    client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    begun.get_future().wait();
    server.server.request_stop();
    CHECK(idle.closed_by_server());
    go_on_now.notify();
    const auto answer = client.answer();
    CHECK(answer.body == "done");
    CHECK(answer.headers.at("connection") == "close");
    CHECK(client.closed_by_server());
}
