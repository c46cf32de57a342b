// Which parts of an object are kept, decided while its events pass by.
#pragma once

#include <kubecoro/api/decode.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** The paths of decode_options as a tree, made once and followed by any number of documents.

    Each level of the tree is one step of a path; a step with the name of a member is taken by that member alone, the
    step `*` by every member and every item. */
class field_filter
{
public:
    /// What a path says about the value at its end, and which of them say something about values inside.
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
        std::vector<std::pair<std::string, std::uint32_t>> members = {};
        std::optional<std::uint32_t> any = {};
    };

    /// Errors: cond::invalid for a path that cannot be read.
    [[nodiscard]] static result<field_filter> compile(const decode_options& options);

    /// Everything is kept.
    [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }
    /// With keep paths, what none of them names is left out.
    [[nodiscard]] bool keeps_by_default() const noexcept { return keeps_by_default_; }
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
    bool keeps_by_default_ = true;
};

/** Follows one object through a filter.

    Containers that are kept or left out as a whole are not shown to it; of the others it is told every beginning, key
    and end. */
class filter_walk
{
public:
    enum class verdict : unsigned char
    {
        /// The value with all that is in it.
        whole,
        /// The value; of a container what the walk says about its content.
        part,
        /// As part, but only if it is a container: something inside may be kept.
        way,
        skip
    };

    /// @param filter  Must not be empty; outlives the walk.
    explicit filter_walk(const field_filter& filter) noexcept : filter_(&filter) {}

    /// The root has begun.
    void begin();
    /// A member with this key follows.
    [[nodiscard]] verdict key(std::string_view text);
    /// The container that follows the last key, or is the next item, has begun and is neither whole nor skipped.
    void enter(bool is_object);
    /// The end of a container that was entered, or of the root.
    void leave();
    /// About the next value: the one after the last key, or each item of an array.
    [[nodiscard]] verdict next() const noexcept { return next_; }

private:
    /// An open container: where its nodes lie in active_, and whether it is kept itself.
    struct frame
    {
        std::uint32_t first;
        std::uint32_t last;
        bool kept;
        bool dropped;
        bool is_array;
    };

    /// Puts the nodes of a child behind those of the innermost container and judges it; null = an item.
    verdict descend(const std::string_view* name);

    const field_filter* filter_;
    std::vector<std::uint32_t> active_;
    std::vector<frame> open_;
    verdict next_ = verdict::part;
    bool next_kept_ = false;
    bool next_dropped_ = false;
};

} // namespace kubecoro::detail
