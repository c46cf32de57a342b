#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/detail/object_share.hpp>

#include <memory>
#include <utility>

namespace kubecoro {

namespace detail {
class share_state;
}

/** The keys on which a shard_member may work at present: a cheap handle, thread safe; copies refer to the same share, which
    remains readable after the member's end and then covers nothing. A default-constructed share covers every key. */
class key_share
{
public:
    key_share() = default;
    /// Made by shard_member::share().
    explicit key_share(std::shared_ptr<detail::share_state> state) noexcept : state_(std::move(state)) {}

    /// Whether the key is this member's, as of its last word with the server. Costs some nanoseconds for each member.
    [[nodiscard]] bool covers(object_key_view key) const;
    /** Success as long as the key is this member's by its own clock: to be asked right before a write that matters.

        @par Errors  cond::conflict if it is another one's, cond::timed_out if the Lease was not renewed in time. */
    [[nodiscard]] result<> check(object_key_view key) const;
    /// Whether this belongs to a member; false for a default-constructed one.
    [[nodiscard]] explicit operator bool() const noexcept { return state_ != nullptr; }

    /// For informer_options::share: the objects with these keys. Null for a share that covers everything.
    [[nodiscard]] operator std::shared_ptr<detail::object_share>()
        const; // implicit: .share = member.share() of both kinds of options

    /// The same share.
    friend bool operator==(const key_share&, const key_share&) = default;

private:
    friend class detail::share_state;
    std::shared_ptr<detail::share_state> state_;
};

} // namespace kubecoro
