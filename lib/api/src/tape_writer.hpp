#pragma once

#include "tape_format.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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

    tape_writer(std::size_t max_bytes, std::size_t max_depth) noexcept;

    void clear();
    [[nodiscard]] bool begin_object() { return begin(tag::object_8); }
    [[nodiscard]] bool begin_array() { return begin(tag::array_8); }
    [[nodiscard]] bool end();
    [[nodiscard]] bool key(std::string_view text);
    [[nodiscard]] bool string(std::string_view text);
    [[nodiscard]] bool integer(std::int64_t value);
    /// A number that is not an integer of 64 bits in canonical form.
    [[nodiscard]] bool number(std::string_view text);
    [[nodiscard]] bool boolean(bool value) { return single(value ? tag::true_ : tag::false_); }
    [[nodiscard]] bool null() { return single(tag::null); }

    /// Containers that are open.
    [[nodiscard]] std::size_t depth() const noexcept { return open_.size(); }
    [[nodiscard]] trouble problem() const noexcept { return trouble_; }
    /// Complete when depth() is 0.
    [[nodiscard]] std::span<const unsigned char> bytes() const noexcept { return {data_.get(), size_}; }

private:
    struct frame
    {
        std::uint32_t start;
        std::uint32_t count;
        unsigned char family;
        unsigned char width;
    };

    [[nodiscard]] bool begin(unsigned char family);
    [[nodiscard]] bool single(unsigned char t);
    [[nodiscard]] bool text(unsigned char family, std::string_view s);
    [[nodiscard]] unsigned char* grow(std::size_t n);
    [[nodiscard]] bool fail(trouble t) noexcept;
    /// Counts a value in its array.
    void enter_value() noexcept;
    void resize_header(frame& f, std::size_t width, std::size_t body);

    std::unique_ptr<unsigned char[]> data_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
    std::vector<frame> open_;
    /// Width that the last container of each depth needed: the guess for the next one.
    std::vector<unsigned char> widths_;
    std::size_t max_bytes_;
    std::size_t max_depth_;
    trouble trouble_ = trouble::none;
};

} // namespace kubecoro::detail
