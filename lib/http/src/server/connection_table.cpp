#include <kubecoro/http/detail/connection_table.hpp>

#include <kubecoro/http/detail/connection.hpp>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace asio = boost::asio;

namespace kubecoro::detail {

connection_table::connection_table(std::size_t limit, std::shared_ptr<time_source> time, kept_executor strand)
    : limit_(limit),
      time_(std::move(time)),
      strand_(std::move(strand)),
      armed_(time_point::max().time_since_epoch().count())
{
}

void connection_table::forget_ended()
{
    std::erase_if(connections_, [](const auto& c) { return c.second.expired(); });
}

void connection_table::forget(const connection& ended)
{
    std::size_t left = 0;
    {
        std::lock_guard lock(mutex_);
        connections_.erase(&ended);
        left = connections_.size();
    }
    if (closed_ && left == 0) watch(time_->now()); // the stop waits for nothing else
}

bool connection_table::admit(const std::shared_ptr<connection>& made)
{
    if (closed_) return false;
    std::shared_ptr<connection> replaced;
    {
        std::lock_guard lock(mutex_);
        if (connections_.size() >= limit_) forget_ended();
        if (connections_.size() >= limit_) {
            auto crowds = clients();
            ++crowds[made->client()];
            replaced = take_one({}, &connection::waits_since, crowds);
            if (!replaced) return false;
        }
        connections_[made.get()] = made;
    }
    if (replaced) replaced->close(closing::for_another);
    ++admitted_;
    watch(made->deadline());
    return true;
}

bool connection_table::make_room(const predicate& among) { return close_one(among, &connection::waits_since); }

bool connection_table::end_oldest_answer(const predicate& among)
{
    return close_one(among, &connection::answers_since);
}

std::map<client_id, std::size_t> connection_table::clients() const
{
    std::map<client_id, std::size_t> out;
    for (const auto& [at, c] : connections_)
        if (const auto held = c.lock()) ++out[held->client()];
    return out;
}

bool connection_table::close_one(const predicate& among, age since)
{
    std::unique_lock lock(mutex_);
    const auto chosen = take_one(among, since, {});
    lock.unlock();
    if (chosen) chosen->close(closing::for_another);
    return chosen != nullptr;
}

/// Takes out the connection with the greatest age, of the clients with the most connections.
/// @param since   Those without it stay.
/// @param crowds  The connections of each client; empty = all clients count the same.
std::shared_ptr<connection> connection_table::take_one(const predicate& among, age since,
                                                       const std::map<client_id, std::size_t>& crowds)
{
    std::shared_ptr<connection> chosen;
    std::size_t most = 0;
    time_point oldest{};
    for (const auto& [at, c] : connections_) {
        auto held = c.lock();
        const auto begin = held ? (held.get()->*since)() : std::nullopt;
        if (!begin || (among && !among(*held))) continue;
        const auto crowd = crowds.empty() ? 0 : crowds.at(held->client());
        if (chosen && (crowd < most || (crowd == most && oldest <= *begin))) continue;
        chosen = std::move(held);
        oldest = *begin;
        most = crowd;
    }
    connections_.erase(chosen.get());
    return chosen;
}

void connection_table::watch(time_point when)
{
    if (when.time_since_epoch().count() >= armed_) return;
    const auto on = strand_.get();
    if (!on) return; // its context has ended
    asio::dispatch(on, [self = shared_from_this(), when] {
        if (when.time_since_epoch().count() >= self->armed_) return;
        self->armed_ = when.time_since_epoch().count();
        if (const auto alarm = self->alarm_.lock()) alarm->expires_at(when);
    });
}

void connection_table::wind_up(time_point last)
{
    close();
    last_ = last;
    for (const auto& c : living()) c->wind_up(last);
    watch(time_->now()); // enforce() may have nothing to wait for
}

std::vector<std::shared_ptr<connection>> connection_table::living() const
{
    std::vector<std::shared_ptr<connection>> out;
    std::lock_guard lock(mutex_);
    for (const auto& [at, c] : connections_)
        if (auto held = c.lock()) out.push_back(std::move(held));
    return out;
}

std::size_t connection_table::size() const
{
    std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::count_if(connections_.begin(), connections_.end(), [](const auto& c) { return !c.second.expired(); }));
}

time_point connection_table::close_due(time_point now)
{
    time_point next = time_point::max();
    for (const auto& c : living()) {
        if (c->deadline() <= now)
            c->close(closing::past_deadline);
        else
            next = std::min(next, c->deadline());
    }
    return next;
}

asio::awaitable<result<>> connection_table::enforce(std::shared_ptr<connection_table> self,
                                                    std::function<time_point()> pass_on, std::function<void()> abandon)
{
    constexpr duration after_close = std::chrono::milliseconds{10};
    const std::shared_ptr<timer> alarm = self->time_->make_timer(co_await asio::this_coro::executor);
    self->alarm_ = alarm;
    for (;;) {
        // A deadline that is set meanwhile is earlier than this.
        self->armed_ = time_point::max().time_since_epoch().count();
        const time_point now = self->time_->now();
        const time_point turns = pass_on();
        time_point next = std::min(self->close_due(now), turns);
        if (self->closed_) {
            if (self->size() == 0) co_return result<>{};
            if (now >= self->last_) abandon();
            // Closed connections end soon, but not within the call that closes them.
            next = std::min(next, now + after_close);
        }
        self->armed_ = std::min(self->armed_.load(), next.time_since_epoch().count());
        alarm->expires_at(time_point(duration(self->armed_)));
        // watch() ends the wait early.
        [[maybe_unused]] const auto rung = co_await alarm->wait();
    }
}

} // namespace kubecoro::detail
