#include "tape/json_copy.hpp"

#include "tape/number_text.hpp"
#include "tape/tape_reader.hpp"

#include <boost/json/value_stack.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <system_error>

namespace kubecoro {
namespace detail {
namespace {

/// Builds a value from the inside out. Each container is then allocated once, in its size.
class json_builder
{
public:
    json_copy copy(const value_view& v)
    {
        push(v, 0);
        return {stack_.release(), exact_};
    }

private:
    // NOLINTNEXTLINE(misc-no-recursion): up to `deepest`
    void push(const value_view& v, std::size_t depth)
    {
        const head h = tape_access::head_of(v);
        switch (h.kind) {
        case value_kind::absent:
        case value_kind::null:
            return stack_.push_null();
        case value_kind::boolean:
            return stack_.push_bool(h.number != 0);
        case value_kind::integer:
            return stack_.push_int64(h.number);
        case value_kind::number:
            return push_number(h.text());
        case value_kind::string:
            return stack_.push_string(h.text());
        case value_kind::array:
            return push_items(v.items(), depth + 1);
        case value_kind::object:
            return push_members(v.members(), depth + 1);
        }
    }

    void push_number(std::string_view text)
    {
        exact_ = false;
        // Unsigned 64-bit counters stay exact; numbers with a fraction or an exponent become doubles, as in Boost.JSON
        // itself.
        std::uint64_t big = 0;
        const auto r = std::from_chars(text.data(), text.data() + text.size(), big);
        if (r.ec == std::errc{} && r.ptr == text.data() + text.size()) return stack_.push_uint64(big);
        // JSON has no infinity, and values read from JSON must be writable as JSON.
        constexpr double largest = std::numeric_limits<double>::max();
        stack_.push_double(std::clamp(double_value(text).value_or(0), -largest, largest));
    }

    // NOLINTNEXTLINE(misc-no-recursion)
    void push_items(const item_range& items, std::size_t depth)
    {
        std::size_t size = 0;
        if (depth <= deepest)
            for (const value_view item : items) {
                push(item, depth);
                ++size;
            }
        stack_.push_array(size);
    }

    // NOLINTNEXTLINE(misc-no-recursion)
    void push_members(const member_range& members, std::size_t depth)
    {
        std::size_t size = 0;
        if (depth <= deepest)
            for (const auto& [key, value] : members) {
                stack_.push_key(key);
                push(value, depth);
                ++size;
            }
        // Keeps the last one of members of the same name.
        stack_.push_object(size);
    }

    // Enough for most values.
    alignas(std::max_align_t) std::array<unsigned char, 4096> scratch_;
    boost::json::value_stack stack_{{}, scratch_.data(), scratch_.size()};
    bool exact_ = true;
};

} // namespace

json_copy copy_to_json(const value_view& v)
{
    json_builder builder; // not `json_builder()`, which sets all bytes of the scratch to zero
    return builder.copy(v);
}

} // namespace detail

boost::json::value value_view::to_json() const { return detail::copy_to_json(*this).value; }

} // namespace kubecoro
