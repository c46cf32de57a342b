#include "http/http_transport.hpp"

#include "scripted_connection.hpp"

#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/every_step.hpp>

#include <algorithm>

using namespace kubecoro;
using namespace kubecoro::test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

const std::string ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

request make(std::string method = "GET")
{
    request r;
    r.method = std::move(method);
    r.target = "/x";
    return r;
}

connection_script pieces(std::initializer_list<std::string> all) { return {.pieces = {all.begin(), all.end()}}; }

asio::awaitable<result<std::string>> exchange(std::shared_ptr<transport> t, request r)
{
    auto got = co_await t->send(std::move(r));
    if (!got) co_return got.error();
    std::string body;
    for (;;) {
        auto piece = co_await (*got)->read_some();
        if (!piece) co_return piece.error();
        if (piece->empty()) break;
        body.append(*piece);
    }
    // The end is reported again.
    auto again = co_await (*got)->read_some();
    if (!again || !again->empty()) co_return failure(cond::internal, "the end was not reported again");
    co_return body;
}

struct world
{
    testing::runner run;
    std::shared_ptr<wire> w = std::make_shared<wire>();
    std::shared_ptr<transport> t = detail::make_http_transport(std::make_shared<scripted_connector>(w),
                                                               run.shared_clock(), {.host = "h:1", .prefix = "/p"});

    result<std::string> ask(std::string method = "GET") { return run.run(exchange(t, make(std::move(method)))); }
};

} // namespace

TEST_CASE("http transport: connections are reused after a complete response", "[client][http]")
{
    world the;
    the.w->scripts = {pieces({ok, ok, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", ok})};
    for (int i = 0; i < 4; ++i) REQUIRE(the.ask());
    CHECK(the.w->opened == 1);
    CHECK(the.w->written[0].substr(0, 41) == "GET /p/x HTTP/1.1\r\nHost: h:1\r\nAccept: app");
}

TEST_CASE("http transport: connections are closed when the response says so or ends with the connection",
          "[client][http]")
{
    world the;
    the.w->scripts = {pieces({"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"}),
                      pieces({"HTTP/1.1 200 OK\r\n\r\nhi", ""}), pieces({ok + "unasked"}), pieces({ok})};
    for (int i = 0; i < 4; ++i) CHECK(the.ask().value() == "hi");
    CHECK(the.w->opened == 4);
    CHECK(the.w->open == 1);
}

TEST_CASE("http transport: a quiet watch waits for bytes without a buffer", "[client][http]")
{
    const std::string event = "1\r\na\r\n";
    world the;
    the.w->scripts = {
        pieces({"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", event, event, event, event, event, event})};
    the.w->paused = result<>();
    const auto got = the.run.run(the.t->send(make()));
    REQUIRE(got);
    CHECK(the.w->pauses == 1); // the head is waited for in the same way
    (*got)->may_end_early();
    const auto allocates_a_buffer = [&] {
        const auto before = allocations_so_far().bytes;
        CHECK(the.run.run((*got)->read_some()).value() == "a");
        return allocations_so_far().bytes - before >= 16 * 1024;
    };
    CHECK(allocates_a_buffer()); // nothing has come for as long as the watch exists
    (void)allocates_a_buffer();
    const auto pauses = the.w->pauses;
    CHECK_FALSE(allocates_a_buffer()); // others follow at once, and are read at once
    CHECK(the.w->pauses == pauses);
    the.run.advance(1s);
    CHECK_FALSE(allocates_a_buffer());
    CHECK(allocates_a_buffer());
    CHECK(the.w->pauses == pauses + 1);
    // A pause that fails is a read that fails.
    the.run.advance(1s);
    CHECK_FALSE(allocates_a_buffer());
    the.w->paused = result<>(failure(cond::unreachable, "cut"));
    const auto cut = the.run.run((*got)->read_some());
    REQUIRE_FALSE(cut);
    CHECK(cut.error().message() == "cut");
}

TEST_CASE("http transport: other bodies are read at once", "[client][http]")
{
    world the;
    the.w->paused = result<>();
    the.w->scripts = {pieces({"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "h", "i"})};
    CHECK(the.ask().value() == "hi");
    CHECK(the.w->pauses == 1); // for the head
}

TEST_CASE("http transport: a wait for the head that fails is a failed request", "[client][http]")
{
    world the;
    the.w->paused = result<>(failure(cond::timed_out, "no acknowledgement"));
    the.w->scripts = {pieces({ok})};
    const auto got = the.ask();
    REQUIRE_FALSE(got);
    CHECK(got.error() == cond::timed_out);
    CHECK(the.w->open == 0);
}

TEST_CASE("http transport: buffers grow while reads fill them, and stay small otherwise", "[client][http]")
{
    const std::string body(1000 * 1000, 'x');
    const auto in_pieces_of = [&](std::size_t most) {
        world the;
        connection_script script;
        script.pieces.push_back("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n");
        for (std::string_view rest = body; !rest.empty(); rest.remove_prefix(std::min(most, rest.size())))
            script.pieces.emplace_back(rest.substr(0, most));
        the.w->scripts.push_back(std::move(script));
        auto got = the.run.run(the.t->send(make()));
        REQUIRE(got);
        std::vector<std::size_t> sizes;
        std::size_t total = 0;
        for (;;) {
            const auto piece = the.run.run((*got)->read_some());
            REQUIRE(piece);
            if (piece->empty()) break;
            total += piece->size();
            sizes.push_back(piece->size());
        }
        CHECK(total == body.size());
        return sizes;
    };
    const auto busy = in_pieces_of(body.size());
    CHECK(busy.front() == 16 * 1024);
    CHECK(*std::max_element(busy.begin(), busy.end()) == 128 * 1024);
    CHECK(busy.size() < 12);
    const auto calm = in_pieces_of(10'000);
    CHECK(calm.size() == 100);
}

namespace {

/// The pieces delivered by one read.
std::vector<std::string> arrived(world& the, answer& a)
{
    const auto first = the.run.run(a.read_some());
    REQUIRE(first);
    std::vector<std::string> all;
    for (auto piece = *first; !piece.empty(); piece = a.read_arrived()) all.emplace_back(piece);
    return all;
}

const std::string chunked_head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

} // namespace

TEST_CASE("http transport: arrived bytes are returned piece by piece, and the end by a read", "[client][http]")
{
    world the;
    the.w->scripts = {
        pieces({chunked_head + "3\r\nabc\r\n2\r\nde\r\n4;x=y\r\nfg", "hi\r\n1\r\nj\r\n0\r\nT: v\r\n\r\n", ok})};
    auto got = the.run.run(the.t->send(make()));
    REQUIRE(got);
    using texts = std::vector<std::string>;
    CHECK(arrived(the, **got) == texts{"abc", "de", "fg"});
    CHECK((*got)->read_arrived().empty());
    CHECK(arrived(the, **got) == texts{"hi", "j"});
    CHECK(arrived(the, **got).empty());
    CHECK((*got)->read_arrived().empty());
    // The connection can carry another request.
    CHECK(the.ask().value() == "hi");
    CHECK(the.w->opened == 1);
}

TEST_CASE("http transport: a body that came with its head ends without a read", "[client][http]")
{
    world the;
    the.w->scripts = {pieces({ok, chunked_head + "2\r\nab\r\n0\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n", ok})};
    for (const std::string body : {"hi", "ab", "", "hi"}) {
        auto got = the.run.run(the.t->send(make()));
        REQUIRE(got);
        CHECK_FALSE((*got)->at_end());
        CHECK((*got)->read_arrived() == body);
        CHECK((*got)->read_arrived().empty());
        CHECK((*got)->at_end());
        CHECK(the.run.run((*got)->read_some()).value().empty()); // a read says the same
    }
    CHECK(the.w->opened == 1);
}

TEST_CASE("http transport: a body that is not whole, or broken, has not come to its end", "[client][http]")
{
    world the;
    the.w->scripts = {pieces({"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi", "!"}),
                      pieces({chunked_head + "2\r\nhi\r\nzz\r\n"}), pieces({"HTTP/1.1 200 OK\r\n\r\nhi", ""})};
    const std::vector<std::optional<std::string>> rests = {"!", std::nullopt, ""};
    for (const auto& rest : rests) {
        auto got = the.run.run(the.t->send(make()));
        REQUIRE(got);
        CHECK((*got)->read_arrived() == "hi");
        CHECK((*got)->read_arrived().empty());
        CHECK_FALSE((*got)->at_end());
        const auto more = the.run.run((*got)->read_some());
        CHECK((more ? std::optional(std::string(*more)) : std::nullopt) == rest);
        CHECK((*got)->at_end() == (rest == ""));
    }
}

TEST_CASE("http transport: pieces before broken ones are returned, then reads fail", "[client][http]")
{
    world the;
    the.w->scripts = {pieces({chunked_head + "3\r\nabc\r\n2\r\nde\r\nzz\r\n"})};
    auto got = the.run.run(the.t->send(make()));
    REQUIRE(got);
    CHECK(arrived(the, **got) == std::vector<std::string>{"abc", "de"});
    for (int i = 0; i < 2; ++i) {
        const auto broken = the.run.run((*got)->read_some());
        REQUIRE(!broken);
        CHECK(broken.error() == cond::corrupt);
        CHECK((*got)->read_arrived().empty());
    }
    CHECK(the.w->open == 0);
}

TEST_CASE("http transport: destroying a response midway closes its connection", "[client][http]")
{
    world the;
    the.w->scripts = {pieces({"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi"})};
    auto got = the.run.run(the.t->send(make()));
    REQUIRE(got);
    CHECK((*got)->head().status == 200);
    CHECK(the.w->open == 1);
    got->reset();
    CHECK(the.w->open == 0);
}

TEST_CASE("http transport: idle connections are closed after ninety seconds", "[client][http]")
{
    world the;
    the.w->scripts = {pieces({ok}), pieces({ok})};
    REQUIRE(the.ask());
    the.run.advance(90s);
    REQUIRE(the.ask());
    CHECK(the.w->opened == 2);
    CHECK(the.w->open == 1);
}

TEST_CASE("http transport: an idle connection with unexpected bytes is not reused", "[client][http]")
{
    world the;
    auto noisy = pieces({ok});
    noisy.quiet = false;
    the.w->scripts = {noisy, pieces({ok})};
    REQUIRE(the.ask("POST"));
    REQUIRE(the.ask("POST"));
    CHECK(the.w->opened == 2);
    CHECK(the.w->open == 1);
}

TEST_CASE("http transport: a GET is sent once more when its connection breaks before any response", "[client][http]")
{
    const auto broken = failure(cond::unreachable, "reset");
    world the;
    the.w->scripts = {{.pieces = {ok}, .then = broken}, pieces({ok})};
    REQUIRE(the.ask());
    CHECK(the.ask().value() == "hi");
    CHECK(the.w->opened == 2);

    world twice;
    twice.w->scripts = {{.then = broken}, {.then = broken}, pieces({ok})};
    CHECK(twice.ask().error().condition() == cond::unreachable);
    CHECK(twice.w->opened == 2);

    world write;
    write.w->scripts = {{.pieces = {ok}}, pieces({ok})};
    write.w->scripts[0].write_fails = broken;
    write.w->scripts[0].pieces = {""};
    CHECK(write.ask().value() == "hi");
}

TEST_CASE("http transport: only reads are sent again when their idle connection was dead", "[client][http]")
{
    for (const auto& dead : {failure(cond::unreachable, "reset"), failure(cond::timed_out, "no acknowledgement")})
        for (const char* method : {"GET", "PUT", "DELETE", "POST", "PATCH"}) {
            const std::string named = method;
            const bool repeated = named == "GET";
            INFO(named);
            world the;
            the.w->scripts = {{.pieces = {ok}, .then = dead}, pieces({ok})};
            REQUIRE(the.ask("POST"));
            const auto again = the.ask(named);
            CHECK(again.has_value() == repeated);
            if (!again) CHECK(again.error() == dead.condition());
            CHECK(the.w->opened == (repeated ? 2 : 1));
            if (repeated) CHECK(the.w->written[1].starts_with(named + " /p/x"));
        }
}

TEST_CASE("http transport: any request that an idle connection did not accept is sent again", "[client][http]")
{
    for (const char* method : {"POST", "PATCH", "PUT", "DELETE"}) {
        INFO(method);
        world the;
        the.w->scripts = {{.pieces = {ok}, .then = failure(cond::unreachable, "reset"), .writes = 1}, pieces({ok})};
        REQUIRE(the.ask("POST"));
        CHECK(the.ask(method).value() == "hi");
        CHECK(the.w->opened == 2);
        CHECK(the.w->written[0].find(std::string(method) + " /p/x", 4) == std::string::npos);
    }
}

TEST_CASE("http transport: an idle connection must prove quickly that its peer still exists", "[client][http]")
{
    world the;
    the.w->scripts = {pieces({ok, ok})};
    REQUIRE(the.ask());
    CHECK(the.w->patience.empty());
    REQUIRE(the.ask());
    CHECK(the.w->patience == std::vector<duration>{5s, 60s});
}

TEST_CASE("http transport: a silent break of a new plain connection suggests TLS", "[client][http]")
{
    const auto why = [](bool tls, connection_script one) {
        testing::runner run;
        auto w = std::make_shared<wire>();
        w->scripts = {one, one};
        auto t = detail::make_http_transport(std::make_shared<scripted_connector>(w), run.shared_clock(),
                                             {.host = "h", .tls = tls});
        return run.run(exchange(t, make())).error().message();
    };
    const connection_script reset{.then = failure(cond::unreachable, "reset")};
    CHECK(why(false, reset) == "reset; if this port speaks TLS, its address must begin with https://");
    CHECK(why(true, reset) == "reset");
    CHECK(why(false, pieces({""})).find("https://") != std::string::npos);
    CHECK(why(false, {.pieces = {"HTTP/1.1"}, .then = failure(cond::unreachable, "reset")}) == "reset");
    CHECK(why(false, pieces({"\x15\x03\x01"})) == "the server responds in TLS: its address must begin with https://");
}

TEST_CASE("http transport: other methods and started responses are never repeated", "[client][http]")
{
    const auto broken = failure(cond::unreachable, "reset");
    for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
        world the;
        the.w->scripts = {{.then = broken}, pieces({ok})};
        CHECK(the.ask(method).error().condition() == cond::unreachable);
        CHECK(the.w->opened == 1);
    }
    world begun;
    begun.w->scripts = {{.pieces = {"HTTP/1.1 2"}, .then = broken}, pieces({ok})};
    CHECK(begun.ask().error().condition() == cond::unreachable);
    CHECK(begun.w->opened == 1);
    world body;
    body.w->scripts = {{.pieces = {ok.substr(0, ok.size() - 1)}, .then = broken}, pieces({ok})};
    CHECK(body.ask().error().condition() == cond::unreachable);
    CHECK(body.w->opened == 1);
}

TEST_CASE("http transport: an early response takes precedence over the incomplete request", "[client][http]")
{
    world the;
    auto early = pieces({"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno"});
    early.write_fails = failure(cond::unreachable, "broken pipe");
    the.w->scripts = {early};
    CHECK(the.ask("POST").value() == "no");
    CHECK(the.w->open == 0);
}

TEST_CASE("http transport: failures are permanent", "[client][http]")
{
    world the;
    the.w->scripts = {pieces({"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\nzz\r\n"})};
    auto got = the.run.run(the.t->send(make()));
    REQUIRE(got);
    for (int i = 0; i < 3; ++i) {
        auto piece = the.run.run((*got)->read_some());
        if (piece) continue;
        CHECK(piece.error().condition() == cond::corrupt);
        CHECK(the.w->open == 0);
    }
    CHECK_FALSE(the.run.run((*got)->read_some()));
}

TEST_CASE("http transport: endless headers and endless chunk headers are cut off", "[client][http]")
{
    for (const std::string& begin :
         {std::string("HTTP/1.1 200 OK\r\n"), std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;")}) {
        world the;
        connection_script endless;
        endless.pieces.push_back(begin);
        for (int i = 0; i < 100; ++i) endless.pieces.push_back("x: " + std::string(4000, 'x'));
        the.w->scripts = {endless};
        CHECK(the.ask().error().condition() == cond::corrupt);
        CHECK(the.w->open == 0);
    }
}

TEST_CASE("http transport: cancelled or destroyed at any step, nothing stays open", "[client][http]")
{
    std::weak_ptr<wire> seen;
    auto whole = [&](testing::runner& run) {
        auto w = std::make_shared<wire>();
        seen = w;
        w->scripts = {pieces({ok.substr(0, 20), ok.substr(20, 19), ok.substr(39), ok})};
        auto t =
            detail::make_http_transport(std::make_shared<scripted_connector>(w), run.shared_clock(), {.host = "h"});
        auto twice = [](std::shared_ptr<transport> over) -> asio::awaitable<result<>> {
            auto one = co_await exchange(over, make());
            if (!one) co_return one.error();
            auto two = co_await exchange(over, make());
            if (!two) co_return two.error();
            co_return result<>{};
        };
        return testing::scenario{twice(std::move(t))};
    };
    auto stopped = testing::stop_after_every_step(whole, [&] { CHECK(seen.expired()); });
    REQUIRE(stopped);
    auto cancelled = testing::cancel_after_every_step(whole, [&](const result<>& r) {
        if (!r) CHECK(r.error().condition() == cond::cancelled);
    });
    REQUIRE(cancelled);
}
