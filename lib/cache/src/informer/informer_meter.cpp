#include "informer/informer_meter.hpp"

#include <kubecoro/api/resource.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

namespace kubecoro::detail {
namespace {

double in_seconds(duration d) { return std::chrono::duration<double>(d).count(); }

constexpr std::array all_states{informer_state::created, informer_state::listing, informer_state::watching,
                                informer_state::waiting, informer_state::parked,  informer_state::queued,
                                informer_state::stopped, informer_state::failed};

/// Versions are numbers on every known server; any other version is not shown.
std::optional<double> number(const std::string& version)
{
    if (!is_comparable_version(version)) return {}; // "inf" and "1e308" are numbers to from_chars()
    double n = 0;
    const char* const end = version.data() + version.size();
    const auto read = std::from_chars(version.data(), end, n);
    return read.ec == std::errc() && read.ptr == end ? std::optional(n) : std::nullopt;
}

std::string published(std::string_view name) { return std::string("kubecoro_").append(name); }

/// Unnamed handlers have a number: they share one time series, however many come and go.
std::string_view series_of(std::string_view handler)
{
    const bool number = std::all_of(handler.begin(), handler.end(), [](char c) { return c >= '0' && c <= '9'; });
    return number ? "unnamed" : handler;
}

void add(handler_stats& sum, const handler_stats& one)
{
    sum.pending += one.pending;
    sum.delivered += one.delivered;
    sum.coalesced += one.coalesced;
    sum.filtered += one.filtered;
    sum.failed += one.failed;
    sum.slow += one.slow;
    sum.running += one.running;
    sum.running_for = std::max(sum.running_for, one.running_for);
    sum.slowest = std::max(sum.slowest, one.slowest);
}

} // namespace

informer_meter::informer_meter(std::shared_ptr<metrics> sink, std::string informer, std::string resource)
    : sink_(std::move(sink)), own_{{"informer", std::move(informer)}, {"resource", std::move(resource)}}
{
}

metric_labels informer_meter::labels(label more) const
{
    auto all = own_;
    if (!more.name.empty()) all.emplace_back(more.name, more.value);
    return all;
}

informer_meter::follower& informer_meter::counter(std::string_view name, label more)
{
    auto at = counters_.find(std::pair(name, more.value));
    if (at == counters_.end()) {
        follower made{sink_->make_counter(published(name), labels(more))};
        at = counters_.emplace(std::pair(name, std::string(more.value)), std::move(made)).first;
    }
    return at->second;
}

void informer_meter::count(std::string_view name, std::uint64_t sum, label more)
{
    auto& f = counter(name, more);
    if (sum > f.at) f.to->add(static_cast<double>(sum - f.at));
    f.at = sum;
}

void informer_meter::show(std::string_view name, double value, label more)
{
    auto at = gauges_.find(std::pair(name, more.value));
    if (at == gauges_.end()) {
        auto made = sink_->make_gauge(published(name), labels(more));
        at = gauges_.emplace(std::pair(name, std::string(more.value)), std::move(made)).first;
    }
    at->second->set(value);
}

void informer_meter::publish(const informer_stats& s)
{
    const auto& r = s.reflector;
    show("informer_synced", s.synced ? 1 : 0);
    for (const auto state : all_states) show("informer_state", s.state == state ? 1 : 0, {"state", to_string(state)});
    if (const auto version = number(s.resource_version)) show("informer_resource_version", *version);
    show("informer_objects", static_cast<double>(s.objects));
    show("informer_object_bytes", static_cast<double>(s.bytes));
    show("informer_pending_deltas", static_cast<double>(s.pending));
    show("informer_namespaces", static_cast<double>(s.namespaces));
    show("informer_indexed_labels", static_cast<double>(s.indexed_labels.size()));
    show("informer_outdated_objects", static_cast<double>(r.outdated));
    if (s.silent_for) show("informer_silent_seconds", in_seconds(*s.silent_for));
    if (s.store_age) show("informer_store_age_seconds", in_seconds(*s.store_age));
    show("informer_behind", static_cast<double>(r.behind));
    if (s.time_to_sync) show("informer_time_to_sync_seconds", in_seconds(*s.time_to_sync));
    count("informer_lists_total", r.lists);
    count("informer_list_pages_total", r.pages);
    count("informer_watch_lists_total", r.watch_lists);
    count("informer_fallbacks_total", r.fallbacks);
    count("informer_watches_total", r.watches);
    count("informer_reconnects_total", r.reconnects);
    count("informer_overdue_ends_total", r.overdue_ends);
    count("informer_idle_ends_total", r.idle_ends);
    count("informer_parks_total", r.parks);
    count("informer_bookmarks_total", r.bookmarks);
    count("informer_failures_total", r.failures);
    count("informer_decode_errors_total", r.decode_errors);
    count("informer_skipped_total", r.skipped);
    count("informer_passed_over_total", s.passed_over);
    count("informer_partial_objects_total", r.partial);
    count("informer_index_failures_total", s.index_failures);
    count("informer_processing_failures_total", s.processing_failures);
    count("informer_transform_failures_total", s.transform_failures);
    for (std::size_t i = 0; i < relist_reasons; ++i)
        count("informer_relists_total", r.relists[i], {"reason", to_string(static_cast<relist_reason>(i))});
    count("informer_notifications_total", s.added, {"type", "added"});
    count("informer_notifications_total", s.updated, {"type", "updated"});
    count("informer_notifications_total", s.deleted, {"type", "deleted"});
    publish(s.consistency);
    publish(s.handlers);
}

/// Publishes no series where nothing was checked.
void informer_meter::publish(const informer_stats::consistency_checks& c)
{
    if (c.checks == 0) return;
    constexpr std::string_view name = "informer_consistency_checks_total";
    count(name, c.checks - c.skipped - c.failed, {"result", "equal"});
    count(name, c.skipped, {"result", "skipped"});
    count(name, c.failed, {"result", "different"});
}

void informer_meter::publish(const std::vector<handler_stats>& handlers)
{
    std::map<std::string, handler_stats> series;
    std::map<std::string, handler_stats> by_name;
    // Includes removed handlers, with zeros: a gauge keeps its last value otherwise.
    for (const auto& name : handlers_) series[name];
    handlers_.clear();
    for (const auto& h : handlers) {
        const std::string shown(series_of(h.name));
        handlers_.insert(shown);
        add(series[shown], h);
        add(by_name[h.name], h);
    }
    for (const auto& [name, h] : series) {
        const label handler{"handler", name};
        show("handler_pending", static_cast<double>(h.pending), handler);
        show("handler_running", static_cast<double>(h.running), handler);
        show("handler_running_seconds", in_seconds(h.running_for), handler);
        show("handler_slowest_seconds", in_seconds(h.slowest), handler);
    }
    for (const auto& [name, h] : by_name) follow(counted_[name], h, {"handler", series_of(name)});
    std::erase_if(counted_, [&by_name](const auto& each) { return !by_name.contains(each.first); });
}

// Handler by handler: the sum over the handlers of a series decreases when one of them is removed.
void informer_meter::follow(handler_stats& counted, const handler_stats& now, label handler)
{
    const auto count_on = [&](std::string_view name, std::uint64_t& at, std::uint64_t sum) {
        auto& f = counter(name, handler);
        if (sum > at) f.to->add(static_cast<double>(sum - at));
        at = sum;
    };
    count_on("handler_delivered_total", counted.delivered, now.delivered);
    count_on("handler_coalesced_total", counted.coalesced, now.coalesced);
    count_on("handler_filtered_total", counted.filtered, now.filtered);
    count_on("handler_failed_total", counted.failed, now.failed);
    count_on("handler_slow_calls_total", counted.slow, now.slow);
}

} // namespace kubecoro::detail
