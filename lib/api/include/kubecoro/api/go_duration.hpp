#pragma once

#include <kubecoro/base/result.hpp>

#include <chrono>
#include <compare>
#include <concepts>
#include <memory>
#include <string>
#include <string_view>

namespace kubecoro {

/** A length of time that is text in JSON (`metav1.Duration`): `1h0m0s`, `300ms`, `-1.5s`.

    Nanoseconds in 64 bits, 292 years either way. A parsed duration keeps its text, so that one which is not changed is
    written as it was read: `90m` stays `90m`. Equality and order are those of the lengths. A regular value that
    converts from and to `std::chrono`. Distinct objects may be used from distinct threads; const access to one from
    several. */
class go_duration
{
public:
    /// Zero.
    go_duration() = default;
    /// Any duration that nanoseconds express exactly.
    template<class Duration>
        requires std::convertible_to<Duration, std::chrono::nanoseconds>
    go_duration(Duration length) : length_(length)
    {
    }

    /** Reads the grammar of Go's `time.ParseDuration`: decimal numbers with units (`ns us ms s m h`), or `0`.
        Errors: cond::invalid, with the text; also beyond 64 bits of nanoseconds. */
    [[nodiscard]] static result<go_duration> parse(std::string_view text);

    /// The text as it was read; that of a duration that was made is canonical().
    [[nodiscard]] std::string text() const { return written_ ? *written_ : canonical(); }
    /// The text as Go writes it.
    [[nodiscard]] std::string canonical() const;

    /// The duration in nanoseconds.
    [[nodiscard]] std::chrono::nanoseconds length() const noexcept { return length_; }
    operator std::chrono::nanoseconds() const noexcept { return length_; }

    [[nodiscard]] friend bool operator==(const go_duration& a, const go_duration& b) noexcept
    {
        return a.length_ == b.length_;
    }
    [[nodiscard]] friend std::strong_ordering operator<=>(const go_duration& a, const go_duration& b) noexcept
    {
        return a.length_.count() <=> b.length_.count();
    }

private:
    std::chrono::nanoseconds length_{0};
    // A text that is not canonical.
    std::shared_ptr<const std::string> written_;
};

} // namespace kubecoro
