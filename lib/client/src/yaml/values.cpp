#include "yaml/document.hpp"

#include <kubecoro/api/detail/written_json.hpp>

#include <boost/json.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

using kind = yaml_node::kind;

/// Thrown and caught in this file: the conversion is a deep walk.
struct refused
{
    yaml_problem why;
};

/// go-yaml's measure of what aliases may add: most of a small document, a tenth of a large one.
class alias_ratio
{
public:
    [[nodiscard]] bool is_passed(bool in_alias)
    {
        ++all_;
        if (in_alias) ++aliased_;
        return aliased_ > 100 && all_ > 1000 && static_cast<double>(aliased_) / static_cast<double>(all_) > allowed();
    }

private:
    [[nodiscard]] double allowed() const
    {
        constexpr double low = 400'000;
        constexpr double high = 4'000'000;
        const auto all = static_cast<double>(all_);
        if (all <= low) return 0.99;
        if (all >= high) return 0.10;
        return 0.99 - 0.89 * ((all - low) / (high - low));
    }

    std::size_t all_ = 1; // the document
    std::size_t aliased_ = 0;
};

class conversion
{
public:
    conversion(const std::vector<yaml_node>& nodes, const yaml_limits& limits, std::vector<std::string>& duplicates)
        : nodes_(nodes), left_(limits), duplicates_(duplicates), followed_(nodes.size())
    {
    }

    json::value run()
    {
        auto out = value(0, left_.depth);
        // What JSON cannot hold is refused if a later key has not replaced it, as go-yaml refuses it at the end.
        if (unfit_ && !has_json_text(out)) throw refused{*unfit_};
        return out;
    }

private:
    /// The members of a map that is being read.
    struct members
    {
        json::object object;
        /// Keys by type: 1 and "1" are two of YAML's keys, and one of JSON's.
        std::set<std::string> seen;
    };

    [[noreturn]] void refuse(const yaml_node& node, std::string what) const
    {
        throw refused{{node.at, std::move(what)}};
    }

    void enter(const yaml_node& node)
    {
        if (ratio_.is_passed(alias_depth_ != 0)) refuse(node, "document contains excessive aliasing");
        if (left_.nodes == 0) refuse(node, "too many nodes");
        --left_.nodes;
    }

    void spend_text(const yaml_node& node)
    {
        if (node.text.size() > left_.bytes) refuse(node, "aliases of too long texts");
        left_.bytes -= node.text.size();
    }

    /// Calls use(number) with the node that an alias stands for.
    template<class Use>
    void follow(std::size_t alias, const Use& use)
    {
        const auto& node = nodes_[alias];
        if (followed_[alias]) refuse(node, "anchor '" + node.text + "' value contains itself");
        followed_[alias] = true;
        ++alias_depth_;
        use(node.target);
        --alias_depth_;
        followed_[alias] = false;
    }

    // NOLINTNEXTLINE(misc-no-recursion): bounded by the depth
    json::value value(std::size_t number, std::size_t depth)
    {
        const auto& node = nodes_[number];
        enter(node);
        if (depth == 0 && node.is != kind::scalar) refuse(node, "nested too deeply");
        switch (node.is) {
        case kind::alias: {
            json::value out;
            follow(number, [&](std::size_t target) { out = value(target, depth - 1); });
            return out;
        }
        case kind::scalar:
            return scalar(node);
        case kind::sequence: {
            json::array out;
            for (auto i = number + 1; i < node.end; i = nodes_[i].end) out.push_back(value(i, depth - 1));
            return out;
        }
        default: {
            members out;
            read_members(number, depth, out);
            return std::move(out.object);
        }
        }
    }

    json::value scalar(const yaml_node& node)
    {
        spend_text(node);
        auto out = resolve_yaml(node.tag, node.text, node.implicit);
        if (!out) refuse(node, out.error());
        if (!out->is_double()) return std::move(*out);
        const auto number = out->get_double();
        if (!std::isfinite(number)) set_unfit(node, "unsupported value: " + yaml_key_text(number));
        return whole_number(number);
    }

    void set_unfit(const yaml_node& node, std::string why)
    {
        if (!unfit_) unfit_ = yaml_problem{node.at, std::move(why)};
    }

    // NOLINTNEXTLINE(misc-no-recursion): bounded by the depth
    void read_members(std::size_t number, std::size_t depth, members& out)
    {
        for (auto i = number + 1; i < nodes_[number].end;) {
            const auto key = i;
            const auto content = nodes_[key].end;
            i = nodes_[content].end;
            if (is_merge(nodes_[key])) {
                merge(content, depth, out);
                continue;
            }
            auto name = key_of(key, depth - 1);
            auto v = value(content, depth - 1);
            add(nodes_[content], std::move(name), std::move(v), out);
        }
    }

    static bool is_merge(const yaml_node& key)
    {
        return key.is == kind::scalar && key.text == "<<" && (key.implicit || key.tag == "tag:yaml.org,2002:merge");
    }

    /// Merged members replace those before the "<<".
    // NOLINTNEXTLINE(misc-no-recursion): bounded by the depth
    void merge(std::size_t content, std::size_t depth, members& out)
    {
        const auto& node = nodes_[content];
        if (node.is != kind::sequence) return merge_one(content, depth, out);
        std::vector<std::size_t> items;
        for (auto i = content + 1; i < node.end; i = nodes_[i].end) items.push_back(i);
        for (auto i = items.rbegin(); i != items.rend(); ++i) merge_one(*i, depth, out);
    }

    // NOLINTNEXTLINE(misc-no-recursion): bounded by the depth
    void merge_one(std::size_t number, std::size_t depth, members& out)
    {
        const auto& node = nodes_[number];
        const auto& merged = node.is == kind::alias ? nodes_[node.target] : node;
        if (merged.is != kind::map) refuse(node, "map merge requires map or sequence of maps as the value");
        enter(node);
        if (depth == 0) refuse(node, "nested too deeply");
        if (node.is == kind::map) return read_members(number, depth - 1, out);
        follow(number, [&](std::size_t target) {
            enter(merged);
            read_members(target, depth - 1, out);
        });
    }

    struct key_name
    {
        std::string text;
        /// How Go prints it, which tells 1 from "1".
        std::string shown;
        bool is_unfit = false;
    };

    // NOLINTNEXTLINE(misc-no-recursion): bounded by the depth
    key_name key_of(std::size_t number, std::size_t depth)
    {
        const auto& node = nodes_[number];
        enter(node);
        if (depth == 0 && node.is != kind::scalar) refuse(node, "nested too deeply");
        if (node.is == kind::alias) {
            key_name out;
            follow(number, [&](std::size_t target) { out = key_of(target, depth - 1); });
            return out;
        }
        if (node.is != kind::scalar) refuse(node, "invalid map key: a map or a list");
        spend_text(node);
        const auto key = resolve_yaml(node.tag, node.text, node.implicit);
        if (!key) refuse(node, key.error());
        if (key->is_null() || key->is_uint64()) {
            set_unfit(node,
                      key->is_null() ? "unsupported map key: null" : "unsupported map key: an integer of 64 bits");
            return {node.text, node.text, true};
        }
        if (const auto* text = key->if_string()) return {std::string(*text), json::serialize(*text)};
        auto text = key->is_double() ? yaml_key_text(key->get_double()) : json::serialize(*key);
        auto shown = json::serialize(*key);
        return {std::move(text), std::move(shown)};
    }

    void add(const yaml_node& content, key_name key, json::value value, members& out)
    {
        if (!out.seen.insert(key.shown).second && duplicates_.size() < most_named)
            duplicates_.push_back("line " + std::to_string(content.at.line + 1) + ": key " + key.shown +
                                  " already set in map");
        if (key.is_unfit) value = std::numeric_limits<double>::quiet_NaN();
        if (out.object.size() > left_.key_comparisons) refuse(content, "an object has too many members");
        left_.key_comparisons -= out.object.size();
        out.object.insert_or_assign(key.text, std::move(value));
    }

    static constexpr std::size_t most_named = 100;

    const std::vector<yaml_node>& nodes_;
    yaml_limits left_;
    std::vector<std::string>& duplicates_;
    /// Aliases that are being followed.
    std::vector<bool> followed_;
    std::size_t alias_depth_ = 0;
    alias_ratio ratio_;
    std::optional<yaml_problem> unfit_;
};

} // namespace

boost::system::result<json::value, yaml_problem>
value_of_nodes(const std::vector<yaml_node>& nodes, const yaml_limits& limits, std::vector<std::string>& duplicates)
{
    try {
        return conversion(nodes, limits, duplicates).run();
    } catch (refused& e) {
        return {boost::system::in_place_error, std::move(e.why)};
    }
}

} // namespace kubecoro::detail
