#include <kubecoro/base/tracer.hpp>
#include <kubecoro/test/catch.hpp>

#include <random>
#include <string>

using namespace kubecoro;

namespace {

// The example of the recommendation.
const std::string example = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

} // namespace

TEST_CASE("trace context: a traceparent is read and written", "[base][trace]")
{
    const auto read = trace_context::parse(example);
    REQUIRE(read);
    CHECK(read->trace_text() == "0af7651916cd43dd8448eb211c80319c");
    CHECK(read->span_text() == "b7ad6b7169203331");
    CHECK(read->sampled);
    CHECK(read->traceparent() == example);
    const auto off = trace_context::parse(example.substr(0, 53) + "00");
    REQUIRE(off);
    CHECK_FALSE(off->sampled);
    CHECK(off->traceparent() == example.substr(0, 53) + "00");
}

TEST_CASE("trace context: flags and versions that are not known yet are passed over", "[base][trace]")
{
    CHECK(trace_context::parse(example.substr(0, 53) + "03") == trace_context::parse(example));
    CHECK(trace_context::parse("01" + example.substr(2)) == trace_context::parse(example));
    CHECK(trace_context::parse("01" + example.substr(2) + "-more") == trace_context::parse(example));
    CHECK_FALSE(trace_context::parse("01" + example.substr(2) + "more"));
}

TEST_CASE("trace context: what is no traceparent is refused", "[base][trace]")
{
    CHECK_FALSE(trace_context::parse(""));
    CHECK_FALSE(trace_context::parse(example + "-more"));
    CHECK_FALSE(trace_context::parse(example.substr(0, 54)));
    CHECK_FALSE(trace_context::parse("ff" + example.substr(2)));
    CHECK_FALSE(trace_context::parse("0x" + example.substr(2)));
    CHECK_FALSE(trace_context::parse("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01"));
    CHECK_FALSE(trace_context::parse("00-00000000000000000000000000000000-b7ad6b7169203331-01"));
    CHECK_FALSE(trace_context::parse("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"));
    CHECK_FALSE(trace_context::parse("00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333g-01"));
    for (const std::size_t dash : {2, 35, 52}) {
        auto broken = example;
        broken[dash] = '_';
        CHECK_FALSE(trace_context::parse(broken));
    }
}

TEST_CASE("trace context: every context survives the header, and damaged ones are read or refused", "[base][trace]")
{
    std::mt19937_64 random(4);
    for (int n = 0; n < 2000; ++n) {
        CAPTURE(n);
        const trace_context one{.trace_high = random(), .trace_low = random(), .span = random(), .sampled = n % 2 == 0};
        auto text = one.traceparent();
        CHECK(trace_context::parse(text) == one);
        text[random() % text.size()] = static_cast<char>(random());
        text.resize(random() % 60);
        if (const auto read = trace_context::parse(text)) CHECK(trace_context::parse(read->traceparent()) == read);
    }
}

TEST_CASE("trace context: without a trace or a span it tests false", "[base][trace]")
{
    CHECK_FALSE(trace_context());
    CHECK_FALSE(trace_context{.trace_low = 1});
    CHECK_FALSE(trace_context{.span = 1});
    CHECK(trace_context{.trace_high = 1, .span = 1});
}
