#include <kubecoro/test/random_values.hpp>

#include <kubecoro/api/bytes.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdio>
#include <limits>

namespace kubecoro::test {

namespace json = boost::json;

std::string random_values::name()
{
    constexpr const char* names[] = {
        "a", "app.kubernetes.io/name", "b-1", "UPPER", "with space", "", "\xc3\xa9", "quo\"te", "c", "d", "tab\t", "e"};
    return one_in(3) ? "k" + std::to_string(below(1000)) : one_of(names);
}

std::string random_values::text()
{
    constexpr const char* texts[] = {"",
                                     "a",
                                     "web",
                                     "true",
                                     "null",
                                     "0",
                                     "1e3",
                                     " ",
                                     "10%",
                                     "<&>\"\\",
                                     "\n\r\t\b\f\x01\x7f",
                                     "\xe4\xb8\x96",
                                     "\xf0\x9f\x9a\x80"};
    if (one_in(2)) return one_of(texts);
    if (one_in(20)) return std::string(below(3000), 'x');
    std::string out(1 + below(12), 'a');
    for (char& c : out) c = static_cast<char>('!' + below('~' - '!'));
    return out;
}

json::value random_values::int32()
{
    using limits = std::numeric_limits<std::int32_t>;
    constexpr std::int32_t odd[] = {0, 1, -1, limits::max(), limits::min()};
    if (one_in(3)) return one_of(odd);
    return static_cast<std::int32_t>(random_());
}

json::value random_values::int64()
{
    using limits = std::numeric_limits<std::int64_t>;
    constexpr std::int64_t odd[] = {0, 1, -1, limits::max(), limits::min(), 4294967296};
    if (one_in(3)) return one_of(odd);
    return static_cast<std::int64_t>(random_()) >> below(64);
}

json::value random_values::real()
{
    constexpr double odd[] = {0, 0.1, -1.5, 1e-300, 1e300, 123456789.125, 5e-324};
    if (one_in(3)) return one_of(odd);
    if (one_in(3)) return static_cast<std::int64_t>(below(1000));
    return detail::next_unit(random_);
}

std::string random_values::base64()
{
    bytes out;
    for (std::size_t i = below(20); i > 0; --i) out.data += static_cast<char>(random_());
    return out.base64();
}

json::value random_values::quantity()
{
    constexpr const char* texts[] = {"0",    "1",    "100m", "1.5Gi", "1e3", "0.5",  "-1",        "12E",
                                     "64Mi", "100n", "+5",   "007",   "1E2", "1.50", "123456789", "0.000000001"};
    if (one_in(10)) return static_cast<std::int64_t>(below(100));
    if (one_in(3)) return json::value(std::to_string(below(100000)) + "Ki");
    return one_of(texts);
}

json::value random_values::int_or_string() { return one_in(2) ? int32() : json::value(text()); }

std::string random_values::date()
{
    char out[32] = {};
    const auto number = [this](unsigned from, unsigned to) {
        return from + static_cast<unsigned>(below(to - from + 1));
    };
    const unsigned year = one_in(10) ? number(1, 9999) : number(1990, 2040);
    std::snprintf(out, sizeof out, "%04u-%02u-%02uT%02u:%02u:%02u", year, number(1, 12), number(1, 28), number(0, 23),
                  number(0, 59), number(0, 59));
    return out;
}

std::string random_values::time()
{
    constexpr const char* ends[] = {"Z", "Z", "Z", "Z", "+02:00", "-07:30", ".5Z"};
    return date() + one_of(ends);
}

std::string random_values::micro_time()
{
    constexpr const char* ends[] = {"Z", "Z", "+02:00"};
    char fraction[16] = {};
    std::snprintf(fraction, sizeof fraction, ".%06u", static_cast<unsigned>(below(1000000)));
    return date() + fraction + one_of(ends);
}

std::string random_values::duration()
{
    constexpr const char* texts[] = {"0s", "1h0m0s", "1m0s", "1.5s", "90s", "-3ms", "1h", "250us", "12ns"};
    return one_of(texts);
}

json::value random_values::any(int depth)
{
    switch (below(depth > 0 ? 7 : 4)) {
    case 0:
        return one_in(2);
    case 1:
        return int64();
    case 2:
        return real();
    case 3:
    case 4:
        return json::value(text());
    case 5: {
        json::array out;
        for (std::size_t i = below(4); i > 0; --i) out.push_back(one_in(8) ? json::value() : any(depth - 1));
        return out;
    }
    default: {
        json::object out;
        for (std::size_t i = below(4); i > 0; --i) out[name()] = one_in(8) ? json::value() : any(depth - 1);
        return out;
    }
    }
}

} // namespace kubecoro::test
