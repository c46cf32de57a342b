// The client's logs against the embedded server, in virtual time.
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/client/log_stream.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <kubecoro/test/catch.hpp>

#include <chrono>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace kubecoro::apiserver;
using namespace std::chrono_literals;
using kubecoro::testing::runner;

namespace {

const std::string a_pod = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},)"
                          R"("spec":{"containers":[{"name":"c","image":"i"}]}})";

struct world
{
    runner run;
    embedded_server server{run.executor(), options()};
    client c{run.executor(), std::make_shared<in_process_transport>(server), client_settings()};

    server_options options()
    {
        server_options out;
        out.time = run.shared_clock();
        return out;
    }
    client_options client_settings()
    {
        client_options out;
        out.time = run.shared_clock();
        return out;
    }
    ~world() { CHECK(run.run(server.stop())); }

    void append(const std::string& text)
    {
        const container_address at{"default", "p"};
        REQUIRE(run.run(server.append_log(at, text)));
    }
};

/// All lines until the end, each in brackets.
asio::awaitable<result<std::string>> lines(client c, log_options o)
{
    auto log = co_await pod_logs(c, "default", "p", o);
    if (!log) co_return log.error();
    std::string out;
    for (;;) {
        auto batch = co_await (*log)->next();
        if (!batch) co_return batch.error();
        if (batch->empty()) co_return out;
        for (const auto& line : *batch) out += "[" + line.text + "]";
    }
}

} // namespace

TEST_CASE("logs: the whole, the last lines, and those of the previous run", "[apiserver][client_logs]")
{
    world w;
    REQUIRE(w.run.run(w.c.create(untyped::pod::resource(), "default", a_pod)));
    w.append("one\ntwo\nthree\n");
    CHECK(w.run.run(lines(w.c, {})).value() == "[one][two][three]");
    log_options last{.container = "c", .tail_lines = 2};
    CHECK(w.run.run(lines(w.c, last)).value() == "[two][three]");
    log_options timed{.timestamps = true, .tail_lines = 1};
    const auto with_time = w.run.run(lines(w.c, timed)).value();
    CHECK(with_time.ends_with("Z three]"));
    log_options previous{.previous = true};
    CHECK_FALSE(w.run.run(lines(w.c, previous)));
    REQUIRE(w.run.run(w.server.restart_log({"default", "p"})));
    w.append("four\n");
    CHECK(w.run.run(lines(w.c, {})).value() == "[four]");
    CHECK(w.run.run(lines(w.c, previous)).value() == "[one][two][three]");
    log_options unknown{.container = "d"};
    CHECK(w.run.run(lines(w.c, unknown)).error() == cond::invalid);
}

TEST_CASE("logs: a followed one ends with its container", "[apiserver][client_logs]")
{
    world w;
    REQUIRE(w.run.run(w.c.create(untyped::pod::resource(), "default", a_pod)));
    w.append("one\n");
    log_options follow{.follow = true};
    const auto reading = w.run.spawn(lines(w.c, follow));
    w.run.advance(1h);
    CHECK_FALSE(reading.done());
    w.append("two\n\xe2\x82");
    w.append("\xac\n");
    w.run.advance(1h);
    CHECK_FALSE(reading.done());
    REQUIRE(w.run.run(w.server.end_log({"default", "p"})));
    w.run.advance(1s);
    REQUIRE(reading.done());
    CHECK(reading.outcome().value() == "[one][two][\xe2\x82\xac]");
}
