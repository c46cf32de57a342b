// A JSON document under a JSON patch: every step costs little, however large the lists and objects are that it edits.
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

/// How much copies and moves may still touch, and how deep the result may be.
struct patch_allowance
{
    std::size_t bytes;
    std::size_t depth;

    /// Takes what a value weighs; false once it is too heavy, or too deep for a place `depth_there` levels down.
    [[nodiscard]] bool spend(const boost::json::value& v, std::size_t depth_there);
};

/** One value of the document. A value that no path leads into stays as it is; others are taken apart, one level at a time:
    objects into ordered maps, lists into pieces, so that a member or item is added or removed without moving all others.
    A value type that is moved, not copied. */
class patch_node
{
public:
    explicit patch_node(boost::json::value v) : content_(std::move(v)) {}

    /// The member or item; null when there is none.
    [[nodiscard]] patch_node* child(std::string_view step);
    /// Sets a member, or inserts an item before an index or at "-". @return false when the step fits nothing here.
    [[nodiscard]] bool add(std::string_view step, patch_node added);
    /// Removes the member or item. @return what it was, or empty when there is none.
    [[nodiscard]] std::optional<patch_node> take(std::string_view step);

    [[nodiscard]] bool equals(const boost::json::value& v) const;
    /// Copies out of an allowance. @return empty when that does not suffice.
    [[nodiscard]] std::optional<boost::json::value> copy(patch_allowance& allowance, std::size_t depth_there) const;
    /// Puts the value together again; the node is of no further use.
    [[nodiscard]] boost::json::value release();

private:
    struct member;
    /// Sorted, which no choice of names can slow down; each remembers its place.
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
