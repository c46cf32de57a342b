// When the bytes of a watch gather before they are read: the decision, and the watch that follows it.
#include "rest_fixture.hpp"

#include "connect/socket_stream.hpp"

#include <kubecoro/api/detail/decoders.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::rest_test;
using namespace std::chrono_literals;
using kubecoro::detail::watch_pace;

namespace {

watch_event own()
{
    watch_event e;
    e.type = watch_event_type::modified;
    e.obj = decode_object(pod("mine")).value();
    return e;
}

watch_event of_others()
{
    watch_event e;
    e.type = watch_event_type::modified;
    e.passed_over = "7";
    return e;
}

watch_event live()
{
    watch_event e;
    e.type = watch_event_type::bookmark;
    e.obj = decode_object(R"({"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"9",)"
                          R"("annotations":{"k8s.io/initial-events-end":"true"}}})")
                .value();
    REQUIRE(e.ends_initial_events());
    return e;
}

/// Wants the pods of one name.
struct named final : detail::selecting_objects
{
    object find(object_key_view, std::string_view, std::string_view) const override { return {}; }
    bool wants(object_key_view key) const noexcept override { return key.name == "mine"; }
};

std::string event_of(const std::string& name, int version)
{
    return R"({"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name +
           R"(","namespace":"web","resourceVersion":")" + std::to_string(version) + R"("}}})" + "\n";
}

} // namespace

TEST_CASE("watch pace: events of others that come fast gather", "[client][watch]")
{
    watch_pace pace(false);
    CHECK_FALSE(pace.gathers());
    SECTION("not the first one after a while")
    {
        pace.after({of_others()}, 1ms);
        CHECK_FALSE(pace.gathers());
    }
    SECTION("beside its own, too")
    {
        pace.after({own(), of_others(), own()}, 999us);
        CHECK(pace.gathers());
    }
    SECTION("as long as they do, although each read then takes a millisecond")
    {
        pace.after({of_others()}, 10us);
        for (int i = 0; i < 3; ++i) {
            pace.after({of_others()}, 1'900us);
            CHECK(pace.gathers());
        }
        pace.after({of_others()}, 2ms);
        CHECK_FALSE(pace.gathers());
    }
    SECTION("until a read finds none of others")
    {
        pace.after({of_others()}, 10us);
        pace.after({own()}, 1ms);
        CHECK_FALSE(pace.gathers());
    }
}

TEST_CASE("watch pace: events of its own never gather", "[client][watch]")
{
    watch_pace pace(false);
    pace.after({own(), own()}, 0us);
    CHECK_FALSE(pace.gathers());
}

TEST_CASE("watch pace: existing objects gather until all have come, however slowly", "[client][watch]")
{
    watch_pace pace(true);
    CHECK(pace.gathers());
    pace.after({own()}, 1min);
    CHECK(pace.gathers());
    pace.after({own(), live()}, 1ms);
    CHECK_FALSE(pace.gathers());
    pace.after({own()}, 10us);
    CHECK_FALSE(pace.gathers());
}

TEST_CASE("client: a watch reads in bulk while events of others come fast", "[client][watch]")
{
    world the;
    the.net->replies = {
        {.body = {event_of("other", 6), event_of("other", 7), event_of("mine", 8), event_of("mine", 9)}}};
    const std::shared_ptr<source_provider> provider = the.make();
    source_scope scope;
    scope.ns = "web";
    scope.known = std::make_shared<named>();
    const auto source = provider->open(pods, scope);
    auto opened = the.run.run(source->watch(watch_options()));
    REQUIRE(opened);
    const auto stream = std::move(*opened);
    const auto hints = [&] { return *the.net->bulk_hints; };
    CHECK(hints() == std::vector{false});
    for (int i = 0; i < 2; ++i) {
        CHECK(the.run.run(stream->next()).value().at(0).passed_over);
        CHECK(hints() == std::vector{false, true});
    }
    for (int i = 0; i < 2; ++i) {
        CHECK(the.run.run(stream->next()).value().at(0).obj.name() == "mine");
        CHECK(hints() == std::vector{false, true, false});
    }
    CHECK(the.run.run(stream->next()).value().empty());
}
