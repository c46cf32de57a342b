#pragma once

#include "tape/tape_format.hpp"
#include "vocabulary/object_sightings.hpp"
#include "vocabulary/vocabulary.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** Writes one JSON value as a tape from events in document order; reused for the next after clear().

    Every event returns false once a limit is broken, and problem() says which. Events must be well nested, as a
    parser's are. */
class tape_writer
{
public:
    enum class trouble
    {
        none,
        too_large,
        too_deep
    };

    /// @param words  What the tape may refer to, and what learns from it; null for a tape that stands alone.
    tape_writer(std::size_t max_bytes, std::size_t max_depth, vocabulary* words = nullptr);

    void clear();
    [[nodiscard]] bool begin_object() { return begin(true); }
    [[nodiscard]] bool begin_array() { return begin(false); }
    [[nodiscard]] bool end()
    {
        if (limit_ == nullptr) [[unlikely]]
            return false;
        frame& f = *top_--;
        --depth_;
        hint_ = hint::none;
        in_array_ = top_->is_array;
        shares_ = top_->shares;
        unsigned char* const head = data_.get() + f.start;
        if (end_ != head + 1 + f.width) return end_filled(f);
        *head = f.is_array ? tag::empty_array : tag::empty_object;
        end_ = head + 1;
        return true;
    }
    [[nodiscard]] bool key(std::string_view text)
    {
        frame& f = innermost();
        const layout::node& n = layout_.at(f.at.next);
        if (n.key != layout::nameless) {
            const text_table::entry& e = words_->keys().entry_of(n.key);
            if (same_text(e.view(), text)) return known_key(f, f.at.next, e);
        }
        return other_key(f, text);
    }
    [[nodiscard]] bool string(std::string_view text)
    {
        if (in_array_) next_item();
        const layout::node& n = layout_.at(here_);
        if (shares_ && n.value < layout::container_0 && same_text(words_->values().entry_of(n.value).view(), text))
            return shared(n.value);
        return other_string(text);
    }
    /// After key(): what repeat() would be told may be a container that was here before.
    [[nodiscard]] bool may_repeat() const noexcept
    {
        return layout_.at(here_).child != layout::nowhere && shares_ && hint_ == hint::none;
    }
    /** Writes the value without its events, if it is the container that was here before.

        @param text  Begins with the container; as much of it as is at hand, in place until the container has ended.
        @return the length of the container; 0: its events must follow. */
    [[nodiscard]] std::size_t repeat(std::string_view text);
    [[nodiscard]] bool integer(std::int64_t value);
    /// A number that is not an integer of 64 bits in canonical form.
    [[nodiscard]] bool number(std::string_view text);
    [[nodiscard]] bool boolean(bool value) { return single(value ? tag::true_ : tag::false_); }
    [[nodiscard]] bool null() { return single(tag::null); }

    /// What came last was a key, or the innermost container is an array. Looks at all of an object.
    [[nodiscard]] bool awaits_value() const noexcept;

    /// Containers that are open.
    [[nodiscard]] std::size_t depth() const noexcept { return depth_; }
    /// The member of the root, if it is complete or was when a limit was broken; absent otherwise. For the moment.
    [[nodiscard]] value_view complete_member(std::string_view key) const noexcept;
    /// Begins of their like, for a parser that goes on inside of them.
    void append_nesting(std::string& text) const;
    [[nodiscard]] trouble problem() const noexcept { return trouble_; }
    /// Complete when depth() is 0.
    [[nodiscard]] std::span<const unsigned char> bytes() const noexcept { return {data_.get(), size()}; }

private:
    /// A container that is open; outermost there is one that stands for the document.
    struct frame
    {
        std::uint32_t start = 0;
        /// Members so far, or items that have places of their own.
        std::uint32_t members = 0;
        layout::cursor at;
        /// Of the length, guessed.
        unsigned char width = 0;
        bool is_array = false;
        /// May hold a key twice.
        bool loose = false;
        /// Nothing below is learnt.
        bool secret = false;
        /// Texts below may have numbers.
        bool shares = false;
        /// The root's `metadata`.
        bool is_metadata = false;
        /// Of `obstacle`.
        unsigned obstacles = 0;
        /// Bytes that the shared containers in it have more than their numbers.
        std::uint32_t hidden = 0;
        /// Its text, which is remembered with its tape when it ends: gone with the frame. Empty: it is not remembered.
        std::string_view recorded;
        /// It is recorded, or one around it is.
        bool in_recording = false;
        /// A bit for each key so far, by its mark.
        std::array<std::uint64_t, 2> keys{};
    };
    /// What the last key says about its value.
    enum class hint : std::uint8_t
    {
        none,
        secret,
        metadata,
        identity,
        uid,
        /// A container that is recorded: its text is expected_text_.
        recorded
    };

    /// Why a container gets no number, or why its tape is not kept for the text when that comes again.
    struct obstacle
    {
        /// A key or text in it may get a number, or is secret: the same text may make another tape, or must not be kept.
        static constexpr unsigned changing = 1;
        /// It may get a number, or a container in it: other objects count it first.
        static constexpr unsigned counting = 2;
        /// A text in it is longer than those that many objects share.
        static constexpr unsigned long_text = 4;
    };

    [[nodiscard]] bool begin(bool is_object)
    {
        if (in_array_ || hint_ != hint::none || top_ == last_) return begin_special(is_object);
        enter(is_object);
        return has_room();
    }
    void enter(bool is_object) noexcept
    {
        const layout::node& n = layout_.at(here_);
        const frame& outer = *top_++;
        frame& f = *top_;
        ++depth_;
        f.start = static_cast<std::uint32_t>(size());
        f.members = 0;
        f.at = {here_, layout::nowhere, n.child};
        f.width = n.width;
        f.is_array = in_array_ = !is_object;
        f.loose = false;
        f.secret = outer.secret;
        f.shares = shares_ = outer.shares;
        f.is_metadata = false;
        f.obstacles = 0;
        f.hidden = 0;
        f.recorded = {};
        f.in_recording = outer.in_recording;
        f.keys = {};
        end_ += std::size_t{1} + f.width;
    }
    /// An item, one whose key says something about it, or one that is deeper than all before.
    [[nodiscard]] bool begin_special(bool is_object);
    [[nodiscard]] bool deepen();
    [[nodiscard]] bool end_filled(frame& f);
    [[nodiscard]] std::size_t copy(const repeats::entry& known);
    /// A container that may be worth it begins with `text`.
    void look_at(std::string_view text);
    /// The container that comes now has this text, unless one around it is recorded already.
    void expect_recording(std::string_view text);
    /// The container is written, and the frame is the one of it.
    void end_recording(const frame& f);
    /// Puts a number in the place of the container that ended last, if there is one.
    void share(frame& f);
    [[nodiscard]] std::optional<text_table::number> container_at(layout::place p, std::string_view tape);
    void put_container(text_table::number n) noexcept;
    /** The number of what stands at a place. What has none is counted, unless hardly anything recurs there.

        @param first  Added to the number where the place remembers it. */
    [[nodiscard]] std::optional<text_table::number> look_up(text_table& table, std::string_view content,
                                                            layout::place p, std::uint32_t first);
    [[nodiscard]] bool single(unsigned char t)
    {
        if (in_array_) next_item();
        *end_++ = t;
        return has_room();
    }
    [[nodiscard]] bool text(unsigned char family, std::string_view s);

    /// The member is at `p` and has the key `e`.
    [[nodiscard]] bool known_key(frame& f, layout::place p, const text_table::entry& e)
    {
        const key_remark known = key_remark::unpack(e.remark);
        note_key(f, e.view(), known.mark);
        const layout::node& n = layout_.at(p);
        f.at.last = here_ = p;
        f.at.next = n.next;
        expect_value(f, known.c);
        put_key(n.key);
        return has_room();
    }
    /// A key that is not the one that was expected first.
    [[nodiscard]] bool other_key(frame& f, std::string_view s);
    [[nodiscard]] bool new_key(frame& f, std::string_view s);
    [[nodiscard]] bool inline_key(std::string_view s);
    void put_key(text_table::number n) noexcept
    {
        if (n < short_keys) {
            *end_++ = static_cast<unsigned char>(n);
            return;
        }
        const auto rest = static_cast<unsigned>(n - short_keys);
        end_[0] = static_cast<unsigned char>(key_tag::wide + rest / 256);
        end_[1] = static_cast<unsigned char>(rest % 256);
        end_ += 2;
    }
    /// Finds out whether the object may hold this key twice.
    void note_key(frame& f, std::string_view key, std::uint8_t mark) const noexcept
    {
        std::uint64_t& word = f.keys[(mark >> 6) & 1];
        const std::uint64_t bit = std::uint64_t{1} << (mark & 63);
        ++f.members;
        if ((word & bit) != 0) [[unlikely]]
            look_for(f, key);
        word |= bit;
    }
    void look_for(frame& f, std::string_view key) const noexcept;
    [[nodiscard]] bool has_key(const frame& f, std::string_view key) const noexcept;
    /// The object's member names are chosen by users, or nothing says that they are not.
    [[nodiscard]] bool is_user_map(const frame& f) const noexcept;
    [[nodiscard]] bool may_learn(key_class c, bool is_users) const noexcept;
    /// The number of a key that was not expected; one that has none is counted where it may be learnt.
    [[nodiscard]] std::optional<text_table::number> number_of_key(std::string_view s, key_class c, bool is_users);
    /// The same of a text that is a value.
    [[nodiscard]] std::optional<text_table::number> number_of_value(std::string_view s);
    void expect_value(const frame& f, key_class c) noexcept
    {
        hint_ = hint::none;
        shares_ = f.shares;
        if (c > key_class::user_map) [[unlikely]]
            heed(f, c);
    }
    void heed(const frame& f, key_class c) noexcept;
    [[nodiscard]] hint hint_of(key_class c, const frame& f) const noexcept;

    void next_item();
    /// A text that is not the one that was here before.
    [[nodiscard]] bool other_string(std::string_view s);
    [[nodiscard]] bool inline_string(std::string_view s);
    [[nodiscard]] bool shared(text_table::number n);

    [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - data_.get()); }
    /// After what was written: there is room again for an event without a long text.
    [[nodiscard]] bool has_room()
    {
        if (end_ <= limit_) [[likely]]
            return true;
        return make_room(0);
    }
    /// Room for n bytes more than events without a long text need.
    [[nodiscard]] bool make_room(std::size_t n);
    [[nodiscard]] bool fail(trouble t) noexcept;
    [[nodiscard]] frame& innermost() noexcept { return *top_; }
    [[nodiscard]] const frame& innermost() const noexcept { return *top_; }

    std::unique_ptr<unsigned char[]> data_;
    unsigned char* end_ = nullptr;
    /// Where there is need for more room; null once there is trouble.
    const unsigned char* limit_ = nullptr;
    std::size_t capacity_ = 0;
    /// One for each level there was so far; the first depth_ + 1 are open.
    std::vector<frame> frames_;
    frame* top_ = nullptr;
    frame* last_ = nullptr;
    std::size_t depth_ = 0;
    vocabulary* words_;
    /// Of a tape that stands alone: nothing is ever remembered.
    layout nothing_{2};
    layout& layout_;
    /// Where the next value comes.
    layout::place here_ = layout::root;
    unsigned document_ = 0;
    object_sightings sightings_;
    /// Keys of this document that had no number.
    unsigned new_keys_ = 0;
    std::size_t max_bytes_;
    std::size_t max_depth_;
    bool in_array_ = false;
    /// The next value may have a number if it is a text.
    bool shares_ = false;
    hint hint_ = hint::none;
    /// Bytes that were written when a limit was broken.
    std::size_t broken_at_ = 0;
    /// Only with hint::recorded, which the container that comes, or the next key, takes back.
    std::string_view expected_text_;
    trouble trouble_ = trouble::none;
};

} // namespace kubecoro::detail
