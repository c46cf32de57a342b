// Logs of containers: their text, and the state's reading and writing of them.
#include <kubecoro/apiserver/detail/container_logs.hpp>

#include "objects/status_errors.hpp"
#include "state/resource_store.hpp"
#include "text/json_text.hpp"

#include <kubecoro/apiserver/detail/cluster_state_core.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::apiserver {
namespace {

/// A line of one byte is not free.
constexpr std::size_t entry_cost = sizeof(log_entry);

} // namespace

void container_run::append(std::string_view text, wall_time now)
{
    while (!text.empty() && !ended_) {
        const auto line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
        entries_.push_back({now, std::string(line)});
        bytes_ += line.size() + entry_cost;
        text.remove_prefix(line.size());
    }
}

void container_run::forget_oldest()
{
    if (entries_.empty()) return;
    bytes_ -= entries_.front().text.size() + entry_cost;
    entries_.pop_front();
    ++first_;
}

/// Keeps the order by bytes and their sum while a run changes.
class container_logs::resizing
{
public:
    resizing(container_logs& logs, kept_run& run)
        : logs_(logs), run_(run), node_(logs.by_bytes_.extract({run.bytes(), run.number, &run}))
    {
    }
    ~resizing()
    {
        auto& [bytes, number, run] = node_.value();
        logs_.bytes_ += run_.bytes() - bytes;
        bytes = run_.bytes();
        logs_.by_bytes_.insert(std::move(node_));
    }
    resizing(const resizing&) = delete;
    resizing& operator=(const resizing&) = delete;

private:
    container_logs& logs_;
    kept_run& run_;
    decltype(by_bytes_)::node_type node_;
};

std::shared_ptr<container_logs::kept_run> container_logs::begin_run()
{
    auto run = std::make_shared<kept_run>();
    run->number = next_number_++;
    by_bytes_.emplace(0, run->number, run.get());
    return run;
}

container_logs::runs& container_logs::runs_of(const std::string& uid, const std::string& container)
{
    auto& found = runs_[{uid, container}];
    if (!found.present) found.present = begin_run();
    return found;
}

container_logs::kept_run& container_logs::longest(kept_run& written) const
{
    const auto& [bytes, number, run] = *by_bytes_.rbegin();
    return bytes == written.bytes() ? written : *run;
}

void container_logs::bound(kept_run& written)
{
    {
        const resizing shorter(*this, written);
        while (written.bytes() > limits_.run) written.forget_oldest();
    }
    while (bytes_ > limits_.total) {
        auto& run = longest(written);
        const auto before = run.bytes();
        const resizing shorter(*this, run);
        const auto next = by_bytes_.empty() ? 0 : std::get<0>(*by_bytes_.rbegin());
        do run.forget_oldest();
        while (run.bytes() >= std::max<std::size_t>(next, 1) && bytes_ - (before - run.bytes()) > limits_.total);
    }
}

std::shared_ptr<const container_run> container_logs::open(const std::string& uid, const std::string& container)
{
    return runs_of(uid, container).present;
}

void container_logs::append(const std::string& uid, const std::string& container, std::string_view text, wall_time now)
{
    auto& run = *runs_of(uid, container).present;
    {
        const resizing longer(*this, run);
        run.append(text, now);
    }
    bound(run);
}

void container_logs::end(const std::string& uid, const std::string& container)
{
    runs_of(uid, container).present->end();
}

void container_logs::drop(const std::shared_ptr<kept_run>& run)
{
    if (!run) return;
    run->end();
    bytes_ -= run->bytes();
    by_bytes_.erase({run->bytes(), run->number, run.get()});
}

void container_logs::restart(const std::string& uid, const std::string& container)
{
    auto& found = runs_of(uid, container);
    auto next = begin_run();
    drop(found.previous);
    found.present->end();
    found.previous = std::exchange(found.present, std::move(next));
}

void container_logs::forget(const std::string& uid)
{
    auto it = runs_.lower_bound({uid, {}});
    while (it != runs_.end() && it->first.first == uid) {
        drop(it->second.present);
        drop(it->second.previous);
        it = runs_.erase(it);
    }
}

std::shared_ptr<const container_run> container_logs::previous(const std::string& uid,
                                                              const std::string& container) const
{
    const auto it = runs_.find({uid, container});
    return it == runs_.end() ? nullptr : it->second.previous;
}

namespace {

std::vector<std::string> names_in(const json::value& pod, std::string_view list)
{
    std::vector<std::string> names;
    if (const auto* containers = array_at(pod, list))
        for (const auto& c : *containers) names.emplace_back(text_at(c, "name"));
    return names;
}

/// As Go prints a list: [a b].
std::string listed(const std::vector<std::string>& names)
{
    std::string out = "[";
    for (const auto& name : names) out += (out.size() > 1 ? " " : "") + name;
    return out + "]";
}

status_error must_choose(const json::value& pod, const std::string& name, const std::vector<std::string>& containers)
{
    std::string message = "a container name must be specified for pod " + name;
    if (containers.empty()) return errors::bad_request(std::move(message));
    message += ", choose one of: " + listed(containers);
    const auto initial = names_in(pod, "spec.initContainers");
    if (!initial.empty()) message += " or one of the init containers: " + listed(initial);
    return errors::bad_request(std::move(message));
}

} // namespace

answer<cluster_state_core::container_place> cluster_state_core::find_container(const container_address& at) const
{
    const auto pods = find("", "pods");
    const auto found = pods->find(storage_key(at.ns, at.pod));
    if (!found) return errors::not_found(pods->info, at.pod);
    const auto pod = to_json(*found);
    const auto containers = names_in(pod, "spec.containers");
    if (at.container.empty()) {
        if (containers.size() != 1) return must_choose(pod, at.pod, containers);
        return container_place{found->uid, containers.front()};
    }
    for (const std::string_view list : {"spec.containers", "spec.initContainers", "spec.ephemeralContainers"}) {
        const auto names = names_in(pod, list);
        if (std::find(names.begin(), names.end(), at.container) != names.end())
            return container_place{found->uid, at.container};
    }
    return errors::bad_request("container " + at.container + " is not valid for pod " + at.pod);
}

answer<void> cluster_state_core::write_log(const container_address& at, log_change how, std::string_view text,
                                           wall_time now)
{
    const auto place = find_container(at);
    if (!place) return place.error();
    if (how == log_change::restart) logs_.restart(place->uid, place->container);
    logs_.append(place->uid, place->container, text, now);
    if (how == log_change::end) logs_.end(place->uid, place->container);
    if (listener_) std::as_const(listener_)(log_resource);
    return {};
}

void cluster_state_core::forget_logs(const stored_object& pod)
{
    logs_.forget(pod.uid);
    if (listener_) std::as_const(listener_)(log_resource);
}

} // namespace kubecoro::apiserver
