#pragma once

#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::testing {

/// Records log lines. Thread safe; its loggers may outlive it.
class recording_logger
{
public:
    recording_logger();

    /// Returns a logger that writes to this recorder.
    [[nodiscard]] logger handle(log_level threshold = log_level::trace) const;
    /// Every line, formatted by format().
    [[nodiscard]] std::vector<std::string> lines() const;
    /// Number of lines of a level.
    [[nodiscard]] std::size_t count(log_level level) const;
    /// Number of lines that contain `text`.
    [[nodiscard]] std::size_t count(std::string_view text) const;
    /// Forgets what was recorded.
    void clear();

private:
    struct state;
    std::shared_ptr<state> state_;
};

/// Records metrics. Thread safe; its instruments may outlive it.
class recording_metrics final : public metrics
{
public:
    recording_metrics();

    [[nodiscard]] std::shared_ptr<counter> make_counter(std::string_view name, metric_labels labels = {}) override;
    [[nodiscard]] std::shared_ptr<gauge> make_gauge(std::string_view name, metric_labels labels = {}) override;
    [[nodiscard]] std::shared_ptr<histogram> make_histogram(std::string_view name, metric_labels labels = {}) override;

    /// Returns a counter's sum, a gauge's last value, or a histogram's sum; summed over all time series of the name
    /// when `labels` is empty. Else `labels` are all labels of the series, in any order. 0 for an unknown name.
    [[nodiscard]] double value(std::string_view name, const metric_labels& labels = {}) const;
    /// Number of calls of add(), set() or observe().
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
