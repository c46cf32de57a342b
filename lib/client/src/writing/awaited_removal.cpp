// Deletes an object and waits until it is gone.
#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/client/detail/follow_object.hpp>
#include <kubecoro/client/writing.hpp>

#include <utility>

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
