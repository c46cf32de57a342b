// Decides which parts of an object are kept, from the object's parse events.
#pragma once

#include "text/same_text.hpp"

#include <kubecoro/api/decode.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** The paths of decode_options as a tree, made once and used for any number of documents.

    Each level of the tree is one step of a path. A named step matches the member of that name; the step `*` matches
    every member and every item. */
class field_filter
{
public:
    /// The effect of a path on the value at its end. A node collects the marks of paths that end here, and of paths
    /// that continue inside.
    enum mark : unsigned char
    {
        keep = 1,
        drop = 2,
        always = 4
    };
    struct node
    {
        unsigned char here = 0;
        unsigned char inside = 0;
        std::optional<std::uint32_t> any = {};
        std::vector<std::pair<std::string, std::uint32_t>> members = {};
        /// A bit for each size of their names: most of a document's names have another one.
        std::uint64_t sizes = 0;

        [[nodiscard]] static std::uint64_t bit_of(std::string_view name) noexcept
        {
            return std::uint64_t{1} << (name.size() & 63);
        }
        /// The node of the member with this name; null if there is none.
        [[nodiscard]] const std::uint32_t* find(std::string_view name) const noexcept
        {
            if ((sizes & bit_of(name)) == 0) return nullptr;
            for (const auto& [text, at] : members)
                if (same_text(text, name)) return &at;
            return nullptr;
        }
    };

    /// Errors: cond::invalid for an invalid path.
    [[nodiscard]] static result<field_filter> compile(const decode_options& options);

    /// True if everything is kept.
    [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }
    /// False with keep paths: values that none of them names are left out.
    [[nodiscard]] bool keeps_by_default() const noexcept { return keeps_by_default_; }
    /// Its paths as one text. Filters with equal texts have equal nodes with equal numbers.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    /// The root is at(0).
    [[nodiscard]] const node& at(std::uint32_t i) const noexcept { return nodes_[i]; }

private:
    struct step
    {
        std::string name;
        bool any = false;
    };

    [[nodiscard]] static result<std::vector<step>> parse(std::string_view path);
    void add(const std::vector<step>& path, mark m);
    [[nodiscard]] std::uint32_t child(std::uint32_t parent, const step& s);

    std::vector<node> nodes_;
    std::string text_;
    bool keeps_by_default_ = true;
};

/** Applies a filter to one object.

    Containers that are kept or left out as a whole are not passed to it; for all others it receives every beginning,
    key and end. */
class filter_walk
{
public:
    enum class verdict : unsigned char
    {
        /// Keep the value with all its content.
        whole,
        /// Keep the value; if it is a container, the walk decides about its content.
        part,
        /// Like part, but only if it is a container: some of its content may be kept.
        way,
        skip
    };

    /// @param filter  Must not be empty; outlives the walk.
    explicit filter_walk(const field_filter& filter) noexcept : filter_(&filter) {}

    /// Begins the root.
    void begin();
    /// A member with this key follows.
    [[nodiscard]] verdict key(std::string_view text);
    /// Begins the container after the last key, or the next item; it is neither whole nor skipped.
    void enter(bool is_object);
    /// Ends a container that was entered, or the root.
    void leave();
    /// The verdict on the next value: the one after the last key, or each item of an array.
    [[nodiscard]] verdict next() const noexcept { return next_; }
    /// Identifies what the filter prunes inside the next value: 0 = nothing. None: its path is not that of one node.
    [[nodiscard]] std::optional<std::uint64_t> pruning() const noexcept;

private:
    /// An open container: its range of nodes in active_, and whether it is kept itself.
    struct frame
    {
        std::uint32_t first;
        std::uint32_t last;
        bool kept;
        bool dropped;
        bool is_array;
    };

    /// Appends the nodes of a child after those of the innermost container and returns its verdict; null = an item.
    verdict descend(const std::string_view* name);

    const field_filter* filter_;
    std::vector<std::uint32_t> active_;
    std::vector<frame> open_;
    verdict next_ = verdict::part;
    bool next_kept_ = false;
    bool next_dropped_ = false;
};

} // namespace kubecoro::detail
