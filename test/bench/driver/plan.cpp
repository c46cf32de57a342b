#include "plan.hpp"

#include <algorithm>
#include <iterator>
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
                       [&](const std::string& choice) { return is_chosen(s.name, choice); });
}

/// Object counts of an idle operator, and of one that starts in a large cluster.
constexpr std::uint64_t at_rest = 1'000;
constexpr std::uint64_t at_start = 10'000;

/// Workloads of small data sets: time until each object has been reconciled, resident memory, and the queue by itself.
names operator_workloads(const subject& s, const data_set& data)
{
    if (s.part == share::brief || s.part == share::floor) return {};
    const bool queue = data.objects <= at_rest && s.part != share::controller;
    if (s.part == share::queue) return queue ? names{"queue"} : names{};
    return queue ? names{"sync", "steady", "queue"} : names{"sync", "steady"};
}

/** The workloads of a subject in one session, before the user's choice.

    @param largest  Whether this is the largest data set of small pods: long workloads and variants run only there. */
names workloads_for(const subject& s, const data_set& data, unsigned cores, bool largest)
{
    if (s.part == share::floor && data.name != "small") return {};
    if (data.name == "operator") return operator_workloads(s, data);
    if (data.namespaces()) return s.namespaces ? names{"namespaces", "events"} : names{};
    if (s.part == share::controller && data.name != "small") return {};
    names latencies{"sync", "events", "paced-1000", "paced-5000"};
    if (s.part == share::queue) return {};
    if (cores == 2) return latencies;
    if (s.part == share::floor) {
        if (largest) latencies.emplace_back("tail");
        return latencies;
    }
    if (s.part == share::controller) return latencies;
    const names brief{"sync", "steady", "events", "relist", "peak"};
    if (s.part == share::brief) return largest || data.name == "custom" ? brief : names{};
    if (data.name != "small") return brief;
    names all{"sync", "steady", "events", "paced-1000", "paced-5000"};
    if (s.tails && largest) all.emplace_back("tail");
    // Reads hold every object at a time, which must not count in the peak.
    all.insert(all.end(), {"relist", "peak", "read"});
    return all;
}

/// Prerequisites in the same session: every workload needs a sync, which has its own name for several namespaces, and the
/// peak is that of a sync, of all objects changed, and of a relist.
const names& needs(std::string_view workload)
{
    static const names nothing, informer{"sync", "namespaces"}, churn{"sync", "events", "relist"};
    if (workload == "sync" || workload == "namespaces" || workload == "queue") return nothing;
    return workload == "peak" ? churn : informer;
}

/// The chosen workloads of `all`, with their prerequisites.
template<class Asked>
names with_needs(const names& all, Asked asked)
{
    auto needed = [&](const std::string& name) {
        return std::any_of(all.begin(), all.end(), [&](const auto& w) { return asked(w) && contains(needs(w), name); });
    };
    names chosen;
    std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
                 [&](const std::string& w) { return asked(w) || needed(w); });
    return chosen;
}

names chosen(const names& all, const bench_options& options)
{
    return with_needs(all, [&](const std::string& w) { return is_asked(options, w); });
}

bool is_largest(const data_set& data, const bench_options& options)
{
    if (data.name != "small") return false;
    return std::all_of(options.objects.begin(), options.objects.end(), [&](auto n) { return n <= data.objects; });
}

void add_sessions(group_plan& group, unsigned cores, const bench_options& options, const std::vector<subject>& subjects)
{
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        const auto& s = subjects[i];
        const bool serves = s.custom || group.data.resource() == "pods";
        if (!serves || !wanted(options, s) || (cores == 2 && s.part == share::brief)) continue;
        auto workloads = chosen(workloads_for(s, group.data, cores, is_largest(group.data, options)), options);
        if (workloads.empty()) continue;
        group.sessions.push_back({.data = group.data, .cores = cores, .subject = i, .workloads = std::move(workloads)});
    }
}

/// Small pods of every size; the other data sets with the smallest, custom resources at most 50,000; an operator's
/// sizes.
std::vector<data_set> data_sets(const bench_options& options)
{
    if (options.objects.empty()) return {};
    const auto [smallest, largest] = std::minmax_element(options.objects.begin(), options.objects.end());
    std::vector<data_set> all;
    for (auto n : options.objects) all.push_back({"small", n});
    all.push_back({"large", *smallest});
    all.push_back({"low", *smallest});
    all.push_back({"split", *smallest});
    all.push_back({"custom", std::min<std::uint64_t>(50'000, *largest)});
    all.push_back({"operator", std::min(at_rest, *largest)});
    if (*largest > at_rest) all.push_back({"operator", std::min(at_start, *largest)});
    if (!options.data.empty()) std::erase_if(all, [&](const data_set& d) { return !contains(options.data, d.name); });
    return all;
}

bool measured_on(const data_set& data, unsigned cores, const bench_options& options)
{
    if (cores == 2 && data.name != "small" && data.name != "split") return false;
    return std::find(options.cores.begin(), options.cores.end(), cores) != options.cores.end();
}

} // namespace

std::vector<group_plan> make_plan(const bench_options& options, const std::vector<subject>& subjects)
{
    std::vector<group_plan> groups;
    for (const auto& data : data_sets(options)) {
        group_plan group{.data = data, .sessions = {}};
        for (unsigned cores : {1u, 2u})
            if (measured_on(data, cores, options)) add_sessions(group, cores, options, subjects);
        if (!group.sessions.empty()) groups.push_back(std::move(group));
    }
    return groups;
}

bool is_asked(const bench_options& options, std::string_view workload)
{
    return options.names.empty() || contains(options.names, workload);
}

unsigned rounds_of(const bench_options& options, std::string_view workload)
{
    const auto own = options.rounds_of.find(workload);
    return own == options.rounds_of.end() ? options.rounds : own->second;
}

unsigned rounds_of(const bench_options& options, const group_plan& group)
{
    unsigned most = 0;
    for (const auto& s : group.sessions)
        for (const auto& w : s.workloads) most = std::max(most, rounds_of(options, w));
    return most;
}

std::vector<session_plan> sessions_of_round(const group_plan& group, unsigned round, const bench_options& options)
{
    auto sessions = group.sessions;
    const auto begin = sessions.begin() + static_cast<std::ptrdiff_t>(round % sessions.size());
    std::rotate(sessions.begin(), begin, sessions.end());
    for (auto& s : sessions)
        s.workloads = with_needs(s.workloads, [&](const std::string& w) { return round < rounds_of(options, w); });
    std::erase_if(sessions, [](const session_plan& s) { return s.workloads.empty(); });
    return sessions;
}

std::vector<group_plan> without_finished(std::vector<group_plan> plan, const bench_options& options,
                                         const std::vector<subject>& subjects, const std::vector<row>& results)
{
    auto has_its_rounds = [&](const session_plan& s, const std::string& workload) {
        return std::any_of(results.begin(), results.end(), [&](const row& r) {
            return r.what.workload == s.label(workload) && r.what.subject == subjects[s.subject].name &&
                   r.what.data == s.data.name && r.what.objects == s.data.objects &&
                   (r.value.rounds >= rounds_of(options, workload) || was_given_up(r));
        });
    };
    auto finished = [&](const session_plan& s) {
        return std::all_of(s.workloads.begin(), s.workloads.end(),
                           [&](const std::string& w) { return !is_asked(options, w) || has_its_rounds(s, w); });
    };
    for (auto& group : plan) std::erase_if(group.sessions, finished);
    std::erase_if(plan, [](const group_plan& g) { return g.sessions.empty(); });
    return plan;
}

bool wants_micro(const bench_options& options, const std::vector<row>& results)
{
    const auto is_micro = [](const row& r) { return r.what.workload == "micro"; };
    // A failed round keeps the numbers of earlier rounds.
    const bool finished = std::any_of(results.begin(), results.end(), is_micro) &&
                          std::none_of(results.begin(), results.end(), [&](const row& r) {
                              return is_micro(r) && r.value.rounds < rounds_of(options, "micro");
                          });
    return !finished && (options.names.empty() ? !options.no_micro : is_asked(options, "micro"));
}

const std::vector<std::string>& workload_names()
{
    static const names all{"sync", "namespaces", "steady", "events", "paced-1000", "paced-5000",
                           "tail", "relist",     "peak",   "read",   "queue",      "micro"};
    return all;
}

} // namespace kubecoro::bench
