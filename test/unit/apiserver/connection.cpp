// Tests one connection over a stream controlled by the test, in virtual time.
#include "http/server_engine.hpp"

#include <kubecoro/http/detail/connection.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace kubecoro::apiserver;
using kubecoro::detail::connection;
using kubecoro::detail::connection_limits;
using kubecoro::detail::connection_table;
using kubecoro::testing::runner;

namespace {

/// The state of the client and the network.
struct wire
{
    std::string sent_by_client;
    bool client_closed = false;
    detail::wake_signal readable;
    std::string sent_by_server;
    int writes = 0;
    /// While false, writes of the server do not complete.
    bool client_reads = true;
    detail::wake_signal writable;
    bool closed = false;

    void client_sends(std::string_view bytes)
    {
        sent_by_client += bytes;
        readable.notify();
    }
    void client_closes()
    {
        client_closed = true;
        readable.notify();
    }
};

class scripted_stream final : public detail::server_stream
{
public:
    explicit scripted_stream(std::shared_ptr<wire> w) : wire_(std::move(w)) {}

    asio::awaitable<result<>> handshake() override { co_return result<>{}; }
    asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) override
    {
        while (wire_->sent_by_client.empty() && !wire_->client_closed && !wire_->closed) {
            auto woken = co_await wire_->readable.wait();
            if (!woken) co_return woken.error();
        }
        if (wire_->closed) co_return failure{cond::unreachable, "closed"};
        const std::size_t n = wire_->sent_by_client.copy(data, size);
        wire_->sent_by_client.erase(0, n);
        co_return n;
    }
    asio::awaitable<result<>> write(texts bytes) override
    {
        while (!wire_->client_reads && !wire_->closed) {
            auto woken = co_await wire_->writable.wait();
            if (!woken) co_return woken.error();
        }
        if (wire_->closed) co_return failure{cond::unreachable, "closed"};
        ++wire_->writes;
        for (const auto text : bytes) wire_->sent_by_server += text;
        co_return result<>{};
    }
    asio::awaitable<void> shutdown() override { co_return; }
    void close() noexcept override
    {
        wire_->closed = true;
        wire_->readable.notify();
        wire_->writable.notify();
    }
    void cut() noexcept override { close(); }
    std::optional<kubecoro::detail::peer_certificate> peer() const override { return std::nullopt; }

private:
    std::shared_ptr<wire> wire_;
};

const std::string admin = "Authorization: Bearer admin\r\n";
const std::string config_maps = "/api/v1/namespaces/default/configmaps";
const std::string chunked_post =
    "POST " + config_maps + " HTTP/1.1\r\nHost: h\r\n" + admin + "Transfer-Encoding: chunked\r\n\r\n";
const std::string watch_request = "GET " + config_maps + "?watch=1 HTTP/1.1\r\nHost: h\r\n" + admin + "\r\n";

struct served
{
    runner run;
    std::shared_ptr<server_engine> engine;
    task_group tasks{run.executor()};
    std::shared_ptr<connection_table> open;
    connection_table& table;
    connection_limits limits{.http = {.headers = 1000, .body = max_body_bytes},
                             .request_timeout = std::chrono::seconds{30},
                             .idle_timeout = std::chrono::seconds{90},
                             .write_timeout = std::chrono::seconds{30},
                             .counted_body = 2048,
                             .readers_give_way = false};

    explicit served(server_options options = {}, std::size_t max_connections = 10)
        : open(std::make_shared<connection_table>(max_connections, run.shared_clock(), run.executor())), table(*open)
    {
        options.time = run.shared_clock();
        options.tokens.push_back({"admin", {"admin", {"system:masters"}}});
        engine = std::make_shared<server_engine>(run.executor(), std::move(options));
    }
    ~served()
    {
        for (const auto& c : table.living()) c->cut();
        CHECK(run.run(tasks.join()));
        CHECK(run.run(engine->stop()));
    }

    std::shared_ptr<wire> connect()
    {
        auto w = std::make_shared<wire>();
        auto made = std::make_shared<connection>(run.executor(), std::make_unique<scripted_stream>(w), open,
                                                 std::make_shared<front>(engine), limits);
        if (!table.admit(made)) return nullptr;
        tasks.spawn("connection", connection::serve(made, tasks));
        run.run_until_idle();
        return w;
    }
    void send(const std::shared_ptr<wire>& w, std::string_view bytes)
    {
        w->client_sends(bytes);
        run.run_until_idle();
    }
    /// Advances time, then closes what is due.
    void pass(duration d)
    {
        run.advance(d);
        (void)table.close_due(run.shared_clock()->now());
        run.run_until_idle();
    }
};

} // namespace

TEST_CASE("connection: an endless chunk extension is refused", "[apiserver][connection]")
{
    served f;
    const auto client = f.connect();
    f.send(client, chunked_post + "1;" + std::string(100'000, 'e'));
    CHECK(client->sent_by_server.starts_with("HTTP/1.1 400 "));
    f.pass(std::chrono::seconds{1});
    CHECK(client->closed);
    CHECK(f.table.living().empty());
}

TEST_CASE("connection: deadlines end it in every state of its coroutines", "[apiserver][connection]")
{
    served f;
    SECTION("half a head")
    {
        const auto client = f.connect();
        f.send(client, "GET / HTTP/1.1\r\nHo");
        f.pass(std::chrono::seconds{29});
        CHECK(f.table.living().size() == 1);
        f.pass(std::chrono::seconds{1});
    }
    SECTION("half a body, even when more bytes keep arriving")
    {
        const auto client = f.connect();
        f.send(client, "PUT " + config_maps + "/a HTTP/1.1\r\nHost: h\r\n" + admin + "Content-Length: 1000\r\n\r\n");
        for (int i = 0; i < 30; ++i) {
            CHECK(f.table.living().size() == 1);
            f.send(client, "x");
            f.pass(std::chrono::seconds{1});
        }
    }
    SECTION("endless trailers")
    {
        const auto client = f.connect();
        f.send(client, chunked_post + "0\r\nA: " + std::string(50'000, 'a'));
        f.pass(std::chrono::seconds{30});
    }
    SECTION("a full input buffer of which nothing can be consumed")
    {
        f.limits.http.head = 1u << 20;
        const auto client = f.connect();
        f.send(client, chunked_post + "1;" + std::string(200'000, 'e'));
        f.pass(std::chrono::seconds{30});
    }
    SECTION("an answer that is not read while requests accumulate")
    {
        const auto client = f.connect();
        client->client_reads = false;
        f.send(client, "GET /version HTTP/1.1\r\nHost: h\r\n\r\n" + std::string(200'000, 'x'));
        f.pass(std::chrono::seconds{30});
    }
    CHECK(f.table.living().empty());
}

TEST_CASE("connection: a watch ends when its client closes or floods it", "[apiserver][connection]")
{
    served f;
    const auto client = f.connect();
    f.send(client, watch_request);
    REQUIRE(f.engine->counters().open_watches == 1);
    SECTION("closed after bytes that were not read")
    {
        f.send(client, std::string(10'000, 'x'));
        CHECK(f.engine->counters().open_watches == 1);
        client->client_closes();
    }
    SECTION("more bytes than the input buffer holds") { f.send(client, std::string(120'000, 'x')); }
    f.run.run_until_idle();
    CHECK(f.engine->counters().open_watches == 0);
    CHECK(f.table.living().empty());
}

TEST_CASE("connection_table: at the limit the longest waiting connection is closed, never one being served",
          "[apiserver][connection]")
{
    served f({}, 3);
    const auto watching = f.connect();
    f.send(watching, watch_request);
    f.run.advance(std::chrono::seconds{1});
    const auto idle = f.connect();
    f.run.advance(std::chrono::seconds{1});
    const auto half = f.connect();
    f.run.advance(std::chrono::seconds{1});
    f.send(idle, "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n"); // restarts its waiting time
    const auto third = f.connect();
    REQUIRE(third);
    CHECK(half->closed);
    CHECK_FALSE(idle->closed);
    CHECK_FALSE(watching->closed);

    f.send(third, watch_request);
    f.send(idle, watch_request);
    CHECK_FALSE(f.connect()); // all are being served
    CHECK_FALSE(f.table.make_room());
    CHECK(f.engine->counters().open_watches == 3);
    f.table.close();
    watching->client_closes();
    f.run.run_until_idle();
    CHECK_FALSE(f.connect());
}

TEST_CASE("connection: unauthorized requests are refused before the body is read", "[apiserver][connection]")
{
    served f;
    const auto client = f.connect();
    SECTION("without a token")
    {
        f.send(client, "POST " + config_maps +
                           " HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n");
        CHECK(client->sent_by_server.starts_with("HTTP/1.1 403 "));
    }
    SECTION("with a wrong token")
    {
        f.send(client, "POST " + config_maps +
                           " HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\nAuthorization: Bearer x\r\n\r\nabc");
        CHECK(client->sent_by_server.starts_with("HTTP/1.1 401 "));
    }
    CHECK(client->sent_by_server.find("Connection: close") != std::string::npos);
    CHECK(f.engine->counters().requests == 1);
    CHECK(f.engine->bodies().used() == 0);
}

TEST_CASE("connection: bodies of all connections share one budget", "[apiserver][connection]")
{
    server_options options;
    options.max_buffered_bytes = 1'000'000;
    served f(std::move(options));
    const std::string head = "POST " + config_maps + " HTTP/1.1\r\nHost: h\r\n" + admin +
                             "Content-Type: application/json\r\nContent-Length: 700000\r\n\r\n";
    const auto one = f.connect(), two = f.connect();
    f.send(one, head + std::string(600'000, ' '));
    CHECK(one->sent_by_server.empty());
    f.send(two, head + std::string(600'000, ' '));
    CHECK(two->sent_by_server.starts_with("HTTP/1.1 429 "));
    CHECK(two->sent_by_server.find("Retry-After: 1\r\n") != std::string::npos);
    CHECK(f.engine->bodies().used() == 600'000);
    f.send(one, std::string(100'000, ' '));
    CHECK(one->sent_by_server.starts_with("HTTP/1.1 400 "));
    CHECK(f.engine->bodies().used() == 0);
    one->client_closes();
    f.run.run_until_idle();
    const auto gone = f.connect();
    f.send(gone, head + std::string(600'000, ' '));
    CHECK(f.engine->bodies().used() == 600'000);
    gone->client_closes();
    f.pass(std::chrono::seconds{1});
    CHECK(f.engine->bodies().used() == 0);
}

TEST_CASE("connection: a long list is rendered while its client reads it", "[apiserver][connection]")
{
    served f;
    const std::string value(100'000, 'v');
    for (int i = 0; i < 50; ++i) {
        http_request create{"POST", config_maps};
        create.user = user_info{"admin", {"system:masters"}};
        create.body = R"({"metadata":{"name":"c)" + std::to_string(i) + R"("},"data":{"k":")" + value + R"("}})";
        REQUIRE(f.run.run(f.engine->perform(create, detail::wake_signal{}))->response.status == 201);
    }
    const std::string get = "GET " + config_maps + " HTTP/1.1\r\nHost: h\r\n" + admin;
    SECTION("chunked")
    {
        const auto client = f.connect();
        f.send(client, get + "\r\n");
        CHECK(client->sent_by_server.find("Transfer-Encoding: chunked\r\n") != std::string::npos);
        CHECK(client->sent_by_server.size() > 5'000'000);
        CHECK(client->sent_by_server.ends_with("]}\n\r\n0\r\n\r\n"));
        CHECK(f.table.living().size() == 1);
        f.send(client, get + "Connection: close\r\n\r\n");
        CHECK(client->sent_by_server.ends_with("]}\n\r\n0\r\n\r\n"));
        CHECK(client->closed);
    }
    SECTION("until the end of the connection for a client without chunked encoding")
    {
        const auto client = f.connect();
        f.send(client, "GET " + config_maps + " HTTP/1.0\r\nConnection: keep-alive\r\n" + admin + "\r\n");
        CHECK(client->sent_by_server.find("Content-Length") == std::string::npos);
        CHECK(client->sent_by_server.find("chunked") == std::string::npos);
        CHECK(client->sent_by_server.ends_with("]}\n"));
        CHECK(client->closed);
    }
    SECTION("parts are small")
    {
        http_request list{"GET", config_maps};
        list.user = user_info{"admin", {"system:masters"}};
        auto answered = f.run.run(f.engine->perform(list, detail::wake_signal{}));
        REQUIRE(answered);
        http_response& r = answered->response;
        CHECK(r.body.size() < 400'000);
        int parts = 1;
        for (std::string part; r.rest; part.clear(), ++parts) {
            if (!r.rest->next(part, 256 * 1024)) r.rest.reset();
            CHECK(part.size() < 400'000);
        }
        CHECK(parts > 12);
    }
}

TEST_CASE("connection: one write sends the head and the body of an answer", "[apiserver][connection]")
{
    served f;
    const auto answered = [&f](std::size_t size) {
        http_request create{"POST", config_maps};
        create.user = user_info{"admin", {"system:masters"}};
        const auto name = "c" + std::to_string(size);
        create.body = R"({"metadata":{"name":")" + name + R"("},"data":{"k":")" + std::string(size, 'v') + R"("}})";
        REQUIRE(f.run.run(f.engine->perform(create, detail::wake_signal{}))->response.status == 201);
        auto client = f.connect();
        f.send(client, "GET " + config_maps + "/" + name + " HTTP/1.1\r\nHost: h\r\n" + admin + "\r\n");
        CHECK(client->sent_by_server.size() > size);
        return client;
    };
    CHECK(answered(2'500)->writes == 1);
    CHECK(answered(90'000)->writes == 1);
    // The client makes progress with each portion.
    CHECK(answered(150'000)->writes == 2);
    f.limits.counted_body = 1'000'000;
    const auto counted = answered(30'000);
    CHECK(counted->sent_by_server.find("Content-Length: 30") != std::string::npos);
    CHECK(counted->writes == 1);
}

TEST_CASE("connection: the deletion of a collection ends when its client disconnects", "[apiserver][connection]")
{
    served f;
    auto& state = f.engine->state();
    for (int i = 0; i < 1'000; ++i)
        REQUIRE(state
                    .create({state.find("configmaps"), "v1", "default"},
                            boost::json::value{{"metadata", {{"name", "c" + std::to_string(i)}}}}, {},
                            f.run.clock().wall_now())
                    .has_value());
    const auto client = f.connect();
    client->client_sends("DELETE " + config_maps + " HTTP/1.1\r\nHost: h\r\n" + admin + "\r\n");
    REQUIRE(f.run.run_until([&] { return state.objects("configmaps").size() < 1'000; }));
    client->client_closes();
    f.run.run_until_idle();
    CHECK(state.objects("configmaps").size() > 500);
    CHECK(client->sent_by_server.empty());
    CHECK(client->closed);
}
