#include "state/role_rules.hpp"

#include "text/json_text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace kubecoro::apiserver {
namespace {

using texts = std::vector<std::string>;

/// Comparisons of texts in one check: some tens of milliseconds.
constexpr std::size_t most_steps = 5'000'000;
/// Rights in a refusal.
constexpr std::size_t most_missing = 100;
/// Bytes of their texts: many may be of one resource with a long name.
constexpr std::size_t most_missing_bytes = std::size_t{1} << 20;

/// One verb for one resource, or for one path.
struct permission
{
    std::string_view verb;
    std::string_view group = {};
    std::string_view resource = {};
    /// Empty: all names.
    std::string_view name = {};
    std::string_view path = {};
};

class comparison
{
public:
    comparison(const std::vector<const role_rule*>& held, const std::string& ns, const forbids_request& forbids)
        : held_(held), ns_(ns), forbids_(forbids)
    {
    }

    void check(const role_rule& wanted)
    {
        if (!forbids_ && std::any_of(held_.begin(), held_.end(), [&](const auto* h) { return includes(*h, wanted); }))
            return;
        for (const auto& verb : wanted.verbs) {
            for (const auto& path : wanted.paths) check({verb, {}, {}, {}, path});
            for (const auto& group : wanted.groups)
                for (const auto& resource : wanted.resources) {
                    if (wanted.names.empty()) check({verb, group, resource});
                    for (const auto& name : wanted.names) check({verb, group, resource, name});
                    if (is_done()) return;
                }
            if (is_done()) return;
        }
    }

    /// Returns true when the steps are used up, or as many rights are missing as a refusal names.
    [[nodiscard]] bool is_done() const noexcept { return left_ == 0 || missing_ >= most_missing; }

    [[nodiscard]] missing_rights result() const
    {
        missing_rights out;
        out.too_many = left_ == 0;
        std::set<std::string> sorted;
        std::size_t bytes = 0;
        const auto list = [&](std::string text) {
            if (bytes >= most_missing_bytes) return;
            bytes += text.size();
            sorted.insert(std::move(text));
        };
        for (const auto& [what, verbs] : by_resource_) {
            const auto& [group, resource, name] = what;
            std::string text = "{APIGroups:[" + quote(group) + "], Resources:[" + quote(resource) + "]";
            if (!name.empty()) text += ", ResourceNames:[" + quote(name) + "]";
            list(text + ", Verbs:[" + joined(verbs) + "]}");
        }
        for (const auto& [path, verb] : by_path_)
            list("{NonResourceURLs:[" + quote(path) + "], Verbs:[" + quote(verb) + "]}");
        out.rules.assign(sorted.begin(), sorted.end());
        return out;
    }

private:
    [[nodiscard]] static std::string joined(const std::vector<std::string_view>& all)
    {
        std::string out;
        for (const auto& text : all) out += (out.empty() ? "" : " ") + quote(text);
        return out;
    }

    [[nodiscard]] bool spend(std::size_t steps) noexcept
    {
        const bool enough = steps < left_;
        left_ = enough ? left_ - steps : 0;
        return enough;
    }

    [[nodiscard]] bool has(const texts& all, std::string_view one)
    {
        const auto found = std::find(all.begin(), all.end(), one);
        return spend(static_cast<std::size_t>(found - all.begin()) + 1) && found != all.end();
    }
    [[nodiscard]] bool has_or_all(const texts& all, std::string_view one)
    {
        return has(all, one) || (one != "*" && has(all, "*"));
    }
    [[nodiscard]] bool has_resource(const texts& all, std::string_view resource)
    {
        if (has_or_all(all, resource)) return true;
        const auto slash = resource.find('/');
        return slash != std::string_view::npos && has(all, "*" + std::string(resource.substr(slash)));
    }
    [[nodiscard]] bool has_path(const texts& all, std::string_view path)
    {
        return spend(all.size()) && std::any_of(all.begin(), all.end(), [&](std::string_view p) {
                   return p == path || (p.ends_with('*') && path.starts_with(p.substr(0, p.size() - 1)));
               });
    }

    /// Whether one rule includes all of another one.
    [[nodiscard]] bool includes(const role_rule& held, const role_rule& wanted)
    {
        const auto all = [](const texts& of, const auto& is_in) { return std::all_of(of.begin(), of.end(), is_in); };
        return all(wanted.verbs, [&](const auto& verb) { return has_or_all(held.verbs, verb); }) &&
               all(wanted.groups, [&](const auto& group) { return has_or_all(held.groups, group); }) &&
               all(wanted.resources, [&](const auto& resource) { return has_resource(held.resources, resource); }) &&
               all(wanted.paths, [&](const auto& path) { return has_path(held.paths, path); }) &&
               (held.names.empty() ||
                (!wanted.names.empty() && all(wanted.names, [&](const auto& name) { return has(held.names, name); })));
    }

    [[nodiscard]] bool includes(const role_rule& held, const permission& p)
    {
        if (!spend(1) || !has_or_all(held.verbs, p.verb)) return false;
        if (!p.path.empty()) return has_path(held.paths, p.path);
        return has_or_all(held.groups, p.group) && has_resource(held.resources, p.resource) &&
               (held.names.empty() || (!p.name.empty() && has(held.names, p.name)));
    }

    [[nodiscard]] bool is_forbidden(const permission& p) const
    {
        if (!forbids_) return false;
        const auto slash = std::min(p.resource.find('/'), p.resource.size());
        access_request asked{.verb = std::string(p.verb), .group = std::string(p.group)};
        asked.resource = p.resource.substr(0, slash);
        asked.subresource = p.resource.substr(std::min(slash + 1, p.resource.size()));
        asked.ns = ns_;
        asked.name = p.name;
        asked.path = p.path;
        return forbids_(asked);
    }

    void check(const permission& p)
    {
        if (is_done() || !spend(1)) return;
        if (!is_forbidden(p) && std::any_of(held_.begin(), held_.end(), [&](const auto* h) { return includes(*h, p); }))
            return;
        if (left_ == 0) return;
        if (!p.path.empty()) {
            missing_ += by_path_.emplace(p.path, p.verb).second;
            return;
        }
        auto& verbs = by_resource_[{p.group, p.resource, p.name}];
        if (std::find(verbs.begin(), verbs.end(), p.verb) != verbs.end()) return;
        verbs.push_back(p.verb);
        ++missing_;
    }

    const std::vector<const role_rule*>& held_;
    const std::string& ns_;
    const forbids_request& forbids_;
    std::size_t left_ = most_steps;
    std::size_t missing_ = 0;
    std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::vector<std::string_view>>
        by_resource_;
    std::set<std::pair<std::string_view, std::string_view>> by_path_;
};

} // namespace

missing_rights find_missing(const std::vector<const role_rule*>& held, const std::vector<const role_rule*>& wanted,
                            const std::string& ns, const forbids_request& forbids)
{
    comparison c(held, ns, forbids);
    for (const auto* rule : wanted) {
        if (c.is_done()) break;
        c.check(*rule);
    }
    return c.result();
}

} // namespace kubecoro::apiserver
