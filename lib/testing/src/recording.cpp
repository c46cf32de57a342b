#include <kubecoro/testing/recording.hpp>

#include <algorithm>
#include <mutex>

namespace kubecoro::testing {

struct recording_logger::state
{
    struct line
    {
        log_level level;
        std::string text;
    };
    mutable std::mutex mutex;
    std::vector<line> lines;
};

recording_logger::recording_logger() : state_(std::make_shared<state>()) {}

logger recording_logger::handle(log_level threshold) const
{
    return logger(
        [s = state_](const log_record& r) {
            auto text = format(r);
            std::lock_guard lock(s->mutex);
            s->lines.push_back({r.level, std::move(text)});
        },
        threshold);
}

std::vector<std::string> recording_logger::lines() const
{
    std::lock_guard lock(state_->mutex);
    std::vector<std::string> out;
    out.reserve(state_->lines.size());
    for (const auto& l : state_->lines) out.push_back(l.text);
    return out;
}

std::size_t recording_logger::count(log_level level) const
{
    std::lock_guard lock(state_->mutex);
    return static_cast<std::size_t>(std::count_if(state_->lines.begin(), state_->lines.end(),
                                                  [level](const state::line& l) { return l.level == level; }));
}

std::size_t recording_logger::count(std::string_view text) const
{
    std::lock_guard lock(state_->mutex);
    return static_cast<std::size_t>(
        std::count_if(state_->lines.begin(), state_->lines.end(),
                      [text](const state::line& l) { return l.text.find(text) != std::string::npos; }));
}

void recording_logger::clear()
{
    std::lock_guard lock(state_->mutex);
    state_->lines.clear();
}

namespace {

/// Labels are a set: their order is no part of a series' name.
metric_labels sorted(metric_labels labels)
{
    std::sort(labels.begin(), labels.end());
    return labels;
}

} // namespace

class recording_metrics::instrument final : public counter, public gauge, public histogram
{
public:
    /// @param l  Sorted.
    instrument(std::string n, metric_labels l) : name(std::move(n)), labels(std::move(l)) {}
    void add(double n) noexcept override { change(n, true); }
    void set(double v) noexcept override { change(v, false); }
    void observe(double v) noexcept override { change(v, true); }

    const std::string name;
    const metric_labels labels;
    mutable std::mutex mutex;
    double value = 0;
    std::size_t updates = 0;

private:
    void change(double v, bool sum) noexcept
    {
        std::lock_guard lock(mutex);
        value = sum ? value + v : v;
        ++updates;
    }
};

struct recording_metrics::state
{
    mutable std::mutex mutex;
    std::vector<std::shared_ptr<instrument>> all;

    template<class F>
    void each(std::string_view name, metric_labels labels, F f) const
    {
        labels = sorted(std::move(labels));
        std::lock_guard lock(mutex);
        for (const auto& i : all) {
            if (i->name != name || !(labels.empty() || i->labels == labels)) continue;
            std::lock_guard inner(i->mutex);
            f(*i);
        }
    }
};

recording_metrics::recording_metrics() : state_(std::make_shared<state>()) {}

std::shared_ptr<recording_metrics::instrument> recording_metrics::make(std::string_view name, metric_labels labels)
{
    labels = sorted(std::move(labels));
    std::lock_guard lock(state_->mutex);
    for (const auto& i : state_->all)
        if (i->name == name && i->labels == labels) return i;
    return state_->all.emplace_back(std::make_shared<instrument>(std::string(name), std::move(labels)));
}

std::shared_ptr<metrics::counter> recording_metrics::make_counter(std::string_view name, metric_labels labels)
{
    return make(name, std::move(labels));
}

std::shared_ptr<metrics::gauge> recording_metrics::make_gauge(std::string_view name, metric_labels labels)
{
    return make(name, std::move(labels));
}

std::shared_ptr<metrics::histogram> recording_metrics::make_histogram(std::string_view name, metric_labels labels)
{
    return make(name, std::move(labels));
}

double recording_metrics::value(std::string_view name, const metric_labels& labels) const
{
    double sum = 0;
    state_->each(name, labels, [&sum](const instrument& i) { sum += i.value; });
    return sum;
}

std::size_t recording_metrics::updates(std::string_view name, const metric_labels& labels) const
{
    std::size_t n = 0;
    state_->each(name, labels, [&n](const instrument& i) { n += i.updates; });
    return n;
}

std::vector<std::string> recording_metrics::names() const
{
    std::lock_guard lock(state_->mutex);
    std::vector<std::string> out;
    for (const auto& i : state_->all)
        if (std::find(out.begin(), out.end(), i->name) == out.end()) out.push_back(i->name);
    return out;
}

} // namespace kubecoro::testing
