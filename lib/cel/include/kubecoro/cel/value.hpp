#pragma once

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

class value_view;

namespace cel {

/// The type of a CEL value.
enum class value_type : std::uint8_t
{
    null,
    boolean,
    /// `int`
    integer,
    /// `uint`
    unsigned_integer,
    /// `double`
    real,
    string,
    bytes,
    list,
    map,
    timestamp,
    duration,
    /// The name of a type.
    type,
    optional,
    /// A value of Kubernetes' libraries: an IP address, a quantity.
    opaque,
    /// A failed operation. Results of programs are never of this type.
    error
};

namespace detail {

/// The part of a value that copies share.
struct payload
{
    payload() = default;
    payload(const payload&) = delete;
    payload& operator=(const payload&) = delete;
    virtual ~payload() = default;
};

} // namespace detail

/** A value of an expression.

    A regular value; copies share their contents. Lists and maps made from an object refer to its encoding, which must
    live as long, and read it when they are first looked at: values that share contents belong to one thread. */
class value
{
public:
    /// Null.
    value() noexcept = default;
    /// A boolean.
    explicit value(bool from) noexcept : type_(value_type::boolean) { number_.boolean = from; }
    /// A text of its own.
    explicit value(std::string from);

    /// An `int`.
    [[nodiscard]] static value of_int(std::int64_t from) noexcept;
    /// A `uint`.
    [[nodiscard]] static value of_uint(std::uint64_t from) noexcept;
    /// A `double`.
    [[nodiscard]] static value of_double(double from) noexcept;
    /// A list.
    [[nodiscard]] static value of_list(std::vector<value> items);
    /// A part of an object, in place. Numbers are `int` where they are whole, else `double`.
    [[nodiscard]] static value of_view(value_view from);
    /// A JSON value, in place: it must live as long as the value.
    [[nodiscard]] static value of_json(const boost::json::value& from);

    /// The type.
    [[nodiscard]] value_type type() const noexcept { return type_; }
    /// Whether it is of a type.
    [[nodiscard]] bool is(value_type wanted) const noexcept { return type_ == wanted; }
    /// The boolean; false for everything else.
    [[nodiscard]] bool as_bool() const noexcept { return type_ == value_type::boolean && number_.boolean; }
    /// The `int`, the seconds of a timestamp since 1970, the nanoseconds of a duration.
    [[nodiscard]] std::int64_t as_int() const noexcept { return number_.integer; }
    /// The `uint`.
    [[nodiscard]] std::uint64_t as_uint() const noexcept { return number_.natural; }
    /// The `double`.
    [[nodiscard]] double as_double() const noexcept { return number_.real; }
    /// The text of a string, the bytes, the name of a type, the words of an error.
    [[nodiscard]] std::string_view as_string() const noexcept { return text_; }
    /// The nanoseconds of a timestamp behind its second.
    [[nodiscard]] std::int32_t nanoseconds() const noexcept { return nanoseconds_; }

    /// The value as an expression that makes it; members of maps in the order of their keys. About 1 MiB of text at most.
    [[nodiscard]] std::string to_text() const;

    /// For the library's own parts.
    [[nodiscard]] const std::shared_ptr<const detail::payload>& held() const noexcept { return held_; }
    /// For the library's own parts.
    [[nodiscard]] static value made(value_type type, std::int64_t integer, std::int32_t nanoseconds,
                                    std::string_view text, std::shared_ptr<const detail::payload> held) noexcept;

private:
    union numbers {
        std::int64_t integer = 0;
        std::uint64_t natural;
        double real;
        bool boolean;
    };

    value_type type_ = value_type::null;
    std::int32_t nanoseconds_ = 0;
    numbers number_;
    std::string_view text_;
    std::shared_ptr<const detail::payload> held_;
};

} // namespace cel
} // namespace kubecoro
