#include "tape_writer.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace kubecoro::detail {
namespace {

// Scratch space beyond this is given back after the object that needed it.
constexpr std::size_t kept_capacity = std::size_t{1} << 20;

template<class Int>
bool fits(std::int64_t v) noexcept
{
    return v >= std::numeric_limits<Int>::min() && v <= std::numeric_limits<Int>::max();
}

} // namespace

tape_writer::tape_writer(std::size_t max_bytes, std::size_t max_depth) noexcept
    : max_bytes_(std::min(max_bytes, largest_tape)), max_depth_(std::min(max_depth, deepest))
{
}

void tape_writer::clear()
{
    if (capacity_ > kept_capacity) {
        data_.reset();
        capacity_ = 0;
    }
    size_ = 0;
    open_.clear();
    trouble_ = trouble::none;
}

bool tape_writer::fail(trouble t) noexcept
{
    if (trouble_ == trouble::none) trouble_ = t;
    return false;
}

unsigned char* tape_writer::grow(std::size_t n)
{
    if (trouble_ != trouble::none) return nullptr;
    if (n > max_bytes_ - size_) {
        (void)fail(trouble::too_large);
        return nullptr;
    }
    if (n > capacity_ - size_) {
        const std::size_t wanted = std::max({size_ + n, capacity_ * 2, std::size_t{4096}});
        std::unique_ptr<unsigned char[]> bigger(new unsigned char[wanted]);
        if (size_ != 0) std::memcpy(bigger.get(), data_.get(), size_);
        data_ = std::move(bigger);
        capacity_ = wanted;
    }
    unsigned char* at = data_.get() + size_;
    size_ += n;
    return at;
}

void tape_writer::enter_value() noexcept
{
    if (!open_.empty() && open_.back().family == tag::array_8) ++open_.back().count;
}

bool tape_writer::begin(unsigned char family)
{
    if (depth() >= max_depth_) return fail(trouble::too_deep);
    enter_value();
    const std::size_t level = open_.size();
    if (level == widths_.size()) widths_.push_back(1);
    const unsigned char width = widths_[level];
    const auto start = static_cast<std::uint32_t>(size_);
    if (grow(1 + 2 * std::size_t{width}) == nullptr) return false;
    open_.push_back({start, 0, family, width});
    return true;
}

void tape_writer::resize_header(frame& f, std::size_t width, std::size_t body)
{
    unsigned char* from = data_.get() + f.start + 1 + 2 * std::size_t{f.width};
    unsigned char* to = data_.get() + f.start + 1 + 2 * width;
    std::memmove(to, from, body);
    f.width = static_cast<unsigned char>(width);
}

bool tape_writer::end()
{
    if (trouble_ != trouble::none) return false;
    frame f = open_.back();
    open_.pop_back();
    if (f.count == 0) {
        size_ = f.start + std::size_t{1};
        data_[f.start] = f.family == tag::object_8 ? tag::empty_object : tag::empty_array;
        return true;
    }
    const std::size_t body = size_ - f.start - 1 - 2 * std::size_t{f.width};
    const std::size_t width = width_of(body);
    if (width > f.width) {
        const std::size_t more = 2 * (width - f.width);
        if (grow(more) == nullptr) return false;
        resize_header(f, width, body);
    } else if (width < f.width) {
        const std::size_t less = 2 * (f.width - width);
        resize_header(f, width, body);
        size_ -= less;
    }
    unsigned char* head = data_.get() + f.start;
    head[0] = static_cast<unsigned char>(f.family + width_step(width));
    store(head + 1, body, width);
    store(head + 1 + width, f.count, width);
    widths_[open_.size()] = static_cast<unsigned char>(width);
    return true;
}

bool tape_writer::key(std::string_view s)
{
    const bool is_short = s.size() <= short_key_max;
    if (s.size() > max_bytes_) return fail(trouble::too_large);
    unsigned char* at = grow((is_short ? 1 : 5) + s.size());
    if (at == nullptr) return false;
    if (is_short)
        *at++ = static_cast<unsigned char>(s.size());
    else {
        *at = long_key;
        store(at + 1, s.size(), 4);
        at += 5;
    }
    if (!s.empty()) std::memcpy(at, s.data(), s.size());
    ++open_.back().count;
    return true;
}

bool tape_writer::single(unsigned char t)
{
    enter_value();
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

bool tape_writer::string(std::string_view s)
{
    enter_value();
    if (s.size() > tag::string_max) return text(tag::string_8, s);
    unsigned char* at = grow(1 + s.size());
    if (at == nullptr) return false;
    *at = static_cast<unsigned char>(tag::string_0 + s.size());
    if (!s.empty()) std::memcpy(at + 1, s.data(), s.size());
    return true;
}

bool tape_writer::number(std::string_view s)
{
    enter_value();
    return text(tag::number_8, s);
}

bool tape_writer::integer(std::int64_t v)
{
    if (v >= 0 && v <= tag::small_max - tag::small_0) return single(static_cast<unsigned char>(tag::small_0 + v));
    enter_value();
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
