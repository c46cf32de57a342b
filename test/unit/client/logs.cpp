// Logs: lines and pieces formed from bytes, and the stream over a scripted transport.
#include "rest/log_core.hpp"
#include "rest_fixture.hpp"

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::rest_test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

const std::string euro = "\xe2\x82\xac";
const std::string face = "\xf0\x9f\x98\x80";

/// The lines of a text that arrives in pieces of this many bytes; a piece of a line ends in a backslash.
std::string lines_of(const std::string& text, std::size_t piece, std::size_t most = 100, bool cut = false)
{
    log_lines core(most);
    std::vector<log_line> lines;
    for (std::size_t at = 0; at < text.size(); at += piece) core.feed(std::string_view(text).substr(at, piece), lines);
    core.finish(cut, lines);
    std::string out;
    for (const auto& line : lines) {
        CHECK(line.text.size() <= most);
        out += "[" + line.text + (line.whole ? "]" : "\\]");
    }
    return out;
}

/// All lines until the end or a failure.
asio::awaitable<result<std::string>> read_lines(client c, log_options o, std::optional<failure>* why = nullptr)
{
    auto log = co_await pod_logs(c, "web", "p", o);
    if (!log) co_return log.error();
    std::string out;
    for (;;) {
        auto lines = co_await (*log)->next();
        if (!lines && why != nullptr) {
            *why = lines.error();
            const auto again = co_await (*log)->next();
            CHECK(again.error() == lines.error().condition());
            co_return out;
        }
        if (!lines) co_return lines.error();
        if (lines->empty()) break;
        for (const auto& line : *lines) out += "[" + line.text + (line.whole ? "]" : "\\]");
        out += " ";
    }
    const auto again = co_await (*log)->next();
    CHECK((again && again->empty()));
    co_return out;
}

asio::awaitable<result<std::vector<std::string>>> read_pieces(client c, log_options o)
{
    auto log = co_await pod_logs(c, "web", "p", o);
    if (!log) co_return log.error();
    std::vector<std::string> out;
    for (;;) {
        auto piece = co_await (*log)->read_some();
        if (!piece) co_return piece.error();
        if (piece->empty()) co_return out;
        out.emplace_back(*piece);
    }
}

const std::vector<std::pair<std::string, std::string>> plain{{"content-type", "text/plain"}};

} // namespace

TEST_CASE("log core: bytes at the end that begin a character", "[client][log]")
{
    CHECK(incomplete_tail("") == 0);
    CHECK(incomplete_tail("abc") == 0);
    CHECK(incomplete_tail(euro) == 0);
    CHECK(incomplete_tail(face) == 0);
    CHECK(incomplete_tail("\xc3\xa4") == 0);
    CHECK(incomplete_tail("a\xc3") == 1);
    CHECK(incomplete_tail(euro.substr(0, 1)) == 1);
    CHECK(incomplete_tail("ab" + euro.substr(0, 2)) == 2);
    for (std::size_t n = 1; n < 4; ++n) CHECK(incomplete_tail("x" + face.substr(0, n)) == n);
    // Bytes that cannot become a character are not waited for.
    CHECK(incomplete_tail("\x80\x80\x80\x80") == 0);
    CHECK(incomplete_tail("\xff") == 0);
    CHECK(incomplete_tail("\xc0") == 0);
    CHECK(incomplete_tail("\xf5") == 0);
    CHECK(incomplete_tail("a\x80") == 0);
}

TEST_CASE("log core: lines do not depend on how the bytes arrive", "[client][log]")
{
    const std::string text = "one\n\n" + euro + face + " two\r\nlast";
    for (std::size_t piece = 1; piece <= text.size(); ++piece)
        CHECK(lines_of(text, piece) == "[one][][" + euro + face + " two\r][last]");
    CHECK(lines_of("one\n", 2) == "[one]");
    CHECK(lines_of("", 1).empty());
    CHECK(lines_of("one\ntw", 2, 100, true) == "[one][tw\\]");
    CHECK(lines_of("one\n", 2, 100, true) == "[one]");
}

TEST_CASE("log core: a long line comes in pieces that divide no character", "[client][log]")
{
    for (std::size_t piece = 1; piece <= 12; ++piece) {
        CHECK(lines_of("abcdefghij\nk\n", piece, 4) == "[abcd\\][efgh\\][ij][k]");
        CHECK(lines_of("abcd\n", piece, 4) == "[abcd]");
        CHECK(lines_of("ab" + euro + face + "\n", piece, 4) == "[ab\\][" + euro + "\\][" + face + "]");
    }
    CHECK(lines_of(std::string(10'000, '\xff') + "\n", 10'000, 4096).find("\\]") != std::string::npos);
}

TEST_CASE("log core: pieces of bytes end between characters", "[client][log]")
{
    const std::string text = "a" + euro + face + "b\xff" + euro.substr(0, 2);
    for (std::size_t size = 1; size <= text.size(); ++size) {
        log_pieces core;
        std::string all;
        for (std::size_t at = 0; at < text.size(); at += size) {
            const auto piece = core.feed(std::string_view(text).substr(at, size));
            CHECK(incomplete_tail(piece) == 0);
            all += piece;
        }
        CHECK(all == "a" + euro + face + "b\xff");
        all += core.finish();
        CHECK(all == text);
        CHECK(core.finish().empty());
    }
}

TEST_CASE("client: the lines of a log", "[client][log]")
{
    world the;
    the.net->replies = {{.body = {"one\ntw", "o\n" + euro.substr(0, 1), euro.substr(1) + "\nend"}, .headers = plain}};
    log_options o{.container = "c", .tail_lines = 3};
    CHECK(the.run.run(read_lines(the.make(), o)).value() == "[one] [two] [" + euro + "] [end] ");
    CHECK(the.net->seen[0].target == "/api/v1/namespaces/web/pods/p/log?container=c&tailLines=3");
}

TEST_CASE("client: streams that are refused with Retry-After are asked for again", "[client][log]")
{
    world the;
    const reply refused{.status = 429, .body = {"x"}, .headers = {{"retry-after", "2"}}};
    the.net->replies = {refused, refused, {.body = {"one\n"}, .headers = plain}};
    const auto begin = the.run.clock().now();
    CHECK(the.run.run(read_lines(the.make(), {})).value() == "[one] ");
    CHECK(the.run.clock().now() - begin >= std::chrono::seconds{4});
    CHECK(the.net->seen.size() == 3);

    the.net->replies = {refused, {.body = {"bytes"}}};
    request r;
    r.method = "GET";
    r.target = "/metrics";
    auto c = the.make();
    auto opened = the.run.run(c.send(r));
    REQUIRE(opened);
    CHECK((*opened)->head().status == 200);
    CHECK(the.run.run((*opened)->read_some()).value() == "bytes");
}

TEST_CASE("client: lines that arrive together are one batch", "[client][log]")
{
    world the;
    the.net->replies = {{.body = {"one\ntw", "o\nthree\n"}, .headers = plain, .comes_at_once = true}};
    CHECK(the.run.run(read_lines(the.make(), {})).value() == "[one][two][three] ");
}

TEST_CASE("client: the bytes of a log", "[client][log]")
{
    world the;
    the.net->replies = {
        {.body = {"a" + euro.substr(0, 2), euro.substr(2), "\nb" + euro.substr(0, 1)}, .headers = plain}};
    const auto pieces = the.run.run(read_pieces(the.make(), {})).value();
    CHECK(pieces == std::vector<std::string>{"a", euro, "\nb", euro.substr(0, 1)});
}

TEST_CASE("client: a log that breaks off differs from one that ends", "[client][log]")
{
    world the;
    the.net->replies = {
        {.body = {"one\ntw"}, .headers = plain, .broken = failure(cond::unreachable, "the connection broke")}};
    std::optional<failure> why;
    CHECK(the.run.run(read_lines(the.make(), {}, &why)).value() == "[one] [tw\\] ");
    REQUIRE(why);
    CHECK(*why == cond::unreachable);
    CHECK(why->target() == "/api/v1/namespaces/web/pods/p/log");
    the.net->replies = {{.body = {"one"}, .headers = plain, .broken = failure(cond::unreachable, "it broke")}};
    CHECK(the.run.run(read_pieces(the.make(), {})).error() == cond::unreachable);
    the.net->replies = {{.body = {}, .headers = plain}};
    CHECK(the.run.run(read_lines(the.make(), {})).value().empty());
}

TEST_CASE("client: only a followed log may be silent", "[client][log]")
{
    const auto read_silence = [](bool follow) {
        world the;
        the.net->replies = {{.body = {"one\n"}, .headers = plain, .hangs_in_body = true}};
        std::optional<failure> why;
        log_options o{.follow = follow};
        const auto reading = the.run.spawn(read_lines(the.make(), o, &why));
        the.run.advance(2h);
        return why ? why->condition() : cond::internal;
    };
    CHECK(read_silence(false) == cond::timed_out);
    CHECK(read_silence(true) == cond::internal);
}

TEST_CASE("client: a log that is refused, and a web page in its place", "[client][log]")
{
    world the;
    const std::string waiting = R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"BadRequest",)"
                                R"("message":"container \"c\" in pod \"p\" is waiting to start","code":400})";
    the.net->replies = {{.status = 400, .body = {waiting}},
                        {.status = 404, .body = {"no"}},
                        {.body = {"<html>Sign in"}, .headers = {{"content-type", "text/html; charset=utf-8"}}},
                        {.status = 302, .headers = {{"location", "http://elsewhere"}}}};
    auto c = the.make();
    const auto refused = the.run.run(read_lines(c, {}));
    CHECK(refused.error() == cond::invalid);
    CHECK(refused.error().status()->message == "container \"c\" in pod \"p\" is waiting to start");
    CHECK(the.run.run(read_lines(c, {})).error() == cond::not_found);
    CHECK(the.run.run(read_lines(c, {})).error() == cond::corrupt);
    CHECK(the.run.run(read_lines(c, {})).error() == cond::invalid);
    const auto sent = the.net->seen.size();
    log_options both{.since = 1s, .since_time = "2026-11-21T06:09:05Z"};
    CHECK(the.run.run(read_lines(c, both)).error() == cond::invalid);
    CHECK(the.net->seen.size() == sent);
}

namespace {

asio::awaitable<result<>> whole_log(client c)
{
    log_options o{.follow = true};
    auto all = co_await read_lines(std::move(c), o);
    if (!all) co_return all.error();
    co_return result<>{};
}

std::function<testing::scenario(testing::runner&)> following()
{
    return [](testing::runner& run) {
        auto net = std::make_shared<scripted_transport>();
        net->time = run.shared_clock();
        net->replies = {{.body = {"one\n", "two\nth", "ree"}, .headers = plain, .pause = 1s}};
        client_options o;
        o.time = run.shared_clock();
        return testing::scenario{.body = whole_log(client(run.executor(), net, o)), .fixture = net};
    };
}

} // namespace

TEST_CASE("client: a log may be destroyed and cancelled at every step", "[client][log]")
{
    CHECK(testing::stop_after_every_step(following()).value() > 3);
    int cancelled = 0;
    CHECK(testing::cancel_after_every_step(following(), [&](const result<>& ended) {
              if (!ended) {
                  CHECK(ended.error() == cond::cancelled);
                  ++cancelled;
              }
          }).value() > 3);
    CHECK(cancelled > 0);
}
