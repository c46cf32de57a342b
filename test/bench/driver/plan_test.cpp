#include "plan.hpp"
#include "plan_time.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>

using namespace kubecoro::bench;

namespace {

std::vector<subject> some_subjects()
{
    return {
        {.name = "kubecoro/plain", .program = "ours", .flags = {}, .tails = true, .custom = true, .namespaces = true},
        {.name = "client-go/protobuf", .program = "go", .flags = {}, .tails = true},
        {.name = "client-go/dynamic", .program = "go", .flags = {}, .part = share::brief, .custom = true}};
}

bool takes_part(const session_plan& s, std::string_view workload)
{
    return std::find(s.workloads.begin(), s.workloads.end(), workload) != s.workloads.end();
}

std::vector<std::size_t> subjects_of(const std::vector<session_plan>& sessions)
{
    std::vector<std::size_t> places;
    for (const auto& s : sessions) places.push_back(s.subject);
    return places;
}

} // namespace

TEST_CASE("plan: every data set, and small pods also on two cores")
{
    const auto groups = make_plan({}, some_subjects());
    std::vector<data_set> sets;
    for (const auto& g : groups) sets.push_back(g.data);
    CHECK(sets == std::vector<data_set>{{"small", 20'000},
                                        {"small", 150'000},
                                        {"large", 20'000},
                                        {"low", 20'000},
                                        {"split", 20'000},
                                        {"custom", 50'000},
                                        {"operator", 1'000},
                                        {"operator", 10'000}});
    // Variants and tails run only at the largest size; data without a protobuf form only for JSON clients.
    CHECK(subjects_of(groups[0].sessions) == std::vector<std::size_t>{0, 1, 0, 1});
    CHECK(subjects_of(groups[1].sessions) == std::vector<std::size_t>{0, 1, 2, 0, 1});
    CHECK(subjects_of(groups[2].sessions) == std::vector<std::size_t>{0, 1});
    CHECK(subjects_of(groups[4].sessions) == std::vector<std::size_t>{0, 0});
    CHECK(subjects_of(groups[5].sessions) == std::vector<std::size_t>{0, 2});
    CHECK_FALSE(takes_part(groups[0].sessions[0], "tail"));
    CHECK(takes_part(groups[1].sessions[0], "tail"));
    CHECK(groups[1].sessions[4].cores == 2);
}

TEST_CASE("plan: a session begins with the sync, and a brief one leaves latencies to others")
{
    for (const auto& group : make_plan({.data = {"small", "large", "low", "custom"}}, some_subjects()))
        for (const auto& s : group.sessions) {
            CHECK(s.workloads.front() == "sync");
            CHECK(takes_part(s, "events"));
            if (s.subject == 2 || group.data.name != "small") CHECK_FALSE(takes_part(s, "paced-1000"));
        }
}

TEST_CASE("plan: an informer of four namespaces")
{
    const bench_options o{.names = {"events"}, .objects = {1000}, .data = {"split"}};
    const auto groups = make_plan(o, some_subjects());
    REQUIRE(groups.size() == 1);
    REQUIRE(groups[0].sessions.size() == 2);
    CHECK(groups[0].sessions[1].cores == 2);
    CHECK(groups[0].sessions[1].workloads == std::vector<std::string>{"namespaces", "events"});
    CHECK(groups[0].data.kind() == "small");
    CHECK(groups[0].data.options() ==
          std::vector<std::string>{"--data", "small", "--objects", "1000", "--namespaces", "4"});
    CHECK(data_set{"small", 1000}.namespaces() == 0);
}

TEST_CASE("plan: an operator has few objects, a queue none")
{
    auto subjects = some_subjects();
    subjects.push_back({.name = "ours", .program = "ours", .flags = {}, .part = share::controller});
    subjects.push_back({.name = "queue", .program = "go", .flags = {}, .part = share::queue});
    const auto groups = make_plan({.data = {"operator"}}, subjects);
    REQUIRE(groups.size() == 2);
    CHECK(subjects_of(groups[0].sessions) == std::vector<std::size_t>{0, 1, 3, 4});
    CHECK(groups[0].sessions[0].workloads == std::vector<std::string>{"sync", "steady", "queue"});
    CHECK(groups[0].sessions[2].workloads == std::vector<std::string>{"sync", "steady"});
    CHECK(groups[0].sessions[3].workloads == std::vector<std::string>{"queue"});
    CHECK(subjects_of(groups[1].sessions) == std::vector<std::size_t>{0, 1, 3});
    CHECK(groups[0].data.kind() == "small");
    // If both sizes are equal, they are one.
    CHECK(make_plan({.objects = {300}, .data = {"operator"}}, subjects).size() == 1);
}

TEST_CASE("plan: the floor has no memory and no queue to measure")
{
    const std::vector<subject> floor{{.name = "floor", .program = "floor", .flags = {}, .part = share::floor}};
    const auto groups = make_plan({.objects = {1000}}, floor);
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].sessions.at(0).workloads ==
          std::vector<std::string>{"sync", "events", "paced-1000", "paced-5000", "tail"});
}

TEST_CASE("plan: the user's choice of workloads and subjects")
{
    bench_options o{
        .names = {"relist"}, .subjects = {"client-go/protobuf"}, .objects = {1000}, .data = {"small"}, .cores = {1, 2}};
    const auto groups = make_plan(o, some_subjects());
    REQUIRE(groups.size() == 1);
    CHECK(subjects_of(groups[0].sessions) == std::vector<std::size_t>{1});
    CHECK(groups[0].sessions[0].workloads == std::vector<std::string>{"sync", "relist"});

    CHECK_FALSE(wants_micro(o, {}));
    o.names = {"micro"};
    CHECK(make_plan(o, some_subjects()).empty());
    CHECK(wants_micro(o, {}));

    o.rounds_of = {{"micro", 2}};
    row measured;
    measured.what.workload = "micro";
    measured.value.rounds = 2;
    row failed;
    failed.what.workload = "micro";
    failed.missing = "failed: why";
    CHECK_FALSE(wants_micro(o, {measured}));
    CHECK(wants_micro(o, {measured, failed}));
    measured.value.rounds = 1;
    CHECK(wants_micro(o, {measured}));
    o = {.objects = {}};
    CHECK(make_plan(o, some_subjects()).empty());
    o = {.objects = {300}, .data = {"small"}, .cores = {1}, .no_variants = true};
    const auto quick = make_plan(o, some_subjects());
    REQUIRE(quick.size() == 1);
    CHECK(subjects_of(quick[0].sessions) == std::vector<std::size_t>{0, 1});
}

TEST_CASE("plan: a choice selects one subject, or all of a library")
{
    CHECK(is_chosen("client-go/json", "client-go/json"));
    CHECK(is_chosen("client-go/json", "client-go"));
    CHECK(is_chosen("client-go/json", "client-go/"));
    CHECK_FALSE(is_chosen("kubecoro/plain-stripped", "kubecoro/plain"));
    CHECK_FALSE(is_chosen("kubecoro/plain", "kube"));
    CHECK(is_chosen("kubecoro/plain@before", "kubecoro/plain"));
    CHECK(is_chosen("kubecoro/plain@before", "kubecoro"));
    CHECK_FALSE(is_chosen("kubecoro/plain@before", "kubecoro/compressed"));
}

TEST_CASE("plan: an earlier commit is measured beside this one")
{
    const auto subjects = all_subjects("/new", {}, "/old");
    REQUIRE(subjects.size() == all_subjects("/new", {}).size() + 1);
    CHECK(subjects[0].name == "kubecoro/plain");
    CHECK(subjects[0].program == "/new/kubecoro_bench_subject");
    CHECK(subjects[1].name == "kubecoro/plain@before");
    CHECK(subjects[1].program == "/old/kubecoro_bench_subject");
    const bench_options o{.subjects = {"kubecoro/plain"}, .objects = {1000}, .data = {"small", "split"}};
    for (const auto& group : make_plan(o, subjects))
        CHECK(subjects_of(group.sessions) == std::vector<std::size_t>{0, 1, 0, 1});
}

TEST_CASE("plan: each round begins with a different subject, and a workload ends after its rounds")
{
    const bench_options o{.rounds = 3,
                          .rounds_of = {{"tail", 1}, {"sync", 1}, {"relist", 5}},
                          .objects = {1000},
                          .data = {"small"},
                          .cores = {1}};
    const auto group = make_plan(o, some_subjects()).at(0);
    CHECK(rounds_of(o, group) == 5);
    CHECK(subjects_of(sessions_of_round(group, 0, o)) == std::vector<std::size_t>{0, 1, 2});
    CHECK(subjects_of(sessions_of_round(group, 1, o)) == std::vector<std::size_t>{1, 2, 0});
    CHECK(takes_part(sessions_of_round(group, 0, o)[0], "tail"));
    CHECK_FALSE(takes_part(sessions_of_round(group, 1, o)[0], "tail"));
    for (const auto& s : sessions_of_round(group, 4, o))
        CHECK(s.workloads == std::vector<std::string>{"sync", "relist"});
    CHECK(sessions_of_round(group, 5, o).empty());
}

TEST_CASE("plan: a peak is that of sync, churn and relist, also when only the peak is chosen")
{
    const bench_options o{.names = {"peak"}, .objects = {1000}, .data = {"small"}, .cores = {1, 2}};
    const auto groups = make_plan(o, some_subjects());
    REQUIRE(groups.size() == 1);
    for (const auto& s : groups[0].sessions)
        CHECK(s.workloads == std::vector<std::string>{"sync", "events", "relist", "peak"});
    CHECK(groups[0].sessions.size() == 3);
}

TEST_CASE("plan: measurements with enough earlier rounds are skipped")
{
    const bench_options o{.names = {"events"}, .rounds = 2, .objects = {1000}, .data = {"small"}, .cores = {1}};
    const auto subjects = some_subjects();
    auto row_of = [](std::string workload, std::string subject, std::size_t rounds) {
        row r;
        r.what.workload = std::move(workload);
        r.what.subject = std::move(subject);
        r.what.data = "small";
        r.what.objects = 1000;
        r.value.rounds = rounds;
        return r;
    };
    const std::vector<row> results{row_of("events", "kubecoro/plain", 2), row_of("events", "client-go/protobuf", 1),
                                   row_of("events-2cores", "client-go/dynamic", 2)};
    const auto left = without_finished(make_plan(o, subjects), o, subjects, results);
    REQUIRE(left.size() == 1);
    CHECK(subjects_of(left[0].sessions) == std::vector<std::size_t>{1, 2});
    auto all = results;
    for (const char* s : {"client-go/protobuf", "client-go/dynamic"})
        for (const char* w : {"sync", "events"}) all.push_back(row_of(w, s, 3));
    CHECK(without_finished(make_plan(o, subjects), o, subjects, all).empty());

    auto tired = results;
    tired.push_back(row_of("events", "client-go/dynamic", 0));
    tired.back().missing = "gave up after 180 s in sync";
    const auto rest = without_finished(make_plan(o, subjects), o, subjects, tired);
    REQUIRE(rest.size() == 1);
    CHECK(subjects_of(rest[0].sessions) == std::vector<std::size_t>{1});
}

TEST_CASE("plan: the estimated time in words")
{
    CHECK(time_text(0.4) == "0 s");
    CHECK(time_text(99) == "99 s");
    CHECK(time_text(170) == "3 min");
    auto subjects = some_subjects();
    bench_options o{.names = {"tail"}, .objects = {1000}, .data = {"small"}, .cores = {1}};
    const auto plan = make_plan(o, subjects);
    const auto seconds = expected_seconds(plan, subjects, o);
    CHECK(seconds > 6 * 120);
    CHECK(seconds < 6 * 130);
    const auto text = describe_plan(plan, subjects, o);
    CHECK(text.find("kubecoro/plain  6 min  (sync) tail x3") != std::string::npos);
    subjects[1].missing = "not built here";
    CHECK(expected_seconds(plan, subjects, o) < 4 * 120);
    CHECK(describe_plan(plan, subjects, o).find("client-go/protobuf  not built here") != std::string::npos);

    progress left(100);
    CHECK(left.seconds_left() == 100);
    left.done(20);
    CHECK(left.seconds_left() == 80);
    left.done(90);
    CHECK(left.seconds_left() == 0);
}

TEST_CASE("plan: a subject without a program is missing")
{
    auto all = all_subjects("/nonexistent", "/nonexistent");
    find_missing(all);
    CHECK(all.size() > 6);
    for (const auto& s : all) CHECK_FALSE(s.missing.empty());
}
