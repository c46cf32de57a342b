// The value types by themselves: texts that are kept, conversions, limits, laws of arithmetic.
#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/go_duration.hpp>
#include <kubecoro/api/int_or_string.hpp>
#include <kubecoro/api/quantity.hpp>
#include <kubecoro/api/timestamp.hpp>
#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>

#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>

using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

using limits = std::numeric_limits<std::int64_t>;

quantity parsed(std::string_view text)
{
    auto q = quantity::parse(text);
    REQUIRE(q);
    return *std::move(q);
}

/// Quantities of every form and size, small ones more often.
rc::Gen<quantity> any_quantity()
{
    const auto suffix =
        rc::gen::element<std::string>("", "n", "u", "m", "k", "M", "E", "Ki", "Mi", "Gi", "Ei", "e3", "e-5", "e30");
    const auto number =
        rc::gen::oneOf(rc::gen::arbitrary<std::int64_t>(), rc::gen::cast<std::int64_t>(rc::gen::inRange(-2000, 2000)));
    const auto fraction = rc::gen::element<std::string>("", "", "", ".5", ".123456789", ".000000001", ".0000000000001");
    return rc::gen::map(rc::gen::tuple(number, fraction, suffix), [](const auto& parts) {
        const auto& [n, f, s] = parts;
        return *quantity::parse(std::to_string(n) + f + s);
    });
}

template<class T>
concept multiplies = requires(quantity q, T factor) { q *= factor; };
template<class T>
concept counts = requires(T number) { quantity::of(number); };

template<class Property>
void check_law(const char* law, Property property)
{
    INFO(law);
    CHECK(rc::check(law, property));
}

} // namespace

TEST_CASE("quantity: the text stays until the quantity changes", "[api][values]")
{
    for (const auto* text : {"1000m", "+1", "0.5", "1.500", "1024Mi", "1e3", "-0",
                             "100000000000000000000000000000000000000000001", "1.5Gi", "9Ei"}) {
        INFO(text);
        auto q = parsed(text);
        CHECK(q.text() == text);
        const auto copy = q;
        CHECK(copy.text() == text);
        q += quantity();
        CHECK(q.text() == q.canonical());
        CHECK(q == copy);
    }
    auto cpu = parsed("1000m");
    cpu += parsed("0.5");
    CHECK(cpu.text() == "1500m");
    CHECK((-parsed("1000m")).text() == "-1");
    CHECK((parsed("0.50") * 3).text() == "1500m");
}

TEST_CASE("quantity: made from numbers", "[api][values]")
{
    CHECK(quantity().text() == "0");
    CHECK(quantity::of(2).text() == "2");
    CHECK(quantity::of(5000).text() == "5k");
    CHECK(quantity::of(limits::min()).text() == "-9223372036854775808");
    CHECK(quantity::of(std::numeric_limits<std::uint64_t>::max()).text() == "18446744073709551615");
    CHECK(quantity::milli(250).text() == "250m");
    CHECK(quantity::milli(-1500).text() == "-1500m");
    CHECK(quantity::milli(2000).text() == "2");
    CHECK(quantity::milli(limits::min()).text() == "-9223372036854775808m");
    CHECK(quantity::milli(std::numeric_limits<std::uint64_t>::max()).text() == "18446744073709551615m");
    CHECK(quantity::bytes(64 << 20).text() == "64Mi");
    CHECK(quantity::bytes(1000).text() == "1k");
    CHECK(quantity::bytes(sizeof(int)).text() == "4");
    CHECK("250m"_quantity == quantity::milli(250));
    CHECK("0.5Gi"_quantity.text() == "0.5Gi");
}

TEST_CASE("quantity: no other type becomes one by chance", "[api][values]")
{
    STATIC_REQUIRE_FALSE(std::is_convertible_v<const char*, quantity>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<std::string, quantity>);
    STATIC_REQUIRE_FALSE(std::is_constructible_v<quantity, const char*>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<double, quantity>);
    STATIC_REQUIRE(multiplies<int>);
    STATIC_REQUIRE_FALSE(multiplies<double>);
    STATIC_REQUIRE(counts<std::size_t>);
    STATIC_REQUIRE_FALSE(counts<double>);
    STATIC_REQUIRE_FALSE(counts<char>);
    STATIC_REQUIRE_FALSE(counts<bool>);
    STATIC_REQUIRE(detail::is_quantity("1.5Gi"));
    STATIC_REQUIRE_FALSE(detail::is_quantity("1.5gi"));
}

TEST_CASE("quantity: a wrong text is named in the failure", "[api][values]")
{
    const auto failed = quantity::parse("12 apples");
    REQUIRE_FALSE(failed);
    CHECK(failed.error() == cond::invalid);
    CHECK(failed.error().message() == "expected a quantity such as 250m or 64Mi, got '12 apples'");
    CHECK(quantity::parse(std::string(100'000, 'x')).error().message().size() < 150);
}

TEST_CASE("quantity: hostile texts are refused at once", "[api][values]")
{
    CHECK_FALSE(quantity::parse("1e-1000000000"));
    CHECK_FALSE(quantity::parse("1e1000000000"));
    CHECK_FALSE(quantity::parse("1e" + std::string(200, '9')));
    CHECK_FALSE(quantity::parse("1e-" + std::string(200, '9')));
    CHECK_FALSE(quantity::parse("1e257"));
    CHECK_FALSE(quantity::parse("1e-257"));
    CHECK(parsed("1e256").text() == "1e256");
    CHECK(parsed(parsed("1000e256").canonical()) == parsed("1000e256"));
    CHECK(parsed("1e-256").canonical() == "1e-9");
    CHECK_FALSE(quantity::parse(std::string(10'000, '9')));
    CHECK_FALSE(quantity::parse(std::string(257, '0')));
    const std::string longest(256, '9');
    CHECK(parsed(longest).canonical() == longest);
    CHECK(parsed(longest) + quantity::of(1) == parsed("1e256"));
    CHECK((parsed("1e256") + "1n"_quantity).text().size() == std::string_view("e-9").size() + 266);
}

TEST_CASE("quantity: numbers beyond 64 bits give the nearest limit", "[api][values]")
{
    CHECK(parsed("1e30").value() == limits::max());
    CHECK(parsed("-1e30").value() == limits::min());
    CHECK(parsed("-9223372036854775808").value() == limits::min());
    CHECK(parsed("9223372036854775807.5").value() == limits::max());
    CHECK(quantity::of(limits::max()).milli_value() == limits::max());
    CHECK(parsed("1e30").scaled_value(15) == 1'000'000'000'000'000);
    CHECK(parsed("1n").scaled_value(1000) == 1);
    CHECK(parsed("-1n").scaled_value(std::numeric_limits<int>::max()) == -1);
    CHECK(parsed("1").scaled_value(std::numeric_limits<int>::min()) == limits::max());
    CHECK(quantity().scaled_value(std::numeric_limits<int>::min()) == 0);
}

TEST_CASE("quantity: as a double it is the nearest one", "[api][values]")
{
    CHECK(parsed("0.1").as_double() == 0.1);
    CHECK(parsed("-2.5").as_double() == -2.5);
    CHECK(parsed("1n").as_double() == 1e-9);
    CHECK(parsed("9007199254740993").as_double() == 9007199254740992.0);
    CHECK(parsed("1e100").as_double() == 1e100);
    CHECK(quantity().as_double() == 0);
    auto huge = parsed("1e256");
    huge *= 10;
    for (int i = 0; i < 60; ++i) huge *= 10;
    CHECK(huge.as_double() == std::numeric_limits<double>::infinity());
    CHECK((-huge).as_double() == -std::numeric_limits<double>::infinity());
    CHECK(huge.text() == "1" + std::string(62, '0') + "e255");
}

TEST_CASE("quantity: a zero takes the form of the other one", "[api][values]")
{
    CHECK((quantity() + "1024Mi"_quantity).text() == "1Gi");
    CHECK((quantity() - "1e3"_quantity).text() == "-1e3");
    CHECK(("1024"_quantity + "1024Mi"_quantity).text() == "1073742848");
    CHECK(("1Gi"_quantity - "1Gi"_quantity + "1k"_quantity).format() == quantity_format::decimal_si);
    auto q = "1Gi"_quantity;
    q -= "1024Mi"_quantity;
    CHECK(q.is_zero());
    CHECK(q.text() == "0");
}

TEST_CASE("quantity: a binary fraction below 1, and a binary number that 1024 does not divide, have no binary suffix",
          "[api][values]")
{
    CHECK(("0.0005Ki"_quantity * 1'000'000).text() == "512k");
    CHECK(("-0.0005Ki"_quantity * 1'000'000).text() == "-512k");
    CHECK(("1.5Ki"_quantity * 1'000'000).text() == "1500000Ki");
    CHECK("0Ki"_quantity.format() == quantity_format::binary_si);
    CHECK("1953.125Ki"_quantity.canonical() == "2000000");
    CHECK("2000000"_quantity.canonical() == "2M");
}

TEST_CASE("quantity: the laws of arithmetic", "[api][values]")
{
    check_law("addition", [] {
        const auto a = *any_quantity(), b = *any_quantity(), c = *any_quantity();
        RC_ASSERT(a + b == b + a);
        RC_ASSERT((a + b) + c == a + (b + c));
        RC_ASSERT(a - b == -(b - a));
        RC_ASSERT((a + b) - b == a);
        RC_ASSERT((a - a).is_zero());
    });
    check_law("multiplication", [] {
        const auto a = *any_quantity(), b = *any_quantity();
        const auto n = *rc::gen::arbitrary<std::int64_t>();
        RC_ASSERT((a + b) * n == a * n + b * n);
        RC_ASSERT(a * 3 == a + a + a);
        RC_ASSERT(a * -1 == -a);
        RC_ASSERT(2u * a == a + a);
    });
    check_law("order", [] {
        const auto a = *any_quantity(), b = *any_quantity(), c = *any_quantity();
        RC_ASSERT((a <=> b) == (0 <=> (b <=> a)));
        RC_ASSERT((a < b) == ((a - b).sign() < 0));
        RC_ASSERT((a < b) == (a + c < b + c));
        RC_ASSERT((a == b) == (a - b).is_zero());
    });
    check_law("texts", [] {
        const auto a = *any_quantity();
        RC_ASSERT(parsed(a.text()) == a);
        const auto again = parsed(a.canonical());
        RC_ASSERT(again == a);
        // A binary number without a suffix is read as a decimal one: 1953.125Ki, 2000000, 2M, as in Go.
        RC_ASSERT(again.format() != a.format() || again.canonical() == a.canonical());
        RC_ASSERT((-a).text() == (a.sign() <= 0 ? (-a).canonical() : "-" + a.canonical()));
    });
}

TEST_CASE("quantity: usual ones do not allocate", "[api][values]")
{
    const auto before = test::allocations_so_far().calls;
    quantity total;
    for (const auto* text : {"250m", "1.5", "2", "100m"}) total += *quantity::parse(text);
    total *= 3;
    const bool enough = total < "12"_quantity;
    const auto memory = "64Mi"_quantity + quantity::bytes(1 << 30);
    const auto text = memory.text();
    const auto after = test::allocations_so_far().calls;
    CHECK(after == before);
    CHECK(enough);
    CHECK(text == "1088Mi");
}

TEST_CASE("quantity: numbers of any size are read and rounded alike", "[api][values]")
{
    // A number of few digits is read without the arithmetic of large ones: beyond 18 digits zeros make the same number large.
    const auto large = [](const std::string& text) {
        const bool has_sign = text.front() == '-';
        return parsed(std::string(has_sign ? "-" : "") + std::string(20, '0') + text.substr(has_sign ? 1 : 0));
    };
    for (const char* number :
         {"0", "1", "-1", "15", "1.5", "-0.001", "250", "1000", "9223372036", "999999999999999999"})
        for (const char* suffix : {"", "n", "u", "m", "k", "E", "Ki", "Gi", "Ei", "e3", "e-9", "e-10", "e200"}) {
            const auto text = std::string(number) + suffix;
            INFO(text);
            const auto q = parsed(text);
            const auto expected = large(text);
            CHECK(q == expected);
            CHECK(q.canonical() == expected.canonical());
            CHECK(q.format() == expected.format());
            CHECK(q.sign() == expected.sign());
            for (const int power : {-12, -3, 0, 2, 18, 300})
                CHECK(q.scaled_value(power) == expected.scaled_value(power));
        }
    CHECK(parsed("1n").scaled_value(0) == 1);
    CHECK(parsed("-1n").scaled_value(0) == -1);
    CHECK(parsed("-1500m").value() == -2);
    CHECK(parsed("2000m").value() == 2);
}

TEST_CASE("quantity: one that was moved from can be used", "[api][values]")
{
    auto from = parsed(std::string(100, '7'));
    const auto to = std::move(from);
    CHECK(to.text().size() == 100);
    CHECK_FALSE(from.text().empty());
    from = "1"_quantity;
    CHECK(from.text() == "1");
}

TEST_CASE("timestamp: converts from and to the standard library's times", "[api][values]")
{
    using namespace std::chrono;
    const timestamp t = sys_days{2026y / 1 / 31} + 12h;
    CHECK(t.text() == "2026-01-31T12:00:00Z");
    const sys_seconds back = t;
    CHECK(back == sys_days{2026y / 1 / 31} + 12h);
    CHECK(timestamp(sys_days{1970y / 1 / 1} - 1ns).text() == "1969-12-31T23:59:59Z");
    CHECK(micro_timestamp(sys_days{1970y / 1 / 1} - 1ns).text() == "1969-12-31T23:59:59.999999Z");
    const micro_timestamp m = sys_days{2026y / 1 / 31} + 1500us;
    CHECK(m.text() == "2026-01-31T00:00:00.001500Z");
    CHECK(timestamp(m.time()).text() == "2026-01-31T00:00:00Z");
    const timestamp now = system_clock::now();
    CHECK(timestamp::parse(now.text())->time() == now.time());
    CHECK(timestamp(sys_days{9999y / 12 / 31}).text() == "9999-12-31T00:00:00Z");
}

TEST_CASE("timestamp: no time is the first second of the year 1", "[api][values]")
{
    CHECK(timestamp().is_zero());
    CHECK(timestamp().text() == "0001-01-01T00:00:00Z");
    CHECK(micro_timestamp().text() == "0001-01-01T00:00:00.000000Z");
    CHECK(timestamp::parse("0001-01-01T00:00:00Z")->is_zero());
    CHECK_FALSE(timestamp::parse("1970-01-01T00:00:00Z")->is_zero());
}

TEST_CASE("timestamp: the text stays, and points in time are compared", "[api][values]")
{
    const auto in_paris = *timestamp::parse("2026-01-31T13:00:00.25+01:00");
    const auto in_utc = *timestamp::parse("2026-01-31T12:00:00Z");
    CHECK(in_paris.text() == "2026-01-31T13:00:00.25+01:00");
    CHECK(in_paris.canonical() == "2026-01-31T12:00:00Z");
    for (const char* other : {"2026-01-31T1:00:00Z", "2026-01-31T1:00:00.5Z", "2026-01-31T01:00:00+00:00"}) {
        INFO(other);
        CHECK(timestamp::parse(other)->text() == other);
        CHECK(timestamp::parse(other)->canonical() == "2026-01-31T01:00:00Z");
    }
    CHECK(in_paris == in_utc);
    CHECK(in_utc < timestamp(in_utc.time() + 1s));
    CHECK((in_utc.time() + 90s + 999ms) - in_utc == 90s);
    CHECK(in_utc - (in_utc.time() + 1min) == -1min);
    CHECK(std::chrono::system_clock::now() - timestamp() >
          std::chrono::years{2020}); // which nanoseconds could not hold
    const auto failed = timestamp::parse("yesterday");
    CHECK(failed.error() == cond::invalid);
    CHECK(failed.error().message() == "expected a time in RFC 3339, got 'yesterday'");
    STATIC_REQUIRE_FALSE(std::is_convertible_v<const char*, timestamp>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<std::int64_t, timestamp>);
}

TEST_CASE("go_duration: converts from and to the standard library's durations", "[api][values]")
{
    const go_duration d = 90min;
    CHECK(d.text() == "1h30m0s");
    const std::chrono::nanoseconds length = d;
    CHECK(length == 90min);
    CHECK(go_duration().text() == "0s");
    CHECK(go_duration::parse("90m")->text() == "90m");
    CHECK(go_duration::parse("90m")->canonical() == "1h30m0s");
    CHECK(*go_duration::parse("90m") == d);
    CHECK(d > go_duration(1s));
    CHECK(go_duration::parse("1 hour").error().message() == "expected a duration such as 1h30m, got '1 hour'");
    STATIC_REQUIRE_FALSE(std::is_convertible_v<const char*, go_duration>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<int, go_duration>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<std::chrono::duration<double>, go_duration>);
    check_law("texts", [] {
        const go_duration any = std::chrono::nanoseconds(*rc::gen::resize(1000, rc::gen::arbitrary<std::int64_t>()));
        RC_ASSERT(*go_duration::parse(any.text()) == any);
    });
}

TEST_CASE("int_or_string: numbers and texts stay apart", "[api][values]")
{
    const int_or_string port = 80;
    const int_or_string name = "http";
    const int_or_string digits = "80";
    REQUIRE(port.if_number());
    CHECK(*port.if_number() == 80);
    CHECK(port.if_text() == nullptr);
    REQUIRE(name.if_text());
    CHECK(*name.if_text() == "http");
    CHECK_FALSE(digits.is_number());
    CHECK_FALSE(digits == port);
    CHECK(digits.to_string() == port.to_string());
    CHECK(int_or_string::parse("80") == port);
    CHECK(int_or_string::parse("2147483648") == int_or_string("2147483648"));
    CHECK(int_or_string() == int_or_string(0));
    CHECK(int_or_string(std::uint16_t{65535}).to_string() == "65535");
    STATIC_REQUIRE_FALSE(std::is_convertible_v<std::int64_t, int_or_string>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<std::uint32_t, int_or_string>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<double, int_or_string>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<bool, int_or_string>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<char, int_or_string>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<std::nullptr_t, int_or_string>);
}

TEST_CASE("int_or_string: a share of a total", "[api][values]")
{
    CHECK(*int_or_string("25%").scaled(10, rounding::up) == 3);
    CHECK(*int_or_string("25%").scaled(10, rounding::down) == 2);
    CHECK(*int_or_string(25).scaled(10, rounding::up) == 25);
    CHECK(*int_or_string("-25%").scaled(10, rounding::up) == -2);
    CHECK(*int_or_string("-25%").scaled(10, rounding::down) == -3);
    const auto failed = int_or_string("25").scaled(10, rounding::up);
    CHECK(failed.error() == cond::invalid);
    CHECK(failed.error().message() == "expected a percentage such as 25%, got '25'");
    CHECK(int_or_string("9223372036854775807%").scaled(2, rounding::up).error() == cond::invalid);
    CHECK(*int_or_string("100%").scaled(limits::max() / 100, rounding::up) == limits::max() / 100);
}

TEST_CASE("values: a stream receives the text as it was read", "[api][values]")
{
    std::ostringstream out;
    out << parsed("0.25") << ' ' << quantity::milli(1500) << ' ' << int_or_string("25%") << ' ' << int_or_string(80)
        << ' ' << timestamp::parse("2026-01-31T13:00:00+01:00").value() << ' '
        << micro_timestamp::parse("2026-01-31T12:00:00.000001Z").value();
    CHECK(out.str() == "0.25 1500m 25% 80 2026-01-31T13:00:00+01:00 2026-01-31T12:00:00.000001Z");
}

TEST_CASE("base64: round trip, and nothing else is accepted", "[api][bytes]")
{
    for (const char* text : {"", "a", "ab", "abc", "abcd", "\xff\xfe"})
        CHECK(bytes::from_base64(bytes(text).base64()).value().data == text);
    CHECK(bytes("admin:pw").base64() == "YWRtaW46cHc=");
    CHECK(bytes::from_base64("YWRt\r\naW46\ncHc=").value().data == "admin:pw");
    for (const char* text :
         {"a", "ab", "abc", "=", "====", "a===", "YW=t", "YWR0=", "YW Jj", "YWJ*", " YWJj", "YQ==YQ=="})
        CHECK(bytes::from_base64(text).error() == cond::invalid);
}
