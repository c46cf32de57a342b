#include <kubecoro/base/tracer.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/recording_spans.hpp>

#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

using namespace kubecoro;
using namespace std::chrono_literals;
namespace kt = kubecoro::testing;

namespace {

struct traced
{
    kt::runner run;
    std::shared_ptr<kt::recording_spans> spans = std::make_shared<kt::recording_spans>();
    tracer subject{spans, {.time = run.shared_clock(), .seed = 7}};
};

struct throwing final : span_sink
{
    int calls = 0;
    void ended(const span_data& /*s*/) override
    {
        ++calls;
        throw std::runtime_error("the collector is away");
    }
};

} // namespace

TEST_CASE("tracer: a span has its name, attributes, links, start and duration, and is recorded at its end",
          "[base][trace]")
{
    traced t;
    const trace_context other{.trace_low = 1, .span = 2, .sampled = true};
    const auto begun = t.run.clock().wall_now();
    {
        auto s = t.subject.start("work", {.kind = span_kind::consumer});
        REQUIRE(s);
        s.set("text", "a");
        s.set("number", 3);
        s.set("ratio", 0.5);
        s.set("flag", true);
        s.link(other);
        s.link({});
        s.leave_out_links(4);
        s.fail(cond::conflict);
        t.run.advance(3s);
        CHECK(t.spans->all().empty());
    }
    const auto all = t.spans->all();
    REQUIRE(all.size() == 1);
    const auto& s = all[0];
    CHECK(s.name == "work");
    CHECK(s.kind == span_kind::consumer);
    CHECK(s.parent == 0);
    CHECK(s.start == begun);
    CHECK(s.took == 3s);
    CHECK(kt::attribute(s, "text") == "a");
    CHECK(kt::attribute(s, "number") == "3");
    CHECK(kt::attribute(s, "ratio") == "0.5");
    CHECK(kt::attribute(s, "flag") == "true");
    CHECK(kt::attribute(s, "other").empty());
    CHECK(s.links == std::vector{other});
    CHECK(s.links_left_out == 4);
    CHECK(s.error == "conflict");
}

TEST_CASE("tracer: long texts are cut between two characters", "[base][trace]")
{
    traced t;
    const std::string umlaut = "\u00fc";
    {
        auto s = t.subject.start("work");
        s.set("fits", std::string(1024, 'a'));
        s.set("long", std::string(1025, 'a'));
        s.set("split", std::string(1023, 'a') + umlaut + umlaut);
        s.set("whole", std::string(1022, 'a') + umlaut + umlaut);
    }
    const auto s = t.spans->all().at(0);
    CHECK(kt::attribute(s, "fits").size() == 1024);
    CHECK(kt::attribute(s, "long").size() == 1024);
    CHECK(kt::attribute(s, "split") == std::string(1023, 'a'));
    CHECK(kt::attribute(s, "whole") == std::string(1022, 'a') + umlaut);
}

TEST_CASE("tracer: a part is in its parent's trace and names it", "[base][trace]")
{
    traced t;
    auto whole = t.subject.start("whole");
    auto part = whole.part("part", span_kind::client);
    CHECK(part.context().trace_text() == whole.context().trace_text());
    CHECK(part.context().span != whole.context().span);
    part.end();
    part.end();
    REQUIRE(t.spans->all().size() == 1);
    CHECK(t.spans->all()[0].parent == whole.context().span);
    CHECK(t.spans->all()[0].kind == span_kind::client);
    whole.end();
    CHECK_FALSE(whole.part("late"));
    CHECK(t.spans->all().size() == 2);
}

TEST_CASE("tracer: a span may have begun before, with an identity that was given away", "[base][trace]")
{
    traced t;
    const auto begun = t.run.clock().now();
    const auto wall = t.run.clock().wall_now();
    const auto as = t.subject.identify();
    t.run.advance(2s);
    t.subject.start("event", {.identity = as, .begun = begun}).end();
    REQUIRE(t.spans->all().size() == 1);
    CHECK(t.spans->all()[0].context == as);
    CHECK(t.spans->all()[0].start == wall);
    CHECK(t.spans->all()[0].took == 2s);
}

TEST_CASE("tracer: ids are unique, repeatable by a seed, and else unpredictable", "[base][trace]")
{
    traced t;
    std::set<std::uint64_t> ids;
    for (int n = 0; n < 1000; ++n) ids.insert(t.subject.identify().span);
    CHECK(ids.size() == 1000);
    CHECK(ids.count(0) == 0);
    const tracer same(t.spans, {.seed = 7});
    CHECK(same.identify() == traced().subject.identify());
    CHECK(tracer(t.spans).identify() != tracer(t.spans).identify());
}

TEST_CASE("tracer: a share of the traces is recorded, with all their parts", "[base][trace]")
{
    traced t;
    const tracer some(t.spans, {.sample = 0.25, .time = t.run.shared_clock(), .seed = 3});
    for (int n = 0; n < 1000; ++n) {
        auto s = some.start("whole");
        s.part("part").end();
    }
    const auto wholes = t.spans->named("whole").size();
    CHECK(wholes > 150);
    CHECK(wholes < 350);
    CHECK(t.spans->named("part").size() == wholes);
    const tracer none(t.spans, {.sample = 0, .seed = 3});
    CHECK_FALSE(none.start("whole"));
}

TEST_CASE("tracer: without a sink there are ids, which say that nothing is recorded", "[base][trace]")
{
    const auto ids = tracer::ids_only({.seed = 1});
    auto s = ids.start("work");
    REQUIRE(s);
    s.set("a", "b");
    CHECK(s.context());
    CHECK_FALSE(s.context().sampled);
    CHECK_FALSE(s.part("part").context().sampled);
    s.end();
    CHECK_FALSE(s);
}

TEST_CASE("tracer: the default one makes nothing", "[base][trace]")
{
    const tracer none;
    CHECK_FALSE(none);
    CHECK_FALSE(none.draw());
    CHECK_FALSE(none.identify());
    auto s = none.start("work");
    CHECK_FALSE(s);
    s.set("a", 1);
    s.link({.trace_low = 1, .span = 1});
    s.fail("x");
    CHECK_FALSE(s.part("part"));
    CHECK_FALSE(s.context());
    s.end();
}

TEST_CASE("tracer: an exception of the sink harms nothing, and a moved span ends once", "[base][trace]")
{
    const auto sink = std::make_shared<throwing>();
    const tracer subject(sink);
    auto first = subject.start("first");
    auto second = std::move(first);
    second = subject.start("third");
    CHECK(sink->calls == 1);
    second.end();
    CHECK(sink->calls == 2);
}
