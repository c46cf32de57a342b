// Times and durations, as Go writes them.
#include <kubecoro/api/timestamp.hpp>

#include "text/go_text.hpp"
#include "values/go_values.hpp"
#include "values/refused.hpp"

#include <kubecoro/api/detail/time_text.hpp>
#include <kubecoro/api/go_duration.hpp>

#include <optional>
#include <ostream>

namespace kubecoro {

namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

std::optional<detail::go_time> read(std::string_view text, seconds) { return detail::read_time(text); }
std::optional<detail::go_time> read(std::string_view text, microseconds) { return detail::read_micro_time(text); }

/// Whether a text that read() accepts is known to be what write() makes. One of this size that ends in Z has two digits of the
/// hour and no fraction.
constexpr bool is_canonical(std::string_view text, seconds) noexcept
{
    constexpr std::string_view usual = "2026-01-01T00:00:00Z";
    return text.size() == usual.size() && text.back() == usual.back();
}
constexpr bool is_canonical(std::string_view, microseconds) noexcept { return false; }

std::string write(std::chrono::sys_seconds time)
{
    return std::string(detail::time_texts().time(time.time_since_epoch().count()));
}

std::string write(std::chrono::sys_time<microseconds> time)
{
    const auto whole = std::chrono::floor<seconds>(time);
    const nanoseconds rest = time - whole;
    return std::string(
        detail::time_texts().micro_time(whole.time_since_epoch().count(), static_cast<std::int32_t>(rest.count())));
}

} // namespace

template<class Unit>
result<basic_timestamp<Unit>> basic_timestamp<Unit>::parse(std::string_view text)
{
    const auto read_one = read(text, Unit());
    if (!read_one) return detail::refused("a time in RFC 3339", text);
    const auto fraction = std::chrono::floor<Unit>(nanoseconds(read_one->nanos));
    basic_timestamp out(std::chrono::sys_time<Unit>(seconds(read_one->seconds) + fraction));
    if (!is_canonical(text, Unit()) && out.canonical() != text)
        out.written_ = std::make_shared<const std::string>(text);
    return out;
}

template<class Unit>
std::string basic_timestamp<Unit>::canonical() const
{
    return write(time_);
}

template<class Unit>
std::ostream& basic_timestamp<Unit>::print(std::ostream& out) const
{
    return out << text();
}

template class basic_timestamp<seconds>;
template class basic_timestamp<microseconds>;

result<go_duration> go_duration::parse(std::string_view text)
{
    const auto nanos = detail::read_duration(text);
    if (!nanos) return detail::refused("a duration such as 1h30m", text);
    go_duration out(std::chrono::nanoseconds{*nanos});
    if (out.canonical() != text) out.written_ = std::make_shared<const std::string>(text);
    return out;
}

std::string go_duration::canonical() const { return detail::duration_text(length_.count()); }

} // namespace kubecoro
