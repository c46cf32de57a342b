#include <kubecoro/controller/finalizer.hpp>

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/writing.hpp>

#include <optional>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
namespace {

/// The resource of an object, to read it again.
asio::awaitable<result<object>> newest(client cluster, object o)
{
    KUBECORO_TRY(auto type, co_await cluster.resource_of(std::string(o.api_version()), std::string(o.kind())));
    co_return co_await get_or_none(cluster, std::move(type), object_key(o.key()));
}

/// The object with the finalizer; null if it is gone or being deleted, so that there is nothing to do or to clean up.
asio::awaitable<result<object>> with_mark(client cluster, object found, std::string finalizer)
{
    const auto marked = co_await ensure_finalizer(cluster, found, std::move(finalizer));
    if (marked) co_return *marked;
    if (marked.error() == cond::not_found) co_return object();
    if (marked.error() != cond::invalid) co_return marked.error();
    // The informer may be behind: a finalizer cannot be added to an object that is being deleted.
    KUBECORO_TRY(const auto now, co_await newest(cluster, found));
    if (!now || !now.same_uid(found) || now.being_deleted()) co_return object();
    co_return marked.error();
}

/// Whether the cleanup is over: it has neither failed nor asked for another run.
bool is_over(const result<action>& done) { return done && !done->after() && !done->hopeless(); }

asio::awaitable<result<action>> clean_up(client cluster, object found, std::string finalizer,
                                         const detail::object_run& cleanup, reconcile_context& context)
{
    if (!has_finalizer(found, finalizer)) co_return action::done();
    const auto done = co_await cleanup(found, context);
    if (!is_over(done)) co_return done;
    KUBECORO_TRY(const auto left, co_await remove_finalizer(cluster, found, std::move(finalizer)));
    if (left && left.same_uid(found)) context.wrote(left);
    co_return done;
}

asio::awaitable<result<action>> apply_marked(client cluster, object found, std::string finalizer,
                                             const detail::object_run& apply, reconcile_context& context)
{
    if (!has_finalizer(found, finalizer)) {
        KUBECORO_TRY(found, co_await with_mark(cluster, found, std::move(finalizer)));
        if (!found) co_return action::done();
        context.wrote(found);
    }
    co_return co_await apply(found, context);
}

asio::awaitable<result<action>> nothing_to_do() { co_return action::done(); }

asio::awaitable<result<action>> run_kept(detail::finalizer_parts parts, object found, reconcile_context& context)
{
    co_return co_await detail::finalized_run(parts, std::move(found), context);
}

/// From the inside out: what was made last goes first.
asio::awaitable<result<action>> clean_up_all(const detail::finalizer_parts& parts, object found,
                                             reconcile_context& context)
{
    if (parts.inner) {
        const auto done = co_await clean_up_all(*parts.inner, found, context);
        if (!is_over(done)) co_return done;
    }
    co_return co_await clean_up(parts.cluster, std::move(found), parts.finalizer, parts.cleanup, context);
}

} // namespace

asio::awaitable<result<action>> detail::finalized_run(const finalizer_parts& parts, object found,
                                                      reconcile_context& context)
{
    if (!found) return nothing_to_do();
    if (found.being_deleted()) return clean_up_all(parts, std::move(found), context);
    return apply_marked(parts.cluster, std::move(found), parts.finalizer, parts.apply, context);
}

asio::awaitable<result<action>> run_with_finalizer(client cluster, object found, kept_text finalizer,
                                                   detail::object_run apply, detail::object_run cleanup,
                                                   reconcile_context& context)
{
    detail::finalizer_parts parts(std::move(cluster), std::move(finalizer));
    parts.apply = std::move(apply);
    parts.cleanup = std::move(cleanup);
    return run_kept(std::move(parts), std::move(found), context);
}

} // namespace kubecoro
