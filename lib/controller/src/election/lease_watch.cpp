#include "election/lease_watch.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// The pauses between attempts to watch grow up to this.
constexpr auto longest_pause = std::chrono::seconds{30};

/// Credentials that are not accepted are no reason: a token expires before its file is renewed.
bool is_final(const failure& f) noexcept
{
    return f == cond::forbidden || f == cond::invalid || f == cond::misconfigured;
}

/// Shows the events of one watch until it ends. Errors: why it could not be opened.
asio::awaitable<result<>> follow_one(lease_watch& w, backoff& pauses)
{
    KUBECORO_TRY(auto stream, co_await w.cluster.watch(leases(), w.ns, w.which));
    for (;;) {
        const auto batch = co_await stream->next();
        if (!batch || batch->empty()) co_return result<>{};
        pauses.reset();
        w.show(*batch);
    }
}

} // namespace

resource_type leases() { return untyped::lease::resource(); }

asio::awaitable<result<>> follow_leases(lease_watch w)
{
    w.which.allow_bookmarks = false;
    backoff pauses({.initial = w.retry_period, .cap = longest_pause}, w.seed.value_or(random_seed()));
    for (;;) {
        const auto ended = co_await follow_one(w, pauses);
        if (!ended && is_final(ended.error())) co_return ended.error();
        w.ended();
        co_await sleep_for(*w.time, pauses.next());
    }
}

} // namespace kubecoro::detail
