#include "plan.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>

using namespace kubecoro::bench;

namespace {

std::vector<subject> some_subjects()
{
    return {{.name = "kubecoro/plain", .program = "ours", .flags = {}, .tails = true, .custom = true},
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
    CHECK(sets == std::vector<data_set>{
                      {"small", 20'000}, {"small", 150'000}, {"large", 20'000}, {"low", 20'000}, {"custom", 50'000}});
    const auto& small = groups[0].sessions;
    REQUIRE(small.size() == 5);
    CHECK(std::count_if(small.begin(), small.end(), [](const auto& s) { return s.cores == 2; }) == 2);
    CHECK(subjects_of(groups[4].sessions) == std::vector<std::size_t>{0, 2});
}

TEST_CASE("plan: a session begins with the sync, and a brief one leaves latencies to others")
{
    for (const auto& group : make_plan({}, some_subjects()))
        for (const auto& s : group.sessions) {
            CHECK(s.workloads.front() == "sync");
            CHECK(takes_part(s, "events"));
            if (s.subject == 2 || group.data.name != "small") CHECK_FALSE(takes_part(s, "paced-1000"));
        }
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
    bench_options o{.names = {"relist"}, .subjects = {"client-go/"}, .objects = {1000}};
    const auto groups = make_plan(o, some_subjects());
    REQUIRE(groups.size() == 1);
    CHECK(subjects_of(groups[0].sessions) == std::vector<std::size_t>{1});
    CHECK(groups[0].sessions[0].workloads == std::vector<std::string>{"sync", "relist"});

    CHECK_FALSE(wants_micro(o));
    o.names = {"micro"};
    CHECK(make_plan(o, some_subjects()).empty());
    CHECK(wants_micro(o));
    o = {.objects = {}};
    CHECK(make_plan(o, some_subjects()).empty());
    o = {.objects = {300}, .only_small = true, .no_variants = true};
    const auto quick = make_plan(o, some_subjects());
    REQUIRE(quick.size() == 1);
    CHECK(subjects_of(quick[0].sessions) == std::vector<std::size_t>{0, 1});
}

TEST_CASE("plan: each round begins with another subject, and the long runs end after theirs")
{
    const bench_options o{.tail_rounds = 2, .objects = {1000}, .only_small = true};
    const auto group = make_plan(o, some_subjects()).at(0);
    CHECK(subjects_of(sessions_of_round(group, 0, o)) == std::vector<std::size_t>{0, 1, 2});
    CHECK(subjects_of(sessions_of_round(group, 1, o)) == std::vector<std::size_t>{1, 2, 0});
    CHECK(subjects_of(sessions_of_round(group, 3, o)) == std::vector<std::size_t>{0, 1, 2});
    CHECK(takes_part(sessions_of_round(group, 0, o)[0], "tail"));
    CHECK_FALSE(takes_part(sessions_of_round(group, 2, o)[0], "tail"));
}

TEST_CASE("plan: a subject whose program is not there is missing")
{
    auto all = all_subjects("/nonexistent", "/nonexistent");
    find_missing(all);
    CHECK(all.size() > 6);
    for (const auto& s : all) CHECK_FALSE(s.missing.empty());
}
