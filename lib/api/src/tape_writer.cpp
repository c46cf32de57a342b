#include "tape_writer.hpp"

#include "tape_reader.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace kubecoro::detail {
namespace {

// Scratch space beyond this is given back after the object that needed it.
constexpr std::size_t kept_capacity = std::size_t{1} << 20;

// Objects with more members than this are not searched for keys that come twice: readers look at all of them.
constexpr unsigned most_told_apart = 32;

// Shorter values take no more room inline.
constexpr std::size_t shortest_shared_value = 2;

template<class Int>
bool fits(std::int64_t v) noexcept
{
    return v >= std::numeric_limits<Int>::min() && v <= std::numeric_limits<Int>::max();
}

// Items of data maps by name, and managedFields' names of them.
bool names_data(std::string_view key) noexcept { return key == "data" || key == "stringData" || key == "binaryData"; }

bool names_identity(std::string_view key) noexcept
{
    return key == "name" || key == "uid" || key == "resourceVersion" || key == "creationTimestamp";
}

// Names that managedFields make of list items: `k:{"uid":"..."}`, `v:"..."`.
bool names_item(std::string_view key) noexcept
{
    return key.size() > 2 && key[1] == ':' && (key[0] == 'k' || key[0] == 'v');
}

// Those of them that many objects have.
bool names_common_item(std::string_view key) noexcept
{
    return key.starts_with("k:{\"type\":") || key.starts_with("k:{\"name\":");
}

} // namespace

tape_writer::tape_writer(std::size_t max_bytes, std::size_t max_depth, vocabulary* words) noexcept
    : words_(words), max_bytes_(std::min(max_bytes, largest_tape)), max_depth_(std::min(max_depth, deepest))
{
}

void tape_writer::clear()
{
    if (capacity_ > kept_capacity) {
        data_.reset();
        capacity_ = 0;
    }
    size_ = 0;
    room_ = std::min(capacity_, max_bytes_);
    depth_ = 0;
    place_ = 0;
    hint_ = hint::none;
    trouble_ = trouble::none;
    if (words_ != nullptr) document_ = words_->next_document();
}

bool tape_writer::fail(trouble t) noexcept
{
    if (trouble_ == trouble::none) trouble_ = t;
    room_ = 0;
    return false;
}

unsigned char* tape_writer::grow_slowly(std::size_t n)
{
    if (trouble_ != trouble::none) return nullptr;
    if (n > max_bytes_ - size_) {
        (void)fail(trouble::too_large);
        return nullptr;
    }
    const std::size_t wanted = std::max({size_ + n, capacity_ * 2, std::size_t{4096}});
    std::unique_ptr<unsigned char[]> bigger(new unsigned char[wanted]);
    if (size_ != 0) std::memcpy(bigger.get(), data_.get(), size_);
    data_ = std::move(bigger);
    capacity_ = wanted;
    unsigned char* const at = data_.get() + size_;
    size_ += n;
    room_ = std::min(capacity_, max_bytes_) - size_;
    return at;
}

bool tape_writer::begin(bool is_object)
{
    if (depth_ >= max_depth_) return fail(trouble::too_deep);
    const bool secret = hint_ == hint::secret || (depth_ != 0 && innermost().secret);
    const unsigned char width = widths_[place_];
    if (grow(std::size_t{1} + width) == nullptr) return false;
    if (depth_ == frames_.size()) frames_.emplace_back();
    frame& f = frames_[depth_++];
    f.start = static_cast<std::uint32_t>(size_ - 1 - width);
    f.members = 0;
    f.width = width;
    f.place = place_;
    f.is_object = is_object;
    f.loose = false;
    f.secret = secret;
    f.is_metadata = hint_ == hint::metadata;
    f.keys = {};
    hint_ = hint::none;
    ++place_;
    return true;
}

bool tape_writer::end()
{
    if (trouble_ != trouble::none) return false;
    const frame& f = frames_[--depth_];
    hint_ = hint::none;
    place_ = f.place;
    const std::size_t body = size_ - f.start - 1 - f.width;
    if (body == 0) {
        shrink_to(f.start + std::size_t{1});
        data_[f.start] = f.is_object ? tag::empty_object : tag::empty_array;
        return true;
    }
    const auto [t, width] = form_of(f.is_object, f.loose, body);
    if (width != f.width) {
        if (width > f.width && grow(width - std::size_t{f.width}) == nullptr) return false;
        unsigned char* const content = data_.get() + f.start + 1;
        std::memmove(content + width, content + f.width, body);
        shrink_to(f.start + 1 + width + body);
        widths_[f.place] = width;
    }
    unsigned char* const head = data_.get() + f.start;
    *head = t;
    store(head + 1, body, width);
    return true;
}

tape_writer::hint tape_writer::hint_of(std::string_view key) const noexcept
{
    // The names that matter have one of few sizes, which most others do not have.
    switch (key.size()) {
    case 5:
        return key == "value" ? hint::secret : hint::none;
    case 6:
    case 12:
        return key.starts_with("f:") && names_data(key.substr(2)) ? hint::secret : hint::none;
    case 8:
        return depth_ == 1 && key == "metadata" ? hint::metadata : hint::none;
    default:
        if (depth_ == 1) return names_data(key) ? hint::secret : hint::none;
        return innermost().is_metadata && names_identity(key) ? hint::identity : hint::none;
    }
}

bool tape_writer::has_key(const frame& f, std::string_view key) const noexcept
{
    const unsigned char* at = data_.get() + f.start + 1 + f.width;
    const unsigned char* const end = data_.get() + size_;
    std::string_view other;
    while (at != nullptr && at != end) {
        at = read_key(at, end, words_, other);
        if (at == nullptr || other == key) return true;
        at = skip_value(at, end);
    }
    return false;
}

void tape_writer::note_key(frame& f, std::string_view key, std::uint64_t hash) const noexcept
{
    if (f.loose) return;
    std::uint64_t& word = f.keys[(hash >> 6) & 1];
    const std::uint64_t bit = std::uint64_t{1} << (hash & 63);
    f.loose = ++f.members > most_told_apart || ((word & bit) != 0 && has_key(f, key));
    word |= bit;
}

bool tape_writer::inline_key(std::string_view s)
{
    const std::size_t width = s.size() < 0x100 ? 1 : 4;
    unsigned char* at = grow(1 + width + s.size());
    if (at == nullptr) return false;
    *at = width == 1 ? key_tag::inline_8 : key_tag::inline_32;
    store(at + 1, s.size(), width);
    if (!s.empty()) std::memcpy(at + 1 + width, s.data(), s.size());
    return true;
}

bool tape_writer::may_learn_key(std::string_view s) const noexcept
{
    if (innermost().secret) return false;
    // Names of items must not take the room of the names of members.
    return !names_item(s) || (names_common_item(s) && words_->keys().size() < key_numbers / 2);
}

bool tape_writer::key(std::string_view s)
{
    if (s.size() > max_bytes_) return fail(trouble::too_large);
    frame& f = innermost();
    const std::uint64_t hash = text_hash(s);
    note_key(f, s, hash);
    hint_ = hint_of(s);
    place_ = static_cast<std::uint8_t>(hash >> 24);
    if (words_ == nullptr || s.size() > longest_shared_key) return inline_key(s);
    const auto n = may_learn_key(s) ? words_->keys().see(s, hash, document_) : words_->keys().find(s, hash);
    if (!n) return inline_key(s);
    const bool is_short = *n < short_keys;
    unsigned char* at = grow(is_short ? 1 : 2);
    if (at == nullptr) return false;
    const auto rest = static_cast<unsigned>(*n - short_keys);
    at[0] = static_cast<unsigned char>(is_short ? *n : key_tag::wide + rest / 256);
    if (!is_short) at[1] = static_cast<unsigned char>(rest % 256);
    return true;
}

bool tape_writer::single(unsigned char t)
{
    unsigned char* at = grow(1);
    if (at == nullptr) return false;
    *at = t;
    return true;
}

bool tape_writer::text(unsigned char family, std::string_view s)
{
    if (s.size() > max_bytes_) return fail(trouble::too_large);
    std::size_t width = width_of(s.size());
    unsigned char t = static_cast<unsigned char>(family + width_step(width));
    if (family == tag::number_8 && width > 1) {
        width = 4;
        t = tag::number_32;
    }
    unsigned char* at = grow(1 + width + s.size());
    if (at == nullptr) return false;
    *at = t;
    store(at + 1, s.size(), width);
    std::memcpy(at + 1 + width, s.data(), s.size());
    return true;
}

bool tape_writer::may_learn_value() const noexcept
{
    return words_ != nullptr && words_->keeps_values() && hint_ != hint::secret && hint_ != hint::identity &&
           (depth_ == 0 || !innermost().secret);
}

bool tape_writer::shared(text_table::number n)
{
    const std::size_t length = n < short_values ? 1 : n < wide_values ? 2 : 3;
    unsigned char* at = grow(length);
    if (at == nullptr) return false;
    if (length == 1) {
        *at = static_cast<unsigned char>(tag::value_0 + n);
    } else if (length == 2) {
        at[0] = static_cast<unsigned char>(tag::value_wide + (n - short_values) / 256);
        at[1] = static_cast<unsigned char>((n - short_values) % 256);
    } else {
        *at = tag::value_16;
        store(at + 1, n - wide_values, 2);
    }
    return true;
}

bool tape_writer::string(std::string_view s)
{
    if (s.size() >= shortest_shared_value && s.size() <= longest_shared_value && may_learn_value())
        if (const auto n = words_->values().see(s, text_hash(s), document_)) return shared(*n);
    if (s.size() > tag::string_max) return text(tag::string_8, s);
    unsigned char* at = grow(1 + s.size());
    if (at == nullptr) return false;
    *at = static_cast<unsigned char>(tag::string_0 + s.size());
    if (!s.empty()) std::memcpy(at + 1, s.data(), s.size());
    return true;
}

bool tape_writer::number(std::string_view s) { return text(tag::number_8, s); }

bool tape_writer::integer(std::int64_t v)
{
    if (v >= 0 && v <= tag::small_max - tag::small_0) return single(static_cast<unsigned char>(tag::small_0 + v));
    const auto [t, width] = fits<std::int8_t>(v)    ? std::pair{tag::int_8, std::size_t{1}}
                            : fits<std::int16_t>(v) ? std::pair{tag::int_16, std::size_t{2}}
                            : fits<std::int32_t>(v) ? std::pair{tag::int_32, std::size_t{4}}
                                                    : std::pair{tag::int_64, std::size_t{8}};
    unsigned char* at = grow(1 + width);
    if (at == nullptr) return false;
    *at = t;
    store(at + 1, static_cast<std::uint64_t>(v), width);
    return true;
}

} // namespace kubecoro::detail
