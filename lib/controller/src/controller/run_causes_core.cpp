#include "controller/run_causes_core.hpp"

#include <array>
#include <utility>

namespace kubecoro::detail {

std::string_view to_string(run_cause::kind k) noexcept
{
    constexpr std::array<std::string_view, 4> names{"event", "trigger", "retry", "requeue"};
    return names[static_cast<std::size_t>(k)];
}

bool run_causes_core::note(object_key_view key, const run_cause& why, time_point now)
{
    auto at = waiting_.find(key);
    if (at == waiting_.end()) {
        if (waiting_.size() >= max_keys_) return false;
        at = waiting_.emplace(object_key(key), run_causes()).first;
    }
    auto& causes = at->second;
    const bool is_news = why.why == run_cause::kind::event || why.why == run_cause::kind::trigger;
    if (is_news && !causes.since) causes.since = now;
    if (causes.kept.size() < most_kept) {
        causes.kept.push_back(why);
    } else {
        causes.kept.back() = why;
        ++causes.left_out;
    }
    return true;
}

std::optional<run_causes> run_causes_core::take(object_key_view key)
{
    const auto at = waiting_.find(key);
    if (at == waiting_.end()) return std::nullopt;
    auto out = std::move(at->second);
    waiting_.erase(at);
    return out;
}

run_relations relations_of(const run_causes& why)
{
    run_relations out;
    for (const auto& c : why.kept)
        if (!out.parent) out.parent = c.parent;
    for (const auto& c : why.kept)
        if (c.from != out.parent) out.links.push_back(c.from);
    return out;
}

run_cause cause_after(run_cause::kind why, const trace_context& run, const trace_context& parent, unsigned attempt)
{
    run_cause out{.why = why, .from = run};
    if (why != run_cause::kind::retry || attempt % attempts_in_a_trace == 0) return out;
    out.parent = parent ? parent : run;
    return out;
}

} // namespace kubecoro::detail
