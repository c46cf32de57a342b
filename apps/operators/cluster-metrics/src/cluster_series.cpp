#include "cluster_series.hpp"

#include <kubecoro/base/printable.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::cluster_metrics {
namespace {

constexpr std::string_view exposition_format = "text/plain; version=0.0.4; charset=utf-8";

bool is_wanted(const series_kind& kind, const std::vector<std::string>& resources)
{
    return resources.empty() || std::find(resources.begin(), resources.end(), kind.resource.plural) != resources.end();
}

failure unknown_resource(std::string_view plural)
{
    std::string known;
    for (const auto& k : all_kinds()) known += (known.empty() ? "" : ", ") + k.resource.plural;
    return failure(cond::misconfigured,
                   "there are no series of \"" + printable(plural, 100) + "\": expected some of " + known);
}

result<> check(const series_options& options)
{
    const auto exists = [](const std::string& plural) {
        return std::any_of(all_kinds().begin(), all_kinds().end(),
                           [&](const series_kind& k) { return k.resource.plural == plural; });
    };
    std::vector<std::string> named = options.resources;
    for (const auto& [plural, names] : options.shown) named.push_back(plural);
    for (const auto& plural : named)
        if (!exists(plural)) return unknown_resource(plural);
    return {};
}

} // namespace

informer_options options_of(const series_kind& kind, const label_names& shown)
{
    informer_options out;
    if (kind.keep.empty()) {
        out.storage.policy = storage::metadata_only;
        out.decode.drop_managed_fields = true;
        out.decode.prune.drop = {"metadata.annotations"};
        return out;
    }
    out.decode.prune.keep = kind.keep;
    if (!shown.empty()) out.decode.prune.keep.emplace_back("metadata.labels");
    return out;
}

endpoint_limits limits_of(duration scrape, duration stop)
{
    endpoint_limits out;
    out.answer_timeout = scrape;
    out.grace = std::min<duration>(scrape, stop / 5 * 4);
    return out;
}

result<std::shared_ptr<cluster_series>> cluster_series::make(manager& m, series_options options)
{
    if (const auto checked = check(options); !checked) return checked.error();
    std::shared_ptr<cluster_series> out(new cluster_series(m.metrics(), options));
    for (const auto& kind : all_kinds())
        if (is_wanted(kind, options.resources)) out->declare(m, kind, options);
    return out;
}

cluster_series::cluster_series(const std::shared_ptr<metrics>& numbers, const series_options& options)
    : limits_(options.limits),
      max_scrapes_(options.max_scrapes),
      scrapes_(numbers->make_counter("kubecoro_cluster_metrics_scrapes_total", {})),
      series_(numbers->make_gauge("kubecoro_cluster_metrics_series", {})),
      left_out_(numbers->make_gauge("kubecoro_cluster_metrics_left_out_series", {})),
      bytes_(numbers->make_gauge("kubecoro_cluster_metrics_scrape_bytes", {}))
{
}

void cluster_series::declare(manager& m, const series_kind& kind, const series_options& options)
{
    label_names shown;
    if (const auto at = options.shown.find(kind.resource.plural); at != options.shown.end()) shown = at->second;
    const auto informer = m.informer(kind.resource, options_of(kind, shown));
    sources_.push_back({&kind, std::move(shown), informer.lister()});
}

exposition cluster_series::state() const
{
    std::vector<kind_state> kinds;
    kinds.reserve(sources_.size());
    for (const auto& s : sources_) kinds.push_back({s.kind, s.shown, s.objects.list()});
    return exposition(std::move(kinds), limits_);
}

void cluster_series::report(const exposition::totals& of) const
{
    scrapes_->add();
    series_->set(static_cast<double>(of.series));
    left_out_->set(static_cast<double>(of.left_out));
    bytes_->set(static_cast<double>(of.bytes));
}

streamed_page cluster_series::page()
{
    streamed_page out;
    out.path = "/metrics";
    out.content_type = exposition_format;
    out.max_answers = max_scrapes_;
    out.begin = [self = shared_from_this()]() -> std::function<bool(std::string&)> {
        return [self, state = self->state()](std::string& part) mutable {
            const bool follows = state.next(part);
            if (!follows) self->report(state.so_far());
            return follows;
        };
    };
    return out;
}

} // namespace kubecoro::cluster_metrics
