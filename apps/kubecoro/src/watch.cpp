// `kubecoro watch`: one shared informer, one line per notification.
#include "commands.hpp"
#include "flags.hpp"
#include "output.hpp"
#include "watch_printer.hpp"

#include <kubecoro/api/selector.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/client/discovery.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

failure refused(const std::string& flag, const std::string& text, const failure& why)
{
    return failure(cond::invalid, flag + ' ' + quoted(shortened(text)) + ": " + why.message());
}

/// Rejects options that could never succeed; the informer would retry them forever.
result<> check(const watch_command& options)
{
    for (const auto& ns : options.namespaces)
        if (!is_namespace(ns))
            return failure(cond::invalid, "-n expects the name of a namespace, not " + quoted(shortened(ns)));
    if (auto labels = label_selector::parse(options.label_selector); !labels)
        return refused("-l", options.label_selector, labels.error());
    if (auto fields = field_selector::parse(options.field_selector); !fields)
        return refused("--field-selector", options.field_selector, fields.error());
    return {};
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

/// Announces that the handler has received every initial object, however many refusals come first.
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

/// Ends the process even if the reader of its output does not read: a write to a full pipe cannot be interrupted.
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
    // Handlers print on a separate thread, so that a slow reader of the output delays neither watch nor signals.
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

namespace {

asio::awaitable<result<>> find_and_follow(const watch_command& options, const program_context& context,
                                          watch_printer& printer)
{
    if (auto sound = check(options); !sound) co_return sound;
    client_options how;
    how.kubeconfig = options.kubeconfig;
    how.context = options.context;
    how.log = options.log;
    auto api = client::connect(context.executor, how);
    if (!api) co_return api.error();
    auto resource = co_await unless_stopped(context.stop, find_resource(*api, options.resource));
    if (!resource) {
        if (resource.error() == cond::cancelled) co_return result<>();
        co_return resource.error();
    }
    printer.begin();
    co_return co_await follow(*api, *resource, options, context, printer);
}

} // namespace

asio::awaitable<result<>> watch(watch_command options, program_context context)
{
    output out([stop = context.stop](result<> why) { stop.settle(std::move(why)); });
    watch_printer printer(out, options.json);
    auto outcome = co_await find_and_follow(options, context, printer);
    // A reader of JSON documents does not see stderr.
    if (!outcome && options.json && outcome.error() != cond::cancelled) printer.failed(outcome.error());
    co_return outcome;
}

} // namespace kubecoro::tool
