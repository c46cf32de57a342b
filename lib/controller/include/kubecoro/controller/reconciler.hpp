#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/name_first.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/controller/action.hpp>

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {

/** What one run knows of itself. Lives until the run ends; used by that run only. */
class reconcile_context
{
public:
    /// A write of this run that its key's next run has to see.
    struct write
    {
        /// The API group of what was written.
        std::string group;
        /// The kind of what was written.
        std::string kind;
        /// Namespace and name of what was written.
        object_key key;
        /// The version that the server answered with.
        std::string resource_version;
    };
    /// For tests of a reconciler; a controller fills them in.
    struct settings
    {
        unsigned attempt = 1;
        int priority = 0;
        std::optional<time_point> deadline = {};
        /// For log().
        logger log = {};
        std::string_view controller = {};
        object_key_view key = {};
        /// Empty = real_clock().
        std::shared_ptr<time_source> time = {};
        /// Set when the runs are cancelled. Null = never.
        const std::atomic<bool>* cancelled = nullptr;
        KUBECORO_NAME_FIRST;
    };
    explicit reconcile_context(settings s);
    reconcile_context(const reconcile_context&) = delete;
    reconcile_context& operator=(const reconcile_context&) = delete;

    /// 1, and one more for each failure of this key since its last success.
    [[nodiscard]] unsigned attempt() const noexcept { return settings_.attempt; }
    /// The priority with which the key was queued.
    [[nodiscard]] int priority() const noexcept { return settings_.priority; }
    /// When this run is cancelled; empty when it has all the time it wants.
    [[nodiscard]] const std::optional<time_point>& deadline() const noexcept { return settings_.deadline; }
    /// Adds the controller and the object to every line. Made by each call.
    [[nodiscard]] logger log() const;
    /// The controller's.
    [[nodiscard]] const std::shared_ptr<time_source>& time() const noexcept { return settings_.time; }
    /// For work that does not suspend: the deadline has passed, or the controller stops and has lost patience. What is
    /// awaited is cancelled through its cancellation slot.
    [[nodiscard]] bool is_cancelled() const noexcept;

    /** This run has written an object, and this is what the server answered. The next run of this key begins when the
        stores of the sources of that group and kind have reached that version, or after
        controller_options::own_write_wait.

        Nothing to wait for when no source has that kind or watches that namespace. */
    void wrote(const object& answer);
    void wrote(const resource_type& resource, object_key key, std::string resource_version);

    /// The writes that the run has named so far.
    [[nodiscard]] const std::vector<write>& writes() const noexcept { return writes_; }

private:
    settings settings_;
    std::vector<write> writes_ = {};
};

/** Brings the world closer to what the object of this key asks for. A coroutine, or what returns one.

    Reads come from informers' listers; the object may be gone. Called for one key at a time only, for several keys at
    once. Key and context live until the run ends. @par Cancellation  terminal, at the deadline and when a stop has waited
    long enough: it has to end then, a stop waits for it. What it throws counts as a failure. */
using reconciler = std::function<boost::asio::awaitable<result<action>>(const object_key&, reconcile_context&)>;

} // namespace kubecoro
