#include "ledger.hpp"

#include "checksum.hpp"
#include "marks.hpp"
#include "users.hpp"

#include <algorithm>
#include <tuple>

namespace kubecoro::simulation {

using config_reloader::content_kind;
namespace marks = config_reloader::marks;

namespace {

content_kind kind_of(std::size_t resource) { return resource == 0 ? content_kind::config_map : content_kind::secret; }

bool same_content(const object& a, const object& b)
{
    const auto same = [](value_view x, value_view y) { return (x.empty() && y.empty()) || x == y; };
    return same(a["data"], b["data"]) && same(a["binaryData"], b["binaryData"]);
}

std::string on_template(const object& o)
{
    return std::string(template_of(o).metadata().annotations()[marks::checksum]);
}

} // namespace

std::string wanted_checksum(const object& workload, const std::vector<std::unique_ptr<server_history>>& truths)
{
    const auto asked = marks::asked(workload);
    const auto references = config_reloader::references_of(template_of(workload).spec());
    if (!asked || !*asked || !references || references->empty()) return {};
    config_reloader::checksum sum;
    for (const auto& each : *references) {
        const auto& there = truths[each.kind == content_kind::config_map ? 0 : 1]->objects();
        const auto found = there.find(object_key(std::string(workload.ns()), each.name));
        if (found == there.end() && !each.optional) return {};
        sum.add(each, config_reloader::digest_of(found == there.end() ? object() : found->second));
    }
    return sum.finish();
}

void ledger::check(const std::vector<std::unique_ptr<server_history>>& truths)
{
    std::vector<std::tuple<std::uint64_t, std::size_t, change>> history;
    for (std::size_t i = 0; i < truths.size(); ++i) {
        for (auto& c : truths[i]->changes(scope{truths[i]->resource()}, 0)) history.emplace_back(c.version, i, c);
    }
    std::sort(history.begin(), history.end(),
              [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
    for (const auto& [version, resource, c] : history) {
        const auto now = c.kind == change_kind::deleted ? object() : truths[resource]->at(c.uid, version);
        if (resource < content_resources) {
            content_changed({kind_of(resource), c.key}, now, version);
        } else if (now) {
            workload_changed(now, version);
        } else {
            workloads_.erase(c.uid);
        }
    }
}

void ledger::content_changed(content_id id, const object& now, std::uint64_t version)
{
    const bool was_there = there_.contains(id);
    auto& content = contents_[id];
    const bool moved = was_there != bool(now);
    const bool changed = now && (!content || !same_content(content, now));
    if (now) {
        content = now;
        there_.insert(id);
    } else {
        there_.erase(id);
    }
    for (auto& [uid, w] : workloads_) {
        if (w.now.ns() != id.second.ns) continue;
        for (const auto& r : w.references) {
            if (r.kind != id.first || r.name != id.second.name) continue;
            if (changed || (moved && r.optional)) w.causes.insert(version);
        }
    }
}

void ledger::workload_changed(const object& now, std::uint64_t version)
{
    const auto [at, fresh] = workloads_.try_emplace(std::string(now.uid()));
    auto& w = at->second;
    const auto before = std::exchange(w.now, now);
    auto references = config_reloader::references_of(template_of(now).spec());
    const bool moved = !references || *references != w.references;
    if (references) w.references = std::move(*references);
    if (fresh) {
        w.causes.insert(version);
        return;
    }
    const auto was = before.annotations()[marks::applied].as_string();
    const auto is = now.annotations()[marks::applied].as_string();
    if (moved || (is.empty() && !was.empty())) w.causes.insert(version);
    if (is.empty() || is == was) return;
    const bool changes_template = on_template(before) != on_template(now);
    if (changes_template) return rolled(w, version);
    if (!records_ || !was.empty()) notes_->broken(to_string(now.key()), "was marked as rolled without a roll");
}

void ledger::rolled(workload& w, std::uint64_t version)
{
    ++rolls_;
    const auto who = std::string(w.now.kind()) + " " + to_string(w.now.key());
    const auto cause = w.causes.upper_bound(w.roll_before);
    if (cause == w.causes.end() || *cause >= version)
        return notes_->broken(who, "was rolled without a change at " + std::to_string(version));
    ++causes_;
    w.causes.erase(w.causes.begin(), std::next(cause));
    w.roll_before = std::exchange(w.last_roll, version);
}

} // namespace kubecoro::simulation
