#include "report.hpp"
#include "tasks.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>

using namespace kubecoro::bench;
using namespace kubecoro::bench::types;

namespace {

const places nowhere{.source = "/none",
                     .programs = "/none",
                     .kinds = "/none/include",
                     .peers = "/none",
                     .definitions = "/none",
                     .work = "/none/work"};

std::vector<std::string> subjects_of(const std::vector<const task*>& tasks, std::string_view workload)
{
    std::vector<std::string> out;
    for (const auto* t : tasks)
        if (t->place.workload == workload) out.push_back(t->place.subject);
    return out;
}

row measured(const task& t, const std::string& metric, const std::string& unit, std::vector<double> values)
{
    auto what = t.place;
    what.metric = metric;
    what.unit = unit;
    return {.what = what, .value = summarise(std::move(values))};
}

using list = std::vector<std::string>;

} // namespace

TEST_CASE("types tasks: what is chosen, and a reason for what cannot run")
{
    const auto pods = make_tasks({.names = {"pods"}, .pods = 7}, nowhere);
    REQUIRE(pods.size() == 5);
    for (const auto& t : pods) {
        CHECK(t.prints);
        CHECK(t.place.objects == 7);
        CHECK_FALSE(t.missing.empty());
    }
    CHECK(make_tasks({.names = {"generate"}}, nowhere).back().missing.starts_with("not fetched"));
    const auto compiled = make_tasks(
        {.names = {"compile"}, .compilers = {"no-such-compiler", "sh"}, .files = {"one_kind"}, .levels = {"O0"}},
        nowhere);
    REQUIRE(compiled.size() == 2);
    CHECK(compiled[0].missing == "not installed here");
    CHECK(compiled[1].missing.empty());
    CHECK(compiled[1].run.words.front().ends_with("/sh"));
    CHECK(compiled[1].output == compiled[1].run.words.back());
    // A cache of compilations would be measured otherwise.
    CHECK(compiled[1].run.environment == std::vector<std::pair<std::string, std::string>>{{"CCACHE_DISABLE", "1"}});
}

TEST_CASE("types tasks: another one begins each round, within its table")
{
    const auto tasks = make_tasks(
        {.names = {"pods", "compile"}, .compilers = {"sh"}, .files = {"one_kind", "ten_kinds"}, .levels = {"O0", "O2"}},
        nowhere);
    const auto second = tasks_of_round(tasks, 1);
    CHECK(subjects_of(second, "compile, sh -O0") == list{"ten kinds", "one kind"});
    CHECK(subjects_of(second, "compile, sh -O2") == list{"ten kinds", "one kind"});
    CHECK(subjects_of(second, "pods").front() == "kubecoro/json");
    CHECK(subjects_of(tasks_of_round(tasks, 5), "pods") == subjects_of(tasks_of_round(tasks, 0), "pods"));
    CHECK(second.size() == tasks.size());
}

TEST_CASE("types tasks: what has its rounds is not measured again")
{
    const auto tasks = make_tasks({.names = {"pods"}}, nowhere);
    const std::vector<row> rows{measured(tasks[0], "encode", "ns", {1, 2, 3}), measured(tasks[1], "encode", "ns", {1})};
    CHECK(without_finished(tasks, 3, rows).size() == tasks.size() - 1);
    CHECK(without_finished(tasks, 1, rows).size() == tasks.size() - 2);
    CHECK(without_finished(make_tasks({.names = {"pods"}, .pods = 1}, nowhere), 1, rows).size() == tasks.size());
}

TEST_CASE("types report: every target names a line that exists")
{
    const auto tasks = make_tasks({}, nowhere);
    auto known = [&](const target& t, std::string_view subject) {
        return std::any_of(tasks.begin(), tasks.end(), [&](const task& k) {
            return k.place.workload == t.workload && k.place.subject == subject && k.place.data == t.data &&
                   k.place.objects == t.objects;
        });
    };
    for (const auto& t : type_targets()) {
        CAPTURE(t.work, t.metric);
        CHECK(known(t, t.subject));
        CHECK((t.against.empty() || known(t, t.against)));
    }
}

TEST_CASE("types report: a file that costs more than it may is a failure")
{
    const auto tasks = make_tasks(
        {.names = {"compile"}, .compilers = {"sh"}, .files = {"ten_kinds", "operator"}, .levels = {"O0", "O2"}},
        nowhere);
    REQUIRE(tasks.size() == 4);
    const auto cpu = [&](std::size_t task, double seconds) { return measured(tasks[task], "cpu", "s", {seconds}); };
    // Ten kinds have no budget, and only CPU counts.
    CHECK(within_budgets({cpu(0, 100), cpu(1, 5), cpu(3, 7), measured(tasks[1], "wall", "s", {100})}));
    CHECK(within_budgets({cpu(1, 5.5)}).error().message() ==
          "compile, sh -O0: operator takes 5.50 s of CPU, at most 5.00 are allowed");
    CHECK_FALSE(within_budgets({cpu(1, 5), cpu(3, 7.5)}));
}

TEST_CASE("types report: targets against a peer and against seconds")
{
    const auto compiled =
        make_tasks({.names = {"compile"}, .compilers = {"g++"}, .files = {"one_kind"}, .levels = {"O0"}}, nowhere);
    const auto pods = make_tasks({.names = {"pods"}}, nowhere);
    const std::vector<row> rows{measured(compiled[0], "cpu", "s", {4.5}), measured(pods[0], "decode_1", "ns", {9'000}),
                                measured(pods[2], "decode_1", "ns", {18'000})};
    const auto part = types_part(rows, {}, {{"one kind and its informer, -O0", "because"}});
    CHECK(part.find("| one kind and its informer, -O0 | cpu | at most 3.00 | NOT reached: 4.50 s. because |") !=
          std::string::npos);
    CHECK(part.find("reached: 9,000 ns = 1/2.00 of 18,000") != std::string::npos);
    CHECK(part.find("pods, 2,000 small") != std::string::npos);
    CHECK(types_part({}, {}, {}).empty());
    CHECK(types::terminal_report(rows).find("not measured") == std::string::npos);
}
