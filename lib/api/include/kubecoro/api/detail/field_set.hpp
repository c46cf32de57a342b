#pragma once
// Sets of fields, as metadata.managedFields holds them: a tree of paths, with the algebra of structured merging.

#include <kubecoro/base/result.hpp>

#include <boost/json/fwd.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** A step of a path in the form of FieldsV1: `f:name` for a member, `k:{"name":"x"}` for an item by its keys, `v:"x"` for an item
    of a set, `i:0` for an item by its place. Texts of equal steps are equal: JSON in them is as Go writes it, with sorted members
    and escaped `<`, `>` and `&`. */
using path_element = std::string;
using field_path = std::vector<path_element>;

/// A set of paths. A path may be in the set without those below or above it. A regular value type.
class field_set
{
public:
    struct node
    {
        /// The path that ends here is in the set.
        bool member = false;
        /// Null: none. Never empty.
        std::unique_ptr<field_set> below = {};
    };
    using nodes = std::map<path_element, node, std::less<>>;

    field_set() = default;
    field_set(const field_set& other);
    field_set(field_set&&) noexcept = default;
    field_set& operator=(const field_set& other);
    field_set& operator=(field_set&&) noexcept = default;
    ~field_set() = default;

    void insert(const field_path& path) { insert(path, 0); }
    [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }
    /// The first steps, in order.
    [[nodiscard]] const nodes& steps() const noexcept { return nodes_; }
    [[nodiscard]] bool has(const field_path& path) const;
    /// Whether the path of this one element is in the set.
    [[nodiscard]] bool has(std::string_view element) const;
    /// The paths behind an element; null if there are none.
    [[nodiscard]] const field_set* below(std::string_view element) const;

    /** Adds an element: the path of itself if it is a `member`, and those of `below` behind it. Neither: adds nothing.
        A set is built from below at a cost linear in the texts of its elements; insert() compares those above each path. */
    void put(const path_element& element, bool member, field_set below);
    /// Adds the paths of another set, at the cost of that set alone.
    void add(field_set other);
    /// The paths that are in one of them.
    [[nodiscard]] field_set united(const field_set& other) const;
    /// The paths that are not in the other.
    [[nodiscard]] field_set minus(const field_set& other) const;
    /// The paths that are in both.
    [[nodiscard]] field_set common(const field_set& other) const;
    /// Calls `f` with every path: at each level those that end there first, in order.
    void for_each(const std::function<void(const field_path& path)>& f) const;

    /// In the form of FieldsV1.
    [[nodiscard]] boost::json::object to_fields() const;
    /** Reads FieldsV1. Steps of kinds that do not exist yet are left out, as a kube-apiserver does.
        @par Errors  cond::corrupt for anything else. */
    [[nodiscard]] static result<field_set> of_fields(const boost::json::value& fields);

    friend bool operator==(const field_set& a, const field_set& b);

private:
    void insert(const field_path& path, std::size_t from);
    void walk(field_path& path, const std::function<void(const field_path&)>& f) const;

    nodes nodes_;
};

/// `.spec.containers[name="c"].image`, as errors show it.
[[nodiscard]] std::string path_text(const field_path& path);

/// An element for a member.
[[nodiscard]] inline path_element name_element(std::string_view name) { return "f:" + std::string(name); }
/// An element for an item with these keys.
[[nodiscard]] path_element key_element(const boost::json::object& keys);
/// An element for an item of a set.
[[nodiscard]] path_element value_element(const boost::json::value& item);
/// The text of an element without its kind: a name, JSON, or digits.
[[nodiscard]] inline std::string_view content_of(std::string_view element) noexcept
{
    return element.substr(element.size() < 2 ? element.size() : 2);
}

} // namespace kubecoro::detail
