// `kubecoro watch`: a shared informer for each resource, one line per notification.
#include "verbs/verbs.hpp"

#include "cli/cluster_flags.hpp"
#include "flags.hpp"
#include "select/resolve.hpp"
#include "select/search_plan.hpp"
#include "watch_printer.hpp"

#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/cache/informer_factory.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdlib>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

struct watch_flags
{
    cluster_flags cluster = {};
    scope_flags scope = {};
    std::vector<std::string> namespaces = {};
    std::vector<std::string> arguments = {};
    std::string format = "table";
    bool once = false;
    bool timestamps = false;
    bool keep_trying = false;
    // Parsed by check_watch().
    std::vector<wanted_objects> wanted = {};
};

/// Rejects flags that could never succeed; the informer would retry them forever.
result<> check_watch(watch_flags& f)
{
    for (const auto& ns : f.namespaces)
        if (!is_namespace(ns))
            return failure(cond::invalid, "-n expects the name of a namespace, not " + json_quoted(shortened(ns)));
    if (auto sound = check(f.cluster); !sound) return sound;
    if (auto sound = check(f.scope); !sound) return sound;
    auto wanted = parse_selection(f.arguments);
    if (!wanted) return wanted.error();
    f.wanted = std::move(*wanted);
    for (const auto& w : f.wanted)
        if (!w.names.empty() && f.scope.all_namespaces)
            return failure(cond::invalid, "-A cannot be combined with names");
    return {};
}

/// The informers of a target: one for each name, or one for all objects.
std::vector<informer_options> scopes_of(const watch_flags& f, const target& t, const client& api)
{
    informer_options scope;
    scope.label_selector = f.scope.label_selector;
    scope.field_selector = f.scope.field_selector;
    scope.decode.form = wire_form::json;
    if (t.type.namespaced && !f.scope.all_namespaces) {
        scope.namespaces = f.namespaces;
        if (scope.namespaces.empty()) scope.namespaces.push_back(api.default_namespace());
    }
    if (t.names.empty()) return {scope};
    std::vector<informer_options> out;
    for (const auto& name : t.names) {
        out.push_back(scope);
        out.back().name = name;
    }
    return out;
}

event_handler<object> handler_of(watch_printer& printer, const std::string& prefix)
{
    event_handler<object> handler;
    handler.on_add = [&printer, prefix](const added<object>& e) { printer.show(e, prefix); };
    handler.on_update = [&printer, prefix](const updated<object>& e) { printer.show(e, prefix); };
    handler.on_delete = [&printer, prefix](const deleted<object>& e) { printer.show(e, prefix); };
    return handler;
}

/// Announces that the handlers have received every initial object, however many refusals come first.
asio::awaitable<result<>> announce_synced(std::vector<registration> handlers, watch_printer& printer, latch stop,
                                          bool once)
{
    const auto time = real_clock();
    for (std::size_t i = 0; i != handlers.size();) {
        auto synced = co_await handlers[i].has_synced();
        if (synced) {
            ++i;
            continue;
        }
        if (synced.error() == cond::cancelled) co_return synced;
        printer.failed(synced.error());
        KUBECORO_TRY(co_await sleep_for(*time, std::chrono::milliseconds{200}));
    }
    printer.synced();
    if (once) stop.settle({});
    co_return result<>();
}

/// Says once that the first lists take long.
asio::awaitable<result<>> note_a_long_wait(std::vector<registration> handlers, verb_context context)
{
    const auto time = real_clock();
    KUBECORO_TRY(co_await sleep_for(*time, std::chrono::seconds{1}));
    for (const auto& handler : handlers)
        if (!handler.synced()) {
            context.note("kubecoro: waiting for the first list");
            break;
        }
    co_return result<>();
}

/// Ends the process even if the reader of its output does not read: a write to a full pipe cannot be interrupted.
void end_when_it_expires(asio::steady_timer& limit, int status)
{
    limit.expires_after(std::chrono::milliseconds{800});
    limit.async_wait([status](const boost::system::error_code& ec) {
        if (!ec) std::_Exit(status);
    });
}

/// Reports failures, and ends the watch with one that retries cannot mend.
std::function<void(const failure&)> failure_handler(watch_printer& printer, const latch& stop, bool keep_trying)
{
    return [&printer, stop, keep_trying](const failure& why) {
        if (worth_showing(why)) printer.failed(why);
        if (!keep_trying && is_permanent(why))
            stop.settle(why.because("the server refuses the watch; --keep-trying waits until it is allowed"));
    };
}

asio::awaitable<result<>> follow(const client& api, const std::vector<target>& targets, const watch_flags& f,
                                 const verb_context& context, watch_printer& printer)
{
    // Handlers print on a separate thread, so that a slow reader of the output delays neither watch nor signals.
    asio::thread_pool printing(1);
    factory_options with;
    with.log = context.log;
    informer_factory informers(api, with);
    std::vector<registration> handlers;
    for (const auto& t : targets) {
        const std::string prefix = targets.size() > 1 ? type_prefix(t.type) : "";
        for (auto& scope : scopes_of(f, t, api)) {
            scope.on_failure = failure_handler(printer, context.program.stop, f.keep_trying);
            auto informer = informers.get(t.type, std::move(scope));
            auto handler = handler_of(printer, prefix);
            handler.executor = printing.get_executor();
            handlers.push_back(informer.add_event_handler(std::move(handler)));
        }
    }
    informers.start();

    task_group tasks(context.program.executor, context.log);
    tasks.spawn("synced", announce_synced(handlers, printer, context.program.stop, f.once));
    tasks.spawn("note", note_a_long_wait(handlers, context));
    auto outcome = co_await context.program.stop.wait();
    asio::steady_timer limit(context.program.executor);
    end_when_it_expires(limit, outcome ? 0 : 1);
    tasks.stop();
    (void)co_await tasks.join();
    (void)co_await informers.stop();
    printing.join();
    co_return outcome;
}

void report_search(const failure& why, const verb_context& context, watch_printer& printer)
{
    if (worth_showing(why)) return printer.failed(why);
    context.log.warning("the server does not say which resources it has; asking again", {{"why", why.describe()}});
}

/// The resources; with --keep-trying as soon as the server has them.
asio::awaitable<result<std::vector<target>>> find_targets(client api, const watch_flags& f, const verb_context& context,
                                                          watch_printer& printer)
{
    search_plan plan(detail::random_seed());
    for (;;) {
        auto found = co_await resolve(api, f.wanted, "");
        if (found || !f.keep_trying) co_return found;
        const auto pause = plan.after(found.error());
        if (!pause) co_return found;
        if (plan.is_news(found.error())) report_search(found.error(), context, printer);
        KUBECORO_TRY(co_await sleep_for(api.time(), *pause));
    }
}

asio::awaitable<result<>> find_and_follow(const watch_flags& f, const verb_context& context, watch_printer& printer)
{
    KUBECORO_TRY(auto api, connect(f.cluster, context));
    context.doing("asking the server for its resources");
    auto targets = co_await unless_stopped(context.program.stop, find_targets(api, f, context, printer));
    context.waiting.done();
    if (!targets) {
        if (targets.error() == cond::cancelled) co_return result<>();
        co_return targets.error();
    }
    printer.begin();
    co_return co_await follow(api, *targets, f, context, printer);
}

watch_style style_of(const watch_flags& f, bool colours)
{
    watch_style style;
    style.json = f.format == "json";
    style.timestamps = f.timestamps;
    style.colours = colours;
    return style;
}

asio::awaitable<result<>> watch(std::shared_ptr<watch_flags> f, verb_context context)
{
    watch_printer printer(context.out, style_of(*f, context.colours));
    auto outcome = co_await find_and_follow(*f, context, printer);
    // A reader of JSON documents does not see stderr.
    if (!outcome && f->format == "json" && outcome.error() != cond::cancelled) printer.failed(outcome.error());
    co_return outcome;
}

/// Reports wrong usage as a document as well.
result<> check_and_tell(watch_flags& f)
{
    auto sound = check_watch(f);
    if (!sound && f.format == "json") {
        output out;
        watch_printer(out, style_of(f, false)).failed(sound.error());
    }
    return sound;
}

} // namespace

verb add_watch(CLI::App& app)
{
    auto f = std::make_shared<watch_flags>();
    auto* watch_app = app.add_subcommand("watch", "Keep a live copy of resources and print every change");
    watch_app
        ->add_option("RESOURCE", f->arguments,
                     "TYPE, TYPE,TYPE, TYPE NAME..., or TYPE/NAME...: pods, po,deployments.apps")
        ->required();
    auto* ns = watch_app->add_option("-n,--namespace", f->namespaces, "Namespace; may be repeated")
                   ->take_all()
                   ->allow_extra_args(false)
                   ->group("Cluster");
    add_scope_flags(*watch_app, f->scope);
    watch_app->get_option("--all-namespaces")->excludes(ns);
    add_cluster_flags(*watch_app, f->cluster);
    watch_app->add_option("-o,--output", f->format, "table, or json: one document per line")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    watch_app->add_flag("--once", f->once, "End when every present object was printed");
    watch_app->add_flag("--timestamps", f->timestamps, "Begin each line with the time; json: a member `time`");
    watch_app->add_flag("--keep-trying", f->keep_trying,
                        "Go on after a refusal (400, 403, 404): wait for rights, or for a definition");
    verb out;
    out.name = "watch";
    out.stops_itself = true;
    out.check = [f] { return check_and_tell(*f); };
    out.run = [f](verb_context context) { return watch(f, std::move(context)); };
    return out;
}

} // namespace kubecoro::tool
