// A JSON document that is edited by a JSON patch. The cost of an edit does not grow with the size of lists and objects.
#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kubecoro::apiserver {

/// The bytes that operations may still write, and the maximum depth of the result.
struct patch_allowance
{
    std::size_t bytes;
    std::size_t depth;

    /// Subtracts the size of a value. @return false when it exceeds `bytes`, or `depth` at a place `depth_there` levels
    /// down.
    [[nodiscard]] bool spend(const boost::json::value& v, std::size_t depth_there);
};

/** One value of the document. A value that no path enters stays as it is; others are split, one level at a time:
    objects into ordered maps, lists into pieces, so that adding or removing a member or item does not move all others.
    A move-only value type. */
class patch_node
{
public:
    explicit patch_node(boost::json::value v) : content_(std::move(v)) {}

    [[nodiscard]] bool is_object();
    /// Returns the member or item; null when absent.
    [[nodiscard]] patch_node* child(std::string_view step);
    /// Sets a member, or inserts an item before an index or at "-". @return false when the step is invalid here.
    [[nodiscard]] bool add(std::string_view step, patch_node added);
    /// Removes the member or item. @return its value; empty when absent.
    [[nodiscard]] std::optional<patch_node> take(std::string_view step);

    [[nodiscard]] bool equals(const boost::json::value& v) const;
    /// Copies the value and spends the allowance. @return empty when the allowance does not suffice.
    [[nodiscard]] std::optional<boost::json::value> copy(patch_allowance& allowance, std::size_t depth_there) const;
    /// Reassembles and returns the value; the node is then unusable.
    [[nodiscard]] boost::json::value release();

private:
    struct member;
    /// Members in a sorted map, whose cost no choice of names can degrade. Each records its place in the object.
    struct members
    {
        std::map<std::string, member, std::less<>> by_name;
        std::size_t next_place = 0;
    };
    struct items
    {
        std::vector<std::vector<patch_node>> pieces;
        std::size_t size = 0;

        struct place
        {
            std::size_t piece;
            std::size_t offset;
        };
        /// `index` <= size.
        [[nodiscard]] place find(std::size_t index) const;
        void insert(std::size_t index, patch_node added);
    };

    void take_apart();

    std::variant<boost::json::value, std::unique_ptr<members>, std::unique_ptr<items>> content_;
};

struct patch_node::member
{
    std::size_t place;
    patch_node node;
};

} // namespace kubecoro::apiserver
