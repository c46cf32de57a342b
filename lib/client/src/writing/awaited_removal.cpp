// Deletes an object and waits until it is gone.
#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/writing.hpp>

#include <utility>

namespace kubecoro {

namespace asio = boost::asio;

namespace {

/// Between two watches: a server that ends each at once is not asked in a tight loop.
constexpr auto pause = std::chrono::seconds{1};

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

bool passes(const failure& f)
{
    return f == cond::expired || f == cond::unreachable || f == cond::retry_later || f == cond::timed_out;
}

bool is_gone(doomed& d, const object& seen)
{
    if (!seen || (!d.uid.empty() && !seen.has_uid(d.uid))) return true;
    d.uid = seen.uid();
    d.last = seen;
    return false;
}

/// Watches the object until it is gone or the watch ends. Returns whether it is gone.
asio::awaitable<result<bool>> watch_end(doomed& d)
{
    watch_options how;
    how.field_selector = "metadata.name=" + d.key.name;
    how.resource_version = std::string(d.last.resource_version());
    auto opening = d.cluster.watch(d.type, d.key.ns, how);
    KUBECORO_TRY(auto stream, co_await std::move(opening));
    for (;;) {
        auto waiting = stream->next();
        KUBECORO_TRY(const auto events, co_await std::move(waiting));
        if (events.empty()) co_return false;
        for (const auto& e : events) {
            if (e.type == watch_event_type::error) co_return failure(e.status);
            if (e.type == watch_event_type::deleted) co_return true;
            const bool has_object = e.type == watch_event_type::added || e.type == watch_event_type::modified;
            if (has_object && e.obj && is_gone(d, e.obj)) co_return true;
        }
    }
}

asio::awaitable<result<>> wait_for_end(doomed& d)
{
    for (;;) {
        auto looking = get_or_none(d.cluster, d.type, d.key);
        const auto seen = co_await std::move(looking);
        if (!seen && !passes(seen.error())) co_return seen.error();
        if (seen && is_gone(d, *seen)) co_return result<>{};
        if (seen) {
            auto watching = watch_end(d);
            const auto gone = co_await std::move(watching);
            if (gone && *gone) co_return result<>{};
            if (!gone && !passes(gone.error())) co_return gone.error();
        }
        auto resting = sleep_for(d.cluster.time(), pause);
        KUBECORO_TRY(co_await std::move(resting));
    }
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
    auto waiting = with_timeout(d.cluster.time(), limit, title, wait_for_end(d));
    const auto ended = co_await std::move(waiting);
    if (!ended && ended.error() == cond::timed_out && d.last) co_return ended.error().because(held_by(d.last));
    co_return ended;
}

asio::awaitable<result<>> remove_and_watch(client c, resource_type type, object_key key, delete_options options,
                                           duration limit)
{
    const bool dry_run = options.dry_run;
    auto removing = c.remove(type, key.ns, key.name, std::move(options));
    const auto removed = co_await std::move(removing);
    if (!removed && removed.error() != cond::not_found) co_return removed.error();
    if (!removed || dry_run) co_return result<>{};
    doomed d{c, std::move(type), std::move(key), removed_uid(*removed)};
    auto waiting = wait_within(std::move(d), limit);
    co_return co_await std::move(waiting);
}

} // namespace

std::string removed_uid(const object& answer)
{
    if (answer.kind() != "Status") return std::string(answer.uid());
    return std::string(answer["details"]["uid"].as_string());
}

asio::awaitable<result<>> wait_until_gone(client c, resource_type type, object_key key, std::string uid, duration limit)
{
    doomed d{std::move(c), std::move(type), std::move(key), std::move(uid)};
    return catch_failure(wait_within(std::move(d), limit));
}

asio::awaitable<result<>> remove_and_wait(client c, resource_type type, object_key key, delete_options options,
                                          duration limit)
{
    return catch_failure(remove_and_watch(std::move(c), std::move(type), std::move(key), std::move(options), limit));
}

} // namespace kubecoro
