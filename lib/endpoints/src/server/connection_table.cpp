#include "server/connection_table.hpp"

#include <algorithm>

namespace asio = boost::asio;

namespace kubecoro::detail {

connection_table::connection_table(std::size_t limit, std::function<time_point()> pass_on,
                                   std::shared_ptr<time_source> time, const asio::any_io_executor& strand)
    : limit_(limit), pass_on_(std::move(pass_on)), time_(std::move(time)), alarm_(time_->make_timer(strand))
{
}

void connection_table::forget_ended()
{
    connections_.remove_if([](const auto& c) { return c.expired(); });
}

void connection_table::forget(const connection& ended)
{
    connections_.remove_if([&](const auto& c) { return c.expired() || c.lock().get() == &ended; });
    if (closed_ && connections_.empty()) watch(time_->now()); // the stop waits for nothing else
}

bool connection_table::admit(const std::shared_ptr<connection>& made)
{
    if (closed_) return false;
    if (connections_.size() >= limit_) forget_ended();
    if (connections_.size() >= limit_) {
        auto crowds = clients();
        ++crowds[made->client()];
        if (!close_one({}, &connection::waits_since, crowds)) return false;
    }
    connections_.push_back(made);
    watch(made->deadline());
    return true;
}

bool connection_table::make_room(const predicate& among) { return close_one(among, &connection::waits_since, {}); }

bool connection_table::end_oldest_answer(const predicate& among)
{
    return close_one(among, &connection::answers_since, {});
}

std::map<client_id, std::size_t> connection_table::clients() const
{
    std::map<client_id, std::size_t> out;
    for (const auto& c : connections_)
        if (const auto held = c.lock()) ++out[held->client()];
    return out;
}

/// Closes the connection with the greatest age, of the clients with the most connections.
/// @param since   Those without it stay.
/// @param crowds  The connections of each client; empty = all clients count the same.
bool connection_table::close_one(const predicate& among, age since, const std::map<client_id, std::size_t>& crowds)
{
    std::shared_ptr<connection> chosen;
    std::size_t most = 0;
    time_point oldest{};
    auto place = connections_.end();
    for (auto at = connections_.begin(); at != connections_.end(); ++at) {
        auto held = at->lock();
        const auto begin = held ? (held.get()->*since)() : std::nullopt;
        if (!begin || (among && !among(*held))) continue;
        const auto crowd = crowds.empty() ? 0 : crowds.at(held->client());
        if (chosen && (crowd < most || (crowd == most && oldest <= *begin))) continue;
        chosen = std::move(held);
        oldest = *begin;
        most = crowd;
        place = at;
    }
    if (!chosen) return false;
    connections_.erase(place);
    chosen->close(closing::for_another);
    return true;
}

void connection_table::watch(time_point when)
{
    if (when >= armed_) return;
    alarm_->expires_at(when);
    armed_ = when;
}

void connection_table::wind_up(time_point last)
{
    closed_ = true;
    last_ = last;
    for (const auto& c : connections_)
        if (const auto held = c.lock()) held->wind_up(last);
    watch(time_->now()); // enforce() may have nothing to wait for
}

time_point connection_table::close_due(time_point now)
{
    forget_ended();
    time_point next = time_point::max();
    for (const auto& c : connections_) {
        const auto held = c.lock();
        if (!held) continue;
        if (held->deadline() <= now)
            held->close(closing::past_deadline);
        else
            next = std::min(next, held->deadline());
    }
    return next;
}

asio::awaitable<result<>> connection_table::enforce(std::function<void()> abandon)
{
    constexpr duration after_close = std::chrono::milliseconds{10};
    for (;;) {
        const time_point now = time_->now();
        const time_point turns = pass_on_();
        armed_ = std::min(close_due(now), turns);
        if (closed_) {
            if (connections_.empty()) co_return result<>{};
            if (now >= last_) abandon();
            // Closed connections end soon, but not within the call that closes them.
            armed_ = std::min(armed_, now + after_close);
        }
        alarm_->expires_at(armed_);
        // watch() ends the wait early.
        [[maybe_unused]] const auto rung = co_await alarm_->wait();
    }
}

} // namespace kubecoro::detail
