#include "tape/tape_writer.hpp"

#include "tape/tape_reader.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace kubecoro::detail {
namespace {

// Larger scratch buffers are freed after the object that needed them.
constexpr std::size_t kept_capacity = std::size_t{1} << 20;
constexpr std::size_t first_capacity = 4096;

// Room is always reserved for an event with a text of this size, and for container lengths that turn out wider.
constexpr std::size_t short_text = 256;
constexpr std::size_t spare = short_text + 16;

// Objects with more members are not checked for duplicate keys: readers of such objects scan all members.
constexpr unsigned most_told_apart = 32;

// Shorter values are no larger inline.
constexpr std::size_t shortest_shared_value = 2;

// Maximum number of missing members to skip by comparison; after that, keys are looked up by number.
constexpr int likely_members = 4;

// Maximum number of unknown keys counted per document, so that a single document with thousands of keys does not decide
// what later ones share.
constexpr unsigned most_new_keys = 512;

// After this many consecutive unknown texts, as at a place for ids or times, only one in `look_again` is looked up.
constexpr unsigned most_strangers = 64;
constexpr unsigned look_again = 16;

template<class Int>
bool fits(std::int64_t v) noexcept
{
    return v >= std::numeric_limits<Int>::min() && v <= std::numeric_limits<Int>::max();
}

/// Texts are short, and a call costs more than the work.
void copy_text(unsigned char* to, std::string_view s) noexcept
{
    const char* const from = s.data();
    const std::size_t n = s.size();
    if (n > 32) {
        std::memcpy(to, from, n);
    } else if (n >= 16) {
        std::memcpy(to, from, 16);
        std::memcpy(to + n - 16, from + n - 16, 16);
    } else if (n >= 8) {
        std::memcpy(to, from, 8);
        std::memcpy(to + n - 8, from + n - 8, 8);
    } else if (n >= 4) {
        std::memcpy(to, from, 4);
        std::memcpy(to + n - 4, from + n - 4, 4);
    } else if (n != 0) {
        to[0] = static_cast<unsigned char>(from[0]);
        to[n / 2] = static_cast<unsigned char>(from[n / 2]);
        to[n - 1] = static_cast<unsigned char>(from[n - 1]);
    }
}

} // namespace

tape_writer::tape_writer(std::size_t max_bytes, std::size_t max_depth, vocabulary* words)
    : frames_(1),
      words_(words),
      layout_(words != nullptr ? words->documents() : nothing_),
      max_bytes_(std::min(max_bytes, largest_tape)),
      max_depth_(std::min(max_depth, deepest))
{
    clear();
}

void tape_writer::clear()
{
    if (capacity_ == 0 || capacity_ > kept_capacity) {
        data_ = std::make_unique_for_overwrite<unsigned char[]>(first_capacity);
        capacity_ = first_capacity;
    }
    end_ = data_.get();
    limit_ = end_ + std::min(capacity_ - spare, max_bytes_);
    depth_ = 0;
    top_ = frames_.data();
    last_ = top_ + frames_.size() - 1;
    top_->shares = shares_ = words_ != nullptr && words_->keeps_values();
    here_ = layout::root;
    in_array_ = false;
    hint_ = hint::none;
    trouble_ = trouble::none;
    new_keys_ = 0;
    if (words_ == nullptr) return;
    document_ = words_->next_document();
    sightings_.begin(document_);
}

bool tape_writer::fail(trouble t) noexcept
{
    if (trouble_ == trouble::none) {
        trouble_ = t;
        broken_at_ = size();
    }
    // Further output is discarded and stays within the spare room.
    end_ = data_.get();
    limit_ = nullptr;
    return false;
}

bool tape_writer::make_room(std::size_t n)
{
    if (trouble_ != trouble::none) return fail(trouble_);
    const std::size_t used = size();
    if (used > max_bytes_ || n > max_bytes_ - used) return fail(trouble::too_large);
    if (n != 0 && used + n + spare <= capacity_) return true;
    const std::size_t wanted = std::max(used + n + spare, capacity_ * 2);
    auto bigger = std::make_unique_for_overwrite<unsigned char[]>(wanted);
    std::memcpy(bigger.get(), data_.get(), used);
    data_ = std::move(bigger);
    capacity_ = wanted;
    end_ = data_.get() + used;
    limit_ = data_.get() + std::min(capacity_ - spare, max_bytes_);
    return true;
}

void tape_writer::next_item()
{
    frame& f = innermost();
    if (f.at.next != layout::nowhere) {
        layout_.step(f.at, f.at.next);
    } else if (f.members < layout::most_items) {
        (void)layout_.step_to(f.at, nullptr, false);
        ++f.members;
    }
    here_ = f.at.last;
}

bool tape_writer::deepen()
{
    if (depth_ >= max_depth_) return fail(trouble::too_deep);
    frames_.emplace_back();
    top_ = frames_.data() + depth_;
    last_ = top_ + 1;
    return true;
}

bool tape_writer::begin_special(bool is_object)
{
    if (in_array_) next_item();
    if (top_ == last_ && !deepen()) return false;
    enter(is_object);
    const bool secret = hint_ == hint::secret;
    top_->secret = top_->secret || secret;
    top_->shares = shares_ = top_->shares && !secret;
    top_->is_metadata = hint_ == hint::metadata;
    if (hint_ == hint::recorded) {
        top_->recorded = std::exchange(expected_text_, {});
        top_->in_recording = true;
    }
    hint_ = hint::none;
    return has_room();
}

bool tape_writer::end_filled(frame& f)
{
    unsigned char* const head = data_.get() + f.start;
    unsigned char* const content = head + 1 + f.width;
    const auto body = static_cast<std::size_t>(end_ - content);
    const bool loose = f.loose || (!f.is_array && f.members > most_told_apart);
    const auto [t, width] = form_of(!f.is_array, loose, body);
    if (width != f.width) {
        std::memmove(head + 1 + width, content, body);
        end_ = head + 1 + width + body;
        if (f.at.container != layout::nowhere) layout_.at(f.at.container).width = width;
    }
    *head = t;
    store(head + 1, body, width);
    if (f.obstacles == 0 && size() - f.start >= shortest_shared_container) share(f);
    top_->obstacles |= f.obstacles;
    top_->hidden += f.hidden;
    if (f.is_metadata || depth_ == 0) sightings_.without_uid();
    if (!f.recorded.empty()) [[unlikely]]
        end_recording(f);
    return has_room();
}

value_view tape_writer::complete_member(std::string_view key, std::size_t level) const noexcept
{
    if (depth_ < level) return {};
    const frame& f = frames_[level];
    const unsigned char* at = data_.get() + f.start + 1 + f.width;
    // An open container has no length yet.
    const std::size_t written = trouble_ == trouble::none ? size() : broken_at_;
    const unsigned char* const end = data_.get() + (depth_ > level ? frames_[level + 1].start : written);
    std::string_view other;
    while (at != nullptr && at < end) {
        const unsigned char* const value = read_key(at, end, words_, other);
        at = value == nullptr ? nullptr : skip_value(value, end);
        if (at != nullptr && other == key) return tape_access::view(value, at, words_);
    }
    return {};
}

tape_writer::hint tape_writer::hint_of(key_class c, const frame& f) const noexcept
{
    switch (c) {
    case key_class::value:
    case key_class::data_fields:
        return hint::secret;
    case key_class::data:
        return depth_ == 1 ? hint::secret : hint::none;
    case key_class::metadata:
        return depth_ == 1 ? hint::metadata : hint::none;
    case key_class::identity:
        return f.is_metadata ? hint::identity : hint::none;
    case key_class::uid:
        return f.is_metadata ? hint::uid : hint::none;
    case key_class::ns:
        return f.is_metadata ? hint::ns : hint::none;
    default:
        return hint::none;
    }
}

void tape_writer::heed(const frame& f, key_class c) noexcept
{
    hint_ = hint_of(c, f);
    if (hint_ == hint::secret) top_->obstacles |= obstacle::changing;
    // A namespace is shared, but not before other_string() has noted it.
    shares_ = shares_ && (hint_ == hint::none || hint_ == hint::metadata);
}

void tape_writer::look_for(frame& f, std::string_view key) const noexcept
{
    if (!f.loose && f.members <= most_told_apart) f.loose = has_key(f, key);
}

bool tape_writer::has_key(const frame& f, std::string_view key) const noexcept
{
    if (trouble_ != trouble::none) return false;
    const unsigned char* at = data_.get() + f.start + 1 + f.width;
    std::string_view other;
    while (at != nullptr && at != end_) {
        at = read_key(at, end_, words_, other);
        if (at == nullptr || other == key) return true;
        at = skip_value(at, end_);
    }
    return false;
}

bool tape_writer::other_key(frame& f, std::string_view s)
{
    layout::place p = f.at.next;
    for (int i = 1; p != layout::nowhere && i < likely_members; ++i) {
        p = layout_.at(p).next;
        const text_table::entry* const key = layout_.at(p).key;
        if (key != nullptr && same_text(key->view(), s)) return known_key(f, p, *key);
    }
    return new_key(f, s);
}

bool tape_writer::other_field(std::uint16_t id, std::string_view text)
{
    if (!key(text)) return false;
    layout::node& n = layout_.at(here_);
    if (n.key == nullptr) return true;
    n.field = id;
    n.c = key_remark::unpack(n.key->remark).c;
    return true;
}

bool tape_writer::is_user_map(const frame& f) const noexcept
{
    if (f.is_array || depth_ <= 1 || frames_[depth_ - 1].is_array) return false;
    const layout::node& n = layout_.at(f.at.container);
    if (n.key == nullptr) return !n.is_item;
    return key_remark::unpack(n.key->remark).c == key_class::user_map;
}

bool tape_writer::may_learn(key_class c, bool is_users) const noexcept
{
    if (innermost().secret || c == key_class::item) return false;
    // Names of items and names chosen by users must not displace those of a schema.
    if (is_users) return words_->keys().has_room_for_users();
    return c != key_class::common_item || words_->keys().size() < key_numbers / 2;
}

const text_table::entry* tape_writer::entry_of_key(std::string_view s, key_class c, bool is_users)
{
    text_table& keys = words_->keys();
    const std::uint64_t hash = hash_text(s);
    if (new_keys_ >= most_new_keys || !may_learn(c, is_users)) return keys.find(s, hash);
    // Schema keys count per version: there are few of them, and known ones are faster.
    const auto [known, again] = is_users ? sightings_.see(keys, s, hash, true) : sightings_.see_version(keys, s, hash);
    if (known == nullptr) ++new_keys_;
    return known;
}

bool tape_writer::new_key(frame& f, std::string_view s)
{
    const key_class c = class_of(s);
    note_key(f, s, key_mark(s));
    expect_value(f, c);
    here_ = layout::nowhere;
    if (words_ == nullptr) return inline_key(s);
    const bool is_users = is_user_map(f);
    const text_table::entry* const known = s.size() <= longest_shared_key ? entry_of_key(s, c, is_users) : nullptr;
    here_ = layout_.step_to(f.at, known, c == key_class::item || c == key_class::common_item);
    if (known == nullptr) {
        if (s.size() <= longest_shared_key && may_learn(c, is_users)) f.obstacles |= obstacle::changing;
        return inline_key(s);
    }
    put_key(known->n);
    return has_room();
}

bool tape_writer::inline_key(std::string_view s)
{
    if (s.size() > short_text && !make_room(s.size())) return false;
    const std::size_t width = s.size() < 0x100 ? 1 : 4;
    *end_ = width == 1 ? key_tag::inline_8 : key_tag::inline_32;
    store(end_ + 1, s.size(), width);
    copy_text(end_ + 1 + width, s);
    end_ += 1 + width + s.size();
    return has_room();
}

bool tape_writer::text(unsigned char family, std::string_view s)
{
    if (s.size() > short_text && !make_room(s.size())) return false;
    std::size_t width = width_of(s.size());
    unsigned char t = static_cast<unsigned char>(family + width_step(width));
    if (family == tag::number_8 && width > 1) {
        width = 4;
        t = tag::number_32;
    }
    *end_ = t;
    store(end_ + 1, s.size(), width);
    copy_text(end_ + 1 + width, s);
    end_ += 1 + width + s.size();
    return has_room();
}

bool tape_writer::shared(text_table::number n)
{
    if (n < short_values) {
        *end_++ = static_cast<unsigned char>(tag::value_0 + n);
    } else if (n < wide_values) {
        end_[0] = static_cast<unsigned char>(tag::value_wide + (n - short_values) / 256);
        end_[1] = static_cast<unsigned char>((n - short_values) % 256);
        end_ += 2;
    } else {
        *end_ = tag::value_16;
        store(end_ + 1, n - wide_values, 2);
        end_ += 3;
    }
    return has_room();
}

bool tape_writer::passes_over(layout::place p) noexcept
{
    layout::node& n = layout_.at(p);
    return n.strangers >= most_strangers && ++n.strangers % look_again != 0;
}

const text_table::entry* tape_writer::look_up(text_table& table, std::string_view content, layout::place p,
                                              bool is_text, bool is_users)
{
    // Counted per object, not per version: a text of a single object is not worth a number, however often the object is
    // updated.
    const auto [known, again] = sightings_.see(table, content, hash_text(content), is_users);
    if (p != layout::nowhere) {
        layout::node& n = layout_.at(p);
        if (known != nullptr) {
            n.value = known;
            n.value_is_text = is_text;
        }
        n.strangers =
            known != nullptr || again ? 0 : static_cast<unsigned char>(std::min(n.strangers + 1u, most_strangers));
    }
    return known;
}

const text_table::entry* tape_writer::entry_of_value(std::string_view s)
{
    text_table& values = words_->values();
    if (!values.has_room_for_users() && is_user_map(innermost())) return values.find(s, hash_text(s));
    if (passes_over(here_)) return nullptr;
    return look_up(values, s, here_, true, is_user_map(innermost()));
}

void tape_writer::note_origin(std::string_view s)
{
    if (hint_ == hint::uid) return sightings_.belongs_to(static_cast<unsigned>(hash_text(s)));
    hint_ = hint::none;
    shares_ = top_->shares;
    sightings_.is_in(s);
}

bool tape_writer::other_string(std::string_view s)
{
    if (hint_ == hint::uid || hint_ == hint::ns) [[unlikely]] {
        note_origin(s);
        if (is_repeated(s)) return shared(layout_.at(here_).value->n);
    }
    if (!shares_ || s.size() < shortest_shared_value) return inline_string(s);
    if (s.size() > longest_shared_value) {
        top_->obstacles |= obstacle::long_text;
        return inline_string(s);
    }
    if (const text_table::entry* const known = entry_of_value(s)) return shared(known->n);
    top_->obstacles |= obstacle::changing;
    return inline_string(s);
}

bool tape_writer::inline_string(std::string_view s)
{
    if (s.size() > tag::string_max) return text(tag::string_8, s);
    *end_ = static_cast<unsigned char>(tag::string_0 + s.size());
    copy_text(end_ + 1, s);
    end_ += 1 + s.size();
    return has_room();
}

bool tape_writer::number(std::string_view s)
{
    if (in_array_) next_item();
    return text(tag::number_8, s);
}

bool tape_writer::integer(std::int64_t v)
{
    if (v >= 0 && v <= tag::small_max - tag::small_0) return single(static_cast<unsigned char>(tag::small_0 + v));
    const auto [t, width] = fits<std::int8_t>(v)    ? std::pair{tag::int_8, std::size_t{1}}
                            : fits<std::int16_t>(v) ? std::pair{tag::int_16, std::size_t{2}}
                            : fits<std::int32_t>(v) ? std::pair{tag::int_32, std::size_t{4}}
                                                    : std::pair{tag::int_64, std::size_t{8}};
    if (in_array_) next_item();
    *end_ = t;
    store(end_ + 1, static_cast<std::uint64_t>(v), width);
    end_ += 1 + width;
    return has_room();
}

} // namespace kubecoro::detail
