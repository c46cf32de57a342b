#include "report.hpp"
#include "tasks.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>

using namespace kubecoro::bench;
using namespace kubecoro::bench::controllers;

namespace {

const places nowhere{.programs = "/none", .peers = "/none", .work = "/none/work"};

row measured(const std::string& subject, const std::string& metric, double value)
{
    const cell what{.workload = "idle operator",
                    .subject = subject,
                    .data = "config maps",
                    .objects = 1'000,
                    .metric = metric,
                    .unit = "MB"};
    return {.what = what, .value = summarise({value})};
}

} // namespace

TEST_CASE("controllers tasks: every library a line, and a reason for what cannot run")
{
    const auto all = make_tasks({}, nowhere);
    CHECK(all.size() == 21); // two sizes, 1,000 controllers, two programs at rest, two failovers
    CHECK(std::all_of(all.begin(), all.end(), [](const task& t) { return !t.missing.empty(); }));
    const auto failover = make_tasks({.names = {"failover"}}, nowhere);
    REQUIRE(failover.size() == 6);
    CHECK(failover[2].missing == "kube-rs has no leader election");
    CHECK(failover[0].run.words ==
          std::vector<std::string>{"/none/kubecoro_bench_reconciler", "{kubeconfig}", "lead", "{lease}"});
}

TEST_CASE("controllers tasks: runs are repeated until there are enough of them")
{
    const auto tasks = make_tasks({.names = {"reconcile"}, .objects = {30}, .runs = 100}, nowhere);
    REQUIRE(tasks.size() == 3);
    for (const auto& t : tasks) {
        CHECK(t.again == 4);
        CHECK(t.served == 30);
        CHECK(t.run.cores == std::vector<int>{1});
    }
}

TEST_CASE("controllers tasks: rounds are interleaved, each begins with another library")
{
    const auto tasks = make_tasks({.names = {"reconcile"}, .objects = {10, 20}}, nowhere);
    const auto first = tasks_of_round(tasks, 0);
    const auto second = tasks_of_round(tasks, 1);
    REQUIRE(second.size() == 6);
    CHECK(first[0]->place.subject == "kubecoro");
    CHECK(second[0]->place.subject == "controller-runtime");
    CHECK(second[2]->place.subject == "kubecoro");
    CHECK(second[2]->place.objects == 10); // sizes are not mixed
}

TEST_CASE("controllers tasks: what has its rounds is not repeated")
{
    const auto tasks = make_tasks({.names = {"idle"}}, nowhere);
    const std::vector<row> rows{measured("kubecoro", "private", 9)};
    CHECK(without_finished(tasks, 1, rows).size() == 2);
    CHECK(without_finished(tasks, 2, rows).size() == 3);
}

TEST_CASE("controllers report: medians side by side, and ratios to both peers")
{
    const std::vector<row> rows{measured("kubecoro", "private", 10), measured("controller-runtime", "private", 40),
                                measured("kube-rs", "private", 20)};
    const auto t = comparison_of(rows);
    REQUIRE(t.lines.size() == 1);
    CHECK(t.lines[0] ==
          std::vector<std::string>{"idle operator, 1,000", "private MB", "10.0", "40.0", "20.0", "1/4.00", "1/2.00"});
    CHECK(controllers::terminal_report(rows).find("reached: 10.0 MB") != std::string::npos);
    CHECK(controllers_part({}, {}, {}).empty());
}
