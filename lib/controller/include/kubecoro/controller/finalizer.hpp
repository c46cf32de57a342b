#pragma once
// Reconcilers whose objects are cleaned up before they go.

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/base/kept_text.hpp>
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

namespace detail {

/// A run on an object: the untyped form of a typed_reconciler.
using object_run = std::function<boost::asio::awaitable<result<action>>(const object&, reconcile_context&)>;

/// Keeps the object until the run has ended. `run` and `context` must outlive the awaitable.
template<class T>
boost::asio::awaitable<result<action>> run_typed(typed_object<T> found, const typed_reconciler<T>& run,
                                                 reconcile_context& context)
{
    co_return co_await run(found, context);
}

/// A finalizer, and what runs with it.
struct finalizer_parts
{
    finalizer_parts(client c, std::string f) : cluster(std::move(c)), finalizer(std::move(f)) {}

    client cluster;
    std::string finalizer;
    detail::object_run apply = {};
    detail::object_run cleanup = {};
    /// When `apply` has a finalizer as well, which goes first. Null otherwise.
    std::shared_ptr<const finalizer_parts> inner = {};
};

/// One run. `parts` and `context` must outlive the awaitable.
[[nodiscard]] boost::asio::awaitable<result<action>> finalized_run(const finalizer_parts& parts, object found,
                                                                   reconcile_context& context);

/// The reconciler that with_finalizer() makes: a type of its own, by which a further one knows it.
template<class T>
struct finalized
{
    std::shared_ptr<const finalizer_parts> parts;

    boost::asio::awaitable<result<action>> operator()(const typed_object<T>& found, reconcile_context& context) const
    {
        return finalized_run(*parts, found, context);
    }
};

} // namespace detail

/** One run of an object that has a finalizer, see with_finalizer(): for a reconciler of keys.

    @param found  As the informer has it. Null = nothing to do.
    @par Lifetime  `context` must outlive the awaitable. */
[[nodiscard]] boost::asio::awaitable<result<action>> run_with_finalizer(client cluster, object found,
                                                                        kept_text finalizer, detail::object_run apply,
                                                                        detail::object_run cleanup,
                                                                        reconcile_context& context);

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

    Several may be nested, each with its own cleanup: the one that was added last cleans up first, and the next one when
    that is over. `reconcile` must be the inner one itself: inside another function it is not recognised and never cleans
    up, and its finalizer holds the object.
    @param finalizer  "example.com/cleanup": a qualified name; another one fails with cond::invalid.
    @param cluster    May update the objects. */
template<class T>
[[nodiscard]] typed_reconciler<T> with_finalizer(client cluster, kept_text finalizer,
                                                 std::type_identity_t<typed_reconciler<T>> reconcile,
                                                 std::type_identity_t<typed_reconciler<T>> cleanup)
{
    const auto to_run = [](typed_reconciler<T> run) -> detail::object_run {
        return [run = std::move(run)](const object& found, reconcile_context& context) {
            return detail::run_typed<T>(typed_object<T>(found), run, context);
        };
    };
    const auto* inner = reconcile.template target<detail::finalized<T>>();
    auto parts = std::make_shared<detail::finalizer_parts>(std::move(cluster), std::move(finalizer));
    if (inner != nullptr) parts->inner = inner->parts;
    parts->apply = to_run(std::move(reconcile));
    parts->cleanup = to_run(std::move(cleanup));
    // The controller keeps its reconciler, and with it the parts, until its runs have ended.
    return detail::finalized<T>{std::move(parts)};
}

} // namespace kubecoro
