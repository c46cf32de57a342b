#include "model/layout.hpp"

#include <algorithm>
#include <iterator>

namespace kubecoro::codegen {

message_order::message_order(const model& m, const std::vector<kind>& kinds) : model_(m)
{
    for (const kind& k : kinds)
        if (!marks_.contains(k.message)) visit(k.message);
}

// Tarjan's strongly connected components. Not recursive, because messages of a document may contain each other as deep as
// there are many of them.
void message_order::visit(const std::string& first)
{
    struct visited
    {
        std::string name;
        std::vector<std::string> holds;
        std::size_t next = 0;
    };
    std::vector<visited> way;
    const auto enter = [&](const std::string& name) {
        const std::size_t index = marks_.size();
        marks_.emplace(name, mark{index, index, true});
        open_.push_back(name);
        way.push_back({name, {}});
        for (const field& f : model_.messages.at(name).fields)
            each_message(f.type, [&](const std::string& other) { way.back().holds.push_back(other); });
    };
    for (enter(first); !way.empty();) {
        visited& here = way.back();
        if (here.next == here.holds.size()) {
            close(here.name);
            way.pop_back();
        } else if (const auto seen = marks_.find(here.holds[here.next]); seen == marks_.end()) {
            enter(std::string(here.holds[here.next]));
        } else {
            // Also after a return from it, when its mark is final.
            if (seen->second.open) marks_.at(here.name).low = std::min(marks_.at(here.name).low, seen->second.low);
            ++here.next;
        }
    }
}

void message_order::close(const std::string& name)
{
    const mark& here = marks_.at(name);
    if (here.low != here.index) return;
    const auto first = std::prev(std::find(open_.rbegin(), open_.rend(), name).base());
    std::vector<std::string> group(first, open_.end());
    open_.erase(first, open_.end());
    for (const auto& member : group) {
        marks_.at(member).open = false;
        group_of_.emplace(member, groups_.size());
    }
    groups_.push_back(std::move(group));
}

bool message_order::in_cycle(const std::string& a, const std::string& b) const
{
    const auto x = group_of_.find(a);
    const auto y = group_of_.find(b);
    return x != group_of_.end() && y != group_of_.end() && x->second == y->second;
}

namespace {

using names = std::set<std::string>;

/// The messages that a group mentions outside itself.
names mentioned(const model& m, const std::vector<std::string>& group)
{
    const names inside(group.begin(), group.end());
    names out;
    for (const auto& name : group)
        for (const field& f : m.messages.at(name).fields)
            each_message(f.type, [&](const std::string& other) {
                if (!inside.contains(other)) out.insert(other);
            });
    return out;
}

} // namespace

std::vector<header> distribute(const model& m, const std::vector<kind>& kinds,
                               const std::function<bool(const std::string& message)>& exists)
{
    const message_order order(m, kinds);
    names roots;
    for (const kind& k : kinds) roots.insert(k.message);
    // From the users to the used: a group belongs to the header of its users if they are all in one.
    std::map<std::string, names> users;
    std::map<std::string, std::string> home;
    for (auto group = order.groups().rbegin(); group != order.groups().rend(); ++group) {
        names homes;
        for (const auto& name : *group) {
            if (roots.contains(name)) homes.insert(name);
            homes.insert(users[name].begin(), users[name].end());
        }
        // Several users, or kinds that contain each other: a header of its own, named after the first.
        const bool own = homes.size() != 1 || roots.contains(group->front()) || (exists && exists(group->front()));
        const std::string where = own ? group->front() : *homes.begin();
        for (const auto& name : *group) home[name] = where;
        for (const auto& other : mentioned(m, *group)) users[other].insert(where);
    }
    std::map<std::string, header> headers;
    for (const auto& group : order.groups())
        for (const auto& name : group) {
            header& h = headers[home.at(name)];
            h.root = home.at(name);
            h.messages.push_back(name);
        }
    for (auto& [root, h] : headers)
        for (const auto& name : h.messages)
            for (const auto& other : mentioned(m, {name}))
                if (home.at(other) != root) h.includes.insert(home.at(other));
    std::vector<header> out;
    for (auto& [root, h] : headers) out.push_back(std::move(h));
    return out;
}

} // namespace kubecoro::codegen
