#include "discovery/discovery_core.hpp"
#include "rest/client_state.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/try.hpp>

#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace kubecoro {

namespace asio = boost::asio;

using list = detail::discovery_cache_core::list;

struct discovery::state
{
    explicit state(client c) : cluster(std::move(c)) {}

    [[nodiscard]] time_point now() const { return detail::client_access::state_of(cluster)->options.time->now(); }

    client cluster;
    std::mutex mutex;
    detail::discovery_cache_core core;
    /// Settled when the read that has begun ends; empty = there is none.
    std::optional<latch> reading;
};

namespace {

using state_ptr = std::shared_ptr<discovery::state>;

/// The read of one caller, on which others wait. They share its failure, but not its cancellation or destruction: then
/// one of them reads.
class shared_read
{
public:
    shared_read(state_ptr s, latch ended) : state_(std::move(s)), ended_(std::move(ended)) {}
    shared_read(shared_read&&) noexcept = default;
    ~shared_read()
    {
        if (!state_) return;
        {
            std::lock_guard lock(state_->mutex);
            state_->reading.reset();
        }
        ended_.settle(std::move(outcome));
    }
    shared_read& operator=(shared_read&&) = delete;

    [[nodiscard]] const state_ptr& state() const noexcept { return state_; }

    result<> outcome;

private:
    state_ptr state_;
    latch ended_;
};

/// @param running  Made before this coroutine is, which may fail.
asio::awaitable<result<list>> read_list(shared_read running)
{
    const auto s = running.state();
    auto found = co_await discover(s->cluster);
    if (!found && found.error().condition() != cond::cancelled) running.outcome = found.error();
    if (!found) co_return found.error();
    list kept = std::make_shared<const discovered_resources>(std::move(*found));
    std::lock_guard lock(s->mutex);
    s->core.on_read(kept, s->now());
    co_return kept;
}

/** The list, which is read if there is none.

    @param unless  A list in which a name was not found: another one is wanted. Null comes back if it is too early. */
asio::awaitable<result<list>> current_list(state_ptr s, list unless = nullptr)
{
    for (;;) {
        std::optional<latch> begun;
        std::optional<shared_read> own;
        {
            std::lock_guard lock(s->mutex);
            if (auto kept = s->core.current(s->now()); kept && kept != unless) co_return kept;
            begun = s->reading;
            if (!begun && unless && !s->core.may_read_after_miss(s->now())) co_return list{};
            if (!begun) {
                const latch ended;
                own.emplace(s, ended);
                s->core.on_begin(s->now());
                s->reading = ended;
            }
        }
        if (own) co_return co_await read_list(std::move(*own));
        KUBECORO_TRY(co_await begun->wait());
    }
}

template<class T>
using search = std::function<result<T>(const discovered_resources&)>;

/// Searches the list, and once more in a fresh one.
template<class T>
asio::awaitable<result<T>> find_in(state_ptr s, search<T> look)
{
    KUBECORO_TRY(auto known, co_await current_list(s));
    auto found = look(*known);
    if (found || found.error().condition() != cond::not_found) co_return found;
    KUBECORO_TRY(auto fresh, co_await current_list(std::move(s), known));
    if (!fresh) co_return found;
    co_return look(*fresh);
}

} // namespace

discovery::discovery(client c) : state_(std::make_shared<state>(std::move(c))) {}

asio::awaitable<result<list>> discovery::resources() const { return catch_failure(current_list(state_)); }

asio::awaitable<result<resource_type>> discovery::resource_for(kept_text name) const
{
    search<resource_type> look = [name = std::move(name)](const discovered_resources& all) {
        return detail::pick_resource(all, name);
    };
    return catch_failure(find_in(state_, std::move(look)));
}

asio::awaitable<result<std::vector<resource_type>>> discovery::candidates_for(kept_text name) const
{
    search<std::vector<resource_type>> look = [name = std::move(name)](const discovered_resources& all) {
        return detail::matching_resources(all, name);
    };
    return catch_failure(find_in(state_, std::move(look)));
}

asio::awaitable<result<resource_type>> discovery::resource_of(kept_text api_version, kept_text kind) const
{
    search<resource_type> look = [api_version = std::move(api_version),
                                  kind = std::move(kind)](const discovered_resources& all) {
        return detail::pick_kind(all, api_version, kind);
    };
    return catch_failure(find_in(state_, std::move(look)));
}

asio::awaitable<result<std::vector<resource_type>>> discovery::in_category(kept_text category) const
{
    search<std::vector<resource_type>> look = [category = std::move(category)](const discovered_resources& all) {
        return result<std::vector<resource_type>>(detail::members_of(all, category));
    };
    return catch_failure(find_in(state_, std::move(look)));
}

void discovery::invalidate() const
{
    std::lock_guard lock(state_->mutex);
    state_->core.invalidate();
}

} // namespace kubecoro
