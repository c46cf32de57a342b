#include "clusters/cluster_meters.hpp"

#include <utility>

namespace kubecoro::detail {

cluster_meters::cluster_meters(std::shared_ptr<metrics> out, std::string set, std::size_t most_names)
    : out_(std::move(out)), set_(std::move(set)), most_names_(most_names)
{
    for (std::size_t i = 0; i < by_state_.size(); ++i) {
        const std::string state(to_string(static_cast<cluster_state>(i)));
        by_state_[i] = out_->make_gauge("kubecoro_clusters", {{"clusters", set_}, {"state", state}});
        by_state_[i]->set(0);
    }
}

void cluster_meters::moved(const std::string& name, std::optional<cluster_state> from, std::optional<cluster_state> to)
{
    std::lock_guard lock(mutex_);
    const auto count = [this](std::optional<cluster_state> s, int change) {
        if (!s) return;
        const auto i = static_cast<std::size_t>(*s);
        counts_[i] += static_cast<std::size_t>(change);
        by_state_[i]->set(static_cast<double>(counts_[i]));
    };
    count(from, -1);
    count(to, 1);
    if (auto* const ready = ready_of(name)) ready->set(to == cluster_state::ready ? 1 : 0);
    if (ending_ && !to) ready_.erase(name);
}

void cluster_meters::waiting(std::size_t clusters)
{
    std::lock_guard lock(mutex_);
    by_state_[static_cast<std::size_t>(cluster_state::waiting)]->set(static_cast<double>(clusters));
}

metrics::gauge* cluster_meters::ready_of(const std::string& name)
{
    if (const auto at = ready_.find(name); at != ready_.end()) return at->second.get();
    if (ready_.size() >= most_names_) return nullptr;
    return ready_.emplace(name, make_ready(name)).first->second.get();
}

std::shared_ptr<metrics::gauge> cluster_meters::make_ready(const std::string& name)
{
    constexpr auto series = "kubecoro_cluster_ready";
    const metric_labels labels{{"clusters", set_}, {"cluster", name}};
    auto ending = out_->make_transient_gauge(series, labels);
    ending_ = ending != nullptr;
    return ending_ ? ending : out_->make_gauge(series, labels);
}

} // namespace kubecoro::detail
