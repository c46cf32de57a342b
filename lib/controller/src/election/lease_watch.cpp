#include "election/lease_watch.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/timeout.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// The pauses between attempts to watch grow up to this.
constexpr auto longest_pause = std::chrono::seconds{30};

bool is_final(const failure& f) noexcept
{
    return f == cond::forbidden || f == cond::unauthorized || f == cond::invalid || f == cond::misconfigured;
}

} // namespace

resource_type leases() { return untyped::lease::resource(); }

asio::awaitable<result<>> follow_leases(lease_watch w)
{
    w.which.allow_bookmarks = false;
    backoff pauses({.initial = w.retry_period, .cap = longest_pause}, w.seed.value_or(1));
    for (;;) {
        auto opening = w.cluster.watch(leases(), w.ns, w.which);
        auto stream = co_await std::move(opening);
        if (!stream && is_final(stream.error())) co_return stream.error();
        while (stream) {
            auto reading = (*stream)->next();
            const auto batch = co_await std::move(reading);
            if (!batch || batch->empty()) break;
            pauses.reset();
            w.show(*batch);
        }
        w.ended();
        auto pause = sleep_for(*w.time, pauses.next());
        co_await std::move(pause);
    }
}

} // namespace kubecoro::detail
