#include "state/role_aggregator.hpp"

#include "objects/label_match.hpp"
#include "objects/stored_object.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <vector>

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view group = "rbac.authorization.k8s.io";
constexpr std::string_view manager = "clusterrole-aggregation-controller";
/// Roles that are aggregated of aggregated ones are this deep at most.
constexpr std::size_t most_rounds = 10;

/// Rules in the order in which they are found, without repetitions.
class rule_list
{
public:
    /// @return false if they are too large to be stored.
    bool add(const json::value& rule)
    {
        auto text = to_text(rule);
        if (text.size() > room_) return false;
        const auto size = text.size();
        if (!known_.insert(std::move(text)).second) return true;
        room_ -= size;
        rules_.push_back(rule);
        return true;
    }
    /// Whether they are these, in any order.
    [[nodiscard]] bool are(const json::array* rules) const
    {
        std::set<std::string> others;
        if (rules)
            for (const auto& rule : *rules) others.insert(to_text(rule));
        return others == known_;
    }
    [[nodiscard]] json::array take() { return std::move(rules_); }

private:
    json::array rules_;
    std::set<std::string> known_;
    std::size_t room_ = max_stored_bytes;
};

/// The selectors of an aggregated role. One that is not valid selects nothing.
std::vector<label_match> selectors_of(const json::value& role)
{
    std::vector<label_match> out;
    if (const auto* all = array_at(role, "aggregationRule.clusterRoleSelectors"))
        for (const auto& each : *all)
            if (auto selector = label_match::of(each)) out.push_back(std::move(*selector));
    return out;
}

/// @param taken  The roles whose rules are there already, with that which is aggregated. @return false if the rules are
/// too large.
bool add_selected(const resource_store& roles, const label_match& selector, std::set<std::string_view>& taken,
                  rule_list& out)
{
    for (const auto& [key, role] : roles.objects()) {
        if (taken.contains(key) || !selector.matches(*role)) continue;
        taken.insert(key);
        const auto body = to_json(*role);
        if (const auto* rules = array_at(body, "rules"))
            if (!std::all_of(rules->begin(), rules->end(), [&](const auto& rule) { return out.add(rule); }))
                return false;
    }
    return true;
}

} // namespace

void role_aggregator::note(const resource_store& store, std::string_view key, const stored_object* after)
{
    if (store.info.behaves != builtin::role || store.info.namespaced) return;
    // A role without the word in its text need not be parsed.
    if (after && after->text.find("\"aggregationRule\"") != std::string::npos &&
        object_at(to_json(*after), "aggregationRule"))
        aggregated_.emplace(key);
    else if (const auto known = aggregated_.find(key); known != aggregated_.end())
        aggregated_.erase(known);
    if (writing_) return;
    dirty_ = true;
}

void role_aggregator::clear()
{
    aggregated_.clear();
    pending_.clear();
    dirty_ = false;
}

bool role_aggregator::work(wall_time now)
{
    // A round goes on although roles change meanwhile: who writes roles without a pause would hold up the last ones.
    if (dirty_ && pending_.empty()) {
        begin_round();
        round_ = 0;
        dirty_ = false;
    }
    if (pending_.empty()) return false;
    // It stays pending if memory runs out.
    if (combine(*pending_.begin(), now)) changed_ = true;
    pending_.erase(pending_.begin());
    if (pending_.empty() && changed_ && !dirty_ && ++round_ < most_rounds) begin_round();
    return dirty_ || !pending_.empty();
}

void role_aggregator::begin_round()
{
    pending_ = std::set<std::string>(aggregated_.begin(), aggregated_.end());
    changed_ = false;
}

bool role_aggregator::combine(const std::string& key, wall_time now)
{
    const auto roles = state_.find(group, "clusterroles");
    const auto current = roles->find(key);
    if (!current || current->deleting) return false;
    const auto body = to_json(*current);
    rule_list rules;
    std::set<std::string_view> taken{key};
    for (const auto& selector : selectors_of(body))
        if (!add_selected(*roles, selector, taken, rules)) return false;
    if (rules.are(array_at(body, "rules"))) return false;

    json::object config{{"apiVersion", std::string(group) + "/v1"},
                        {"kind", roles->info.kind},
                        {"metadata", {{"name", current->name}}}};
    if (auto found = rules.take(); !found.empty()) config["rules"] = std::move(found);
    const struct mark
    {
        bool& writing;
        explicit mark(bool& w) : writing(w) { writing = true; }
        ~mark() { writing = false; }
    } here{writing_};
    const auto version = state_.resource_version();
    const auto written = state_.apply({roles, "v1", {}, current->name}, std::move(config),
                                      {.manager = std::string(manager), .force = true}, now);
    return written && state_.resource_version() != version;
}

} // namespace kubecoro::apiserver
