// Logs that are followed across broken streams: the place is found again, and the end of the container is noticed.
#include "rest/log_core.hpp"
#include "rest/log_resume_core.hpp"
#include "rest_fixture.hpp"

#include <kubecoro/client/followed_log.hpp>

#include <cstdio>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::rest_test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

/// A line in a node's file.
struct entry
{
    int second;
    int nanos;
    std::string text;
};

std::string stamped(const entry& e)
{
    char time[48];
    std::snprintf(time, sizeof time, "2026-11-23T21:49:%02d.%09dZ ", e.second, e.nanos);
    return time + e.text + "\n";
}

/// The text that a node sends: it compares times by the second.
std::string sent(const std::vector<entry>& file, const std::string& since, std::size_t left_out = 0)
{
    const int from = since.empty() ? 0 : std::stoi(since.substr(17, 2));
    std::string out;
    for (std::size_t i = left_out; i < file.size(); ++i)
        if (file[i].second >= from) out += stamped(file[i]);
    return out;
}

/// The lines that are shown when streams break after these numbers of bytes, and the last one does not.
std::string shown(const std::vector<entry>& file, const std::vector<std::size_t>& cuts, std::size_t left_out = 0,
                  bool with_times = false)
{
    log_resume_core core(with_times);
    std::string out;
    for (std::size_t stream = 0; stream <= cuts.size(); ++stream) {
        const auto since = core.since_time();
        // Only the first stream leaves lines out.
        auto text = sent(file, since, since.empty() ? left_out : 0);
        const bool last = stream == cuts.size();
        if (!last) text.resize(std::min(text.size(), cuts[stream]));
        log_lines lines(40);
        std::vector<log_line> arrived;
        lines.feed(text, arrived);
        lines.finish(!last, arrived);
        for (auto& line : arrived)
            for (const auto& passed : core.take(std::move(line))) out += passed.text + (passed.whole ? "\n" : "");
        if (!last) core.reconnect();
    }
    for (const auto& rest : core.finish()) out += rest.text;
    return out;
}

std::string texts(const std::vector<entry>& file, std::size_t left_out = 0, bool with_times = false)
{
    std::string out;
    for (std::size_t i = left_out; i < file.size(); ++i) out += with_times ? stamped(file[i]) : file[i].text + "\n";
    return out;
}

// Equal times, equal lines, lines that are older than the one before, an empty one, and one of several pieces.
const std::vector<entry> file{{1, 0, "one"},   {1, 500, "two"},
                              {1, 500, "two"}, {1, 400, "older"},
                              {1, 900, ""},    {2, 0, std::string(100, 'x') + "y"},
                              {2, 0, "three"}, {1, 999, "older still"},
                              {2, 5, "four"},  {4, 0, "last"}};

} // namespace

TEST_CASE("log resume: wherever a stream breaks, no line is lost and none is repeated", "[client][log]")
{
    const auto whole = sent(file, "").size();
    for (const bool with_times : {false, true})
        for (std::size_t cut = 0; cut <= whole; ++cut) {
            INFO("cut at " << cut);
            CHECK(shown(file, {cut}, 0, with_times) == texts(file, 0, with_times));
        }
    for (std::size_t first = 0; first <= whole; first += 7)
        for (std::size_t second = 0; second <= whole; second += 3) {
            INFO("cut at " << first << " and " << second);
            CHECK(shown(file, {first, second, second}) == texts(file));
        }
}

TEST_CASE("log resume: lines that the first stream left out stay out", "[client][log]")
{
    for (std::size_t left_out = 1; left_out < file.size(); ++left_out) {
        // Two equal lines of one time look the same, and a line out of order cannot mark the beginning.
        if (left_out == 2 || left_out == 3 || left_out == 7) continue;
        const auto whole = sent(file, "", left_out).size();
        for (std::size_t cut = stamped(file[left_out]).size(); cut <= whole; ++cut) {
            INFO(left_out << " left out, cut at " << cut);
            CHECK(shown(file, {cut}, left_out) == texts(file, left_out));
        }
    }
}

TEST_CASE("log resume: a file that was rotated has only newer lines", "[client][log]")
{
    log_resume_core core(false);
    CHECK(core.since_time().empty());
    for (const auto& e : {entry{7, 1, "a"}, entry{7, 2, "b"}}) {
        auto text = stamped(e);
        text.pop_back();
        CHECK(core.take({text, true}).size() == 1);
    }
    CHECK(core.since_time() == "2026-11-23T21:49:06Z");
    core.reconnect();
    auto news = stamped({7, 3, "c"});
    news.pop_back();
    CHECK(core.take({news, true}) == std::vector<log_line>{{"c", true}});
    // A message of the node has no time.
    CHECK(core.take({"unable to retrieve container logs", true}).size() == 1);
}

namespace {

const std::string log_path = "/api/v1/namespaces/web/pods/p/log?container=c&";
const std::vector<std::pair<std::string, std::string>> plain{{"content-type", "text/plain"}};
const failure broke(cond::unreachable, "the connection broke");

reply pod_with(const std::string& status, const std::string& uid = "u-1")
{
    return {.body = {R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"web","uid":")" + uid +
                     R"("},"spec":{"containers":[{"name":"c"}]},"status":{)" + status + "}}"}};
}

std::string container(const std::string& id, const std::string& state, const std::string& last = "")
{
    const auto last_state = last.empty() ? "" : R"(,"lastState":{"terminated":{"containerID":")" + last + "\"}}";
    return R"("containerStatuses":[{"name":"c","containerID":")" + id + R"(","state":{")" + state + "\":{}}" +
           last_state + "}]";
}

const reply runs = pod_with(container("r1", "running"));
const reply ended = pod_with(container("r1", "terminated"));
const reply gone{.status = 404, .body = {R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404})"}};
const reply forbidden{.status = 403,
                      .body = {R"({"kind":"Status","status":"Failure","reason":"Forbidden","code":403})"}};

reply text(const std::string& lines) { return {.body = {lines}, .headers = plain}; }
reply cut(const std::string& lines) { return {.body = {lines}, .headers = plain, .broken = broke}; }

asio::awaitable<result<std::string>> read_all(client c, log_options o)
{
    followed_log log(std::move(c), "web", "p", o);
    std::string out;
    for (;;) {
        auto waiting = log.next();
        const auto lines = co_await std::move(waiting);
        if (!lines) {
            auto again = log.next();
            const auto same = co_await std::move(again);
            CHECK(same.error() == lines.error().condition());
            co_return lines.error();
        }
        if (lines->empty()) co_return out;
        for (const auto& line : *lines) out += line.text + (line.whole ? " " : "\\");
    }
}

const std::string a = stamped({5, 1, "a"}), b = stamped({5, 2, "b"}), d = stamped({6, 0, "d"});

} // namespace

TEST_CASE("client: a followed log goes on where it broke, until the container ends", "[client][log]")
{
    world the;
    log_options o{.container = "c", .tail_lines = 2};
    the.net->replies = {runs, cut(a + b.substr(0, 20)), runs, text(a + b), runs, text(a + b + d), ended};
    CHECK(the.run.run(read_all(the.make(), o)).value() == "a b d ");
    CHECK(the.net->seen[1].target == log_path + "follow=true&tailLines=2&timestamps=true");
    CHECK(the.net->seen[3].target == log_path + "follow=true&sinceTime=2026-11-23T21%3A49%3A04Z&timestamps=true");
    CHECK(the.net->seen.size() == 7);
}

TEST_CASE("client: the last lines of a container that ended meanwhile are read", "[client][log]")
{
    const auto read = [](const reply& now, const reply& rest, std::string* target = nullptr) {
        world the;
        log_options o{.container = "c"};
        the.net->replies = {runs, cut(a), now, rest};
        auto all = the.run.run(read_all(the.make(), o));
        CHECK(the.net->replies.empty());
        if (target) *target = the.net->seen.back().target;
        return all ? *all : all.error().describe();
    };
    std::string target;
    CHECK(read(ended, text(a + b), &target) == "a b ");
    CHECK(target == log_path + "sinceTime=2026-11-23T21%3A49%3A04Z&timestamps=true");
    // Restarted: the rest is in the log of the previous run.
    CHECK(read(pod_with(container("r2", "running", "r1")), text(a + b), &target) == "a b ");
    CHECK(target == log_path + "previous=true&sinceTime=2026-11-23T21%3A49%3A04Z&timestamps=true");
    CHECK(read(pod_with(container("r2", "running", "r1")), gone) == "a ");
}

TEST_CASE("client: a followed log ends with its container or pod", "[client][log]")
{
    const auto read = [](std::deque<reply> replies) {
        world the;
        log_options o{.container = "c"};
        the.net->replies = std::move(replies);
        auto all = the.run.run(read_all(the.make(), o));
        CHECK(the.net->replies.empty());
        return all ? *all : std::string(to_string(all.error().condition()));
    };
    CHECK(read({runs, text(a), ended}) == "a ");
    CHECK(read({runs, text(a), pod_with(container("r2", "running", "r1"))}) == "a ");
    CHECK(read({runs, cut(a), gone}) == "a ");
    CHECK(read({runs, cut(a), pod_with(container("r9", "running"), "u-2")}) == "a ");
    CHECK(read({runs, cut(a), pod_with(container("r9", "running", "r8"))}) == "a ");
    // The piece that broke off is shown if it does not come again.
    CHECK(read({runs, cut(a + b.substr(0, b.size() - 1)), gone}) == "a b\\");
    // Without a status an orderly end is that of the container.
    CHECK(read({pod_with(""), text(a), pod_with("")}) == "a ");
    CHECK(read({pod_with(""), cut(a), pod_with(""), text(a + b), pod_with("")}) == "a b ");
    CHECK(read({forbidden, cut(a), forbidden, text(a + b), forbidden}) == "a b ");
    CHECK(read({gone}) == "not_found");
    CHECK(read({runs, gone}) == "not_found");
    CHECK(read({runs, cut(a), runs, forbidden}) == "forbidden");
}

TEST_CASE("client: a log without lines goes on from its age", "[client][log]")
{
    const auto second_request = [](log_options o) {
        world the;
        o.container = "c";
        the.net->replies = {runs, {.headers = plain, .broken = broke}, runs, text(""), ended};
        CHECK(the.run.run(read_all(the.make(), o)));
        return the.net->seen.at(3).target;
    };
    log_options o;
    CHECK(second_request(o) == log_path + "follow=true&timestamps=true");
    o.tail_lines = 0;
    CHECK(second_request(o).find("sinceSeconds=2&") != std::string::npos);
    CHECK(second_request(o).find("tailLines") == std::string::npos);
    o.since = 60s;
    o.tail_lines = 3;
    CHECK(second_request(o) == log_path + "follow=true&sinceSeconds=62&tailLines=3&timestamps=true");
}

TEST_CASE("client: a followed log waits for its server without a limit", "[client][log]")
{
    world the;
    log_options o{.container = "c"};
    the.net->replies = {runs, cut(a)};
    auto reading = the.run.spawn(read_all(the.make(), o));
    the.run.advance(1h);
    const auto attempts = the.net->seen.size();
    CHECK(attempts > 250);
    CHECK(attempts < 1000);
    the.net->replies = {runs, text(a + b), ended};
    the.run.advance(1min);
    CHECK(the.net->replies.empty());
}

TEST_CASE("client: a bounded or previous log is not continued", "[client][log]")
{
    world the;
    log_options o{.container = "c", .limit_bytes = 5};
    the.net->replies = {text("12345"), cut("1")};
    CHECK(the.run.run(read_all(the.make(), o)).value() == "12345 ");
    log_options previous{.container = "c", .previous = true};
    const auto why = the.run.run(read_all(the.make(), previous));
    CHECK(why.error() == cond::unreachable);
    CHECK(the.net->seen.back().target == log_path + "follow=true&previous=true");
}

namespace {

std::function<testing::scenario(testing::runner&)> followed()
{
    return [](testing::runner& run) {
        auto net = std::make_shared<scripted_transport>();
        net->time = run.shared_clock();
        net->replies = {runs, cut(a), runs, text(a + b), ended};
        client_options o;
        o.time = run.shared_clock();
        log_options how{.container = "c"};
        auto whole = [](client c, log_options options) -> asio::awaitable<result<>> {
            auto all = co_await read_all(std::move(c), std::move(options));
            if (!all) co_return all.error();
            co_return result<>{};
        };
        return testing::scenario{.body = whole(client(run.executor(), net, o), how), .fixture = net};
    };
}

} // namespace

TEST_CASE("client: a followed log may be destroyed and cancelled at every step", "[client][log]")
{
    CHECK(testing::stop_after_every_step(followed()).value() > 5);
    int cancelled = 0;
    CHECK(testing::cancel_after_every_step(followed(), [&](const result<>& outcome) {
              if (outcome) return;
              CHECK(outcome.error() == cond::cancelled);
              ++cancelled;
          }).value() > 5);
    CHECK(cancelled > 0);
}
