// The client over a scripted transport: credentials, deadlines, retries, refusals, pages, watches.
#include <kubecoro/client/discovery.hpp>

#include "rest_fixture.hpp"

#include <cstdio>
#include <cstdlib>

using namespace kubecoro;
using namespace kubecoro::rest_test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

TEST_CASE("client: requests carry credentials and a user agent", "[client][rest]")
{
    world the;
    the.net->replies = {{.body = {pod("a")}}, {.body = {pod("a")}}, {.body = {pod("a")}}};
    auto token = the.make({.token = "t0", .username = "u", .password = "p"});
    REQUIRE(the.run.run(token.get(pods, "ns", "a")));
    CHECK(the.net->seen[0].target == "/api/v1/namespaces/ns/pods/a");
    CHECK(the.net->header(0, "Authorization") == "Bearer t0");
    CHECK(the.net->header(0, "User-Agent").starts_with("kubecoro/"));
    client_options named;
    named.user_agent = "shop/1";
    auto basic = the.make({.username = "admin",
                           .password = "pw",
                           .as = {.name = "jane", .groups = {"a", "b"}, .uid = "7", .extra = {{"my key", {"v"}}}}},
                          named);
    REQUIRE(the.run.run(basic.get(pods, "ns", "a")));
    CHECK(the.net->header(1, "Authorization") == "Basic YWRtaW46cHc=");
    CHECK(the.net->header(1, "User-Agent") == "shop/1");
    CHECK(the.net->header(1, "Impersonate-User") == "jane");
    CHECK(the.net->header(1, "Impersonate-Group") == "a");
    CHECK(the.net->header(1, "Impersonate-Uid") == "7");
    CHECK(the.net->header(1, "Impersonate-Extra-my%20key") == "v");
    auto nobody = the.make();
    REQUIRE(the.run.run(nobody.get(pods, "ns", "a")));
    CHECK(the.net->header(2, "Authorization").empty());
}

TEST_CASE("client: a moved-from client remains usable", "[client][rest]")
{
    world the;
    the.net->replies = {{.body = {pod("a")}}, {.body = {pod("a")}}};
    auto from = the.make();
    const auto to = std::move(from);
    REQUIRE(the.run.run(from.get(pods, "ns", "a"))); // NOLINT(bugprone-use-after-move): what is tested
    REQUIRE(the.run.run(to.get(pods, "ns", "a")));
}

TEST_CASE("client: impersonation without a user is rejected and nothing is sent", "[client][rest]")
{
    for (const user_info& as :
         {user_info{.uid = "7"}, user_info{.groups = {"devs"}}, user_info{.extra = {{"scopes", {"x"}}}}}) {
        world the;
        the.net->replies = {{.body = {pod("a")}}};
        auto c = the.make({.token = "t0", .as = as});
        const auto got = the.run.run(c.get(pods, "ns", "a"));
        REQUIRE_FALSE(got);
        CHECK(got.error() == cond::misconfigured);
        CHECK(got.error().target() == "/api/v1/namespaces/ns/pods/a");
        CHECK(the.net->seen.empty());
        auto created = client::create(the.run.executor(), {.server = "https://h", .login = {.as = as}});
        REQUIRE_FALSE(created);
        CHECK(created.error() == cond::misconfigured);
    }
}

TEST_CASE("client: a refusal keeps the server's Status and the request", "[client][rest]")
{
    world the;
    the.net->replies = {
        {.status = 404,
         .body =
             {R"({"kind":"Status","status":"Failure","message":"pods \"a\" not found","reason":"NotFound","code":404})"}},
        {.status = 500, .body = {"panic"}},
        {.status = 503, .headers = {{"retry-after", "600"}}},
        {.status = 200,
         .body = {R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409})"}},
        {.status = 403, .body = {"{"}, .broken = failure(cond::unreachable)}};
    auto c = the.make();
    auto gone = the.run.run(c.get(pods, "ns", "a"));
    REQUIRE_FALSE(gone);
    CHECK(gone.error().condition() == cond::not_found);
    CHECK(gone.error().method() == "GET");
    CHECK(gone.error().target() == "/api/v1/namespaces/ns/pods/a");
    REQUIRE(gone.error().status());
    CHECK(gone.error().status()->message == "pods \"a\" not found");
    CHECK(the.run.run(c.get(pods, "ns", "a")).error().condition() == cond::internal);
    auto busy = the.run.run(c.get(pods, "ns", "a"));
    CHECK(busy.error().condition() == cond::retry_later);
    CHECK(busy.error().retry_after() == 600s);
    CHECK(the.run.run(c.get(pods, "ns", "a")).error().condition() == cond::conflict);
    CHECK(the.run.run(c.get(pods, "ns", "a")).error().condition() == cond::forbidden);
}

TEST_CASE("client: a redirect is a failure and is not followed", "[client][rest]")
{
    world the;
    the.net->replies = {{.status = 307, .headers = {{"location", "https://evil.example\n"}}}};
    auto c = the.make({.token = "secret-token"});
    auto moved = the.run.run(c.get(pods, "ns", "a"));
    REQUIRE_FALSE(moved);
    CHECK(moved.error().condition() == cond::invalid);
    CHECK(moved.error().message().find("https://evil.example \"") != std::string::npos);
    CHECK(the.net->seen.size() == 1);
}

TEST_CASE("client: a refusal with Retry-After is retried after that time", "[client][rest]")
{
    world the;
    the.net->replies = {{.status = 429, .body = {"x"}, .headers = {{"retry-after", "3"}}},
                        {.status = 503, .headers = {{"retry-after", "1"}}},
                        {.body = {pod("a")}}};
    auto c = the.make();
    const auto begin = the.run.clock().now();
    REQUIRE(the.run.run(c.create(pods, "ns", pod("a"))));
    // With some spread.
    CHECK(the.run.clock().now() - begin > 4s);
    CHECK(the.run.clock().now() - begin < 6s);
    REQUIRE(the.net->seen.size() == 3);
    CHECK(the.net->seen[2] == the.net->seen[0]);

    client_options once;
    once.max_retries = 0;
    the.net->replies = {{.status = 429, .headers = {{"retry-after", "3"}}}};
    auto impatient = the.make(credentials(), once);
    CHECK(the.run.run(impatient.get(pods, "ns", "a")).error().condition() == cond::retry_later);
}

TEST_CASE("client: every request whose token was refused is repeated with the new one", "[client][rest]")
{
    const token_file file;
    file.write("T1");
    world the;
    const reply refused{.status = 401, .head_pause = 1s};
    the.net->replies = {refused, refused, {.body = {pod("a")}}, {.body = {pod("b")}}, {.status = 401}};
    auto c = the.make({.token_file = file.path()});
    const auto one = the.run.spawn(c.get(pods, "ns", "a"));
    const auto other = the.run.spawn(c.get(pods, "ns", "b"));
    the.run.advance(500ms);
    REQUIRE(the.net->seen.size() == 2);
    file.write("T2");
    the.run.advance(500ms);
    REQUIRE(one.done());
    REQUIRE(other.done());
    CHECK(one.outcome());
    CHECK(other.outcome());
    REQUIRE(the.net->seen.size() == 4);
    CHECK(the.net->header(1, "Authorization") == "Bearer T1");
    CHECK(the.net->header(2, "Authorization") == "Bearer T2");
    CHECK(the.net->header(3, "Authorization") == "Bearer T2");
    // The file has no other token.
    CHECK(the.run.run(c.get(pods, "ns", "a")).error() == cond::unauthorized);
    CHECK(the.net->seen.size() == 5);
}

TEST_CASE("client: a silent server times out, at the head and in the body", "[client][rest]")
{
    world the;
    the.net->replies = {{.hangs_before_head = true},
                        {.hangs_before_head = true},
                        {.body = {R"({"kind":)"}, .hangs_in_body = true},
                        {.body = {R"({"kind":)"}, .hangs_in_body = true}};
    auto c = the.make();
    auto begin = the.run.clock().now();
    auto head = the.run.run(c.get(pods, "ns", "a"));
    CHECK(head.error().condition() == cond::timed_out);
    CHECK(head.error().target() == "/api/v1/namespaces/ns/pods/a");
    CHECK(the.run.clock().now() - begin == 60s);
    begin = the.run.clock().now();
    CHECK(the.run.run(c.watch(pods, "")).error().condition() == cond::timed_out);
    CHECK(the.run.clock().now() - begin == 30s);
    begin = the.run.clock().now();
    CHECK(the.run.run(c.get(pods, "ns", "a")).error().condition() == cond::timed_out);
    CHECK(the.run.run(c.list(pods, "ns")).error().condition() == cond::timed_out);
    CHECK(the.run.clock().now() - begin == 120s);
}

TEST_CASE("client: a list may take any time as long as data arrives", "[client][rest]")
{
    world the;
    const auto text = list_of("a", "7");
    reply slow{.pause = 59s};
    for (const char c : text) slow.body.emplace_back(1, c);
    auto stuck = slow;
    stuck.body.resize(10);
    stuck.hangs_in_body = true;
    the.net->replies = {slow, stuck, {.body = {text}, .pause = 61s}};
    auto c = the.make();
    auto begin = the.run.clock().now();
    const auto page = the.run.run(c.list(pods, "ns"));
    REQUIRE(page);
    CHECK(page->items.size() == 1);
    CHECK(the.run.clock().now() - begin == 59s * text.size());
    begin = the.run.clock().now();
    CHECK(the.run.run(c.list(pods, "ns")).error() == cond::timed_out);
    CHECK(the.run.clock().now() - begin == 10 * 59s + 60s);
    CHECK(the.run.run(c.list(pods, "ns")).error() == cond::timed_out);
}

TEST_CASE("client: the body of a refusal holds up a call for a limited time", "[client][rest]")
{
    world the;
    reply slow{.status = 403, .pause = 1s};
    for (const char c : std::string(300, 'x')) slow.body.emplace_back(1, c);
    auto refused_for_now = slow;
    refused_for_now.status = 429;
    refused_for_now.headers = {{"retry-after", "5"}};
    auto web_page = slow;
    web_page.status = 200;
    web_page.headers = {{"content-type", "text/html"}};
    the.net->replies = {slow, refused_for_now, {.body = {pod("a")}}, web_page};
    auto c = the.make();
    const auto begin = the.run.clock().now();
    const auto took = [&] { return the.run.clock().now() - begin; };

    const auto refused = the.run.run(c.get(pods, "ns", "a"));
    CHECK(refused.error() == cond::forbidden);
    CHECK(refused.error().describe().find("xxx") != std::string::npos);
    CHECK(took() == 60s);
    CHECK(the.run.run(c.get(pods, "ns", "a")));
    CHECK(took() >= 125s);
    CHECK(took() < 130s);
    CHECK(the.run.run(c.get(pods, "ns", "a")).error() == cond::corrupt);
    CHECK(took() < 190s);
}

TEST_CASE("client: data that arrives together is read together", "[client][rest]")
{
    world the;
    const auto line = R"({"type":"ADDED","object":)" + pod("a") + "}\n";
    const std::vector<std::string> lines{line + line.substr(0, 9), line.substr(9), line};
    const auto text = list_of("a", "7");
    the.net->replies = {{.body = lines, .comes_at_once = true},
                        {.body = {line, "{\"type\":}\n", line}, .comes_at_once = true},
                        {.body = {text.substr(0, 9), text.substr(9)}, .comes_at_once = true}};
    auto c = the.make();
    const auto whole = the.run.run(c.watch(pods, "")).value();
    CHECK(the.run.run(whole->next())->size() == 3);
    CHECK(the.run.run(whole->next())->empty());
    const auto broken = the.run.run(c.watch(pods, "")).value();
    CHECK(the.run.run(broken->next())->size() == 1);
    CHECK(the.run.run(broken->next()).error() == cond::corrupt);
    CHECK(the.run.run(c.list(pods, "ns"))->items.size() == 1);
}

TEST_CASE("client: a silent watch is left open", "[client][rest]")
{
    world the;
    the.net->replies = {{.body = {R"({"type":"ADDED","object":)" + pod("a") + "}\n"}, .hangs_in_body = true}};
    auto c = the.make();
    auto stream = the.run.run(c.watch(pods, ""));
    REQUIRE(stream);
    REQUIRE(the.run.run((*stream)->next()));
    auto waiting = the.run.spawn((*stream)->next());
    the.run.advance(24h);
    CHECK_FALSE(waiting.done());
    waiting.cancel();
    the.run.run_until_idle();
    REQUIRE(waiting.done());
    CHECK(waiting.outcome().error().condition() == cond::cancelled);
    CHECK(the.run.run((*stream)->next()).error().condition() == cond::cancelled);
}

TEST_CASE("client: a watch delivers the events before a broken line, then fails permanently", "[client][rest]")
{
    world the;
    const auto line = R"({"type":"ADDED","object":)" + pod("a") + "}\n";
    the.net->replies = {{.body = {line + line + "{\"type\":}\n"}},
                        {.body = {line.substr(0, 10), line.substr(10)}},
                        {.body = {line}, .broken = failure(cond::unreachable, "reset")},
                        {.body = {line, line.substr(0, 5)}}};
    auto c = the.make();
    auto broken = the.run.run(c.watch(pods, "")).value();
    CHECK(the.run.run(broken->next())->size() == 2);
    for (int i = 0; i < 2; ++i) {
        auto bad = the.run.run(broken->next());
        REQUIRE_FALSE(bad);
        CHECK(bad.error().condition() == cond::corrupt);
        CHECK(bad.error().target().find("watch=true") != std::string::npos);
    }
    auto clean = the.run.run(c.watch(pods, "")).value();
    CHECK(the.run.run(clean->next())->size() == 1);
    for (int i = 0; i < 2; ++i) CHECK(the.run.run(clean->next())->empty());
    auto cut = the.run.run(c.watch(pods, "")).value();
    CHECK(the.run.run(cut->next())->size() == 1);
    CHECK(the.run.run(cut->next()).error().condition() == cond::unreachable);
    auto half = the.run.run(c.watch(pods, "")).value();
    CHECK(the.run.run(half->next())->size() == 1);
    CHECK(the.run.run(half->next()).error().condition() == cond::unreachable); // as after a break: it can be resumed
}

TEST_CASE("client: list_all reads page by page and starts over with one full list after a 410", "[client][rest]")
{
    world the;
    the.net->replies = {{.body = {list_of("a", "7", "t1")}}, {.body = {list_of("b", "7")}}};
    auto c = the.make();
    auto both = the.run.run(c.list_all(pods, "ns"));
    REQUIRE(both);
    CHECK(both->items.size() == 2);
    CHECK(both->items[1].kind() == "Pod");
    CHECK(the.net->seen[0].target == "/api/v1/namespaces/ns/pods?limit=500");
    CHECK(the.net->seen[1].target == "/api/v1/namespaces/ns/pods?continue=t1&limit=500");
    the.net->seen.clear();
    the.net->replies = {
        {.body = {list_of("a", "7", "t1")}}, {.status = 410, .body = {expired}}, {.body = {list_of("c", "9")}}};
    auto whole = the.run.run(c.list_all(pods, "ns"));
    REQUIRE(whole);
    CHECK(whole->items.size() == 1);
    CHECK(whole->resource_version == "9");
    CHECK(the.net->seen[2].target == "/api/v1/namespaces/ns/pods");
}

TEST_CASE("client: responses beyond the limits are corrupt", "[client][rest]")
{
    world the;
    client_options small;
    small.limits.max_answer_bytes = 10;
    small.limits.max_list_bytes = 10;
    auto c = the.make(credentials(), small);
    the.net->replies = {{.body = {"12345", "67890", "1"}}, {.body = {list_of("a", "1")}}, {.body = {"1234567890"}}};
    CHECK(the.run.run(c.get(pods, "ns", "a")).error().condition() == cond::corrupt);
    CHECK(the.run.run(c.list(pods, "ns")).error().condition() == cond::corrupt);
    request r;
    r.method = "GET";
    r.target = "/readyz";
    CHECK(the.run.run(c.raw(r))->body == "1234567890");
}

TEST_CASE("client: invalid names never reach the server", "[client][rest]")
{
    world the;
    auto c = the.make();
    for (const char* name : {"", ".", "..", "a/b", "a%2fb"})
        CHECK(the.run.run(c.get(pods, "ns", name)).error().condition() == cond::invalid);
    CHECK(the.net->seen.empty());
}

TEST_CASE("client: secrets appear in no failure and no log line", "[client][rest]")
{
    world the;
    the.net->replies = {
        {.status = 401}, {.status = 429, .headers = {{"retry-after", "1"}}}, {.hangs_before_head = true}};
    auto c = the.make({.token = "s3cr3t", .username = "u", .password = "s3cr3t"});
    std::string told;
    for (int i = 0; i < 3; ++i) told += the.run.run(c.get(pods, "ns", "a")).error().describe();
    for (const auto& line : the.lines) told += line;
    CHECK_FALSE(told.empty());
    CHECK(told.find("s3cr3t") == std::string::npos);
}

TEST_CASE("client: the server's warnings are logged", "[client][rest]")
{
    world the;
    the.net->replies = {{.body = {pod("a")}, .headers = {{"warning", "299 - \"old\nversion\""}}}};
    REQUIRE(the.run.run(the.make().get(pods, "ns", "a")));
    REQUIRE(the.lines.size() == 1);
    CHECK(the.lines[0].find("old version") != std::string::npos);
}

TEST_CASE("client: discovery with aggregated documents, and without them", "[client][discovery]")
{
    world the;
    auto c = the.make();
    the.net->replies = {{.body = {test::body_of("aggregated_api.json")}},
                        {.body = {test::body_of("aggregated_apis.json")}}};
    CHECK(the.run.run(find_resource(c, "deploy"))->api_version() == "apps/v1");
    CHECK(the.net->seen.size() == 2);
    CHECK(the.net->seen[0].accept.find("APIGroupDiscoveryList") != std::string::npos);

    const std::string groups =
        R"({"kind":"APIGroupList","groups":[{"name":"gone","versions":[{"groupVersion":"gone/v1"}]},
        {"name":"apps","versions":[{"groupVersion":"apps/v1"}],"preferredVersion":{"groupVersion":"apps/v1"}}]})";
    the.net->seen.clear();
    the.net->replies = {{.status = 406, .body = {"no"}},          {.body = {test::body_of("api.json")}},
                        {.body = {test::body_of("api_v1.json")}}, {.body = {groups}},
                        {.status = 503, .body = {"down"}},        {.body = {test::body_of("apis_apps_v1.json")}}};
    auto all = the.run.run(discover(c));
    REQUIRE(all);
    CHECK(all->resources.front().type.plural == "bindings");
    CHECK(all->resources.back().type.group == "apps");
    CHECK(the.net->seen[5].target == "/apis/apps/v1");

    the.net->replies = {{.status = 403, .body = {"no"}}};
    CHECK(the.run.run(find_resource(c, "pods")).error().condition() == cond::forbidden);
    the.net->replies = {{.body = {"not json"}}};
    CHECK(the.run.run(find_resource(c, "pods")).error().condition() == cond::corrupt);
    the.net->replies = {{.body = {pod("a")}}};
    CHECK(the.run.run(find_resource(c, "pods")).error().target() == "/api");
}

TEST_CASE("client: cancelled or destroyed at any step", "[client][rest]")
{
    const auto make = [](testing::runner& run) {
        auto net = std::make_shared<scripted_transport>();
        net->replies = {{.status = 429, .body = {"x"}, .headers = {{"retry-after", "1"}}},
                        {.body = {list_of("a", "7", "t1").substr(0, 30), list_of("a", "7", "t1").substr(30)}},
                        {.body = {list_of("b", "7")}},
                        {.body = {R"({"type":"ADDED","object":)" + pod("a") + "}\n"}}};
        client_options o;
        o.time = run.shared_clock();
        auto body = [](client c) -> asio::awaitable<result<>> {
            auto all = co_await c.list_all(pods, "ns");
            if (!all) co_return all.error();
            auto stream = co_await c.watch(pods, "ns");
            if (!stream) co_return stream.error();
            for (;;) {
                auto batch = co_await (*stream)->next();
                if (!batch) co_return batch.error();
                if (batch->empty()) co_return result<>{};
            }
        };
        return testing::scenario{body(client(run.executor(), net, o))};
    };
    auto stopped = testing::stop_after_every_step(make);
    REQUIRE(stopped);
    CHECK(*stopped > 10);
    auto cancelled = testing::cancel_after_every_step(make, [](const result<>& r) {
        if (!r) CHECK(r.error().condition() == cond::cancelled);
    });
    REQUIRE(cancelled);
}

namespace {

template<class T>
asio::awaitable<result<>> note_throw(asio::awaitable<result<T>> operation, std::shared_ptr<bool> threw)
{
    const auto before = co_await asio::this_coro::cancellation_state;
    if (before.cancelled() != asio::cancellation_type::none) co_return failure(cond::cancelled);
    try {
        auto outcome = co_await std::move(operation);
        if (!outcome) co_return outcome.error();
    } catch (...) {
        *threw = true;
    }
    co_return result<>{};
}

} // namespace

TEST_CASE("client: a cancelled operation returns a failure, whatever step it was cancelled at", "[client][rest]")
{
    const int operation = GENERATE(0, 1, 2);
    const auto threw = std::make_shared<bool>(false);
    const auto attempts = testing::cancel_after_every_step(
        [&](testing::runner& run) {
            auto net = std::make_shared<scripted_transport>();
            net->replies = {{.status = 429, .body = {"x"}, .headers = {{"retry-after", "1"}}}, {.body = {pod("a")}}};
            client_options o;
            o.time = run.shared_clock();
            const client c(run.executor(), net, o);
            if (operation == 0)
                return testing::scenario{note_throw(c.update(pods, "ns", "a", json_text(pod("a"))), threw)};
            const request r{.method = "GET", .target = "/version"};
            if (operation == 1) return testing::scenario{note_throw(c.raw(r), threw)};
            return testing::scenario{note_throw(c.send(r), threw)};
        },
        [](const result<>&) {});
    REQUIRE(attempts);
    CHECK(*attempts > 3);
    CHECK_FALSE(*threw);
}
