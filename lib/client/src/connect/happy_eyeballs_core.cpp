#include "connect/happy_eyeballs_core.hpp"

#include "address/server_address.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

namespace {

bool is_v6(const std::string& address) { return address.find(':') != std::string::npos; }

/// The preferred address first, then alternating families, each in the given order.
std::vector<std::string> interleaved(std::vector<std::string> addresses, const std::string& preferred)
{
    const auto found = std::find(addresses.begin(), addresses.end(), preferred);
    if (found != addresses.end()) std::rotate(addresses.begin(), found, found + 1);
    std::vector<std::string> out;
    while (!addresses.empty()) {
        const bool wants_v6 = !out.empty() && !is_v6(out.back());
        auto next = out.empty() ? addresses.begin()
                                : std::find_if(addresses.begin(), addresses.end(),
                                               [&](const std::string& a) { return is_v6(a) == wants_v6; });
        if (next == addresses.end()) next = addresses.begin();
        if (std::find(out.begin(), out.end(), *next) == out.end()) out.push_back(std::move(*next));
        addresses.erase(next);
    }
    return out;
}

} // namespace

happy_eyeballs_core::happy_eyeballs_core(std::vector<std::string> addresses, happy_eyeballs_settings settings)
    : settings_(std::move(settings)), order_(interleaved(std::move(addresses), settings_.preferred))
{
    if (order_.size() <= settings_.most) return;
    left_out_ = order_.size() - settings_.most;
    order_.resize(settings_.most);
}

happy_eyeballs_core::action happy_eyeballs_core::next(moment now)
{
    if (winner_) return connected{*winner_};
    if (settings_.deadline && now >= *settings_.deadline) return give_up{all_failed(true)};
    const bool more = outcomes_.size() < order_.size();
    if (more && (running_ == 0 || now >= next_open_)) {
        outcomes_.emplace_back();
        ++running_;
        next_open_ = now + settings_.stagger;
        return open{outcomes_.size() - 1};
    }
    if (running_ == 0) return give_up{all_failed(false)};
    if (!more) return wait{settings_.deadline};
    return wait{settings_.deadline ? std::min(*settings_.deadline, next_open_) : next_open_};
}

void happy_eyeballs_core::on_connected(std::size_t index)
{
    --running_;
    if (!winner_) winner_ = index;
}

void happy_eyeballs_core::on_failed(std::size_t index, failure why)
{
    --running_;
    outcomes_[index] = std::move(why);
    next_open_ = moment::min();
}

failure happy_eyeballs_core::all_failed(bool late) const
{
    const auto doing = "connect to " + settings_.peer + ": ";
    if (order_.empty()) return failure(cond::unreachable, doing + "the name has no address");
    std::string causes;
    cond common = late ? cond::timed_out : cond::unreachable;
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
        const auto& outcome = outcomes_[i];
        if (!late && i == 0) common = outcome->condition();
        if (!late && outcome->condition() != common) common = cond::unreachable;
        if (i > 0) causes += ", ";
        if (order_.size() > 1) causes += bracketed(order_[i]) + ": ";
        causes += outcome ? outcome->message() : "no answer in time";
    }
    const std::size_t untried = order_.size() - outcomes_.size() + left_out_;
    if (untried > 0) causes += ", and " + std::to_string(untried) + " more not tried";
    return failure(common, doing + causes);
}

} // namespace kubecoro::detail
