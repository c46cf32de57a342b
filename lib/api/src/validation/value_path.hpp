// The place of a value in an object, as a list on the stack: most places are never printed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::detail {

/// Bytes of the paths in one list. Further ones are not listed: a long name may stand above many members.
inline constexpr std::size_t max_path_bytes = std::size_t{1} << 20;

struct value_path
{
    enum class step
    {
        root,
        property,
        /// A member that additionalProperties describes: the server prints it with a dot even at the root.
        extra,
        item
    };

    const value_path* parent = nullptr;
    step kind = step::root;
    std::string_view key = {};
    std::size_t index = 0;

    /// "spec.rules[0].host"
    [[nodiscard]] std::string text() const
    {
        if (kind == step::root) return std::string(key);
        std::string out = parent->text();
        if (kind == step::item) return add_in_brackets(std::move(out), std::to_string(index));
        if (kind == step::extra || !out.empty()) out += '.';
        out += key;
        return out;
    }

    /// The same with members of any name in brackets: "spec.labels[app]".
    [[nodiscard]] std::string field_text() const
    {
        if (kind == step::root) return std::string(key);
        std::string out = parent->field_text();
        if (kind == step::item) return add_in_brackets(std::move(out), std::to_string(index));
        if (kind == step::extra) return add_in_brackets(std::move(out), key);
        if (!out.empty()) out += '.';
        out += key;
        return out;
    }

    [[nodiscard]] value_path property(std::string_view name) const { return {this, step::property, name}; }
    [[nodiscard]] value_path extra(std::string_view name) const { return {this, step::extra, name}; }
    [[nodiscard]] value_path item(std::size_t i) const { return {this, step::item, {}, i}; }

private:
    /// In place: a long path may have many steps.
    static std::string add_in_brackets(std::string out, std::string_view what)
    {
        out += '[';
        out += what;
        out += ']';
        return out;
    }
};

} // namespace kubecoro::detail
