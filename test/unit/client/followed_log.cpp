// Logs that are followed across broken streams: the place is found again, and the end of the container is noticed.
#include "rest/log_core.hpp"
#include "rest_fixture.hpp"

#include <kubecoro/client/log_stream.hpp>

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

/// The text that a node sends.
std::string sent(const std::vector<entry>& file, std::size_t left_out = 0)
{
    std::string out;
    for (std::size_t i = left_out; i < file.size(); ++i) out += stamped(file[i]);
    return out;
}

/// The lines that are shown when streams break after these numbers of bytes, and the last one does not.
std::string shown(const std::vector<entry>& file, const std::vector<std::size_t>& cuts, std::size_t left_out = 0,
                  bool with_times = false)
{
    log_resume_core core(with_times, 40);
    std::string out;
    for (std::size_t stream = 0; stream <= cuts.size(); ++stream) {
        const bool first = core.remembered() == 0;
        // Only the first stream leaves lines out.
        auto text = sent(file, first ? left_out : 0);
        core.reconnect(first ? log_start::fresh : left_out == 0 ? log_start::within : log_start::anywhere);
        const bool last = stream == cuts.size();
        if (!last) text.resize(std::min(text.size(), cuts[stream]));
        log_lines lines(80);
        std::vector<log_line> arrived;
        lines.feed(text, arrived);
        lines.finish(!last, arrived);
        for (auto& line : arrived)
            for (const auto& passed : core.take(std::move(line))) out += passed.text + (passed.whole ? "\n" : "");
    }
    for (const auto& rest : core.finish(true)) out += rest.text;
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
    const auto whole = sent(file).size();
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
        // The first line that is shown and the one before it look the same.
        if (left_out == 2) continue;
        const auto whole = sent(file, left_out).size();
        for (std::size_t cut = stamped(file[left_out]).size(); cut <= whole; ++cut) {
            INFO(left_out << " left out, cut at " << cut);
            CHECK(shown(file, {cut}, left_out) == texts(file, left_out));
        }
    }
}

namespace {

/// The lines that come out of these, of a stream that begins so.
std::string passed_on(log_resume_core& core, log_start how, const std::vector<entry>& lines)
{
    std::string out;
    core.reconnect(how);
    for (const auto& e : lines) {
        auto line = stamped(e);
        line.pop_back();
        for (const auto& passed : core.take({line, true})) out += passed.text + " ";
    }
    return out;
}

const entry one{7, 1, "a"}, two{7, 1, "b"}, three{6, 9, "c"}, four{7, 1, "d"};

} // namespace

TEST_CASE("log resume: a stream that does not begin within the known lines is not used", "[client][log]")
{
    log_resume_core core(false, 40);
    CHECK(core.remembered() == 0);
    CHECK(passed_on(core, log_start::within, {one, two}) == "a b ");
    CHECK(core.remembered() == 2);
    CHECK(passed_on(core, log_start::within, {three, four}).empty());
    CHECK(core.lost());
    CHECK_FALSE(core.in_place());
    CHECK(passed_on(core, log_start::anywhere, {three, four}).empty());
    CHECK_FALSE(core.lost());
    CHECK_FALSE(core.in_place());
    CHECK(passed_on(core, log_start::anywhere, {four, one, two, three}) == "c ");
    CHECK(core.in_place());
    // The node has removed the first ones.
    CHECK(passed_on(core, log_start::anywhere, {two, three, four}) == "d ");
    CHECK(passed_on(core, log_start::fresh, {one}) == "a ");
    // A message of the node has no time.
    CHECK(core.take({"unable to retrieve container logs", true}).size() == 1);
}

TEST_CASE("log resume: of equal lines, as many are old as were passed on", "[client][log]")
{
    for (std::size_t known = 1; known < 5; ++known)
        for (std::size_t more = 0; more < 3; ++more) {
            log_resume_core core(false, 40);
            (void)passed_on(core, log_start::fresh, std::vector<entry>(known, one));
            std::string expected;
            for (std::size_t i = 0; i < more; ++i) expected += "a ";
            CHECK(passed_on(core, log_start::within, std::vector<entry>(known + more, one)) == expected);
        }
}

TEST_CASE("log resume: lines differ that begin alike for 200 bytes, and memory has a limit", "[client][log]")
{
    log_resume_core core(false, 4000);
    const std::string long_text(200, 'x');
    CHECK(passed_on(core, log_start::fresh, {{1, 1, long_text + "1"}, {1, 1, long_text + "2"}}).size() == 404);
    CHECK(passed_on(core, log_start::within, {{1, 1, long_text + "2"}, {1, 1, long_text + "3"}}) == long_text + "3 ");
    for (int i = 0; i < 1200; ++i) (void)core.take({"2026-11-23T21:49:01Z " + std::to_string(i), true});
    CHECK(core.remembered() == 1000);
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
        const auto lines = co_await log.next();
        if (!lines) {
            const auto same = co_await log.next();
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
    CHECK(the.net->seen[3].target == log_path + "follow=true&tailLines=1&timestamps=true");
    CHECK(the.net->seen[5].target == log_path + "follow=true&tailLines=2&timestamps=true");
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
    CHECK(target == log_path + "timestamps=true");
    // Restarted: the rest is in the log of the previous run.
    CHECK(read(pod_with(container("r2", "running", "r1")), text(a + b), &target) == "a b ");
    CHECK(target == log_path + "previous=true&timestamps=true");
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

TEST_CASE("client: a log of which no line has come leaves none out later", "[client][log]")
{
    const auto second_request = [](log_options o) {
        world the;
        o.container = "c";
        the.net->replies = {runs, {.headers = plain, .broken = broke}, runs, text(a + b), ended};
        CHECK(the.run.run(read_all(the.make(), o)).value() == "a b ");
        return the.net->seen.at(3).target;
    };
    log_options o;
    CHECK(second_request(o) == log_path + "follow=true&timestamps=true");
    o.tail_lines = 1;
    CHECK(second_request(o) == log_path + "follow=true&timestamps=true");
    o.since = 60s;
    CHECK(second_request(o) == log_path + "follow=true&sinceSeconds=62&timestamps=true");
}

TEST_CASE("client: lines of equal times are all shown though the first stream had none", "[client][log]")
{
    world the;
    std::string eight;
    for (int i = 0; i < 8; ++i) eight += stamped({9 - i, 0, "l"}) + stamped({1, 0, "m"});
    for (const bool in_order : {false, true}) {
        the.net->replies = {runs, {.headers = plain}, runs, text(eight), ended};
        if (!in_order) the.net->replies[1].broken = broke;
        CHECK(the.run.run(read_all(the.make(), {.container = "c"})).value() == "l m l m l m l m l m l m l m l m ");
    }
}

TEST_CASE("client: without earlier lines the log goes on behind its present last one", "[client][log]")
{
    const auto read = [](std::deque<reply> replies) {
        world the;
        the.net->replies = std::move(replies);
        CHECK(the.run.run(read_all(the.make(), {.container = "c", .tail_lines = 0})).value() == "b d ");
        CHECK(the.net->replies.empty());
        CHECK(the.net->seen[1].target == log_path + "tailLines=1&timestamps=true");
        return the.net->seen.back().target.empty() ? std::string() : the.net->seen.at(the.net->seen.size() - 2).target;
    };
    CHECK(read({runs, text(a), text(a + b + d), ended}) == log_path + "follow=true&tailLines=1&timestamps=true");
    // The log was empty.
    CHECK(read({runs, text(""), text(b + d), ended}) == log_path + "follow=true&timestamps=true");
    // It was not read, or its last line had not ended.
    const reply nothing{.headers = plain, .broken = broke};
    CHECK(read({runs, nothing, runs, text(a), text(a + b + d), ended}).find("tailLines=1") != std::string::npos);
    CHECK(read({runs, text(a.substr(0, a.size() - 1)), runs, text(a), text(a + b + d), ended}).find("tailLines=1") !=
          std::string::npos);
}

TEST_CASE("client: a followed log searches its place if more lines were written than it asks for", "[client][log]")
{
    world the;
    log_options o{.container = "c", .tail_lines = 1};
    const auto e = stamped({3, 0, "e"});
    the.net->replies = {runs, cut(b), runs, text(d), text(a + b + e + d), runs, text(e + d), ended};
    CHECK(the.run.run(read_all(the.make(), o)).value() == "b e d ");
    CHECK(the.net->seen[4].target == log_path + "timestamps=true");
    CHECK(the.net->seen[6].target == log_path + "follow=true&tailLines=3&timestamps=true");
    // The node has the place no longer.
    the.net->seen.clear();
    the.net->replies = {runs, cut(b), runs, text(d), text(e + d), runs, text(e + d), ended};
    CHECK(the.run.run(read_all(the.make(), o)).value() == "b e d ");
    CHECK(the.net->seen[6].target == log_path + "follow=true&timestamps=true");
    // The next run does not have it.
    the.net->replies = {runs,           cut(b), runs, text(d), text(d), pod_with(container("r2", "running", "r1")),
                        text(a + b + e)};
    CHECK(the.run.run(read_all(the.make(), o)).value() == "b e ");
}

TEST_CASE("client: a line at which a stream ends in order is whole only where the log ends", "[client][log]")
{
    const auto read = [](std::deque<reply> replies) {
        world the;
        the.net->replies = std::move(replies);
        auto all = the.run.run(read_all(the.make(), {.container = "c"}));
        CHECK(the.net->replies.empty());
        return *all;
    };
    const auto begun = b.substr(0, b.size() - 1);
    const auto rest = begun + "eta";
    CHECK(read({runs, text(a + begun), runs, text(a + rest + "\n"), ended}) == "a beta ");
    CHECK(read({runs, text(a + begun), ended, text(a + rest)}) == "a beta ");
    CHECK(read({forbidden, text(a + begun), forbidden}) == "a b ");
}

TEST_CASE("client: a followed log has lines in pieces shorter than a time", "[client][log]")
{
    const auto read = [](log_options o) {
        world the;
        o.container = "c";
        o.max_line_bytes = 4;
        the.net->replies = {runs, cut(a + stamped({5, 2, "123456789"})), runs,
                            text(a + stamped({5, 2, "123456789"}) + d), ended};
        return *the.run.run(read_all(the.make(), o));
    };
    CHECK(read({}) == "a 1234\\5678\\9 d ");
    auto with_times = read({.timestamps = true});
    std::erase(with_times, '\\');
    CHECK(with_times == "2026-11-23T21:49:05.000000001Z a 2026-11-23T21:49:05.000000002Z 123456789 "
                        "2026-11-23T21:49:06.000000000Z d ");
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
