// Waits for a state of one object without an informer, also for its end after a deletion.
#include <kubecoro/client/detail/follow_object.hpp>

#include <kubecoro/api/selector.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>
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

namespace kubecoro {

namespace asio = boost::asio;

namespace {

/// One object that is to be gone.
struct doomed
{
    client cluster;
    resource_type type;
    object_key key;
    /// Empty until it is known: another uid is another object.
    std::string uid = {};
    /// As last seen.
    object last = {};
};

bool is_gone(doomed& d, const object& seen)
{
    if (!seen || (!d.uid.empty() && !seen.has_uid(d.uid))) return true;
    d.uid = seen.uid();
    d.last = seen;
    return false;
}

asio::awaitable<result<>> wait_for_end(doomed& d)
{
    return detail::follow_object(d.cluster, d.type, d.key, [&d](const object& seen) {
        return is_gone(d, seen) ? std::optional(result<>()) : std::nullopt;
    });
}

std::string held_by(const object& o)
{
    std::string names;
    for (const auto f : o.metadata()["finalizers"].items())
        names += (names.empty() ? "" : ", ") + printable(f.as_string());
    return names.empty() ? std::string("it has no finalizers") : "held by its finalizers: " + names;
}

asio::awaitable<result<>> wait_within(doomed d, duration limit)
{
    const auto title = "wait until " + d.type.display_name() + " \"" + printable(to_string(d.key)) + "\" is gone";
    const auto ended = co_await with_timeout(d.cluster.time(), limit, title, wait_for_end(d));
    if (!ended && ended.error() == cond::timed_out && d.last) co_return ended.error().because(held_by(d.last));
    co_return ended;
}

asio::awaitable<result<>> remove_and_watch(client c, resource_type type, object_key key, delete_options options,
                                           saturating_duration limit)
{
    const bool dry_run = options.dry_run;
    const auto removed = co_await c.remove(type, key.ns, key.name, std::move(options));
    if (!removed && removed.error() != cond::not_found) co_return removed.error();
    if (!removed || dry_run) co_return result<>{};
    doomed d{c, std::move(type), std::move(key), removed_uid(*removed)};
    co_return co_await wait_within(std::move(d), limit);
}

} // namespace

std::string removed_uid(const object& answer)
{
    if (answer.kind() != "Status") return std::string(answer.uid());
    return std::string(answer["details"]["uid"].as_string());
}

asio::awaitable<result<>> wait_until_gone(client c, resource_type type, object_key key, kept_text uid,
                                          saturating_duration limit)
{
    doomed d{std::move(c), std::move(type), std::move(key), std::move(uid)};
    return catch_failure(wait_within(std::move(d), limit));
}

asio::awaitable<result<>> remove_and_wait(client c, resource_type type, object_key key, delete_options options,
                                          saturating_duration limit)
{
    return catch_failure(remove_and_watch(std::move(c), std::move(type), std::move(key), std::move(options), limit));
}

} // namespace kubecoro
