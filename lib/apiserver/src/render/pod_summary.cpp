#include "render/table.hpp"

#include "text/json_text.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string_view>

namespace kubecoro::apiserver {
namespace {

const json::array& list_at(const json::value& v, std::string_view path)
{
    static const json::array none;
    const auto* list = array_at(v, path);
    return list ? *list : none;
}

bool is_true(const json::value& v, std::string_view path)
{
    const auto* flag = find_at(v, path);
    return flag && flag->is_bool() && flag->get_bool();
}

struct restart_count
{
    std::int64_t count = 0;
    std::optional<wall_time> last = {};

    void add(const json::value& container)
    {
        count += int_at(container, "restartCount");
        wall_time ended;
        if (parse_time(text_at(container, "lastState.terminated.finishedAt"), ended))
            last = std::max(last.value_or(ended), ended);
    }
    [[nodiscard]] std::string text(wall_time now) const
    {
        auto out = std::to_string(count);
        if (count == 0 || !last) return out;
        return out + " (" + human_duration(std::chrono::duration_cast<std::chrono::seconds>(now - *last)) + " ago)";
    }
};

/// Why a container has ended.
std::string end_of(const json::value& container)
{
    const auto reason = text_at(container, "state.terminated.reason");
    if (!reason.empty()) return std::string(reason);
    const auto signal = int_at(container, "state.terminated.signal");
    return signal != 0 ? "Signal:" + std::to_string(signal)
                       : "ExitCode:" + std::to_string(int_at(container, "state.terminated.exitCode"));
}

/// Goes through the containers of a pod as kube-apiserver does: the first that begins decides.
class summary
{
public:
    explicit summary(const json::value& pod) : pod_(pod), total_(list_at(pod, "spec.containers").size())
    {
        for (const auto& container : list_at(pod, "spec.initContainers"))
            if (text_at(container, "restartPolicy") == "Always") sidecars_.insert(text_at(container, "name"));
        total_ += sidecars_.size();
        // The first condition of a type counts.
        for (const auto& c : list_at(pod, "status.conditions")) conditions_.emplace(text_at(c, "type"), &c);
    }

    [[nodiscard]] pod_summary run(wall_time now)
    {
        status_ = text_at(pod_, "status.reason");
        if (status_.empty()) status_ = text_at(pod_, "status.phase");
        if (const auto gated = conditions_.find("PodScheduled");
            gated != conditions_.end() && text_at(*gated->second, "reason") == "SchedulingGated")
            status_ = "SchedulingGated";
        auto beginning = look_at_init_containers();
        const bool begins = !beginning.empty();
        if (begins) status_ = std::move(beginning);
        if (!begins || is_met("Initialized")) look_at_containers();
        if (find_at(pod_, "metadata.deletionTimestamp")) end();
        return {fraction(ready_, total_), status_, restarts_.text(now), gates()};
    }

private:
    [[nodiscard]] static std::string fraction(std::size_t part, std::size_t whole)
    {
        return std::to_string(part) + "/" + std::to_string(whole);
    }

    [[nodiscard]] bool is_met(std::string_view condition) const
    {
        const auto found = conditions_.find(condition);
        return found != conditions_.end() && text_at(*found->second, "status") == "True";
    }

    /// @return what the first one does that is not done; empty: all are done.
    [[nodiscard]] std::string look_at_init_containers()
    {
        const auto& all = list_at(pod_, "status.initContainerStatuses");
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto& container = all[i];
            const bool is_sidecar = sidecars_.contains(text_at(container, "name"));
            restarts_.add(container);
            if (is_sidecar) restarts_of_sidecars_.add(container);
            const bool ended = object_at(container, "state.terminated") != nullptr;
            if (ended && int_at(container, "state.terminated.exitCode") == 0) continue;
            if (is_sidecar && is_true(container, "started")) {
                ready_ += is_true(container, "ready") ? 1 : 0;
                continue;
            }
            if (ended) return "Init:" + end_of(container);
            const auto waits = text_at(container, "state.waiting.reason");
            if (!waits.empty() && waits != "PodInitializing") return "Init:" + std::string(waits);
            return "Init:" + fraction(i, list_at(pod_, "spec.initContainers").size());
        }
        return {};
    }

    void look_at_containers()
    {
        restarts_ = restarts_of_sidecars_;
        bool runs = false;
        for (const auto& container : std::views::reverse(list_at(pod_, "status.containerStatuses"))) {
            restarts_.add(container);
            if (const auto waits = text_at(container, "state.waiting.reason"); !waits.empty()) {
                status_ = waits;
            } else if (object_at(container, "state.terminated")) {
                status_ = end_of(container);
            } else if (is_true(container, "ready") && object_at(container, "state.running")) {
                runs = true;
                ++ready_;
            }
        }
        if (status_ == "Completed" && runs) status_ = is_met("Ready") ? "Running" : "NotReady";
    }

    /// The status of a pod that is being deleted.
    void end()
    {
        const auto phase = text_at(pod_, "status.phase");
        if (text_at(pod_, "status.reason") == "NodeLost")
            status_ = "Unknown";
        else if (phase != "Failed" && phase != "Succeeded")
            status_ = "Terminating";
    }

    [[nodiscard]] std::string gates() const
    {
        const auto& all = list_at(pod_, "spec.readinessGates");
        if (all.empty()) return {};
        const auto met = std::ranges::count_if(all, [&](const auto& g) { return is_met(text_at(g, "conditionType")); });
        return fraction(static_cast<std::size_t>(met), all.size());
    }

    const json::value& pod_;
    std::size_t total_;
    std::size_t ready_ = 0;
    std::string status_;
    restart_count restarts_, restarts_of_sidecars_;
    std::set<std::string_view> sidecars_;
    std::map<std::string_view, const json::value*> conditions_;
};

} // namespace

pod_summary summarise_pod(const json::value& pod, wall_time now) { return summary(pod).run(now); }

} // namespace kubecoro::apiserver
