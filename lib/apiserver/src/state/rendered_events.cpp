#include "state/rendered_events.hpp"

namespace kubecoro::apiserver {

namespace {

/// The cost of an entry besides its texts.
constexpr std::size_t overhead = 128;

std::size_t cost_of(const std::string& form, const std::string& text) { return overhead + form.size() + text.size(); }

} // namespace

rendered_events::line rendered_events::find(std::uint64_t sequence, const std::string& form) const
{
    const auto at = lines_.find(key(sequence, form));
    return at == lines_.end() ? nullptr : at->second;
}

void rendered_events::keep(std::uint64_t sequence, std::string form, line made)
{
    const auto cost = cost_of(form, *made);
    if (cost > most_bytes) return;
    const auto [at, added] = lines_.try_emplace(key(sequence, std::move(form)), std::move(made));
    if (!added) return;
    bytes_ += cost;
    while (bytes_ > most_bytes) forget_oldest();
}

void rendered_events::forget_before(std::uint64_t sequence)
{
    while (!lines_.empty() && lines_.begin()->first.first < sequence) forget_oldest();
}

void rendered_events::forget_oldest()
{
    const auto oldest = lines_.begin();
    bytes_ -= cost_of(oldest->first.second, *oldest->second);
    lines_.erase(oldest);
}

} // namespace kubecoro::apiserver
