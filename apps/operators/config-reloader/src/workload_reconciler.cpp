#include "workload_reconciler.hpp"

#include "marks.hpp"

#include <kubecoro/api/structs.hpp>
#include <kubecoro/base/try.hpp>

#include <utility>

namespace kubecoro::config_reloader {

namespace asio = boost::asio;

std::string content_listers::version_of(std::string_view ns, const reference& of) const
{
    const auto found =
        of.kind == content_kind::secret ? secrets.untyped().get(ns, of.name) : config_maps.untyped().get(ns, of.name);
    return std::string(found.resource_version());
}

template<class Workload>
workload_reconciler<Workload>::workload_reconciler(client cluster, lister<Workload> workloads, content_listers contents,
                                                   adoption first_sight, duration settle,
                                                   std::shared_ptr<reload_counts> counts)
    : cluster_(std::move(cluster)),
      workloads_(std::move(workloads)),
      contents_(std::move(contents)),
      first_sight_(first_sight),
      counts_(std::move(counts)),
      settling_(std::make_shared<settling>(settle))
{
}

template<class Workload>
asio::awaitable<result<action>> workload_reconciler<Workload>::operator()(object_key key,
                                                                          reconcile_context& context) const
{
    auto workload = workloads_.get(key);
    if (!workload) pace_->forget(key);
    const auto asked = workload ? marks::asked(workload) : result<bool>(false);
    if (!asked || !*asked) {
        known_->forget(key);
        settling_->forget(key);
    }
    if (!asked) co_return terminal(asked.error());
    if (!*asked || workload.being_deleted()) co_return action::done();
    co_return co_await compare(std::move(workload), context);
}

template<class Workload>
asio::awaitable<result<action>> workload_reconciler<Workload>::compare(typed_object<Workload> workload,
                                                                       reconcile_context& context) const
{
    const auto pods = workload->spec().template_();
    const auto references = references_of(pods.spec());
    if (!references) co_return terminal(references.error());
    if (references->empty()) {
        context.log().info("refers to no config map or secret: there is no reason to roll it");
        co_return action::done();
    }
    const std::string before(marks::last_applied(workload, pods));
    if (before.empty()) {
        if (const auto wait = adoption_wait(workload, context); wait > duration::zero()) {
            co_return action::requeue_after(wait);
        }
    }
    const std::string ns(workload.ns());
    const auto known = known_->of(workload.key(), before);
    if (known) {
        const auto wait = settling_wait(workload, *references, *known, context);
        if (wait > duration::zero()) co_return action::requeue_after(wait);
    }
    settling_->forget(workload.key());
    KUBECORO_TRY(auto now, co_await read(ns, *references, known.get()));
    if (now.missing != nullptr) {
        counts_->note(outcome::waiting);
        // Its creation is an event.
        context.log().warning("waiting for a referenced object that does not exist",
                              {{"missing", std::string(to_string(now.missing->kind)) + "/" + now.missing->name}});
        co_return action::done();
    }
    if (before.empty()) co_return co_await adopt(std::move(workload), std::move(now), context);
    if (before != now.sum) {
        KUBECORO_TRY(const auto written,
                     co_await write(workload, to_text(marks::rolling_patch(workload, now.sum)), context));
        if (!written) co_return action::done();
        counts_->note(outcome::rolled);
        context.log().info("rolled: referenced contents have changed", {{"before", before}, {"checksum", now.sum}});
    }
    known_->note(workload.key(), now.sum, std::move(now.parts));
    co_return action::done();
}

template<class Workload>
asio::awaitable<result<typename workload_reconciler<Workload>::content>>
workload_reconciler<Workload>::read(const std::string& ns, const std::vector<reference>& references,
                                    const known_content_list* known) const
{
    content out;
    // Without a request: if the informer is behind, the object's creation is yet to come as an event.
    for (const auto& each : references) {
        if (each.optional || !contents_.version_of(ns, each).empty()) continue;
        out.missing = &each;
        co_return out;
    }
    checksum sum;
    for (const auto& each : references) {
        if (const auto* same =
                known != nullptr ? find_content(*known, each, contents_.version_of(ns, each)) : nullptr) {
            out.parts.push_back(*same);
        } else {
            KUBECORO_TRY(auto part, co_await request(ns, each));
            out.parts.push_back(std::move(part));
        }
        if (out.parts.back().version.empty() && !each.optional) {
            out.missing = &each;
            co_return out;
        }
        sum.add(each, out.parts.back().digest);
    }
    out.sum = sum.finish();
    co_return out;
}

template<class Workload>
asio::awaitable<result<known_content>> workload_reconciler<Workload>::request(const std::string& ns,
                                                                              const reference& of) const
{
    auto got = co_await cluster_.get(resource_of(of.kind), ns, of.name);
    if (!got && got.error() != cond::not_found) co_return got.error();
    const object found = got ? std::move(*got) : object();
    co_return known_content{of, std::string(found.resource_version()), digest_of(found)};
}

/// Zero when no content has another version than at the last check.
template<class Workload>
duration workload_reconciler<Workload>::settling_wait(const typed_object<Workload>& workload,
                                                      const std::vector<reference>& references,
                                                      const known_content_list& known, reconcile_context& context) const
{
    std::string versions;
    bool changed = false;
    for (const auto& each : references) {
        const auto version = contents_.version_of(workload.ns(), each);
        changed = changed || find_content(known, each, version) == nullptr;
        versions.append(version).append(",");
    }
    if (!changed) return duration::zero();
    return settling_->wait(workload.key(), std::move(versions), context.time()->now());
}

/// How long a workload without a checksum has to wait for its adoption: its annotations may be removed repeatedly.
template<class Workload>
duration workload_reconciler<Workload>::adoption_wait(const typed_object<Workload>& workload,
                                                      reconcile_context& context) const
{
    const auto wait = pace_->wait(workload.key(), workload.untyped().uid(), context.time()->now());
    if (wait > duration::zero()) {
        context.log().warning("the annotations are removed repeatedly", {{"annotation", marks::applied}});
    }
    return wait;
}

template<class Workload>
asio::awaitable<result<action>> workload_reconciler<Workload>::adopt(typed_object<Workload> workload, content now,
                                                                     reconcile_context& context) const
{
    const bool roll = first_sight_ == adoption::roll;
    const auto patch = roll ? marks::rolling_patch(workload, now.sum) : marks::recording_patch(workload, now.sum);
    KUBECORO_TRY(const auto written, co_await write(workload, to_text(patch), context));
    if (written) {
        pace_->adopted(workload.key(), workload.untyped().uid(), context.time()->now());
        known_->note(workload.key(), now.sum, std::move(now.parts));
        counts_->note(roll ? outcome::adopted : outcome::recorded);
        context.log().info(roll ? "rolled: first seen" : "recorded: first seen", {{"checksum", now.sum}});
    }
    co_return action::done();
}

/// @return whether the workload still existed.
template<class Workload>
asio::awaitable<result<bool>> workload_reconciler<Workload>::write(typed_object<Workload> workload, std::string patch,
                                                                   reconcile_context& context) const
{
    write_options options;
    options.field_manager = "config-reloader";
    const auto workloads = cluster_.resource<Workload>(workload.ns());
    const std::string name(workload.name());
    auto written = co_await workloads.patch(name, patch_kind::merge, std::move(patch), options);
    if (written) {
        context.wrote(*written);
        co_return true;
    }
    if (written.error() == cond::not_found) co_return false;
    co_return written.error();
}

template class workload_reconciler<apps_v1::deployment>;
template class workload_reconciler<apps_v1::stateful_set>;
template class workload_reconciler<apps_v1::daemon_set>;

} // namespace kubecoro::config_reloader
