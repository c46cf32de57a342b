#include <kubecoro/base/metrics.hpp>

namespace kubecoro {
namespace {

class dropping final : public metrics
{
    struct sink final : counter, gauge, histogram
    {
        void add(double) noexcept override {}
        void set(double) noexcept override {}
        void observe(double) noexcept override {}
    };
    std::shared_ptr<sink> sink_ = std::make_shared<sink>();

public:
    std::shared_ptr<counter> make_counter(std::string_view, metric_labels) override { return sink_; }
    std::shared_ptr<gauge> make_gauge(std::string_view, metric_labels) override { return sink_; }
    std::shared_ptr<histogram> make_histogram(std::string_view, metric_labels) override { return sink_; }
};

} // namespace

std::shared_ptr<metrics> null_metrics()
{
    static const auto instance = std::make_shared<dropping>();
    return instance;
}

} // namespace kubecoro
