// Tests of pod logs: what a query selects, streams that follow, bounds, and errors.
#include "support.hpp"

using namespace kubecoro;
using namespace kubecoro::test;
using apiserver::log_change;

namespace {

const std::string pods = "/api/v1/namespaces/default/pods";

std::string pod_json(const std::string& name, const std::string& containers, const std::string& more = {})
{
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"containers":[)" + containers + "]" + more + "}}";
}

/// A server with pod "p", whose only container is "main".
struct with_pod : server
{
    explicit with_pod(apiserver::cluster_options options = {}) : server(options)
    {
        expect(201, "POST", pods, pod_json("p", R"({"name":"main","image":"i"})"));
    }
    void append(const std::string& text, log_change how = log_change::append)
    {
        const auto written = state.write_log({"default", "p"}, how, text, now);
        REQUIRE(written.has_value());
    }
    std::string log(const std::string& query = {})
    {
        const auto r = get(pods + "/p/log" + query);
        INFO(r.body);
        REQUIRE(r.status == 200);
        CHECK(r.header("content-type") == "text/plain");
        return r.body;
    }
    std::string refused(int status, const std::string& query)
    {
        return std::string(expect(status, "GET", pods + "/p/log" + query).at("message").as_string());
    }
};

std::string drained(apiserver::watch_body& stream, wall_time now, std::size_t max_bytes = 1 << 20)
{
    std::string out;
    while (true) {
        const auto part = stream.next(now, max_bytes);
        for (const auto& piece : part.lines) out += *piece;
        if (part.ended) return out + "<end>";
        if (!part.more) return out;
    }
}

} // namespace

TEST_CASE("logs: a query selects lines by their number, time and bytes", "[apiserver][logs]")
{
    with_pod s;
    CHECK(s.log().empty());
    s.append("one\ntwo\n");
    s.now += std::chrono::seconds{60};
    s.append("three\n");
    CHECK(s.log() == "one\ntwo\nthree\n");
    CHECK(s.log("?container=main") == "one\ntwo\nthree\n");
    CHECK(s.log("?tailLines=2") == "two\nthree\n");
    CHECK(s.log("?tailLines=0").empty());
    CHECK(s.log("?tailLines=9") == "one\ntwo\nthree\n");
    CHECK(s.log("?sinceSeconds=1") == "three\n");
    CHECK(s.log("?sinceSeconds=60") == "one\ntwo\nthree\n");
    CHECK(s.log("?sinceSeconds=9223372036854775807") == "one\ntwo\nthree\n");
    CHECK(s.log("?sinceTime=2026-11-21T06:00:30Z") == "three\n");
    CHECK(s.log("?limitBytes=5") == "one\nt");
    CHECK(s.log("?limitBytes=5&tailLines=1") == "three");
    CHECK(s.log("?timestamps=true&tailLines=1") == "2026-11-21T06:01:00.000000000Z three\n");
}

TEST_CASE("logs: a line may be written in parts, and only its beginning has a time", "[apiserver][logs]")
{
    with_pod s;
    s.now += std::chrono::milliseconds{7};
    s.append("a");
    s.append("b\nc\n");
    CHECK(s.log() == "ab\nc\n");
    CHECK(s.log("?timestamps=1") == "2026-11-21T06:00:00.007000000Z ab\n2026-11-21T06:00:00.007000000Z c\n");
}

TEST_CASE("logs: what cannot be read is refused with the words of a kube-apiserver", "[apiserver][logs]")
{
    with_pod s;
    s.expect(201, "POST", pods,
             pod_json("two", R"({"name":"a","image":"i"},{"name":"b","image":"i"})",
                      R"(,"initContainers":[{"name":"first","image":"i"}])"));
    const auto message = [&](int status, const std::string& target) {
        return std::string(s.expect(status, "GET", target).at("message").as_string());
    };
    CHECK(message(400, pods + "/two/log") == "a container name must be specified for pod two, choose one of: [a b] or "
                                             "one of the init containers: [first]");
    CHECK(s.get(pods + "/two/log?container=b").status == 200);
    CHECK(s.get(pods + "/two/log?container=first").status == 200);
    CHECK(message(400, pods + "/two/log?container=no") == "container no is not valid for pod two");
    CHECK(message(404, pods + "/none/log") == R"(pods "none" not found)");
    CHECK(s.refused(400, "?previous=true") == R"(previous terminated container "main" in pod "p" not found)");
    CHECK(s.refused(422, "?tailLines=-1") ==
          R"(PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0)");
    CHECK(s.refused(422, "?limitBytes=0") ==
          R"(PodLogOptions "p" is invalid: limitBytes: Invalid value: 0: must be greater than 0)");
    CHECK(s.refused(422, "?sinceSeconds=0") ==
          R"(PodLogOptions "p" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0)");
    CHECK(s.refused(422, "?sinceSeconds=1&sinceTime=2026-11-21T06:00:30Z").ends_with("may be specified"));
    CHECK(s.refused(400, "?tailLines=x") == R"(strconv.ParseInt: parsing "x": invalid syntax)");
    CHECK(s.refused(400, "?sinceTime=x").starts_with(R"(parsing time "x")"));
    s.expect(405, "PUT", pods + "/p/log");
    s.expect(404, "GET", "/api/v1/namespaces/default/configmaps/p/log");
    s.token = "bob";
    s.expect(403, "GET", pods + "/p/log");
    s.access.add_rule({true, "bob", "get", "pods/log"});
    CHECK(s.get(pods + "/p/log").status == 200);
}

TEST_CASE("logs: a stream follows what is appended, until the container ends", "[apiserver][logs]")
{
    with_pod s;
    s.append("old\n");
    const auto stream = s.watch(pods + "/p/log?follow=true");
    CHECK(stream->resource() == "pods/log");
    CHECK(drained(*stream, s.now) == "old\n");
    CHECK(drained(*stream, s.now).empty());
    std::vector<std::string> changed;
    s.state.on_change([&](std::string_view resource) { changed.emplace_back(resource); });
    s.append("new\n");
    CHECK(changed == std::vector<std::string>{"pods/log"});
    CHECK(drained(*stream, s.now) == "new\n");
    s.append("last\n", log_change::end);
    s.append("too late\n");
    CHECK(drained(*stream, s.now) == "last\n<end>");
    CHECK(drained(*s.watch(pods + "/p/log?follow=true&tailLines=1"), s.now) == "last\n<end>");
}

TEST_CASE("logs: a stream ends at its limit, and with its pod", "[apiserver][logs]")
{
    with_pod s;
    const auto limited = s.watch(pods + "/p/log?follow=true&limitBytes=4");
    const auto unlimited = s.watch(pods + "/p/log?follow=true");
    s.append("abc\ndef\n");
    CHECK(drained(*limited, s.now) == "abc\n<end>");
    CHECK(drained(*unlimited, s.now, 1) == "abc\ndef\n");
    s.expect(200, "DELETE", pods + "/p");
    CHECK(drained(*unlimited, s.now) == "<end>");
    CHECK(s.state.logs().bytes() == 0);
    s.expect(201, "POST", pods, pod_json("p", R"({"name":"main","image":"i"})"));
    CHECK(s.log().empty());
}

TEST_CASE("logs: the log before a restart is the previous one", "[apiserver][logs]")
{
    with_pod s;
    s.append("first\n");
    const auto followed = s.watch(pods + "/p/log?follow=true");
    s.append("", log_change::restart);
    s.append("second\n");
    CHECK(drained(*followed, s.now) == "first\n<end>");
    CHECK(s.log() == "second\n");
    CHECK(s.log("?previous=true") == "first\n");
    CHECK(drained(*s.watch(pods + "/p/log?previous=true&follow=true"), s.now) == "first\n<end>");
    s.append("third\n", log_change::restart);
    CHECK(s.log("?previous=true") == "second\n");
}

TEST_CASE("logs: memory is bounded per container and in total", "[apiserver][logs]")
{
    apiserver::cluster_options options;
    options.logs = {1000, 1500};
    with_pod s{options};
    s.expect(201, "POST", pods, pod_json("q", R"({"name":"main","image":"i"})"));
    const auto slow = s.watch(pods + "/p/log?follow=true");
    for (int i = 100; i < 200; ++i) s.append(std::to_string(i) + "\n");
    CHECK(s.state.logs().bytes() <= 1000);
    const auto kept = s.log();
    CHECK(kept.ends_with("198\n199\n"));
    CHECK(kept.size() < 400);
    CHECK(drained(*slow, s.now) == kept); // what was dropped is skipped
    for (int i = 0; i < 100; ++i)
        REQUIRE(s.state.write_log({"default", "q"}, log_change::append, "x\n", s.now).has_value());
    CHECK(s.state.logs().bytes() <= 1500);
    CHECK(s.log().size() < kept.size());
    s.append(std::string(2000, 'x')); // larger than the bound
    CHECK(s.log().empty());
    CHECK(s.state.logs().bytes() <= 1500);
}

TEST_CASE("logs: the longest runs lose lines, until all are within the total", "[apiserver][logs]")
{
    constexpr std::size_t entry = sizeof(apiserver::log_entry) + 2; // "x\n"
    apiserver::container_logs logs({1'000 * entry, 10 * entry});
    const auto append = [&](const std::string& uid, int lines) {
        for (int i = 0; i < lines; ++i) logs.append(uid, "c", "x\n", {});
    };
    const auto kept = [&](const std::string& uid) {
        const auto run = logs.open(uid, "c");
        return run->last() - run->first();
    };
    append("a", 6);
    append("b", 4);
    append("c", 3); // takes all of them from the longest
    CHECK(kept("a") == 4);
    CHECK(kept("b") == 3);
    CHECK(kept("c") == 3);
    append("c", 4); // among logs of equal length, the current one is trimmed
    CHECK(kept("a") == 4);
    CHECK(kept("b") == 3);
    CHECK(kept("c") == 3);
    CHECK(logs.bytes() == 10 * entry);
    logs.restart("a", "c");
    append("a", 2);
    CHECK(logs.previous("a", "c")->last() - logs.previous("a", "c")->first() == 3);
    logs.restart("a", "c"); // drops the run before
    CHECK(logs.bytes() == (kept("b") + kept("c") + 2) * entry);
    for (const char* uid : {"a", "b", "c"}) logs.forget(uid);
    CHECK(logs.bytes() == 0);
    append("d", 20);
    CHECK(kept("d") == 10);
}

TEST_CASE("logs: the cost of dropping a line does not grow with the runs", "[apiserver][logs]")
{
    // Takes minutes if all runs are looked at for each line.
    constexpr int runs = 50'000;
    constexpr std::size_t entry = sizeof(apiserver::log_entry) + 1;
    apiserver::container_logs logs({1'000'000 * entry, 2 * runs * entry});
    for (int i = 0; i < runs; ++i) logs.append(std::to_string(i), "c", "\n\n", {});
    CHECK(logs.bytes() == 2 * runs * entry);
    logs.append("one", "c", std::string(runs, '\n'), {});
    for (int i = 0; i < runs; ++i) logs.append(std::to_string(i), "c", "\n\n\n\n", {});
    CHECK(logs.bytes() == 2 * runs * entry);
}

TEST_CASE("logs: a POST appends, ends and restarts, for tests outside the server's process", "[apiserver][logs]")
{
    with_pod s;
    s.expect(200, "POST", pods + "/p/log", "one\n");
    CHECK(s.log() == "one\n");
    s.expect(200, "POST", pods + "/p/log?restart=true", "two\n");
    CHECK(s.log() == "two\n");
    s.expect(200, "POST", pods + "/p/log?end=true&container=main", "three\n");
    CHECK(drained(*s.watch(pods + "/p/log?follow=true"), s.now) == "two\nthree\n<end>");
    s.expect(400, "POST", pods + "/p/log?container=no", "x");
    s.token = "bob";
    s.access.add_rule({true, "bob", "get", "pods/log"});
    s.expect(403, "POST", pods + "/p/log", "x");
}
