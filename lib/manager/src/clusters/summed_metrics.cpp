#include "clusters/summed_metrics.hpp"

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
    explicit member_gauge(std::shared_ptr<total> t) : total_(std::move(t)) {}
    ~member_gauge() override
    {
        if (set_) total_->change(&value_, nullptr);
    }
    void set(double v) noexcept override
    {
        if (!std::isfinite(v)) return; // no value that a server can cause may spoil the sum
        std::lock_guard lock(mutex_);
        if (set_ && v == value_) return;
        try {
            total_->change(set_ ? &value_ : nullptr, &v);
            value_ = v;
            set_ = true;
        } catch (...) { // out of memory: the former value stays
            (void)v;
        }
    }

private:
    std::mutex mutex_;
    const std::shared_ptr<total> total_;
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

    const std::shared_ptr<metrics> out;

private:
    const std::string set_;
    std::mutex mutex_;
    std::map<std::pair<std::string, metric_labels>, std::shared_ptr<total>> totals_; // under the mutex
};

class summed_metrics::member_sink final : public metrics
{
public:
    explicit member_sink(std::shared_ptr<state> s) : state_(std::move(s)) {}
    std::shared_ptr<counter> make_counter(std::string_view name, metric_labels labels) override
    {
        return state_->out->make_counter(name, state_->labelled(std::move(labels)));
    }
    std::shared_ptr<gauge> make_gauge(std::string_view name, metric_labels labels) override
    {
        return std::make_shared<member_gauge>(state_->total_of(name, labels));
    }
    std::shared_ptr<histogram> make_histogram(std::string_view name, metric_labels labels) override
    {
        return state_->out->make_histogram(name, state_->labelled(std::move(labels)));
    }

private:
    std::shared_ptr<state> state_;
};

summed_metrics::summed_metrics(std::shared_ptr<metrics> out, std::string set)
    : state_(std::make_shared<state>(std::move(out), std::move(set)))
{
}
std::shared_ptr<metrics> summed_metrics::sink() const { return std::make_shared<member_sink>(state_); }

} // namespace kubecoro::detail
