#include "plan.hpp"

#include <algorithm>
#include <string_view>

namespace kubecoro::bench {

namespace {

using names = std::vector<std::string>;

bool contains(const names& list, std::string_view name)
{
    return std::find(list.begin(), list.end(), name) != list.end();
}

bool wanted(const bench_options& options, const subject& s)
{
    if (options.no_variants && s.part == share::brief) return false;
    if (options.subjects.empty()) return true;
    return std::any_of(options.subjects.begin(), options.subjects.end(),
                       [&](const std::string& begin) { return s.name.starts_with(begin); });
}

/// What a subject does in one session, before the user's choice.
names workloads_for(const subject& s, const data_set& data, unsigned cores)
{
    if (s.part == share::floor)
        return data.name == "small" ? names{"sync", "events", "paced-1000", "paced-5000", "tail"} : names{};
    if (cores == 2) return {"sync", "events", "paced-1000", "paced-5000"};
    if (s.part == share::brief || data.name != "small") return {"sync", "steady", "events", "peak"};
    names all{"sync", "steady", "read", "events", "paced-1000", "paced-5000"};
    if (s.tails) all.emplace_back("tail");
    all.insert(all.end(), {"relist", "peak", "queue"});
    return all;
}

/// `sync` always takes part: nothing can be measured of an informer that is not synced.
names chosen(names all, const bench_options& options)
{
    if (options.names.empty()) return all;
    std::erase_if(all, [&](const std::string& n) { return n != "sync" && !contains(options.names, n); });
    const bool only_sync = all.size() == 1;
    return only_sync && !contains(options.names, "sync") ? names{} : all;
}

void add_sessions(group_plan& group, unsigned cores, const bench_options& options, const std::vector<subject>& subjects)
{
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        const auto& s = subjects[i];
        const bool serves = group.data.resource() == "widgets" ? s.custom : s.pods;
        if (!serves || !wanted(options, s) || (cores == 2 && s.part == share::brief)) continue;
        auto workloads = chosen(workloads_for(s, group.data, cores), options);
        if (workloads.empty()) continue;
        group.sessions.push_back({.data = group.data, .cores = cores, .subject = i, .workloads = std::move(workloads)});
    }
}

std::vector<data_set> data_sets(const bench_options& options)
{
    std::vector<data_set> all;
    for (auto n : options.objects) all.push_back({"small", n});
    if (options.only_small || options.objects.empty()) return all;
    const auto [smallest, largest] = std::minmax_element(options.objects.begin(), options.objects.end());
    all.push_back({"large", *smallest});
    all.push_back({"low", *smallest});
    all.push_back({"custom", std::min<std::uint64_t>(50'000, *largest)});
    return all;
}

} // namespace

std::vector<group_plan> make_plan(const bench_options& options, const std::vector<subject>& subjects)
{
    std::vector<group_plan> groups;
    for (const auto& data : data_sets(options)) {
        group_plan group{.data = data, .sessions = {}};
        add_sessions(group, 1, options, subjects);
        if (data.name == "small" && !options.only_small) add_sessions(group, 2, options, subjects);
        if (!group.sessions.empty()) groups.push_back(std::move(group));
    }
    return groups;
}

std::vector<session_plan> sessions_of_round(const group_plan& group, unsigned round, const bench_options& options)
{
    auto sessions = group.sessions;
    const auto begin = sessions.begin() + static_cast<std::ptrdiff_t>(round % sessions.size());
    std::rotate(sessions.begin(), begin, sessions.end());
    if (round >= options.tail_rounds)
        for (auto& s : sessions) std::erase(s.workloads, "tail");
    return sessions;
}

bool wants_micro(const bench_options& options)
{
    return options.names.empty() ? !options.no_micro : contains(options.names, "micro");
}

const std::vector<std::string>& workload_names()
{
    static const names all{"sync", "steady", "read", "events", "paced-1000", "paced-5000",
                           "tail", "relist", "peak", "queue",  "micro"};
    return all;
}

} // namespace kubecoro::bench
