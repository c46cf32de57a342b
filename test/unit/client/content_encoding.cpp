// Compressed responses as a client asks for and reads them.
#include "rest_fixture.hpp"

#include <kubecoro/test/gzip_bytes.hpp>
#include <kubecoro/testing/recording.hpp>

using namespace kubecoro;
using namespace kubecoro::rest_test;
using namespace kubecoro::test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

client_options with(compression policy)
{
    client_options o;
    o.compression = policy;
    return o;
}

/// A response in pieces of `piece` bytes.
reply packed(const std::string& body, std::size_t piece = 100'000, int status = 200)
{
    reply r{.status = status, .headers = {{"content-encoding", "gzip"}, {"content-type", "application/json"}}};
    const auto bytes = gzip(body);
    for (std::size_t at = 0; at < bytes.size(); at += piece) r.body.push_back(bytes.substr(at, piece));
    return r;
}

std::string many_pods(int count)
{
    std::string items;
    for (int i = 0; i < count; ++i)
        items += std::string(i == 0 ? "" : ",") + R"({"metadata":{"name":"p)" + std::to_string(i) + R"("}})";
    return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[)" + items + "]}";
}

request to(std::string target, std::string method = "GET")
{
    request r;
    r.method = std::move(method);
    r.target = std::move(target);
    return r;
}

void has(const std::string& text, const std::string& part)
{
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
}

} // namespace

TEST_CASE("client: lists and objects are asked for as gzip, watches and writes are not", "[client][gzip]")
{
    world the;
    for (int i = 0; i < 11; ++i) the.net->replies.push_back({.status = 404});
    auto c = the.make({}, with(compression::on));
    (void)the.run.run(c.get(pods, "ns", "a"));
    (void)the.run.run(c.list(pods, "ns"));
    (void)the.run.run(c.list_all(pods, ""));
    auto source = c.provider()->open(pods, {});
    (void)the.run.run(source->list({}));
    (void)the.run.run(c.raw(to("/apis")));
    const auto asked = the.net->seen.size();
    for (std::size_t i = 0; i < asked; ++i) CHECK(the.net->header(i, "Accept-Encoding") == "gzip");
    (void)the.run.run(c.watch(pods, ""));
    (void)the.run.run(source->watch({}));
    (void)the.run.run(c.create(pods, "ns", pod("a")));
    (void)the.run.run(c.remove(pods, "ns", "a"));
    (void)the.run.run(c.raw(to("/healthz", "HEAD")));
    (void)the.run.run(c.raw(to("/api/v1/namespaces/ns/pods/a/log?tailLines=1&follow=true")));
    CHECK(the.net->seen.size() == asked + 6);
    for (std::size_t i = asked; i < the.net->seen.size(); ++i) CHECK(the.net->header(i, "Accept-Encoding").empty());
}

TEST_CASE("client: without the address of a server only compression::on asks for gzip", "[client][gzip]")
{
    for (const auto policy : {compression::automatic, compression::off, compression::on}) {
        world the;
        the.net->replies = {{.body = {pod("a")}}};
        auto c = the.make({}, with(policy));
        CHECK(the.run.run(c.get(pods, "ns", "a")));
        CHECK(the.net->header(0, "Accept-Encoding") == (policy == compression::on ? "gzip" : ""));
    }
}

TEST_CASE("client: compressed responses are decoded as they arrive", "[client][gzip]")
{
    for (const std::size_t piece : {1u, 7u, 100'000u}) {
        for (const bool at_once : {false, true}) {
            world the;
            the.net->replies = {packed(pod("a"), piece), packed(many_pods(5000), piece), packed("ok", piece)};
            for (auto& r : the.net->replies) r.comes_at_once = at_once;
            auto c = the.make({}, with(compression::on));
            const auto one = the.run.run(c.get(pods, "ns", "a"));
            REQUIRE(one);
            CHECK(one->name() == "a");
            const auto page = the.run.run(c.list(pods, ""));
            REQUIRE(page);
            REQUIRE(page->items.size() == 5000);
            CHECK(page->items.back().name() == "p4999");
            const auto raw = the.run.run(c.raw(to("/healthz")));
            REQUIRE(raw);
            CHECK(raw->body == "ok");
        }
    }
}

TEST_CASE("client: the head of a decoded response describes what is read", "[client][gzip]")
{
    world the;
    auto r = packed("ok");
    r.headers = {{"Content-Type", "text/plain"}, {"content-length", "22"}, {"content-encoding", "X-GZIP"}};
    the.net->replies = {r};
    auto c = the.make({}, with(compression::on));
    const auto raw = the.run.run(c.raw(to("/healthz")));
    REQUIRE(raw);
    CHECK(raw->body == "ok");
    CHECK(raw->head.headers == std::vector<std::pair<std::string, std::string>>{{"Content-Type", "text/plain"}});
}

TEST_CASE("client: an encoding that was not asked for fails, naming it", "[client][gzip]")
{
    struct trial
    {
        compression policy;
        std::vector<std::pair<std::string, std::string>> headers;
        std::string named;
    };
    for (const auto& [policy, headers, named] :
         {trial{compression::off, {{"content-encoding", "gzip"}}, "\"gzip\""},
          trial{compression::on, {{"content-encoding", "br\x1b"}}, "\"br \""},
          trial{compression::on, {{"content-encoding", "gzip"}, {"content-encoding", "gzip"}}, "\"gzip, gzip\""}}) {
        world the;
        for (int i = 0; i < 3; ++i) the.net->replies.push_back({.body = {gzip(pod("a"))}, .headers = headers});
        auto c = the.make({}, with(policy));
        const auto got = the.run.run(c.get(pods, "ns", "a"));
        REQUIRE_FALSE(got);
        CHECK(got.error() == cond::corrupt);
        CHECK(got.error().message() == "the response is encoded as " + named + ", which was not asked for");
        CHECK(got.error().target() == "/api/v1/namespaces/ns/pods/a");
        CHECK(the.run.run(c.list(pods, "")).error() == cond::corrupt);
        const auto watch = the.run.run(c.watch(pods, ""));
        REQUIRE(watch);
        const auto event = the.run.run((*watch)->next());
        REQUIRE_FALSE(event);
        has(event.error().message(), named);
    }
    world plain;
    plain.net->replies = {{.body = {pod("a")}, .headers = {{"content-encoding", "identity"}}},
                          {.headers = {{"content-encoding", "br"}}}};
    auto c = plain.make();
    CHECK(plain.run.run(c.get(pods, "ns", "a")));
    // There is nothing to decode.
    CHECK(plain.run.run(c.raw(to("/healthz", "HEAD"))));
}

TEST_CASE("client: an encoding that was not asked for reaches callers of raw requests as it was sent", "[client][gzip]")
{
    for (const auto policy : {compression::off, compression::on}) {
        world the;
        // A POST does not ask for gzip under any policy.
        the.net->replies = {packed("ok")};
        auto c = the.make({}, with(policy));
        const auto raw = the.run.run(c.raw(to("/api/v1/namespaces/n/services/s/proxy/app.js", "POST")));
        REQUIRE(raw);
        CHECK(raw->body == gzip("ok"));
        CHECK(raw->head.header("content-encoding") == "gzip");
    }
}

TEST_CASE("client: compressed lists are read in bulk as others are", "[client][gzip]")
{
    for (const auto policy : {compression::off, compression::on}) {
        world the;
        the.net->replies = {policy == compression::on ? packed(many_pods(3)) : reply{.body = {many_pods(3)}}};
        auto c = the.make({}, with(policy));
        CHECK(the.run.run(c.list(pods, "")));
        CHECK(*the.net->bulk_hints == std::vector{true});
    }
}

TEST_CASE("client: a caller with an Accept-Encoding of its own receives the bytes as sent", "[client][gzip]")
{
    world the;
    the.net->replies = {packed("ok")};
    auto c = the.make({}, with(compression::on));
    auto r = to("/healthz");
    r.headers = {{"accept-encoding", "gzip, br"}};
    const auto raw = the.run.run(c.raw(r));
    REQUIRE(raw);
    CHECK(raw->body == gzip("ok"));
    CHECK(raw->head.header("content-encoding") == "gzip");
    CHECK(the.net->header(0, "Accept-Encoding").empty());
}

TEST_CASE("client: compressed refusals keep their Status, and their code when they cannot be read", "[client][gzip]")
{
    const std::string status =
        R"({"kind":"Status","status":"Failure","message":"gone","reason":"NotFound","code":404})";
    world the;
    the.net->replies = {packed(status, 3, 404)};
    auto c = the.make({}, with(compression::on));
    const auto gone = the.run.run(c.get(pods, "ns", "a"));
    REQUIRE_FALSE(gone);
    CHECK(gone.error() == cond::not_found);
    REQUIRE(gone.error().status());
    CHECK(gone.error().status()->message == "gone");

    auto cut = packed(status, 5, 404);
    cut.body.pop_back();
    the.net->replies = {cut};
    const auto unread = the.run.run(c.get(pods, "ns", "a"));
    REQUIRE_FALSE(unread);
    CHECK(unread.error() == cond::not_found);
    CHECK(unread.error().target() == "/api/v1/namespaces/ns/pods/a");
    has(unread.error().message(), "ends too early");

    the.net->replies = {{.status = 403, .body = {"?"}, .headers = {{"content-encoding", "br"}}}};
    const auto foreign = the.run.run(c.get(pods, "ns", "a"));
    REQUIRE_FALSE(foreign);
    CHECK(foreign.error() == cond::forbidden);
    has(foreign.error().message(), "encoded as \"br\"");
    // A retry does not need the body.
    the.net->replies = {{.status = 429, .body = {"?"}, .headers = {{"content-encoding", "br"}, {"retry-after", "1"}}},
                        {.body = {pod("a")}}};
    CHECK(the.run.run(c.get(pods, "ns", "a")));
}

TEST_CASE("client: damaged compressed responses fail, and nothing of them is used", "[client][gzip]")
{
    const auto whole = gzip(many_pods(100));
    auto damaged = whole;
    damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] ^ 4);
    const auto cut = whole.substr(0, whole.size() - 1);
    for (const auto& body : {cut, damaged, whole + "x"}) {
        // More bytes may be the beginning of a further member, which is cut.
        const auto expected = body == damaged ? cond::corrupt : cond::unreachable;
        world the;
        for (int i = 0; i < 2; ++i)
            the.net->replies.push_back({.body = {body}, .headers = {{"content-encoding", "gzip"}}});
        auto c = the.make({}, with(compression::on));
        const auto page = the.run.run(c.list(pods, ""));
        REQUIRE_FALSE(page);
        CHECK(page.error() == expected);
        CHECK(page.error().target() == "/api/v1/pods");
        has(page.error().message(), "gzip data");
        CHECK(the.run.run(c.raw(to("/x"))).error() == expected);
    }
}

TEST_CASE("client: limits count decoded bytes", "[client][gzip]")
{
    const std::string long_name(100'000, 'x');
    auto options = with(compression::on);
    options.limits.max_answer_bytes = 50'000;
    options.limits.max_list_bytes = 50'000;
    world the;
    the.net->replies = {packed(pod(long_name)), packed(list_of(long_name, "7")), packed(pod("a"))};
    auto c = the.make({}, options);
    has(the.run.run(c.get(pods, "ns", "a")).error().message(), "longer than 50000 bytes");
    has(the.run.run(c.list(pods, "")).error().message(), "the list is too long");
    CHECK(the.run.run(c.get(pods, "ns", "a")));
}

TEST_CASE("client: metrics count the bytes of compressed responses before and after decoding", "[client][gzip]")
{
    world the;
    const auto body = many_pods(1000);
    the.net->replies = {packed(body, 1000), {.body = {pod("a")}}};
    auto numbers = std::make_shared<testing::recording_metrics>();
    auto options = with(compression::on);
    options.metrics = numbers;
    auto c = the.make({}, options);
    REQUIRE(the.run.run(c.list(pods, "")));
    REQUIRE(the.run.run(c.get(pods, "ns", "a")));
    CHECK(numbers->value("kubecoro_client_gzip_bytes_total", {{"form", "received"}}) == gzip(body).size());
    CHECK(numbers->value("kubecoro_client_gzip_bytes_total", {{"form", "decoded"}}) == body.size());
}

TEST_CASE("client: reading a compressed list ends at every step", "[client][gzip]")
{
    const auto make = [](testing::runner& run) {
        auto net = std::make_shared<scripted_transport>();
        net->time = run.shared_clock();
        net->replies = {packed(many_pods(20), 20)};
        net->replies.front().pause = 1s;
        auto options = with(compression::on);
        options.time = run.shared_clock();
        client c(run.executor(), net, options);
        struct reading
        {
            static asio::awaitable<result<>> list(client from)
            {
                auto page = co_await from.list(pods, "");
                if (!page) co_return page.error();
                co_return result<>{};
            }
        };
        return testing::scenario{reading::list(c), net};
    };
    CHECK(testing::stop_after_every_step(make).value() > 5);
    CHECK(testing::cancel_after_every_step(make).value() > 5);
}
