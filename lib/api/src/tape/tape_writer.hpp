#pragma once
// Writes tapes, and is where most of the time of a sync is spent.
//
// An API server sends the same few shapes a hundred thousand times: the next key is the one that followed there
// before, most texts have been seen, and whole containers recur. So the writer does not look anything up. It predicts,
// and compares:
//
// 1. `layout` remembers the members of former documents as a tree in their order of arrival. key() compares the text
//    with the one that the tree expects, 8 bytes at a time. A hit gives the key's number and the place of the next
//    prediction without a hash. JSON asks predicted_key() even before the end of the key has been searched for;
//    protobuf asks field(), which compares a number.
// 2. string() compares with the last text of the same place, and then asks the vocabulary. A number of one to three
//    bytes is written in place of a text that was seen in several objects. Texts of one object, such as its name and
//    uid, stay inline.
// 3. repeat() compares the text of a container with the last one of its place, and with `former_repeats`. A hit copies
//    the tape and skips the text: replicas of one template share nearly all of their `spec`. A container that recurs
//    often becomes one number itself.
// 4. copy() takes a section from the former state of the same object, where its digest is equal (decision 0057).
// 5. All else is parsed, and its bytes go to the end of one buffer. The length of a container comes before its body
//    and is not known yet: the place predicts its width, and end() moves the body only where the prediction was wrong.
//
// A wrong prediction costs a comparison and never changes a result: equal events give a tape of equal value whatever
// was written before. The unit tests and the fuzzers compare it with Boost.JSON.
//
// The layout and the cache of repeats are bounded, and are cleared when full. The vocabulary is bounded too, but
// forgets nothing: a number on a tape stays valid without a lock. Members of `data` and texts of Secrets are never
// learnt, so no copy of a secret outlives its object. The figures are in docs/decisions/0002-tape.md and
// 0015-scanner.md.

#include "tape/object_sightings.hpp"
#include "tape/tape_format.hpp"
#include "tape/vocabulary.hpp"

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

/** Writes one JSON value as a tape from events in document order; reusable after clear().

    Every event returns false once a limit is exceeded, and problem() says which. Events must be well nested, like a
    parser's. */
class tape_writer
{
public:
    enum class trouble
    {
        none,
        too_large,
        too_deep
    };

    /// @param words  The vocabulary that the tape refers to and adds to; null for a self-contained tape.
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
        if (n.key != nullptr && same_text(n.key->view(), text)) return known_key(f, f.at.next, *n.key);
        return other_key(f, text);
    }
    /// The size of the predicted key, if JSON that begins behind a quote begins with it, the closing quote and a colon;
    /// else 0.
    [[nodiscard]] std::size_t predicted_key(std::string_view text) const noexcept
    {
        const text_table::entry* const e = layout_.at(innermost().at.next).key;
        if (e == nullptr || text.size() < e->size + std::size_t{2}) return 0;
        if (text[e->size] != '"' || text[e->size + 1] != ':') return 0;
        if (!key_remark::unpack(e->remark).plain || !same_text(e->view(), text.substr(0, e->size))) return 0;
        return e->size;
    }
    /// Writes the key that predicted_key() has found.
    [[nodiscard]] bool put_predicted_key()
    {
        frame& f = innermost();
        return known_key(f, f.at.next, *layout_.at(f.at.next).key);
    }
    /** The same as key() for a member that the object has only once, of a message with a schema.

        @param id  Not 0; the same id has the same text. */
    [[nodiscard]] bool field(std::uint16_t id, std::string_view text)
    {
        frame& f = innermost();
        const layout::place p = f.at.next;
        const layout::node& n = layout_.at(p);
        if (n.field != id) return other_field(id, text);
        ++f.members;
        f.at.last = here_ = p;
        f.at.next = n.next;
        expect_value(f, n.c);
        put_key(n.key->n);
        return has_room();
    }
    [[nodiscard]] bool string(std::string_view text)
    {
        if (in_array_) next_item();
        return is_repeated(text) ? shared(layout_.at(here_).value->n) : other_string(text);
    }
    /// After key(): writes the text if it was here before, and is known to be valid. False: string() must follow.
    [[nodiscard]] bool repeat_string(std::string_view text)
    {
        return !in_array_ && is_repeated(text) && shared(layout_.at(here_).value->n);
    }
    /// After key(): true if the value may be the container that was here before, so that repeat() should be called.
    [[nodiscard]] bool may_repeat() const noexcept
    {
        return layout_.at(here_).child != layout::nowhere && shares_ && hint_ == hint::none;
    }
    /** Writes the value without its events, if it is the container that was here before.

        @param text     Begins with the container; as much of it as is available, unmoved until the container has ended.
        @param pruning  See repeats::reading.
        @return the length of the container; 0: its events must follow. */
    [[nodiscard]] std::size_t repeat(std::string_view text, std::uint64_t pruning);
    /// The same before repeat_whole(), whose text may be costly to find.
    [[nodiscard]] bool may_repeat_whole() noexcept
    {
        if (!may_repeat()) return false;
        layout::node& n = layout_.at(here_);
        if (n.repeated != repeats::none || n.wait == 0) return true;
        --n.wait;
        return false;
    }
    /** The same for a container whose end is known.

        @param text  The container in another form than JSON, unmoved until the container has ended.
        @return true: the value is written; false: its events must follow. */
    [[nodiscard]] bool repeat_whole(std::string_view text, const repeats::reading& how);
    /// After key(): true if copy() may write the value.
    [[nodiscard]] bool may_copy() const noexcept { return hint_ == hint::none && !in_array_; }
    /// Writes a value from another tape with the same vocabulary.
    [[nodiscard]] bool copy(std::span<const unsigned char> value);
    /// Keeps the open containers from being recorded: their text does not determine all that their reader reports.
    void forget_recordings() noexcept;
    [[nodiscard]] bool integer(std::int64_t value);
    /// A number that is not a 64-bit integer in canonical form.
    [[nodiscard]] bool number(std::string_view text);
    [[nodiscard]] bool boolean(bool value) { return single(value ? tag::true_ : tag::false_); }
    [[nodiscard]] bool null() { return single(tag::null); }

    /// Number of open containers.
    [[nodiscard]] std::size_t depth() const noexcept { return depth_; }
    /// The member of the object at this level, 1 = the root, if it is complete or was when a limit was exceeded; absent
    /// otherwise. Valid until the next event.
    [[nodiscard]] value_view complete_member(std::string_view key, std::size_t level = 1) const noexcept;
    /// True if the root's `metadata` is at level 2, and was not complete when a limit was exceeded.
    [[nodiscard]] bool is_in_metadata() const noexcept
    {
        return depth_ >= 2 && frames_[2].is_metadata && !frames_[2].is_array;
    }
    [[nodiscard]] trouble problem() const noexcept { return trouble_; }
    /// Complete when depth() is 0.
    [[nodiscard]] std::span<const unsigned char> bytes() const noexcept { return {data_.get(), size()}; }

private:
    /// An open container; the outermost frame stands for the document.
    struct frame
    {
        std::uint32_t start = 0;
        /// Number of members, or of items that have places of their own.
        std::uint32_t members = 0;
        layout::cursor at;
        /// Predicted width of the length.
        unsigned char width = 0;
        bool is_array = false;
        /// May hold a key twice.
        bool loose = false;
        /// Nothing inside is learnt.
        bool secret = false;
        /// Texts inside may have numbers.
        bool shares = false;
        /// The root's `metadata`.
        bool is_metadata = false;
        /// A set of `obstacle` bits.
        unsigned obstacles = 0;
        /// Bytes of the shared containers in it beyond the size of their numbers.
        std::uint32_t hidden = 0;
        /// Its text, cached with its tape when it ends; valid while the frame is open. Empty: not recorded.
        std::string_view recorded;
        /// It or a surrounding container is recorded.
        bool in_recording = false;
        /// One bit for the mark of each key so far.
        std::array<std::uint64_t, 2> keys{};
    };
    /// The consequence of the last key for its value.
    enum class hint : std::uint8_t
    {
        none,
        secret,
        metadata,
        identity,
        uid,
        ns,
        /// The value is a container to be recorded: its text is expected_text_.
        recorded
    };

    /// Reasons not to share a container, or not to cache its tape.
    struct obstacle
    {
        /// A key or text in it may get a number, or is secret: the same text may give another tape, or must not be
        /// kept.
        static constexpr unsigned changing = 1;
        /// It, or a container in it, may still get a number: other objects must count it first.
        static constexpr unsigned counting = 2;
        /// It contains a text that is longer than shared texts may be.
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
    /// Begins an item, a container whose key affects it, or one that is deeper than all before.
    [[nodiscard]] bool begin_special(bool is_object);
    [[nodiscard]] bool deepen();
    [[nodiscard]] bool end_filled(frame& f);
    [[nodiscard]] std::size_t copy_recorded(const repeats::entry& known);
    /// The container recorded at a place from this reading; null if there is none that may be copied.
    [[nodiscard]] const repeats::entry* recorded_at(const layout::node& n, const repeats::reading& how) const noexcept;
    /// Copies the last container, or records it again for another owner. @return its length if it was copied.
    [[nodiscard]] std::size_t reuse_last(layout::node& n, const repeats::entry& known, std::string_view text);
    /// True if another container than the last one may have been here before.
    [[nodiscard]] bool may_be_former(layout::node& n, const repeats::entry* last) const noexcept;
    /// Copies the container with this text, if it was somewhere before. @return its length if it was copied.
    [[nodiscard]] std::size_t reuse_former(layout::node& n, std::string_view text, const repeats::reading& how);
    /// True if the container at this place is to be checked for recording.
    [[nodiscard]] bool is_due(layout::node& n) const noexcept;
    /// Records the next container if its text fits, and sets when the place is checked again.
    void consider(layout::node& n, std::string_view text, bool fits, const repeats::reading& how);
    /// Records the next container, which has this text, unless a surrounding one is recorded already.
    void expect_recording(std::string_view text, const repeats::reading& how);
    /// Called after the container of this frame is written.
    void end_recording(const frame& f);
    /// Replaces the container that just ended by its number, if it has one.
    void share(frame& f);
    /// The shared container with this tape, which ended at a place; null if it has no number.
    [[nodiscard]] const text_table::entry* container_at(layout::place p, std::string_view tape);
    void put_container(text_table::number n) noexcept;
    /// True if content at this place hardly ever recurs, so that it need not be looked up this time.
    [[nodiscard]] bool passes_over(layout::place p) noexcept;
    /** Returns the entry of the content at a place, or null. Content without an entry is counted.

        @param is_text   It is a text; else a container.
        @param is_users  Users choose the content. */
    [[nodiscard]] const text_table::entry* look_up(text_table& table, std::string_view content, layout::place p,
                                                   bool is_text, bool is_users);
    [[nodiscard]] bool single(unsigned char t)
    {
        if (in_array_) next_item();
        *end_++ = t;
        return has_room();
    }
    [[nodiscard]] bool text(unsigned char family, std::string_view s);

    /// Writes the member at `p`, whose key is `e`.
    [[nodiscard]] bool known_key(frame& f, layout::place p, const text_table::entry& e)
    {
        const key_remark known = key_remark::unpack(e.remark);
        note_key(f, e.view(), known.mark);
        const layout::node& n = layout_.at(p);
        f.at.last = here_ = p;
        f.at.next = n.next;
        expect_value(f, known.c);
        put_key(e.n);
        return has_room();
    }
    /// Writes a key that is not the predicted one.
    [[nodiscard]] bool other_key(frame& f, std::string_view s);
    [[nodiscard]] bool new_key(frame& f, std::string_view s);
    [[nodiscard]] bool other_field(std::uint16_t id, std::string_view text);
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
    /// Detects whether the object may hold this key twice.
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
    /// True if users choose the object's member names, or if this cannot be excluded.
    [[nodiscard]] bool is_user_map(const frame& f) const noexcept;
    [[nodiscard]] bool may_learn(key_class c, bool is_users) const noexcept;
    /// The entry of an unpredicted key; a key without one is counted where it may be learnt.
    [[nodiscard]] const text_table::entry* entry_of_key(std::string_view s, key_class c, bool is_users);
    /// The same for a text value.
    [[nodiscard]] const text_table::entry* entry_of_value(std::string_view s);
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
    [[nodiscard]] bool is_repeated(std::string_view text) const noexcept
    {
        const text_table::entry* const last = layout_.at(here_).text();
        return shares_ && last != nullptr && same_text(last->view(), text);
    }
    /// Takes the namespace or uid of the document, for which its texts are counted.
    void note_origin(std::string_view s);
    /// Writes a text that differs from the previous one here.
    [[nodiscard]] bool other_string(std::string_view s);
    [[nodiscard]] bool inline_string(std::string_view s);
    [[nodiscard]] bool shared(text_table::number n);

    [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - data_.get()); }
    /// After a write: ensures room for the next event without a long text.
    [[nodiscard]] bool has_room()
    {
        if (end_ <= limit_) [[likely]]
            return true;
        return make_room(0);
    }
    /// Ensures room for n bytes in addition to an event without a long text.
    [[nodiscard]] bool make_room(std::size_t n);
    [[nodiscard]] bool fail(trouble t) noexcept;
    [[nodiscard]] frame& innermost() noexcept { return *top_; }
    [[nodiscard]] const frame& innermost() const noexcept { return *top_; }

    std::unique_ptr<unsigned char[]> data_;
    unsigned char* end_ = nullptr;
    /// The end of the room for further events; null after a limit is exceeded.
    const unsigned char* limit_ = nullptr;
    std::size_t capacity_ = 0;
    /// One per level reached so far; the first depth_ + 1 are open.
    std::vector<frame> frames_;
    frame* top_ = nullptr;
    frame* last_ = nullptr;
    std::size_t depth_ = 0;
    vocabulary* words_;
    /// Used by self-contained tapes: remembers nothing.
    layout nothing_{2};
    layout& layout_;
    /// Place of the next value.
    layout::place here_ = layout::root;
    unsigned document_ = 0;
    object_sightings sightings_;
    /// Keys of this document without a number.
    unsigned new_keys_ = 0;
    std::size_t max_bytes_;
    std::size_t max_depth_;
    bool in_array_ = false;
    /// The next value may have a number if it is a text.
    bool shares_ = false;
    hint hint_ = hint::none;
    /// Bytes written when a limit was exceeded.
    std::size_t broken_at_ = 0;
    /// Valid only with hint::recorded, which the next container or key resets.
    std::string_view expected_text_;
    /// The reading of the container that is expected or recorded: at most one is.
    repeats::reading how_;
    trouble trouble_ = trouble::none;
};

} // namespace kubecoro::detail
