#pragma once

#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::testing {

/// Keeps log lines for a test to look at. Thread safe; loggers it handed out may outlive it.
class recording_logger
{
public:
    recording_logger();

    /// A logger that writes here.
    [[nodiscard]] logger handle(log_level threshold = log_level::trace) const;
    /// Every line as format() gives it.
    [[nodiscard]] std::vector<std::string> lines() const;
    /// Lines of that level.
    [[nodiscard]] std::size_t count(log_level level) const;
    /// Lines that contain `text`.
    [[nodiscard]] std::size_t count(std::string_view text) const;
    /// Forgets what was recorded.
    void clear();

private:
    struct state;
    std::shared_ptr<state> state_;
};

/// Keeps numbers for a test to look at. Thread safe; instruments it handed out may outlive it.
class recording_metrics final : public metrics
{
public:
    recording_metrics();

    [[nodiscard]] std::shared_ptr<counter> make_counter(std::string_view name, metric_labels labels) override;
    [[nodiscard]] std::shared_ptr<gauge> make_gauge(std::string_view name, metric_labels labels) override;
    [[nodiscard]] std::shared_ptr<histogram> make_histogram(std::string_view name, metric_labels labels) override;

    /// A counter's sum, a gauge's last value, a histogram's sum; over all time series of that name when `labels` is
    /// empty. 0 when there is none.
    [[nodiscard]] double value(std::string_view name, const metric_labels& labels = {}) const;
    /// How often it was added to, set or observed.
    [[nodiscard]] std::size_t updates(std::string_view name, const metric_labels& labels = {}) const;
    /// Names of all series, each once, in the order in which they were made.
    [[nodiscard]] std::vector<std::string> names() const;

private:
    struct state;
    class instrument;
    std::shared_ptr<instrument> make(std::string_view name, metric_labels labels);
    std::shared_ptr<state> state_;
};

} // namespace kubecoro::testing
