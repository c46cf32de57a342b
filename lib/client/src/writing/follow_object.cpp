#include <kubecoro/api/selector.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/detail/follow_object.hpp>
#include <kubecoro/client/writing.hpp>

#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

/// Between two watches: a server that ends each at once is not asked in a tight loop.
constexpr auto pause = std::chrono::seconds{1};

/// Then the object is read again: a dead connection looks like an object that does not change, and callers wait for a
/// minute or so.
constexpr auto longest_watch = std::chrono::seconds{15};
/// For the server's end of the watch to arrive.
constexpr auto grace = std::chrono::seconds{5};

bool passes(const failure& f)
{
    return f == cond::expired || f == cond::unreachable || f == cond::retry_later || f == cond::timed_out;
}

struct followed
{
    client cluster;
    resource_type type;
    object_key key;
    object_verdict decide;
    /// The wait's outcome, once it is decided.
    result<> outcome = {};

    /// Returns whether this state decides.
    bool see(const object& state)
    {
        const auto verdict = decide(state);
        if (verdict) outcome = *verdict;
        return verdict.has_value();
    }
};

/// Watches the object from that version until a state decides or the watch ends. Returns whether one has decided.
asio::awaitable<result<bool>> watch_once(followed& f, std::string version)
{
    watch_options how;
    how.field_selector = field_selector({{"metadata.name", true, f.key.name}}).to_string();
    how.resource_version = std::move(version);
    how.timeout = longest_watch;
    KUBECORO_TRY(auto stream, co_await f.cluster.watch(f.type, f.key.ns, how));
    for (;;) {
        KUBECORO_TRY(const auto events, co_await stream->next());
        if (events.empty()) co_return false;
        for (const auto& e : events) {
            if (e.type == watch_event_type::error) co_return e.to_failure();
            const bool has_object = e.type == watch_event_type::added || e.type == watch_event_type::modified;
            const bool has_ended = e.type == watch_event_type::deleted;
            if (!has_ended && !(has_object && e.obj)) continue;
            if (f.see(has_ended ? object() : e.obj)) co_return true;
        }
    }
}

asio::awaitable<result<>> follow(followed f)
{
    for (;;) {
        const auto seen = co_await get_or_none(f.cluster, f.type, f.key);
        if (!seen && !passes(seen.error())) co_return seen.error();
        if (seen) {
            if (f.see(*seen)) co_return f.outcome;
            const auto decided =
                co_await with_timeout(f.cluster.time(), longest_watch + grace, "watch " + to_string(f.key),
                                      watch_once(f, std::string(seen->resource_version())));
            if (decided && *decided) co_return f.outcome;
            if (!decided && !passes(decided.error())) co_return decided.error();
        }
        KUBECORO_TRY(co_await sleep_for(f.cluster.time(), pause));
    }
}

} // namespace

asio::awaitable<result<>> follow_object(client cluster, resource_type type, object_key key, object_verdict decide)
{
    return follow(followed{std::move(cluster), std::move(type), std::move(key), std::move(decide)});
}

} // namespace kubecoro::detail
