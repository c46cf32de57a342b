// The informers behind the series, and their page.
#pragma once

#include "exposition.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/endpoints/endpoint_options.hpp>
#include <kubecoro/manager/manager.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro::cluster_metrics {

struct series_options
{
    /// Plural names of resources. Empty = all.
    std::vector<std::string> resources = {};
    /// By plural name: labels that are shown.
    std::map<std::string, label_names> shown = {};
    series_limits limits = {};
    /// Scrapes at once.
    std::size_t max_scrapes = 4;
};

/// How the objects of a kind are stored: with the fields that its families read. @param shown  Labels that are shown.
[[nodiscard]] informer_options options_of(const series_kind& kind, const label_names& shown);

/// Limits of the server of the series. @param scrape  How long one may take. @param stop  How long the program may take to stop:
/// scrapes in progress get four fifths of it, as runs of controllers do.
[[nodiscard]] endpoint_limits limits_of(duration scrape, duration stop);

/** Keeps the objects of the cluster, each as its compact copy with the fields that families read, and makes the series from
    them when they are asked for: see decision 0053. Thread safe. */
class cluster_series : public std::enable_shared_from_this<cluster_series>
{
public:
    /// Declares the informers. Errors: misconfigured, naming a resource that has no series.
    [[nodiscard]] static result<std::shared_ptr<cluster_series>> make(manager& m, series_options options);

    /// The state of all kinds now.
    [[nodiscard]] exposition state() const;
    /// The page at /metrics. Keeps this object alive.
    [[nodiscard]] streamed_page page();

private:
    struct source
    {
        const series_kind* kind;
        label_names shown;
        lister<object> objects;
    };
    cluster_series(const std::shared_ptr<metrics>& numbers, const series_options& options);
    void declare(manager& m, const series_kind& kind, const series_options& options);
    void report(const exposition::totals& of) const;

    series_limits limits_;
    std::size_t max_scrapes_;
    std::vector<source> sources_;
    std::shared_ptr<metrics::counter> scrapes_;
    std::shared_ptr<metrics::gauge> series_;
    std::shared_ptr<metrics::gauge> left_out_;
    std::shared_ptr<metrics::gauge> bytes_;
};

} // namespace kubecoro::cluster_metrics
