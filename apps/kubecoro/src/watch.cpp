// `kubecoro watch`: one shared informer, every notification a line.
#include "commands.hpp"
#include "output.hpp"
#include "watch_printer.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/client/discovery.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <chrono>
#include <cstdlib>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

/// What the user can do something about; the rest passes and is the log's business.
bool worth_showing(const failure& why)
{
    switch (why.condition()) {
    case cond::forbidden:
    case cond::unauthorized:
    case cond::not_found:
    case cond::invalid:
    case cond::misconfigured:
        return true;
    default:
        return false;
    }
}

informer_options scope_of(const watch_command& options, const resource_type& resource, const client& api)
{
    informer_options scope;
    scope.label_selector = options.label_selector;
    scope.field_selector = options.field_selector;
    if (resource.namespaced && !options.all_namespaces) {
        scope.namespaces = options.namespaces;
        if (scope.namespaces.empty()) scope.namespaces.push_back(api.default_namespace());
    }
    return scope;
}

event_handler handler_of(watch_printer& printer)
{
    event_handler handler;
    handler.on_add = [&printer](const added& e) { printer.show(e); };
    handler.on_update = [&printer](const updated& e) { printer.show(e); };
    handler.on_delete = [&printer](const deleted& e) { printer.show(e); };
    return handler;
}

/// Says when the handler has seen every initial object, however many refusals come first.
asio::awaitable<result<>> announce_synced(registration handler, watch_printer& printer)
{
    const auto time = real_clock();
    for (;;) {
        auto synced = co_await handler.has_synced();
        if (synced) {
            printer.synced();
            co_return synced;
        }
        if (synced.error() == cond::cancelled) co_return synced;
        printer.failed(synced.error());
        auto waited = co_await sleep_for(*time, std::chrono::milliseconds{200});
        if (!waited) co_return waited;
    }
}

/// Ends the process although somebody who reads our output does not: a write to a full pipe cannot be interrupted.
void end_when_it_expires(asio::steady_timer& limit)
{
    limit.expires_after(std::chrono::milliseconds{800});
    limit.async_wait([](const boost::system::error_code& ec) {
        if (!ec) std::_Exit(0);
    });
}

asio::awaitable<result<>> follow(const client& api, const resource_type& resource, const watch_command& options,
                                 const program_context& context, watch_printer& printer)
{
    // Handlers print on a thread of their own, so that a slow reader of our output holds up neither watch nor signals.
    asio::thread_pool printing(1);
    factory_options with;
    with.log = options.log;
    informer_factory informers(api, with);
    informer_options scope = scope_of(options, resource, api);
    scope.on_failure = [&printer](const failure& why) {
        if (worth_showing(why)) printer.failed(why);
    };
    auto informer = informers.get(resource, std::move(scope));
    handler_options where;
    where.executor = printing.get_executor();
    auto handler = informer.add_event_handler(handler_of(printer), where);
    informers.start();

    task_group tasks(context.executor, options.log);
    tasks.spawn("synced", announce_synced(handler, printer));
    auto outcome = co_await context.stop.wait();
    asio::steady_timer limit(context.executor);
    end_when_it_expires(limit);
    tasks.stop();
    (void)co_await tasks.join();
    (void)co_await informers.stop();
    printing.join();
    co_return outcome;
}

} // namespace

asio::awaitable<result<>> watch(watch_command options, program_context context)
{
    output out([stop = context.stop] { stop.settle({}); });
    client_options how;
    how.kubeconfig = options.kubeconfig;
    how.context = options.context;
    how.log = options.log;
    auto api = client::connect(context.executor, how);
    if (!api) co_return api.error();
    watch_printer printer(out, options.json);
    auto resource = co_await unless_stopped(context.stop, find_resource(*api, options.resource));
    if (!resource) {
        if (resource.error() == cond::cancelled) co_return result<>();
        if (options.json) printer.failed(resource.error());
        co_return resource.error();
    }
    printer.begin();
    co_return co_await follow(*api, *resource, options, context, printer);
}

} // namespace kubecoro::tool
