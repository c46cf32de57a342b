#pragma once
// Decides which parts of an object are kept, from the object's parse events, and writes only these to a tape.

#include "tape/tape_writer.hpp"
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

    /// @param filter  Outlives the walk.
    explicit filter_walk(const field_filter& filter) noexcept : filter_(&filter) {}

    /// Begins the root. An empty filter needs no walk.
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

/** A tape without the fields that a filter prunes: takes the same events as tape_writer.

    Pruned fields leave no trace, and their text need not be assembled: see ignores_value() and
    leaves_out_container(). Without a filter, and inside values kept as a whole, the cost is one comparison per
    event. A container that repeats is pruned once: its tape is recorded with what the filter prunes there. */
class pruned_tape
{
public:
    /// @param filter  Outlives the tape.
    /// @param words   Vocabulary of the tape; null = a self-contained tape.
    pruned_tape(const decode_limits& limits, const field_filter& filter, vocabulary* words);

    /// Prepares for the next object. @param prune  false: keep this one complete.
    void clear(bool prune);

    /// True if the next value is left out unless it is a container.
    [[nodiscard]] bool ignores_value() const noexcept { return mute_; }

    [[nodiscard]] bool begin(bool is_object)
    {
        if (pruning_) return pruned_begin(is_object);
        return is_object ? tape_.begin_object() : tape_.begin_array();
    }
    [[nodiscard]] bool end() { return pruning_ ? pruned_end() : tape_.end(); }
    [[nodiscard]] bool key(std::string_view text) { return following_ ? followed_key(text) : tape_.key(text); }
    [[nodiscard]] std::size_t predicted_key(std::string_view text) const noexcept
    {
        return following_ ? 0 : tape_.predicted_key(text);
    }
    [[nodiscard]] bool put_predicted_key() { return tape_.put_predicted_key(); }
    [[nodiscard]] bool field(std::uint16_t id, std::string_view text)
    {
        return following_ ? followed_key(text) : tape_.field(id, text);
    }
    [[nodiscard]] bool repeat_string(std::string_view text) { return mute_ || tape_.repeat_string(text); }
    [[nodiscard]] bool string(std::string_view text) { return mute_ || tape_.string(text); }
    [[nodiscard]] bool integer(std::int64_t value) { return mute_ || tape_.integer(value); }
    [[nodiscard]] bool number(std::string_view text) { return mute_ || tape_.number(text); }
    [[nodiscard]] bool boolean(bool value) { return mute_ || tape_.boolean(value); }
    [[nodiscard]] bool null() { return mute_ || tape_.null(); }

    /// After key(), like those of tape_writer.
    [[nodiscard]] bool may_repeat() { return (!following_ || followed_may_repeat()) && tape_.may_repeat(); }
    [[nodiscard]] bool may_repeat_whole() { return (!following_ || followed_may_repeat()) && tape_.may_repeat_whole(); }
    [[nodiscard]] std::size_t repeat(std::string_view text) { return tape_.repeat(text, next_pruning()); }
    [[nodiscard]] bool repeat_whole(std::string_view text, const void* form)
    {
        return tape_.repeat_whole(text, {form, next_pruning()});
    }
    /// After key(): true if the value is kept with all its content.
    [[nodiscard]] bool keeps_whole() const noexcept
    {
        return !following_ || (tape_.depth() != 0 && walk_.next() == filter_walk::verdict::whole);
    }
    /// After key(): true if copy() may write the value.
    [[nodiscard]] bool may_copy() const noexcept { return keeps_whole() && tape_.may_copy(); }
    [[nodiscard]] bool copy(std::span<const unsigned char> value) { return tape_.copy(value); }
    void forget_recordings() noexcept { tape_.forget_recordings(); }

    /// True if a container that begins here is left out: its events must not be passed to this object.
    [[nodiscard]] bool leaves_out_container() const noexcept
    {
        return following_ && tape_.depth() != 0 && walk_.next() == filter_walk::verdict::skip;
    }
    /// Number of open containers.
    [[nodiscard]] std::size_t depth() const noexcept { return tape_.depth(); }
    [[nodiscard]] bool too_deep() const noexcept { return tape_.problem() == tape_writer::trouble::too_deep; }
    /// Complete when depth() is 0.
    [[nodiscard]] const tape_writer& tape() const noexcept { return tape_; }

private:
    [[nodiscard]] bool pruned_begin(bool is_object);
    [[nodiscard]] bool pruned_end();
    [[nodiscard]] bool followed_key(std::string_view text);
    /// Begins a container inside one that is followed.
    [[nodiscard]] bool followed_begin(bool is_object);
    /// Before a container inside one that is followed: writes its key, if that waits for it. False: it cannot repeat.
    [[nodiscard]] bool followed_may_repeat();
    /// The part of the filter that prunes the next container: see repeats::reading.
    [[nodiscard]] std::uint64_t next_pruning() const noexcept { return following_ ? followed_pruning_ : 0; }
    /// Sets mute_ from the walk's verdict on the next value.
    void listen() noexcept;

    tape_writer tape_;
    const field_filter& filter_;
    filter_walk walk_;
    vocabulary* words_;
    /// The vocabulary's number of the filter; 0 = none.
    std::uint64_t filter_number_ = 0;
    /// Set by followed_may_repeat().
    std::uint64_t followed_pruning_ = 0;
    /// Parts of this object may be left out.
    bool pruning_ = false;
    /// The innermost container is neither kept nor left out as a whole.
    bool following_ = false;
    /// The depth at which following resumes.
    std::size_t followed_depth_ = 0;
    bool mute_ = false;
    /// The last key, if keeping it depends on the value.
    std::string way_key_;
    bool has_way_key_ = false;
};

} // namespace kubecoro::detail
