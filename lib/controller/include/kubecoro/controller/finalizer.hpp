#pragma once
// Reconcilers whose objects are cleaned up before they go.

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/base/name_first.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/controller/reconciler.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace kubecoro {

/// A run on an object: the untyped form of a typed_reconciler.
using object_run = std::function<boost::asio::awaitable<result<action>>(const object&, reconcile_context&)>;

namespace detail {

/// Keeps the object until the run has ended. `run` and `context` must outlive the awaitable.
template<class T>
boost::asio::awaitable<result<action>> run_typed(typed_object<T> found, const typed_reconciler<T>& run,
                                                 reconcile_context& context)
{
    auto running = run(found, context);
    co_return co_await std::move(running);
}

/// As run_with_finalizer(). `apply`, `cleanup` and `context` must outlive the awaitable.
[[nodiscard]] boost::asio::awaitable<result<action>> finalized_run(client cluster, object found, std::string finalizer,
                                                                   const object_run& apply, const object_run& cleanup,
                                                                   reconcile_context& context);

} // namespace detail

/** One run of an object that has a finalizer, see with_finalizer(): for a reconciler of keys.

    @param found  As the informer has it. Null = nothing to do.
    @par Lifetime  `context` must outlive the awaitable. */
[[nodiscard]] boost::asio::awaitable<result<action>>
run_with_finalizer(client cluster, object found, std::string finalizer, named_first<object_run> apply,
                   named_first<object_run> cleanup, reconcile_context& context);

/** A reconciler that cleans up before its object goes.

        controller shops(executor, informers.get<shop>(),
                         with_finalizer<shop>(cluster, "example.com/cleanup", reconcile, clean_up));

    The finalizer is added before the first run of `reconcile`, so that nothing is made that nobody removes. Once the
    object is being deleted, `cleanup` runs in place of `reconcile`, and again until it returns action::done(); then the
    finalizer is removed and the server deletes the object. A failure or action::requeue_after() of `cleanup` keeps the
    finalizer. `cleanup` must accept that its work is already done. It is not called for an object that was deleted
    before it had the finalizer.

    Changes of other writers are kept, objects that are gone are no failure, and another object with the name of a
    deleted one is never touched.

    One finalizer for a reconciler: of two that are nested, the inner one would never clean up, and hold the object for
    ever. A cleanup of several parts calls them in turn.
    @param finalizer  "example.com/cleanup": a qualified name; another one fails with cond::invalid.
    @param cluster    May update the objects. */
template<class T>
[[nodiscard]] typed_reconciler<T> with_finalizer(client cluster, std::string finalizer,
                                                 std::type_identity_t<typed_reconciler<T>> reconcile,
                                                 std::type_identity_t<typed_reconciler<T>> cleanup)
{
    const auto to_run = [](typed_reconciler<T> run) -> object_run {
        return [run = std::move(run)](const object& found, reconcile_context& context) {
            return detail::run_typed<T>(typed_object<T>(found), run, context);
        };
    };
    struct parts
    {
        client cluster;
        std::string finalizer;
        object_run apply;
        object_run cleanup;
    };
    auto kept = std::make_shared<const parts>(
        parts{std::move(cluster), std::move(finalizer), to_run(std::move(reconcile)), to_run(std::move(cleanup))});
    // The controller keeps its reconciler, and with it the parts, until its runs have ended.
    return [kept](const typed_object<T>& found, reconcile_context& context) {
        return detail::finalized_run(kept->cluster, found, kept->finalizer, kept->apply, kept->cleanup, context);
    };
}

} // namespace kubecoro
