#include "library/versions.hpp"

#include <kubecoro/api/detail/go_format.hpp>

#include <charconv>

namespace kubecoro::cel::detail {

namespace {

constexpr std::string_view digits = "0123456789";
constexpr std::string_view identifier = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789";

bool has_only(std::string_view text, std::string_view characters)
{
    return text.find_first_not_of(characters) == std::string_view::npos;
}

bool has_leading_zero(std::string_view text) { return text.size() > 1 && text[0] == '0'; }

std::optional<std::uint64_t> number_in(std::string_view text)
{
    std::uint64_t out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return out;
}

/// Cuts off what stands before a character.
std::string_view take_until(std::string_view& text, char mark)
{
    const auto out = text.substr(0, text.find(mark));
    text.remove_prefix(std::min(text.size(), out.size() + 1));
    return out;
}

/// A version, or the words of the server for why the text is none.
class version_parser
{
public:
    value parse(std::string_view text)
    {
        if (text.empty()) return make_error("Version string empty");
        const auto major = take_until(text, '.');
        const bool has_minor = text.find('.') != std::string_view::npos;
        const auto minor = take_until(text, '.');
        if (!has_minor) return make_error("No Major.Minor.Patch elements found");
        if (!number(major, 0, "Major") || !number(minor, 1, "Minor")) return failed_;
        std::optional<std::string_view> build;
        std::optional<std::string_view> prerelease;
        if (const auto plus = text.find('+'); plus != std::string_view::npos) {
            build = text.substr(plus + 1);
            text = text.substr(0, plus);
        }
        if (const auto dash = text.find('-'); dash != std::string_view::npos) {
            prerelease = text.substr(dash + 1);
            text = text.substr(0, dash);
        }
        if (!number(text, 2, "Patch")) return failed_;
        if (prerelease && !identifiers(*prerelease, true)) return failed_;
        if (build && !identifiers(*build, false)) return failed_;
        return make_opaque(out_);
    }

private:
    bool fail(std::string words)
    {
        failed_ = make_error(std::move(words));
        return false;
    }

    bool number(std::string_view text, std::size_t place, std::string_view name)
    {
        const auto quoted = kubecoro::detail::go_quoted(text);
        std::string lower(name);
        lower[0] = static_cast<char>(lower[0] - 'A' + 'a');
        if (!has_only(text, digits)) return fail("Invalid character(s) found in " + lower + " number " + quoted);
        if (has_leading_zero(text))
            return fail(std::string(name) + " number must not contain leading zeroes " + quoted);
        const auto found = number_in(text);
        if (!found)
            return fail("strconv.ParseUint: parsing " + quoted +
                        (text.empty() ? ": invalid syntax" : ": value out of range"));
        out_->numbers[place] = *found;
        return true;
    }

    bool identifiers(std::string_view text, bool is_prerelease)
    {
        for (bool more = true; more;) {
            more = text.find('.') != std::string_view::npos;
            const auto part = take_until(text, '.');
            const auto quoted = kubecoro::detail::go_quoted(part);
            if (part.empty()) return fail(is_prerelease ? "Prerelease is empty" : "Build meta data is empty");
            if (!has_only(part, identifier))
                return fail(std::string("Invalid character(s) found in ") +
                            (is_prerelease ? "prerelease " : "build meta data ") + quoted);
            if (is_prerelease && has_only(part, digits)) {
                if (has_leading_zero(part))
                    return fail("Numeric PreRelease version must not contain leading zeroes " + quoted);
                if (!number_in(part)) return fail("strconv.ParseUint: parsing " + quoted + ": value out of range");
            }
            (is_prerelease ? out_->prerelease : out_->build).emplace_back(part);
        }
        return true;
    }

    std::shared_ptr<semver_data> out_ = std::make_shared<semver_data>();
    value failed_;
};

/// `v1.2` as `1.2.0`. An error if it has no numbers left out that may be.
std::optional<std::string> normalized(std::string_view text)
{
    if (text.starts_with('v')) text.remove_prefix(1);
    std::vector<std::string> parts;
    for (int i = 0; i < 2 && text.find('.') != std::string_view::npos; ++i) parts.emplace_back(take_until(text, '.'));
    parts.emplace_back(text);
    for (auto& part : parts) {
        if (part.size() < 2) continue;
        part.erase(0, part.find_first_not_of('0'));
        if (part.empty() || digits.find(part[0]) == std::string_view::npos) part.insert(0, "0");
    }
    if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string::npos) return std::nullopt;
    while (parts.size() < 3) parts.emplace_back("0");
    return parts[0] + '.' + parts[1] + '.' + parts[2];
}

value version_of(arguments in)
{
    if (!in[0].is(value_type::string) || (in.size() > 1 && !in[1].is(value_type::boolean))) return no_such_overload();
    if (in.size() < 2 || !in[1].as_bool()) return version_parser().parse(in[0].as_string());
    const auto text = normalized(in[0].as_string());
    return text ? version_parser().parse(*text) : make_error("short version cannot contain PreRelease/Build meta data");
}

value make_version(resources&, arguments in) { return version_of(in); }

value is_version(resources&, arguments in)
{
    value made = version_of(in);
    return made.as_string() == "no such overload" ? made : value(!is_error(made));
}

value number_of(arguments in, std::size_t place)
{
    const auto* held = opaque_of(in[0], opaque_kind::semver);
    if (held == nullptr) return no_such_overload();
    return value::of_int(static_cast<std::int64_t>(static_cast<const semver_data*>(held)->numbers[place]));
}

value major(resources&, arguments in) { return number_of(in, 0); }
value minor(resources&, arguments in) { return number_of(in, 1); }
value patch(resources&, arguments in) { return number_of(in, 2); }

int sign_of(int number) noexcept { return number < 0 ? -1 : number > 0 ? 1 : 0; }

int compare_identifiers(const std::string& a, const std::string& b)
{
    const bool a_is_number = has_only(a, digits);
    const bool b_is_number = has_only(b, digits);
    if (a_is_number != b_is_number) return a_is_number ? -1 : 1;
    if (!a_is_number) return sign_of(a.compare(b));
    const auto x = number_in(a);
    const auto y = number_in(b);
    return x < y ? -1 : x > y ? 1 : 0;
}

constexpr function_entry semver_entries[] = {
    {"semver", make_version, call_cost::scan},
    {"isSemver", is_version, call_cost::scan},
    {"major", major},
    {"minor", minor},
    {"patch", patch},
};

} // namespace

std::optional<int> compare_versions(const value& left, const value& right)
{
    const auto* x = opaque_of(left, opaque_kind::semver);
    const auto* y = opaque_of(right, opaque_kind::semver);
    if (x == nullptr || y == nullptr) return std::nullopt;
    const auto& a = static_cast<const semver_data&>(*x);
    const auto& b = static_cast<const semver_data&>(*y);
    if (a.numbers != b.numbers) return a.numbers < b.numbers ? -1 : 1;
    if (a.prerelease.empty() != b.prerelease.empty()) return a.prerelease.empty() ? 1 : -1;
    for (std::size_t i = 0; i < std::min(a.prerelease.size(), b.prerelease.size()); ++i)
        if (const int found = compare_identifiers(a.prerelease[i], b.prerelease[i]); found != 0) return found;
    return a.prerelease.size() < b.prerelease.size() ? -1 : a.prerelease.size() > b.prerelease.size() ? 1 : 0;
}

function_table semver_functions() { return {semver_entries}; }

} // namespace kubecoro::cel::detail
