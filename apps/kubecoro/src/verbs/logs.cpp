// `kubecoro logs`: what containers have written.
#include "verbs/verbs.hpp"

#include "cli/cluster_flags.hpp"
#include "cli/duration_text.hpp"
#include "print/escape.hpp"
#include "print/objects.hpp"
#include "select/log_sources.hpp"
#include "select/resolve.hpp"

#include <kubecoro/api/timestamp.hpp>
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/detail/finishing.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/client/followed_log.hpp>
#include <kubecoro/client/log_stream.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

/// Streams that are followed at a time: each holds a connection.
constexpr std::size_t most_followed = 32;

struct logs_flags
{
    cluster_flags cluster = {};
    std::vector<std::string> arguments = {};
    std::string label_selector = {};
    std::string since_text = {};
    bool all_containers = false;
    bool prefix = false;
    std::optional<std::int64_t> tail = {};
    log_options how = {};
    std::vector<wanted_objects> wanted = {};
};

/// A container whose log is shown.
struct log_source
{
    std::string ns = {};
    std::string pod = {};
    std::string container = {};
};

result<> check_times(logs_flags& f)
{
    if (!f.how.since_time.empty())
        if (auto time = timestamp::parse(f.how.since_time); !time) return time.error().because("--since-time");
    if (f.since_text.empty()) return {};
    if (!f.how.since_time.empty()) return failure(cond::invalid, "--since cannot be combined with --since-time");
    auto since = parse_duration(f.since_text);
    if (!since) return since.error().because("--since");
    f.how.since = std::max(std::chrono::ceil<std::chrono::seconds>(*since), std::chrono::seconds{1});
    return {};
}

result<> check_logs(logs_flags& f)
{
    if (auto sound = check(f.cluster); !sound) return sound;
    if (auto sound = check_times(f); !sound) return sound;
    scope_flags labels;
    labels.label_selector = f.label_selector;
    if (auto sound = check(labels); !sound) return sound;
    if (f.tail && *f.tail < -1) return failure(cond::invalid, "--tail expects a number of lines, or -1 for all");
    if (f.tail && *f.tail >= 0) f.how.tail_lines = static_cast<std::uint64_t>(*f.tail);
    if (f.all_containers && !f.how.container.empty())
        return failure(cond::invalid, "-c cannot be combined with --all-containers");
    if (f.arguments.empty() == f.label_selector.empty())
        return failure(cond::invalid, "expected POD, TYPE/NAME, or -l SELECTOR");
    if (f.arguments.empty()) return {};
    // A word without a type is a pod's name; a second one is its container.
    auto arguments = f.arguments;
    if (arguments.front().find('/') == std::string::npos) {
        if (arguments.size() == 2 && f.how.container.empty()) {
            f.how.container = arguments.back();
            arguments.pop_back();
        }
        if (arguments.size() != 1) return failure(cond::invalid, "expected one pod, or TYPE/NAME...");
        arguments.insert(arguments.begin(), "pods");
    }
    auto wanted = parse_selection(arguments);
    if (!wanted) return wanted.error();
    f.wanted = std::move(*wanted);
    return {};
}

class log_printer
{
public:
    log_printer(const logs_flags& flags, const verb_context& context, client api)
        : flags_(flags), context_(context), api_(std::move(api)), wrong_(context)
    {
        ns_ = flags.cluster.ns.empty() ? api_.default_namespace() : flags.cluster.ns;
    }

    asio::awaitable<result<>> run()
    {
        context_.doing("looking for the pods");
        auto found = co_await find_sources();
        if (!found) co_return found;
        if (sources_.empty()) co_return failure(cond::not_found, "no pod is selected");
        if (!flags_.how.follow || sources_.size() == 1) {
            for (const auto& source : sources_) {
                auto shown = co_await show(source);
                if (!shown && shown.error() == cond::cancelled) co_return shown;
                if (!shown) wrong_.add(shown.error());
            }
            co_return wrong_.outcome();
        }
        co_return co_await kubecoro::detail::finishing(follow_all());
    }

private:
    asio::awaitable<result<>> find_sources()
    {
        if (!flags_.label_selector.empty()) co_return co_await pods_with(flags_.label_selector);
        auto targets = co_await resolve(api_, flags_.wanted, ns_);
        if (!targets) co_return targets.error();
        for (const auto& t : *targets)
            for (const auto& name : t.names) {
                auto done = co_await sources_for(t, name);
                if (!done) co_return done;
            }
        co_return result<>();
    }

    asio::awaitable<result<>> sources_for(const target& t, const std::string& name)
    {
        auto owner = co_await api_.get(t.type, t.ns, name);
        if (!owner) co_return owner.error();
        if (t.type == untyped::pod::resource()) {
            add_pod(*owner);
            co_return result<>();
        }
        auto selector = pod_selector_of(*owner);
        if (!selector) co_return selector.error();
        co_return co_await pods_with(*selector);
    }

    asio::awaitable<result<>> pods_with(std::string selector)
    {
        list_options options;
        options.label_selector = std::move(selector);
        auto pods = co_await api_.list_all(untyped::pod::resource(), ns_, options);
        if (!pods) co_return pods.error();
        several_ = true;
        for (const auto& pod : pods->items) add_pod(pod);
        co_return result<>();
    }

    void add_pod(const object& pod)
    {
        const auto add = [&](const std::string& container) {
            log_source one;
            one.ns = pod.ns();
            one.pod = pod.name();
            one.container = container;
            sources_.push_back(std::move(one));
        };
        if (flags_.all_containers) {
            several_ = true;
            for (const auto& name : containers_of(pod)) add(name);
            return;
        }
        if (!flags_.how.container.empty()) return add(flags_.how.container);
        const auto chosen = default_container(pod);
        if (const auto all = containers_of(pod); all.size() > 1) {
            std::string names;
            for (const auto& name : all) names += (names.empty() ? "" : ", ") + name;
            context_.note("kubecoro: container " + printable(chosen) + " of " + printable(names) +
                          "; -c NAME or --all-containers shows others");
        }
        add(chosen);
    }

    asio::awaitable<result<>> show(log_source source)
    {
        log_options how = flags_.how;
        how.container = source.container;
        std::string prefix;
        if (flags_.prefix || several_) prefix = printable("[pod/" + source.pod + "/" + source.container + "] ");
        context_.doing("reading the log of pod/" + source.pod);
        if (how.follow) {
            followed_log log(api_, source.ns, source.pod, how);
            co_return co_await print_all(log, prefix);
        }
        auto stream = co_await pod_logs(api_, source.ns, source.pod, how);
        if (!stream) co_return stream.error();
        co_return co_await print_all(**stream, prefix);
    }

    template<class Log>
    asio::awaitable<result<>> print_all(Log& log, const std::string& prefix)
    {
        for (;;) {
            const auto lines = co_await log.next();
            context_.waiting.done();
            if (!lines) co_return lines.error();
            if (lines->empty()) co_return result<>();
            print(*lines, prefix);
        }
    }

    void print(const std::vector<log_line>& lines, const std::string& prefix)
    {
        std::string text;
        for (const auto& line : lines) {
            text += prefix + (context_.terminal ? for_terminal(line.text) : line.text);
            if (line.whole || !prefix.empty()) text += '\n';
        }
        context_.print(text);
    }

    /// Streams are ended in order even if the verb is cancelled.
    asio::awaitable<result<>> follow_all()
    {
        if (sources_.size() > most_followed)
            co_return failure(cond::invalid, "-f follows at most " + std::to_string(most_followed) +
                                                 " containers, not " + std::to_string(sources_.size()));
        task_group streams(context_.program.executor, context_.log);
        for (const auto& source : sources_) streams.spawn(source.pod, followed(source));
        auto joined = co_await streams.join();
        streams.stop();
        if (!joined) (void)co_await streams.join();
        if (!joined && joined.error() == cond::cancelled) co_return joined;
        co_return wrong_.outcome();
    }

    asio::awaitable<result<>> followed(log_source source)
    {
        auto shown = co_await show(std::move(source));
        if (!shown && shown.error() != cond::cancelled) wrong_.add(shown.error());
        co_return result<>();
    }

    const logs_flags& flags_;
    const verb_context& context_;
    client api_;
    problems wrong_;
    std::string ns_;
    std::vector<log_source> sources_;
    /// Lines say where they come from.
    bool several_ = false;
};

asio::awaitable<result<>> logs(std::shared_ptr<logs_flags> f, verb_context context)
{
    auto api = connect(f->cluster, context);
    if (!api) co_return api.error();
    log_printer all(*f, context, std::move(*api));
    co_return co_await all.run();
}

} // namespace

verb add_logs(CLI::App& app)
{
    auto f = std::make_shared<logs_flags>();
    auto* sub = app.add_subcommand("logs", "Show what containers have written");
    sub->add_option("POD", f->arguments, "POD, POD CONTAINER, or TYPE/NAME...: all pods of deploy/web, job/x, svc/y");
    sub->add_option("-l,--selector", f->label_selector, "All pods with these labels");
    sub->add_option("-c,--container", f->how.container, "The container; default: the pod's first");
    sub->add_flag("--all-containers", f->all_containers, "All containers, those that run first in front");
    sub->add_flag("-f,--follow", f->how.follow,
                  "Go on with new lines until the containers end, across lost connections");
    sub->add_flag("-p,--previous", f->how.previous, "The run before the last restart");
    sub->add_flag("--timestamps", f->how.timestamps, "Begin each line with its time");
    sub->add_flag("--prefix", f->prefix, "Begin each line with pod and container; always so with several");
    sub->add_option("--tail", f->tail, "Only so many last lines; -1 = all");
    sub->add_option("--since", f->since_text, "Only lines of the last 30s, 5m, 1h");
    sub->add_option("--since-time", f->how.since_time, "Only lines since this time (RFC 3339)");
    sub->add_option("--limit-bytes", f->how.limit_bytes, "About so many bytes at most, of each container");
    add_namespace_flag(*sub, f->cluster);
    add_cluster_flags(*sub, f->cluster);
    return make_verb("logs", f, check_logs, logs);
}

} // namespace kubecoro::tool
