#include "cli/duration_text.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace kubecoro::tool {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds longest = std::chrono::hours{24 * 3653};

std::optional<milliseconds> take_unit(std::string_view& rest)
{
    struct unit
    {
        std::string_view name;
        milliseconds length;
    };
    // "ms" comes before "m".
    static constexpr unit units[] = {{"ms", milliseconds{1}},
                                     {"s", std::chrono::seconds{1}},
                                     {"m", std::chrono::minutes{1}},
                                     {"h", std::chrono::hours{1}},
                                     {"d", std::chrono::hours{24}}};
    for (const auto& u : units) {
        if (!rest.starts_with(u.name)) continue;
        rest.remove_prefix(u.name.size());
        return u.length;
    }
    return {};
}

} // namespace

result<duration> parse_duration(std::string_view text)
{
    const auto wrong = [&] {
        return failure(cond::invalid,
                       "expected a length of time such as 30s, 5m or 1h30m, not \"" + std::string(text) + "\"");
    };
    if (text == "0") return duration::zero();
    if (text.empty()) return wrong();
    milliseconds total{0};
    for (std::string_view rest = text; !rest.empty();) {
        std::uint64_t count = 0;
        const auto [end, ec] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
        if (ec != std::errc()) return wrong();
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        const auto unit = take_unit(rest);
        if (!unit || count > static_cast<std::uint64_t>((longest - total) / *unit)) return wrong();
        total += *unit * static_cast<std::int64_t>(count);
    }
    return duration(total);
}

} // namespace kubecoro::tool
