#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro {

/** The identity of one span of a trace, as the W3C recommendation "Trace Context" defines it. A value; the default one tests
    false: there is no trace. */
struct trace_context
{
    /// The first eight bytes of the trace's id.
    std::uint64_t trace_high = 0;
    /// The other eight.
    std::uint64_t trace_low = 0;
    /// The id of the span.
    std::uint64_t span = 0;
    /// Whether spans of this trace are recorded.
    bool sampled = false;

    /// Whether there is a trace and a span.
    [[nodiscard]] explicit operator bool() const noexcept { return (trace_high | trace_low) != 0 && span != 0; }
    /// The trace's id: 32 hexadecimal digits.
    [[nodiscard]] std::string trace_text() const;
    /// The span's id: 16 hexadecimal digits.
    [[nodiscard]] std::string span_text() const;
    /// The value of the header `traceparent`, in version 00.
    [[nodiscard]] std::string traceparent() const;
    /// The context that a `traceparent` header names; empty when it is not one. As the recommendation says, a later version
    /// may have more behind the flags.
    [[nodiscard]] static std::optional<trace_context> parse(std::string_view traceparent) noexcept;

    friend bool operator==(const trace_context&, const trace_context&) = default;
};

} // namespace kubecoro
