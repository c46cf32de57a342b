#pragma once
// Writes that read, compare and try again: what reconcilers do all day.

#include <kubecoro/api/edit.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/base/retry.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/client/json_text.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/json/fwd.hpp>

#include <chrono>
#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

namespace kubecoro {

namespace detail {

/// The types that an edit may return. Others would be dropped: a failure of another result, or a coroutine that never begins.
template<class R>
inline constexpr bool is_edit_outcome =
    std::is_void_v<R> || std::is_same_v<R, bool> || std::is_convertible_v<R, result<>>;

/// Whether an edit takes its object by reference. An edit that also accepts a temporary takes a copy or a constant reference, so
/// its changes would be lost.
template<class F, class T>
inline constexpr bool edits_in_place = !std::is_invocable_v<F&, T&&>;

} // namespace detail

/** Changes an object in JSON before it is written: a function of `boost::json::object&` that returns nothing, bool (which
    is ignored) or result<>. It is no coroutine: what it needs is read before.

        [&](json::object& o) { field(o, "spec", "replicas") = 3; set_controller_reference(owner, o); }

    It may be called several times, each time with the newest state, and must depend on nothing that an earlier call
    changed. A failure that it returns, and a kubecoro::error that it throws, end the operation; so does any other
    exception, as cond::internal. */
class object_edit
{
public:
    /// The function that is kept.
    using function = std::function<result<>(boost::json::object&)>;

    /// Keeps a callable. Implicit, so that callers pass the callable itself.
    template<class F>
        requires(!std::same_as<std::remove_cvref_t<F>, object_edit> && std::is_invocable_v<F&, boost::json::object&>)
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the constraint leaves copying and moving alone
    object_edit(F&& f) : kept_(plain<std::decay_t<F>>{std::forward<F>(f)})
    {
    }
    /// Calls it. Exceptions become failures.
    [[nodiscard]] result<> operator()(boost::json::object& o) const;

private:
    template<class F>
    struct plain
    {
        result<> operator()(boost::json::object& o) const
        {
            using outcome = std::invoke_result_t<F&, boost::json::object&>;
            static_assert(detail::is_edit_outcome<outcome>,
                          "an edit returns nothing, bool or result<>, and is no coroutine: read what it needs before");
            static_assert(detail::edits_in_place<F, boost::json::object>,
                          "an edit takes the object by reference, json::object&: changes of a copy would be lost");
            if constexpr (std::is_convertible_v<outcome, result<>> && !std::is_same_v<outcome, bool>)
                return call(o);
            else
                call(o);
            return {};
        }
        mutable F call;
    };
    function kept_;
};

/// The effect of a write on the object.
enum class write_effect
{
    unchanged,
    created,
    updated
};

/// The outcome of create_or_update() and its like.
struct written
{
    /// The object as the server has it now.
    object now = {};
    /// `unchanged`: nothing was sent, or the write left the object as it was.
    write_effect effect = write_effect::unchanged;
};

/// Options of create_or_update(), create_or_patch(), retry_on_conflict() and edit_status().
struct edit_options
{
    /// Options of the write.
    write_options write = {};
    /// Where to begin: the object from an informer's lister. If the edit changes nothing in it, no request is sent. Changes
    /// of it go as a patch, as informers may leave fields out. Null = the object is read from the server first.
    object known = {};
    /// Attempts, and the delays between them, when another writer was first. Without a seed each edit draws a
    /// jitter of its own, which client_options::seed makes repeatable.
    retry_policy retry = {};
};

// All of the following: @par Cancellation terminal, partial, total. Errors, beside those of the client: cond::conflict when
// others were first in each attempt, failures of the edit, and cond::invalid when the edit changed name or namespace.

/// The object, or a null object if there is none.
[[nodiscard]] boost::asio::awaitable<result<object>> get_or_none(client c, resource_type type, object_key key);

/** Creates an object, or brings it to what `edit` makes of it.

    If there is none, `edit` gets new_object(type, key), and the result is created. Otherwise `edit` gets the present
    object, and the result replaces it, unless nothing changed. Where another writer is first, the newest state is read
    and edited again. An object whose protobuf has fields that this version does not know is patched instead of
    replaced, so that they stay. For kinds with a status subresource the server ignores changes of the status. */
[[nodiscard]] boost::asio::awaitable<result<written>> create_or_update(client c, resource_type type, object_key key,
                                                                       object_edit edit, edit_options how = {});
/// As create_or_update(), but changes go as a JSON merge patch that has nothing but them. The patch is for the version that
/// was edited, so that no other writer's list items are lost.
[[nodiscard]] boost::asio::awaitable<result<written>> create_or_patch(client c, resource_type type, object_key key,
                                                                      object_edit edit, edit_options how = {});
/// Reads the newest state of an object, edits it and replaces it, again as long as others are first. As client-go's
/// RetryOnConflict around get and update. Fails with cond::not_found if there is no such object.
[[nodiscard]] boost::asio::awaitable<result<written>> retry_on_conflict(client c, resource_type type, object_key key,
                                                                        object_edit edit, edit_options how = {});

/** Sets members of an object's status: `co_await patch_status(cluster, f, {{"availableReplicas", n}});`

    Sent as a JSON merge patch of the subresource, so other members stay, null removes one, and lists are replaced. If
    `o` already says the same, nothing is sent and `o` is returned. Fails with cond::not_found if the object was deleted,
    also if another one has its name since. The resource is found by the object's kind: from the built-in ones, else by
    discovery. */
[[nodiscard]] boost::asio::awaitable<result<object>> patch_status(client c, object o, json_members status,
                                                                  write_options options = {});
/// Edits the status of this object, beginning with `o` itself: for conditions, whose list others change as well. Fails with
/// cond::invalid if the edit changes anything but the status. Conflicts are as in retry_on_conflict().
[[nodiscard]] boost::asio::awaitable<result<written>> edit_status(client c, object o, object_edit edit,
                                                                  edit_options how = {});

/// Adds a finalizer to this object, by its uid. Returns the object as it is then; sends nothing if it has the finalizer.
/// Fails with cond::invalid for an object that is being deleted, and with cond::not_found if it is gone.
[[nodiscard]] boost::asio::awaitable<result<object>> ensure_finalizer(client c, object o, kept_text finalizer,
                                                                      write_options options = {});
/// Removes a finalizer from this object, by its uid. Returns the object as it is then; null if it is gone, which is no
/// failure.
[[nodiscard]] boost::asio::awaitable<result<object>> remove_finalizer(client c, object o, kept_text finalizer,
                                                                      write_options options = {});

/** Deletes an object and waits until it is gone, or another one has its name. An object that is not there is gone.

    @param limit   Fails with cond::timed_out after it, naming the finalizers that hold the object. 0 = no limit.
    @par Executor  as client operations: one that runs one handler at a time. */
[[nodiscard]] boost::asio::awaitable<result<>> remove_and_wait(client c, resource_type type, object_key key,
                                                               delete_options options = {},
                                                               saturating_duration limit = std::chrono::minutes{1});
/** Waits until an object is gone that was deleted before, or another one has its name. As remove_and_wait(), for several
    objects that go together: delete them all, then wait for each.

    @param uid  The object's, such as removed_uid() gives; empty = that of the object that is found first. */
[[nodiscard]] boost::asio::awaitable<result<>> wait_until_gone(client c, resource_type type, object_key key,
                                                               kept_text uid = {},
                                                               saturating_duration limit = std::chrono::minutes{1});
/// The uid of the object that a deletion was for, from what client::remove() returned; empty if the server does not say.
[[nodiscard]] std::string removed_uid(const object& answer);

} // namespace kubecoro
