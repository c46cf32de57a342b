#include "clusters/summed_metrics.hpp"

#include <kubecoro/base/metrics.hpp>

#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

namespace kubecoro::detail {
namespace {

enum class sum_of
{
    all,
    greatest,
    least
};

sum_of what_counts(std::string_view name)
{
    if (name.ends_with("_expiry_timestamp_seconds")) return sum_of::least; // the certificate that ends first
    return name.ends_with("_seconds") || name.ends_with("_version") ? sum_of::greatest : sum_of::all;
}

/// A gauge of clusters, and the name under which each cluster's own sum is shown.
struct shown_gauge
{
    std::string_view name;
    std::string_view by_cluster;
};
constexpr std::array<shown_gauge, 2> shown{
    {{"kubecoro_informer_objects", "kubecoro_cluster_objects"}, {"workqueue_depth", "kubecoro_cluster_queue_depth"}}};

} // namespace

/// A gauge of the program, and what the clusters contribute to it.
class summed_metrics::total
{
public:
    total(std::shared_ptr<metrics::gauge> out, sum_of counts) : out_(std::move(out)), counts_(counts) {}

    /// @param had  The cluster's former contribution, if it had one. @param has  The new one, if it has one.
    void change(const double* had, const double* has)
    {
        std::lock_guard lock(mutex_);
        if (had) sum_ -= *had;
        if (has) sum_ += *has;
        if (counts_ == sum_of::all) return out_->set(sum_);
        if (had)
            if (const auto at = all_.find(*had); at != all_.end()) all_.erase(at);
        if (has) all_.insert(*has);
        if (all_.empty()) return out_->set(0);
        out_->set(counts_ == sum_of::least ? *all_.begin() : *all_.rbegin());
    }

private:
    std::mutex mutex_;
    const std::shared_ptr<metrics::gauge> out_;
    const sum_of counts_;
    double sum_ = 0;            // under the mutex
    std::multiset<double> all_; // under the mutex
};

class summed_metrics::member_gauge final : public metrics::gauge
{
public:
    /// @param own  The cluster's own sum; null when it is not shown. One that adds up, which cannot fail.
    member_gauge(std::shared_ptr<total> t, std::shared_ptr<total> own) : total_(std::move(t)), own_(std::move(own)) {}
    member_gauge(const member_gauge&) = delete;
    member_gauge& operator=(const member_gauge&) = delete;
    ~member_gauge() override
    {
        if (!set_) return;
        total_->change(&value_, nullptr);
        if (own_) own_->change(&value_, nullptr);
    }
    void set(double v) noexcept override
    {
        if (!std::isfinite(v)) return; // no value that a server can cause may spoil the sum
        std::lock_guard lock(mutex_);
        if (set_ && v == value_) return;
        try {
            total_->change(set_ ? &value_ : nullptr, &v);
            if (own_) own_->change(set_ ? &value_ : nullptr, &v);
            value_ = v;
            set_ = true;
        } catch (...) { // out of memory: the former value stays
            (void)v;
        }
    }

private:
    std::mutex mutex_;
    const std::shared_ptr<total> total_, own_;
    double value_ = 0; // under the mutex
    bool set_ = false; // under the mutex
};

class summed_metrics::state
{
public:
    state(std::shared_ptr<metrics> o, std::string s) : out(std::move(o)), set_(std::move(s)) {}

    /// Addresses of servers are chosen by tenants as well.
    [[nodiscard]] metric_labels labelled(metric_labels labels) const
    {
        for (auto& [label, value] : labels)
            if (label == "host" || label == "server") value = "any";
        labels.emplace_back("clusters", set_);
        return labels;
    }
    [[nodiscard]] std::shared_ptr<total> total_of(std::string_view name, const metric_labels& labels)
    {
        auto all = labelled(labels);
        std::lock_guard lock(mutex_);
        auto& found = totals_[{std::string(name), all}];
        if (!found) found = std::make_shared<total>(out->make_gauge(name, all), what_counts(name));
        return found;
    }

    /// Null when that gauge is not shown by cluster, or the sink cannot end a series. Ends with the last gauge of that name, also one of an earlier membership
    /// that somebody still holds: two sums would write to one series.
    [[nodiscard]] std::shared_ptr<total> own_total(std::string_view name, const std::string& cluster)
    {
        for (const auto& s : shown)
            if (s.name == name) return own_total(s, cluster);
        return nullptr;
    }

    const std::shared_ptr<metrics> out;

private:
    [[nodiscard]] std::shared_ptr<total> own_total(const shown_gauge& gauge, const std::string& cluster)
    {
        std::lock_guard lock(mutex_);
        const std::pair key(gauge.by_cluster, cluster);
        if (const auto at = own_.find(key); at != own_.end())
            if (auto found = at->second.lock()) return found;
        std::erase_if(own_, [](const auto& o) { return o.second.expired(); });
        auto series = out->make_transient_gauge(gauge.by_cluster, {{"clusters", set_}, {"cluster", cluster}});
        if (!series) return nullptr;
        auto made = std::make_shared<total>(std::move(series), sum_of::all);
        own_[key] = made;
        return made;
    }

    const std::string set_;
    std::mutex mutex_;
    std::map<std::pair<std::string, metric_labels>, std::shared_ptr<total>> totals_; // under the mutex
    std::map<std::pair<std::string_view, std::string>, std::weak_ptr<total>> own_;   // under the mutex
};

class summed_metrics::member_sink final : public metrics
{
public:
    member_sink(std::shared_ptr<state> s, std::string cluster) : state_(std::move(s)), cluster_(std::move(cluster)) {}
    std::shared_ptr<counter> make_counter(std::string_view name, metric_labels labels) override
    {
        return state_->out->make_counter(name, state_->labelled(std::move(labels)));
    }
    std::shared_ptr<gauge> make_gauge(std::string_view name, metric_labels labels) override
    {
        return std::make_shared<member_gauge>(state_->total_of(name, labels), state_->own_total(name, cluster_));
    }
    std::shared_ptr<histogram> make_histogram(std::string_view name, metric_labels labels) override
    {
        return state_->out->make_histogram(name, state_->labelled(std::move(labels)));
    }

private:
    std::shared_ptr<state> state_;
    const std::string cluster_;
};

summed_metrics::summed_metrics(std::shared_ptr<metrics> out, std::string set)
    : state_(std::make_shared<state>(std::move(out), std::move(set)))
{
}
std::shared_ptr<metrics> summed_metrics::sink(std::string cluster) const
{
    return std::make_shared<member_sink>(state_, std::move(cluster));
}

} // namespace kubecoro::detail
