#include <kubecoro/api/detail/version_order.hpp>

#include <charconv>
#include <compare>
#include <cstdint>
#include <optional>

namespace kubecoro::detail {
namespace {

enum class stage
{
    alpha,
    beta,
    stable
};

struct kube_version
{
    stage of = stage::stable;
    std::int64_t major = 0;
    std::int64_t minor = 0;

    auto operator<=>(const kube_version&) const = default;
};

bool take_number(std::string_view& text, std::int64_t& out)
{
    if (text.empty() || text.front() < '0' || text.front() > '9') return false;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), out);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return ec == std::errc{};
}

bool take_word(std::string_view& text, std::string_view word)
{
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

/// Empty for a version of another form.
std::optional<kube_version> parse(std::string_view text)
{
    kube_version out;
    if (!take_word(text, "v") || !take_number(text, out.major)) return {};
    if (text.empty()) return out;
    if (take_word(text, "alpha"))
        out.of = stage::alpha;
    else if (take_word(text, "beta"))
        out.of = stage::beta;
    else
        return {};
    if (!take_number(text, out.minor) || !text.empty()) return {};
    return out;
}

} // namespace

// Empty, for a name of another form, is the least.
bool is_older_version(std::string_view a, std::string_view b) { return parse(a) < parse(b); }

bool has_priority(std::string_view version, std::string_view over)
{
    const auto mine = parse(version), theirs = parse(over);
    return mine || theirs ? mine > theirs : version < over;
}

} // namespace kubecoro::detail
