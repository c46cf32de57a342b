// Texts of times, durations, numbers and bytes, compared with what Go writes.
#include "text/go_text.hpp"

#include <kubecoro/test/catch.hpp>

#include <cmath>
#include <limits>

using namespace kubecoro::detail;

namespace {

// One writer for all times, as in a reader of objects.
time_texts& times()
{
    static time_texts one;
    return one;
}

std::string time_text(std::int64_t seconds) { return std::string(times().time(seconds)); }

std::string micro_time_text(std::int64_t seconds, std::int32_t nanos)
{
    return std::string(times().micro_time(seconds, nanos));
}

} // namespace

TEST_CASE("go text: times", "[protobuf]")
{
    CHECK(time_text(0) == "1970-01-01T00:00:00Z");
    CHECK(time_text(-1) == "1969-12-31T23:59:59Z");
    CHECK(time_text(1709164800) == "2024-02-29T00:00:00Z");
    CHECK(time_text(no_time_seconds) == "0001-01-01T00:00:00Z");
    CHECK(time_text(no_time_seconds - 1) == "0000-12-31T23:59:59Z");
    CHECK(time_text(253402300799) == "9999-12-31T23:59:59Z");
    CHECK(time_text(253402351199) == "10000-01-01T13:59:59Z");
    CHECK(time_text(-62198755200) == "-0001-01-01T00:00:00Z");
    CHECK(time_text(std::int64_t{1} << 60) == "36534630048-05-13T13:56:16Z");
    CHECK(time_text(std::numeric_limits<std::int64_t>::max()) == "292277026596-12-04T15:30:07Z");
    CHECK(time_text(std::numeric_limits<std::int64_t>::min()) == "-292277022657-01-27T08:29:52Z");
    CHECK(micro_time_text(1, 5'000) == "1970-01-01T00:00:01.000005Z");
    CHECK(micro_time_text(1, 999'999'999) == "1970-01-01T00:00:01.999999Z");
    CHECK(micro_time_text(1, 1'000'001'000) == "1970-01-01T00:00:02.000001Z");
    CHECK(micro_time_text(1, -1) == "1970-01-01T00:00:00.999999Z");
}

TEST_CASE("go text: durations", "[protobuf]")
{
    CHECK(duration_text(0) == "0s");
    CHECK(duration_text(1) == "1ns");
    CHECK(duration_text(1'500) == "1.5\u00b5s");
    CHECK(duration_text(300'000'000) == "300ms");
    CHECK(duration_text(1'000'001) == "1.000001ms");
    CHECK(duration_text(1'500'000'000) == "1.5s");
    CHECK(duration_text(3'600'000'000'000) == "1h0m0s");
    CHECK(duration_text(-61'000'000'000) == "-1m1s");
    CHECK(duration_text(std::numeric_limits<std::int64_t>::min()) == "-2562047h47m16.854775808s");
}

TEST_CASE("go text: floating point numbers", "[protobuf]")
{
    CHECK(real_text(0) == "0");
    CHECK(real_text(-0.0) == "-0");
    CHECK(real_text(0.1) == "0.1");
    CHECK(real_text(100) == "100");
    CHECK(real_text(1e-6) == "0.000001");
    CHECK(real_text(1e-7) == "1e-7");
    CHECK(real_text(1.5e-10) == "1.5e-10");
    CHECK(real_text(1e20) == "100000000000000000000");
    CHECK(real_text(1e21) == "1e+21");
    CHECK(real_text(9223372036854775807.0) == "9223372036854776000");
    CHECK(real_text(-1.2345678901234567e18) == "-1234567890123456800");
    CHECK(real_text(18446744073709551615.0) == "18446744073709552000");
    CHECK(real_text(123456.789) == "123456.789");
    CHECK(real_text(0.00012) == "0.00012");
    CHECK(real_text(5e-324) == "5e-324");
    CHECK(real_text(std::numeric_limits<double>::max()) == "1.7976931348623157e+308");
    CHECK_FALSE(real_text(std::nan("")));
    CHECK_FALSE(real_text(-std::numeric_limits<double>::infinity()));
}

TEST_CASE("go text: base64", "[protobuf]")
{
    const auto base64 = [](std::string_view bytes) {
        std::string out;
        append_base64(out, bytes);
        return out;
    };
    CHECK(base64("").empty());
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foo") == "Zm9v");
    CHECK(base64("\xff\xfe\xfd\xfc") == "//79/A==");
}

TEST_CASE("go text: UTF-8 at every length and in every place", "[protobuf]")
{
    for (const std::string_view good : {"a", "\u00e9", "\u20ac", "\U0001f600", "\ud7ff", "\ue000", "\U0010ffff"})
        for (std::size_t before = 0; before < 20; ++before) {
            const std::string text = std::string(before, 'x') + std::string(good) + "tail";
            CHECK(is_utf8(text));
        }
    // A lone continuation, overlong forms, a surrogate, too large, cut.
    for (const std::string_view bad :
         {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80",
          "\xf5", "\xc3", "\xe2\x82", "\xf0\x9f\x98"})
        for (std::size_t before = 0; before < 20; ++before) {
            const std::string prefix(before, 'x');
            CHECK_FALSE(is_utf8(prefix + std::string(bad)));
            std::string out;
            append_valid_utf8(out, prefix + std::string(bad) + "z");
            std::string expected = prefix;
            for (std::size_t i = 0; i < bad.size(); ++i) expected += "\ufffd";
            CHECK(out == expected + "z");
        }
}
