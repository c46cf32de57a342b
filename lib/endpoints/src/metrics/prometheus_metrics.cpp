#include <kubecoro/endpoints/prometheus_metrics.hpp>

#include "metrics/known_metrics.hpp"
#include "metrics/process_metrics.hpp"

#include <prometheus/collectable.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <sstream>
#include <variant>

namespace kubecoro {
namespace {

/// Bytes of a label's value: a series with a longer one is dropped.
constexpr std::size_t longest_label = 256;

using counters = prometheus::Family<prometheus::Counter>;
using gauges = prometheus::Family<prometheus::Gauge>;
using histograms = prometheus::Family<prometheus::Histogram>;

/// One name: its family and the number of its series.
struct family
{
    std::variant<counters*, gauges*, histograms*> series;
    std::size_t count = 0;
    prometheus::Histogram::BucketBoundaries buckets = {};
};

bool rising(const std::vector<double>& buckets)
{
    return std::adjacent_find(buckets.begin(), buckets.end(), std::greater_equal<>()) == buckets.end();
}

const std::vector<double>& usual_buckets()
{
    static const std::vector<double> all{0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
    return all;
}

} // namespace

struct prometheus_metrics::state final : prometheus::Collectable
{
    explicit state(prometheus_options o) : options(std::move(o))
    {
        for (const auto& m : detail::known_metrics())
            descriptions.emplace(
                m.name, prometheus_metrics::description{std::string(m.help), {m.buckets.begin(), m.buckets.end()}});
        dropped = &prometheus::BuildCounter()
                       .Name(dropped_name)
                       .Help(descriptions[dropped_name].help)
                       .Register(registry)
                       .Add({});
        families.emplace(dropped_name, family{static_cast<counters*>(nullptr)});
    }

    [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override;

    static constexpr const char* dropped_name = "kubecoro_metrics_dropped_series_total";

    /// The time series of that name and labels; null when it is dropped.
    /// @param ends  Whether the series ends with its last handle.
    template<class Series, class Build>
    Series* find_or_add(std::string_view name, const metric_labels& labels, Build build, bool ends = false)
    {
        std::lock_guard lock(mutex);
        try {
            const auto before = series;
            auto* const found = find_or_add_locked<Series>(std::string(name), labels, build);
            if constexpr (std::is_same_v<Series, prometheus::Gauge>) note_handle(found, ends, series != before);
            return found;
        } catch (const std::exception&) {
            // A name or label that Prometheus does not permit.
            dropped->Increment();
            return nullptr;
        }
    }

    template<class Series, class Build>
    Series* find_or_add_locked(const std::string& name, const metric_labels& labels, Build build)
    {
        const prometheus::Labels wanted(labels.begin(), labels.end());
        auto at = families.find(name);
        if (at == families.end()) {
            if (series >= options.max_series) return drop<Series>();
            const prometheus_metrics::description& about = descriptions[name];
            auto& made = build().Name(name).Help(about.help).Register(registry);
            at =
                families.emplace(name, family{&made, 0, about.buckets.empty() ? usual_buckets() : about.buckets}).first;
        }
        family& f = at->second;
        const auto* const found = std::get_if<prometheus::Family<Series>*>(&f.series);
        if (!found || !*found) return drop<Series>();
        prometheus::Family<Series>& all = **found;
        const bool is_new = !all.Has(wanted);
        if (is_new && (full(f) || too_long(labels))) return drop<Series>();
        Series* const out = add<Series>(all, wanted, f);
        if (is_new) {
            ++f.count;
            ++series;
        }
        return out;
    }

    /// A series that had a handle of the other kind stays.
    void note_handle(prometheus::Gauge* of, bool ends, bool is_new)
    {
        if (of == nullptr) return;
        if (!ends)
            transient.erase(of);
        else if (is_new || transient.contains(of))
            ++transient[of];
    }
    /// A handle of a series that may end is gone.
    void release(const std::string& name, prometheus::Gauge* of) noexcept
    {
        std::lock_guard lock(mutex);
        const auto at = transient.find(of);
        if (at == transient.end() || --at->second != 0) return;
        transient.erase(at);
        auto& f = families.find(name)->second;
        std::get<gauges*>(f.series)->Remove(of);
        --f.count;
        --series;
    }

    template<class Series>
    static Series* add(prometheus::Family<Series>& all, const prometheus::Labels& labels, const family& f)
    {
        if constexpr (std::is_same_v<Series, prometheus::Histogram>)
            return &all.Add(labels, f.buckets);
        else
            return &all.Add(labels);
    }

    template<class Series>
    Series* drop()
    {
        dropped->Increment();
        return nullptr;
    }
    [[nodiscard]] bool full(const family& f) const
    {
        return f.count >= options.max_series / 10 || series >= options.max_series;
    }
    [[nodiscard]] bool too_long(const metric_labels& labels) const
    {
        return std::any_of(labels.begin(), labels.end(), [](const auto& l) { return l.second.size() > longest_label; });
    }

    const prometheus_options options;
    mutable std::mutex mutex;
    prometheus::Registry registry;
    prometheus::Counter* dropped = nullptr;
    std::map<std::string, prometheus_metrics::description, std::less<>> descriptions;
    std::map<std::string, family, std::less<>> families;
    std::size_t series = 0;
    /// Number of handles of each series that ends with the last one.
    std::map<prometheus::Gauge*, std::size_t> transient;
    std::vector<std::weak_ptr<prometheus::Collectable>> collectors;
    detail::process_metrics process;
};

namespace {

// A handle keeps the registry with its series. Without a series it drops what it receives.

template<class Series>
struct kept_series
{
    std::shared_ptr<void> owner;
    Series* series;
};

class kept_counter final : public metrics::counter, kept_series<prometheus::Counter>
{
public:
    explicit kept_counter(kept_series s) : kept_series(std::move(s)) {}
    void add(double n) noexcept override
    {
        if (series) series->Increment(n);
    }
};

class kept_gauge final : public metrics::gauge, kept_series<prometheus::Gauge>
{
public:
    explicit kept_gauge(kept_series s) : kept_series(std::move(s)) {}
    void set(double v) noexcept override
    {
        if (series) series->Set(v);
    }
};

class transient_gauge final : public metrics::gauge
{
public:
    transient_gauge(std::function<void()> release, prometheus::Gauge* series)
        : release_(std::move(release)), series_(series)
    {
    }
    transient_gauge(const transient_gauge&) = delete;
    transient_gauge& operator=(const transient_gauge&) = delete;
    ~transient_gauge() override
    {
        if (series_) release_();
    }
    void set(double v) noexcept override
    {
        if (series_) series_->Set(v);
    }

private:
    const std::function<void()> release_;
    prometheus::Gauge* const series_;
};

class kept_histogram final : public metrics::histogram, kept_series<prometheus::Histogram>
{
public:
    explicit kept_histogram(kept_series s) : kept_series(std::move(s)) {}
    void observe(double v) noexcept override
    {
        if (series) series->Observe(v);
    }
};

} // namespace

prometheus_metrics::prometheus_metrics(prometheus_options options) : state_(std::make_shared<state>(std::move(options)))
{
}
prometheus_metrics::~prometheus_metrics() = default;

std::shared_ptr<metrics::counter> prometheus_metrics::make_counter(std::string_view name, metric_labels labels)
{
    auto* const series = state_->find_or_add<prometheus::Counter>(name, labels, &prometheus::BuildCounter);
    return std::make_shared<kept_counter>(kept_series<prometheus::Counter>{state_, series});
}

std::shared_ptr<metrics::gauge> prometheus_metrics::make_gauge(std::string_view name, metric_labels labels)
{
    auto* const series = state_->find_or_add<prometheus::Gauge>(name, labels, &prometheus::BuildGauge);
    return std::make_shared<kept_gauge>(kept_series<prometheus::Gauge>{state_, series});
}

std::shared_ptr<metrics::histogram> prometheus_metrics::make_histogram(std::string_view name, metric_labels labels)
{
    auto* const series = state_->find_or_add<prometheus::Histogram>(name, labels, &prometheus::BuildHistogram);
    return std::make_shared<kept_histogram>(kept_series<prometheus::Histogram>{state_, series});
}

std::shared_ptr<metrics::gauge> prometheus_metrics::make_transient_gauge(std::string_view name, metric_labels labels)
{
    auto* const series = state_->find_or_add<prometheus::Gauge>(name, labels, &prometheus::BuildGauge, true);
    auto release = [state = state_, name = std::string(name), series] { state->release(name, series); };
    return std::make_shared<transient_gauge>(std::move(release), series);
}

result<> prometheus_metrics::describe(std::string name, prometheus_metrics::description description)
{
    std::lock_guard lock(state_->mutex);
    if (!rising(description.buckets)) return failure{cond::invalid, "buckets of " + name + " do not rise"};
    if (state_->families.contains(name)) return failure{cond::already_exists, "the metric " + name + " is in use"};
    state_->descriptions.insert_or_assign(std::move(name), std::move(description));
    return {};
}

void prometheus_metrics::add(std::weak_ptr<prometheus::Collectable> collector)
{
    std::lock_guard lock(state_->mutex);
    std::erase_if(state_->collectors, [](const auto& c) { return c.expired(); });
    state_->collectors.push_back(std::move(collector));
}

std::vector<prometheus::MetricFamily> prometheus_metrics::state::Collect() const
{
    const auto others = [this] {
        std::lock_guard lock(mutex);
        return collectors;
    }();
    auto all = registry.Collect();
    const auto append = [&all](std::vector<prometheus::MetricFamily> more) {
        std::move(more.begin(), more.end(), std::back_inserter(all));
    };
    if (options.process) append(process.Collect());
    for (const auto& c : others)
        if (const auto held = c.lock()) append(held->Collect());
    return all;
}

std::shared_ptr<prometheus::Collectable> prometheus_metrics::collectable() const { return state_; }

std::string prometheus_metrics::text() const
{
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, state_->Collect());
    return std::move(out).str();
}

std::uint64_t prometheus_metrics::dropped_series() const noexcept
{
    return static_cast<std::uint64_t>(state_->dropped->Value());
}

} // namespace kubecoro
