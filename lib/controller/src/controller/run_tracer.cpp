#include "controller/run_tracer.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kubecoro::detail {
namespace {

/// Keys whose causes are remembered until they run, about 300 bytes each.
constexpr std::size_t most_keys = 4096;

std::string_view kind_of(const notification<object>& event)
{
    if (const auto* a = std::get_if<added<object>>(&event)) return a->initial ? "listed" : "added";
    if (const auto* u = std::get_if<updated<object>>(&event)) return u->resync() ? "resync" : "updated";
    return "deleted";
}

void set_key(span& s, object_key_view key)
{
    if (!key.ns.empty()) s.set("k8s.namespace.name", key.ns);
    s.set("kubecoro.object.name", key.name);
}

/// One bit of 64, cheaper than a hash: generated names differ in their last characters. Names that all have the same bit cost no
/// more than a look into the table.
std::uint64_t mark_of(object_key_view key)
{
    auto mixed = static_cast<unsigned>(key.name.size());
    for (const char c : key.name.substr(key.name.size() - std::min<std::size_t>(key.name.size(), 4)))
        mixed = mixed * 31 + static_cast<unsigned char>(c);
    return std::uint64_t{1} << (mixed % 64);
}

double seconds(duration d) { return std::chrono::duration<double>(d).count(); }

/// The class of the failure, if the run is one.
std::optional<cond> failure_of(const result<action>& outcome)
{
    if (!outcome) return outcome.error().condition();
    if (outcome->hopeless()) return outcome->hopeless()->condition();
    return std::nullopt;
}

} // namespace

std::vector<std::pair<std::string, std::string>> log_fields(const trace_context& run)
{
    return {{"trace", run.trace_text()}, {"run", run.span_text()}};
}

run_tracer::run_tracer(const trace_options& options, std::string controller, metrics* sink, logger log)
    : options_(options), controller_(std::move(controller)), log_(std::move(log)), causes_(most_keys)
{
    if (sink != nullptr && !controller_.empty())
        no_room_ = sink->make_counter("kubecoro_controller_untraced_causes_total", {{"controller", controller_}});
}

std::unique_ptr<run_tracer> run_tracer::make(const trace_options& options, std::string controller, metrics* sink,
                                             logger log)
{
    if (!options.tracer) return nullptr;
    return std::unique_ptr<run_tracer>(new run_tracer(options, std::move(controller), sink, std::move(log)));
}

bool run_tracer::note(object_key_view key, const run_cause& why, time_point now)
{
    {
        std::lock_guard lock(mutex_);
        if (causes_.note(key, why, now)) {
            marks_.fetch_or(mark_of(key), std::memory_order_relaxed);
            return true;
        }
    }
    if (no_room_) no_room_->add();
    return false;
}

std::vector<span> run_tracer::note(const event_mapper& mapped, std::span<const notification<object>> events,
                                   std::string_view source, time_point arrived,
                                   const std::function<bool(object_key_view)>& ours)
{
    std::vector<span> out;
    for (const auto& o : mapped.origins()) {
        if ((o.unchanged && !options_.unchanged) || !options_.tracer.draw()) continue;
        const auto& batch = o.unchanged ? mapped.unchanged() : mapped.changed();
        const auto as = options_.tracer.identify();
        std::size_t keys = 0;
        for (std::size_t n = o.first; n < o.last; ++n) {
            const auto key = batch.key(batch.places()[n]);
            if (ours && !ours(key)) continue;
            if (note(key, {.why = run_cause::kind::event, .from = as, .parent = as}, arrived)) ++keys;
        }
        if (keys != 0) out.push_back(span_of(events[o.event], source, keys, as, arrived));
    }
    return out;
}

void run_tracer::set_names(span& s) const
{
    s.set("kubecoro.controller", controller_);
    if (!options_.cluster.empty()) s.set("kubecoro.cluster", options_.cluster);
}

std::optional<run_causes> run_tracer::take(object_key_view key)
{
    if ((marks_.load(std::memory_order_relaxed) & mark_of(key)) == 0) return std::nullopt;
    std::lock_guard lock(mutex_);
    auto out = causes_.take(key);
    if (causes_.keys() == 0) marks_.store(0, std::memory_order_relaxed);
    return out;
}

span run_tracer::span_of(const notification<object>& event, std::string_view source, std::size_t keys,
                         const trace_context& as, time_point arrived) const
{
    const auto& o = object_of(event);
    auto out = options_.tracer.start("event " + std::string(source),
                                     {.kind = span_kind::producer, .identity = as, .begun = arrived});
    set_names(out);
    out.set("kubecoro.event", kind_of(event));
    set_key(out, o.key());
    out.set("kubecoro.object.resource_version", o.resource_version());
    out.set("kubecoro.keys", keys);
    if (!log_.enabled(log_level::debug)) return out;
    log_.debug("event queued", {{"controller", controller_},
                                {"source", source},
                                {"event", kind_of(event)},
                                {"object", to_string(o.key())},
                                {"resource_version", o.resource_version()},
                                {"trace", as.trace_text()}});
    return out;
}

void run_tracer::triggered(object_key_view key)
{
    auto asked = options_.tracer.start("trigger " + controller_, {.kind = span_kind::producer});
    if (!asked) return;
    set_names(asked);
    set_key(asked, key);
    const auto as = asked.context();
    (void)note(key, {.why = run_cause::kind::trigger, .from = as, .parent = as}, now());
}

std::unique_ptr<traced_run> run_tracer::begin(object_key_view key, unsigned attempt)
{
    const auto why = take(key);
    if (!why) return nullptr;
    const auto relations = relations_of(*why);
    const auto begun = now();
    auto s = options_.tracer.start("reconcile " + controller_,
                                   {.parent = relations.parent, .kind = span_kind::consumer, .begun = begun});
    if (!s) return nullptr;
    for (const auto& other : relations.links) s.link(other);
    s.leave_out_links(why->left_out);
    set_names(s);
    set_key(s, key);
    s.set("kubecoro.attempt", attempt);
    s.set("kubecoro.cause", to_string(why->kept.front().why));
    s.set("kubecoro.causes", why->kept.size() + why->left_out);
    if (why->since) s.set("kubecoro.queue.wait", seconds(begun - *why->since));
    return std::make_unique<traced_run>(traced_run{std::move(s), relations.parent, begun});
}

void run_tracer::ended(traced_run& run, object_key_view key, unsigned attempt, run_end end,
                       const result<action>& outcome)
{
    const auto as = run.span.context();
    if (is_retried(end)) (void)note(key, cause_after(run_cause::kind::retry, as, run.parent, attempt), now());
    if (end == run_end::requeued)
        (void)note(key, cause_after(run_cause::kind::requeue, as, run.parent, attempt), now());
    run.span.set("kubecoro.result", to_string(end));
    if (const auto why = failure_of(outcome)) run.span.fail(*why);
    if (log_.enabled(log_level::debug))
        log_.debug("run ended", {{"controller", controller_},
                                 {"object", to_string(key)},
                                 {"result", to_string(end)},
                                 {"seconds", seconds(now() - run.begun)},
                                 {"trace", as.trace_text()},
                                 {"run", as.span_text()}});
}

void run_tracer::drop(object_key_view key) { (void)take(key); }

} // namespace kubecoro::detail
