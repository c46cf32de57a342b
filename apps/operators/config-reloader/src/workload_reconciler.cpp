#include "workload_reconciler.hpp"

#include "checksum.hpp"
#include "marks.hpp"

#include <kubecoro/api/structs.hpp>

#include <utility>

namespace kubecoro::config_reloader {

namespace asio = boost::asio;

template<class Workload>
workload_reconciler<Workload>::workload_reconciler(client cluster, lister<Workload> workloads, adoption first_sight,
                                                   std::shared_ptr<reload_counts> counts)
    : cluster_(std::move(cluster)),
      workloads_(std::move(workloads)),
      first_sight_(first_sight),
      counts_(std::move(counts))
{
}

template<class Workload>
asio::awaitable<result<action>> workload_reconciler<Workload>::operator()(object_key key,
                                                                          reconcile_context& context) const
{
    auto workload = workloads_.get(key);
    if (!workload) pace_->forget(key);
    if (!workload || workload.being_deleted()) co_return action::done();
    const auto asked = marks::asked(workload);
    if (!asked) co_return terminal(asked.error());
    if (!*asked) co_return action::done();
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
    const std::string ns(workload.ns());
    const auto now = co_await read(ns, *references);
    if (!now) co_return now.error();
    if (now->missing != nullptr) {
        counts_->note(outcome::waiting);
        // Its creation is an event.
        context.log().warning("waiting for a referenced object that does not exist",
                              {{"missing", std::string(to_string(now->missing->kind)) + "/" + now->missing->name}});
        co_return action::done();
    }
    const std::string before(marks::last_applied(workload, pods));
    if (before == now->sum) co_return action::done();
    if (before.empty()) co_return co_await adopt(std::move(workload), now->sum, context);

    const auto written = co_await write(workload, to_text(marks::rolling_patch(workload, now->sum)), context);
    if (!written) co_return written.error();
    if (*written) {
        counts_->note(outcome::rolled);
        context.log().info("rolled: referenced contents have changed", {{"before", before}, {"checksum", now->sum}});
    }
    co_return action::done();
}

template<class Workload>
asio::awaitable<result<typename workload_reconciler<Workload>::content>>
workload_reconciler<Workload>::read(const std::string& ns, const std::vector<reference>& references) const
{
    content out;
    checksum sum;
    for (const auto& each : references) {
        auto got = co_await cluster_.get(resource_of(each.kind), ns, each.name);
        if (!got && got.error() != cond::not_found) co_return got.error();
        if (!got && !each.optional) {
            out.missing = &each;
            co_return out;
        }
        sum.add(each, got ? *got : object());
    }
    out.sum = sum.finish();
    co_return out;
}

template<class Workload>
asio::awaitable<result<action>> workload_reconciler<Workload>::adopt(typed_object<Workload> workload, std::string sum,
                                                                     reconcile_context& context) const
{
    const auto time = context.time();
    if (const auto wait = pace_->wait(workload.key(), workload.untyped().uid(), time->now()); wait > duration::zero()) {
        context.log().warning("the annotations are removed repeatedly", {{"annotation", marks::applied}});
        co_return action::requeue_after(wait);
    }
    const bool roll = first_sight_ == adoption::roll;
    const auto patch = roll ? marks::rolling_patch(workload, sum) : marks::recording_patch(workload, sum);
    const auto written = co_await write(workload, to_text(patch), context);
    if (!written) co_return written.error();
    if (*written) {
        pace_->adopted(workload.key(), workload.untyped().uid(), time->now());
        counts_->note(roll ? outcome::adopted : outcome::recorded);
        context.log().info(roll ? "rolled: first seen" : "recorded: first seen", {{"checksum", sum}});
    }
    co_return action::done();
}

/// @return whether the workload still existed.
template<class Workload>
asio::awaitable<result<bool>> workload_reconciler<Workload>::write(typed_object<Workload> workload, std::string patch,
                                                                   reconcile_context& context) const
{
    patch_options options;
    options.write.field_manager = "config-reloader";
    const auto workloads = cluster_.resource<Workload>(std::string(workload.ns()));
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
