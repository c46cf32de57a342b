#include "arrivals.hpp"
#include "plan.hpp"
#include "report.hpp"
#include "sockets.hpp"
#include "subjects.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>

using namespace kubecoro::bench;
using namespace kubecoro::bench::live;

namespace {

const std::vector<subject> some{
    {.name = "kubecoro/protobuf", .program = {}, .flags = {}, .namespaces = true},
    {.name = "kubecoro/json", .program = {}, .flags = {}, .custom = true},
    {.name = "client-go/protobuf", .program = {}, .flags = {}, .namespaces = true},
    {.name = "no informer", .program = {}, .flags = {}, .part = share::floor},
    {.name = "client-go/http2", .program = {}, .flags = {}, .part = share::requests},
    {.name = "no watches", .program = {}, .flags = {}, .part = share::requests_floor},
};

std::vector<std::string> names_of(const std::vector<session_plan>& sessions, std::string_view workload)
{
    std::vector<std::string> names;
    for (const auto& s : sessions)
        if (s.workload == workload) names.push_back(some[s.subject].name);
    return names;
}

row measured(const session_plan& s, std::size_t rounds)
{
    return {.what = s.cell_of(some, "wall", "s"), .value = summarise(std::vector<double>(rounds, 1))};
}

using list = std::vector<std::string>;

} // namespace

TEST_CASE("cluster plan: updates only with the fewest pods, custom resources only synced")
{
    const auto plan = live::make_plan({.pods = {50, 20}, .widgets = 10, .requests = 0}, some);
    REQUIRE(plan.size() == 3);
    CHECK(plan[0].objects == 20);
    CHECK(plan[1].objects == 50);
    CHECK(plan[2].resource == "widgets");
    CHECK(names_of(plan[0].sessions, "sync") == list{"kubecoro/protobuf", "kubecoro/json", "client-go/protobuf"});
    CHECK(names_of(plan[0].sessions, "updates-50") == list{"kubecoro/protobuf", "client-go/protobuf", "no informer"});
    CHECK(names_of(plan[0].sessions, "relist") == list{"kubecoro/protobuf", "client-go/protobuf"});
    CHECK(names_of(plan[1].sessions, "relist").empty());
    CHECK(names_of(plan[1].sessions, "updates-50").empty());
    CHECK(names_of(plan[2].sessions, "sync") == list{"kubecoro/json"});
    CHECK(names_of(plan[2].sessions, "latency").empty());
}

TEST_CASE("cluster plan: chosen workloads and subjects")
{
    const auto plan =
        live::make_plan({.names = {"updates-10"}, .subjects = {"kubecoro"}, .pods = {20}, .widgets = 10}, some);
    REQUIRE(plan.size() == 1);
    REQUIRE(plan[0].sessions.size() == 1);
    CHECK(plan[0].sessions[0].informers() == 10);
    CHECK(live::make_plan({.pods = {}, .widgets = 0, .requests = 0}, some).empty());
}

TEST_CASE("cluster plan: requests and watches have subjects of their own")
{
    const auto plan = live::make_plan({.pods = {}, .widgets = 0, .requests = 7}, some);
    REQUIRE(plan.size() == 1);
    CHECK(plan[0].resource == live::config_maps);
    CHECK(plan[0].objects == 7);
    CHECK(names_of(plan[0].sessions, "gets") == list{"client-go/http2"});
    CHECK(names_of(plan[0].sessions, "creates") == list{"client-go/http2"});
    CHECK(names_of(plan[0].sessions, "watches-100") == list{"client-go/http2", "no watches"});
    CHECK(names_of(plan[0].sessions, "sync").empty());
    CHECK(plan[0].sessions.front().watches() == 0);
    CHECK(plan[0].sessions.back().watches() == 100);
    CHECK(plan[0].sessions.back().informers() == 1);
    CHECK(live::make_plan({.names = {"gets"}, .pods = {20}, .widgets = 10, .requests = 0}, some).empty());
}

TEST_CASE("cluster plan: another subject begins each round, within its workload")
{
    const auto plan = live::make_plan({.names = {"sync", "latency"}, .pods = {20}, .widgets = 0}, some);
    const auto second = live::sessions_of_round(plan[0], 1);
    CHECK(names_of(second, "sync") == list{"kubecoro/json", "client-go/protobuf", "kubecoro/protobuf"});
    CHECK(names_of(second, "latency") == list{"client-go/protobuf", "kubecoro/protobuf"});
    CHECK(live::sessions_of_round(plan[0], 6) == plan[0].sessions);
    CHECK(plan[0].sessions[0].informers() == 1);
}

TEST_CASE("cluster plan: what has its rounds, or was given up, is not measured again")
{
    const auto plan = live::make_plan({.names = {"sync"}, .pods = {20}, .widgets = 0}, some);
    const auto& sessions = plan[0].sessions;
    auto slow = measured(sessions[2], 0);
    slow.missing = "gave up after 180 s";
    const auto rest = live::without_finished(plan, 3, some, {measured(sessions[0], 3), measured(sessions[1], 2), slow});
    REQUIRE(rest.size() == 1);
    CHECK(rest[0].sessions == std::vector<session_plan>{sessions[1]});
    CHECK(live::without_finished(rest, 2, some, {measured(sessions[1], 2)}).empty());
}

TEST_CASE("cluster: every target names subjects that exist")
{
    const auto subjects = live::all_subjects({}, {});
    auto known = [&](std::string_view name) {
        return std::any_of(subjects.begin(), subjects.end(), [&](const subject& s) { return s.name == name; });
    };
    std::vector<target> all(live::informer_targets().begin(), live::informer_targets().end());
    all.insert(all.end(), live::request_targets().begin(), live::request_targets().end());
    for (const auto& t : all) {
        CAPTURE(t.work, t.metric);
        CHECK(known(t.subject));
        CHECK(known(t.against));
        const auto& workloads = live::workload_names();
        CHECK(std::find(workloads.begin(), workloads.end(), t.workload) != workloads.end());
    }
}

TEST_CASE("cluster report: tables, and targets against peers")
{
    auto at = [](std::string subject, double wall) {
        return row{.what = {.workload = "sync",
                            .subject = std::move(subject),
                            .data = "pods",
                            .objects = 20'000,
                            .metric = "wall",
                            .unit = "s"},
                   .value = summarise({wall})};
    };
    const std::vector<row> rows{at("kubecoro/protobuf", 1.5), at("client-go/protobuf", 2)};
    const auto text = live::terminal_report(rows);
    CHECK(text.find("sync, 20,000 pods") != std::string::npos);
    CHECK(text.find("reached: 1.50 s = 1/1.33 of 2.00") != std::string::npos);
    CHECK(text.find("not measured") == std::string::npos);
    CHECK(live::informers_part(rows, {}, {}).find("not measured") != std::string::npos);
}

TEST_CASE("cluster report: requests have a part of their own, and what is not measured has none")
{
    auto per_cpu = [](std::string subject, double value) {
        return row{.what = {.workload = "gets",
                            .subject = std::move(subject),
                            .data = "configmaps",
                            .objects = 1'500,
                            .metric = "per_cpu_1",
                            .unit = "requests/s"},
                   .value = summarise({value})};
    };
    const std::vector<row> rows{per_cpu("kubecoro/protobuf", 9'000), per_cpu("client-go/http2", 5'000)};
    CHECK(live::informers_part(rows, {}, {}).empty());
    const auto part = live::requests_part(rows, {}, {});
    CHECK(part.find("NOT reached: 9,000 requests/s = 1.80x of 5,000") != std::string::npos);
    CHECK(part.find("sync") == std::string::npos);
    CHECK(live::requests_part({}, {}, {}).empty());
}

TEST_CASE("arrivals: from the answer of a write to its object")
{
    // The second write's object was replaced before it arrived; the third came before the answer.
    CHECK(times_after_answers("1 1000\n2 2000\n3 9000\n", "1 4000\n3 8000\n7 1\n") == std::vector<double>{3, -1});
    CHECK(times_after_answers({}, "1 2\n").empty());
    CHECK(quantile_of({3, 1, 2}, 0.5) == 2);
    CHECK(quantile_of({3, 1, 2}, 0.99) == 3);
    CHECK(quantile_of({}, 0.5) == 0);
}

TEST_CASE("sockets: the bytes of one process's connections")
{
    constexpr auto listing = "ESTAB 0 0 127.0.0.1:4000 127.0.0.1:6443 users:((\"subject\",pid=12,fd=7))\n"
                             "\t cubic rtt:0.1/0.1 bytes_sent:900 bytes_received:1000 segs_out:1\n"
                             "ESTAB 0 0 127.0.0.1:4001 127.0.0.1:6443 users:((\"other\",pid=123,fd=7))\n"
                             "\t cubic bytes_sent:900 bytes_received:5000 segs_out:1\n"
                             "ESTAB 0 0 127.0.0.1:4002 127.0.0.1:6443 users:((\"subject\",pid=12,fd=8))\n"
                             "\t cubic bytes_received:30\n";
    CHECK(bytes_received(listing, 12) == 1030);
    CHECK(bytes_received(listing, 123) == 5000);
    CHECK(bytes_received(listing, 1) == 0);
    CHECK(bytes_received({}, 12) == 0);
}
