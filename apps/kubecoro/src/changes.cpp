#include "changes.hpp"

#include <kubecoro/base/printable.hpp>

#include <vector>

namespace kubecoro::tool {

namespace {

constexpr std::size_t longest_value = 32;

/// kubectl's copy of the whole object.
constexpr std::string_view last_applied = "metadata.annotations.kubectl.kubernetes.io/last-applied-configuration";

std::string shown(value_view v)
{
    if (!v) return "(none)";
    std::string text = v.is_string() ? std::string(v.as_string()) : v.to_text();
    if (text.size() > longest_value) text = printable(text, longest_value - 3) + "...";
    return text.empty() ? "\"\"" : text;
}

/// A readable name for a list item: its name or type, else its position.
std::string item_name(value_view item, std::size_t position)
{
    for (std::string_view key : {"name", "type"}) {
        if (item[key].is_string()) return std::string(item[key].as_string());
    }
    return std::to_string(position);
}

bool is_secret(const object& o) { return o.kind() == "Secret" && o.api_version() == "v1"; }

class difference
{
public:
    /// @param secret  Whether values of the object's data are left out.
    explicit difference(bool secret) : secret_(secret) {}

    void compare(const std::string& path, value_view a, value_view b)
    {
        if (skipped(path) || a == b) return;
        if (a.is_object() && b.is_object()) {
            compare_members(path, a, b);
        } else if (a.is_array() && b.is_array() && a.size() == b.size()) {
            compare_items(path, a, b);
        } else {
            found_.push_back(path + (hides(path) ? " changed" : ": " + shown(a) + " -> " + shown(b)));
        }
    }

    [[nodiscard]] std::string text(std::size_t most) const
    {
        std::string out;
        for (std::size_t i = 0; i != found_.size() && i != most; ++i) out += (i ? ", " : "") + found_[i];
        if (found_.size() > most) out += ", " + std::to_string(found_.size() - most) + " more";
        return out;
    }

private:
    static bool skipped(const std::string& path)
    {
        return path == "metadata.resourceVersion" || path == "metadata.generation" ||
               path == "metadata.managedFields" || path == last_applied;
    }

    [[nodiscard]] bool hides(std::string_view path) const
    {
        const auto field = path.substr(0, path.find('.'));
        return secret_ && (field == "data" || field == "stringData");
    }

    void compare_members(const std::string& path, value_view a, value_view b)
    {
        const std::string prefix = path.empty() ? path : path + ".";
        for (auto [key, value] : a.members()) compare(prefix + std::string(key), value, b[key]);
        for (auto [key, value] : b.members()) {
            if (!a[key]) compare(prefix + std::string(key), {}, value);
        }
    }

    void compare_items(const std::string& path, value_view a, value_view b)
    {
        std::size_t position = 0;
        for (auto item : a.items()) {
            compare(path + "[" + item_name(item, position) + "]", item, b[position]);
            ++position;
        }
    }

    bool secret_;
    std::vector<std::string> found_;
};

} // namespace

std::string describe_change(const object& before, const object& after, std::size_t most)
{
    difference d(is_secret(before) || is_secret(after));
    d.compare({}, before.root(), after.root());
    return d.text(most);
}

} // namespace kubecoro::tool
