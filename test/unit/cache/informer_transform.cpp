// Tests of transforms before objects are stored, and of informers of a single object.

#include "informer_fixture.hpp"

#include "informer/object_transformer.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/api/detail/object_encoding.hpp>

#include <kubecoro/test/protobuf_bytes.hpp>

#include <new>
#include <set>
#include <stdexcept>
#include <utility>

using namespace informer_test;
using kubecoro::cond;
using kubecoro::failure;
using kubecoro::object;
using kubecoro::untyped::node;

namespace {

object reduced(const object& o)
{
    return *object::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + std::string(o.name()) +
                          R"(","namespace":")" + std::string(o.ns()) + R"(","uid":")" + std::string(o.uid()) +
                          R"(","resourceVersion":")" + std::string(o.resource_version()) +
                          R"("},"spec":{"short":true}})");
}

/// The transform throws when it first sees an object named b.
kubecoro::informer_options failing_once_for_b()
{
    kubecoro::informer_options o;
    o.transform = [fails = true](const object& obj) mutable {
        if (obj.name() == "b" && std::exchange(fails, false)) throw std::bad_alloc();
        return obj;
    };
    return o;
}

} // namespace

TEST_CASE("transform: its result is stored and delivered, once for each version", "[cache][transform]")
{
    fixture f;
    std::vector<std::string> called;
    kubecoro::informer_options o;
    o.transform = [&called](const object& obj) {
        called.push_back(fixture::text(obj));
        return reduced(obj);
    };
    auto pods = f.informers->get<pod>(o);
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "2")}, "5"));
    auto watch = f.source().on_watch();
    std::vector<bool> shorts;
    pods.add_event_handler({
        .on_add = [&](const kubecoro::added<object>& e) { shorts.push_back(e.obj["spec"]["short"].as_bool()); },
        .on_update = [&](const kubecoro::updated<object>& e) { shorts.push_back(e.after["spec"]["short"].as_bool()); },
        .on_delete = [&](const kubecoro::deleted<object>& e) { shorts.push_back(e.obj["spec"]["short"].as_bool()); },
    });
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    f.run.advance(10s);
    CHECK(std::exchange(called, {}) == lines{"web/a@1", "web/b@2"});
    const auto a = pods.lister().get("web", "a");
    CHECK(a["spec"]["short"].as_bool());

    watch.send({kt::modified(kt::make_pod("web", "a", "6")), kt::error_event(410, "Expired")});
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "6"), kt::make_pod("web", "b", "2")}, "8"));
    auto again = f.source().on_watch();
    f.run.advance(10s);
    CHECK(f.source().lists() == 2);
    CHECK(std::exchange(called, {}) == lines{"web/a@6"}); // no call for the relist
    again.send(kt::deleted(kt::make_pod("web", "b", "9")));
    f.settle();
    CHECK(called == lines{"web/b@9"});
    CHECK(shorts == std::vector<bool>(4, true));
    CHECK(pods.stats().transform_failures == 0);
}

TEST_CASE("transform: a tenant whose objects cannot be transformed does not fill the log", "[cache][transform]")
{
    fixture f;
    const auto renamed = *object::parse(R"({"kind":"Pod","metadata":{"name":"other"}})");
    kubecoro::detail::object_transformer transformer([&renamed](const object&) { return renamed; }, nullptr,
                                                     f.log.handle());
    const kubecoro::time_point now{};
    for (int i = 0; i < 1000; ++i) CHECK(transformer.apply(kt::make_pod("web", "a", std::to_string(i)), now));
    CHECK(transformer.failures() == 1000);
    CHECK(f.log.count("a transform failed") == 10);
}

TEST_CASE("transform: a failure leaves its object untransformed, and affects nothing else", "[cache][transform]")
{
    fixture f;
    kubecoro::informer_options o;
    o.transform = [](const object& obj) -> object {
        if (obj.name() == "throws") throw std::runtime_error("no idea");
        if (obj.name() == "nothing") return {};
        if (obj.name() == "renames") return *object::parse(R"({"kind":"Pod","metadata":{"name":"other"}})");
        if (obj.name() == "same") return obj;
        return reduced(obj);
    };
    auto pods = f.informers->get<pod>(o);
    f.source().on_list(kt::make_page({kt::make_pod("web", "throws", "1"), kt::make_pod("web", "nothing", "2"),
                                      kt::make_pod("web", "renames", "3"), kt::make_pod("web", "same", "4"),
                                      kt::make_pod("web", "fine", "5")},
                                     "5"));
    auto watch = f.source().on_watch();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    CHECK(pods.lister().size() == 5);
    CHECK(pods.stats().transform_failures == 3);
    CHECK(f.log.count("a transform failed") == 3);
    CHECK(f.log.count("stored as received object=web/throws") == 1);
    CHECK(f.log.count("no idea") == 4); // three attempts more, which are logged too
    const auto as_it_came = pods.lister().get("web", "throws");
    CHECK(as_it_came["spec"]["short"].kind() == kubecoro::value_kind::absent);
    const auto fine = pods.lister().get("web", "fine");
    CHECK(fine["spec"]["short"].as_bool());
}

TEST_CASE("transform: what it throws holds up the change and those behind it, until it succeeds", "[cache][transform]")
{
    fixture f;
    int left = 0;
    std::vector<std::string> called;
    std::vector<failure> heard;
    kubecoro::informer_options o;
    o.transform = [&](const object& obj) {
        called.push_back(fixture::text(obj));
        if (obj.name() == "b" && left != 0 && left-- != 0) throw std::bad_alloc();
        return reduced(obj);
    };
    o.on_failure = [&heard](const failure& why) { heard.push_back(why); };
    auto pods = f.informers->get<pod>(o);
    auto watch = f.with_one_pod();
    pods.add_event_handler(f.writer());
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    called.clear();
    f.take();
    left = 3;
    auto reached = f.run.spawn(pods.wait_until("7", "web"));
    watch.send({kt::modified(kt::make_pod("web", "a", "6")), kt::added(kt::make_pod("web", "b", "7")),
                kt::added(kt::make_pod("web", "c", "8"))});
    f.settle();
    CHECK(f.take() == lines{"updated web/a@1 > 6"}); // what comes before it is not held up
    CHECK(pods.last_resource_version() == "5");
    CHECK_FALSE(reached.done());
    CHECK(content(pods) == lines{"web/a@6"});
    CHECK(pods.stats().pending == 4); // the whole batch, with the mark of its version
    CHECK(pods.describe().find("to be processed 4, processing failed 1") != std::string::npos);
    f.run.advance(10s);
    CHECK(f.take() == lines{"added web/b@7", "added web/c@8"});
    CHECK(pods.last_resource_version() == "8");
    CHECK(reached.done());
    CHECK(called == lines{"web/a@6", "web/b@7", "web/b@7", "web/b@7", "web/b@7", "web/c@8"});
    const auto b = pods.lister().get("web", "b");
    CHECK(b["spec"]["short"].as_bool());
    const auto s = pods.stats();
    CHECK(s.pending == 0);
    CHECK(s.processing_failures == 3);
    CHECK(s.transform_failures == 0);
    CHECK(s.reflector.lists == 1);
    CHECK(f.log.count("changes could not be processed, and are kept for another attempt") == 3);
    REQUIRE(heard.size() == 3);
    CHECK(heard[0].describe().find("web/b") != std::string::npos);
}

TEST_CASE("transform: what was applied before the failing object is not applied again", "[cache][transform]")
{
    fixture f;
    auto pods = f.informers->get<pod>(failing_once_for_b());
    auto watch = f.with_one_pod();
    pods.add_event_handler(f.writer());
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    f.take();
    watch.send({kt::added(kt::make_pod("web", "x", "6")), kt::deleted(kt::make_pod("web", "x", "7")),
                kt::added(kt::make_pod("web", "b", "8"))});
    f.run.advance(1s);
    CHECK(f.take() == lines{"added web/x@6", "deleted web/x@7", "added web/b@8"});
    CHECK(pods.stats().processing_failures == 1);
}

TEST_CASE("transform: one that fails once for each object holds up a list for seconds only", "[cache][transform]")
{
    fixture f;
    std::set<std::string> seen;
    kubecoro::informer_options o;
    o.transform = [&seen](const object& obj) {
        if (seen.insert(fixture::text(obj)).second) throw std::runtime_error("the first time");
        return obj;
    };
    auto pods = f.informers->get<pod>(o);
    std::vector<object> many;
    for (int i = 0; i < 200; ++i) many.push_back(kt::make_pod("web", "p" + std::to_string(i), "1"));
    f.source().on_list(kt::make_page(std::move(many), "5"));
    auto watch = f.source().on_watch();
    f.informers->start();
    const auto begin = f.run.clock().now();
    REQUIRE(f.run.run(pods.has_synced()));
    CHECK(f.run.clock().now() - begin < 3s);
    CHECK(pods.lister().size() == 200);
    CHECK(pods.stats().processing_failures == 12);
    CHECK(pods.stats().transform_failures == 188);
}

TEST_CASE("transform: it never sees its own result", "[cache][transform]")
{
    fixture f;
    int seen_short = 0;
    bool fails = true;
    kubecoro::informer_options o;
    o.transform = [&](const object& obj) {
        if (obj["spec"]["short"].as_bool()) ++seen_short;
        if (obj.name() == "b" && std::exchange(fails, false)) throw std::bad_alloc();
        return reduced(obj);
    };
    auto pods = f.informers->get<pod>(o);
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "2")}, "5"));
    auto watch = f.source().on_watch();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    fails = true;
    watch.send({kt::modified(kt::make_pod("web", "a", "6")), kt::modified(kt::make_pod("web", "b", "7"))});
    f.run.advance(1s);
    CHECK(content(pods) == lines{"web/a@6", "web/b@7"});
    CHECK(seen_short == 0);
}

TEST_CASE("transform: namespaces that change while a batch waits revert nothing", "[cache][transform][namespaces]")
{
    fixture f;
    auto pods = f.informers->get<pod>(failing_once_for_b());
    auto watch = f.with_one_pod();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    watch.send({kt::modified(kt::make_pod("web", "a", "6")), kt::added(kt::make_pod("web", "b", "7"))});
    f.settle();
    CHECK(content(pods) == lines{"web/a@6"});
    f.source("web").on_list(kt::make_page({kt::make_pod("web", "a", "6")}, "9"));
    auto later = f.source("web").on_watch();
    REQUIRE(f.run.run(pods.set_namespaces({"web"})));
    CHECK(f.source("web").calls().front().list.resource_version == "6");
}

TEST_CASE("transform: in a list it continues with the item that failed", "[cache][transform]")
{
    fixture f;
    int left = 2;
    std::vector<std::string> called;
    kubecoro::informer_options o;
    o.transform = [&](const object& obj) {
        called.push_back(fixture::text(obj));
        if (obj.name() == "b" && left-- > 0) throw std::runtime_error("not yet");
        return reduced(obj);
    };
    auto pods = f.informers->get<pod>(o);
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "2")}, "5"));
    auto watch = f.source().on_watch();
    f.informers->start();
    f.settle();
    CHECK_FALSE(pods.synced());
    CHECK(pods.state() == kubecoro::informer_state::listing);
    REQUIRE(f.run.run(pods.has_synced()));
    CHECK(called == lines{"web/a@1", "web/b@2", "web/b@2", "web/b@2"});
    CHECK(content(pods) == lines{"web/a@1", "web/b@2"});
    CHECK(f.source().lists() == 1);
}

TEST_CASE("transform: objects for which it always throws hold up the others once a minute at most",
          "[cache][transform]")
{
    fixture f;
    kubecoro::informer_options o;
    o.transform = [&](const object& obj) -> object {
        if (obj.name() != "a") throw std::runtime_error("no idea");
        return obj;
    };
    auto pods = f.informers->get<pod>(o);
    auto watch = f.with_one_pod();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    const auto held_up = [&](int version) {
        const auto before = pods.stats().processing_failures;
        watch.send({kt::modified(kt::make_pod("web", "bad", std::to_string(version)))});
        f.settle();
        const bool waits = pods.last_resource_version() != std::to_string(version);
        f.run.advance(5s);
        CHECK(pods.last_resource_version() == std::to_string(version));
        CHECK(pods.stats().processing_failures == before + (waits ? 3 : 0));
        return waits;
    };
    CHECK(held_up(6));
    CHECK_FALSE(held_up(7));
    f.run.advance(50s);
    CHECK_FALSE(held_up(8));
    f.run.advance(10s);
    CHECK(held_up(9));
    CHECK(pods.stats().transform_failures == 4);
}

TEST_CASE("transform: one that removes or changes the version does not delay the store's version", "[cache][transform]")
{
    const bool loses = GENERATE(true, false);
    fixture f;
    kubecoro::informer_options o;
    o.transform = [loses](const object& obj) {
        return kt::make_object({.ns = std::string(obj.ns()),
                                .name = std::string(obj.name()),
                                .resource_version = loses ? "" : "1",
                                .uid = std::string(obj.uid())});
    };
    auto pods = f.informers->get<pod>(o);
    auto watch = f.with_one_pod();
    pods.add_event_handler(f.writer());
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    CHECK(pods.last_resource_version() == "5");
    auto reached = f.run.spawn(pods.wait_until("7", "web"));
    watch.send({kt::modified(kt::make_pod("web", "a", "6")), kt::added(kt::make_pod("web", "b", "7"))});
    f.settle();
    CHECK(pods.last_resource_version() == "7");
    REQUIRE(reached.done());
    CHECK(reached.outcome().has_value());
    CHECK(content(pods) == lines{"web/a@6", "web/b@7"});
    CHECK(f.take() == lines{"initial web/a@1", "updated web/a@1 > 6", "added web/b@7"});
    CHECK(pods.stats().transform_failures == (loses ? 3U : 2U));
}

TEST_CASE("transform: an unchanged object is recognised without expanding it", "[cache][transform][storage]")
{
    const auto encoding =
        kubecoro::detail::make_object_encoding({.storage = {.policy = kubecoro::storage::compressed, .learn_from = 8}});
    const auto text = [](int i) {
        const auto n = std::to_string(1000 + i);
        return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p)" + n +
               R"(","uid":"00000000-0000-4000-8000-00000000)" + n +
               R"(","resourceVersion":"1"},"spec":{"image":"registry/of/images:1","schedulerName":"default-scheduler"}})";
    };
    std::string list = R"({"kind":"PodList","apiVersion":"v1","items":[)";
    for (int i = 0; i < 100; ++i) list += (i != 0 ? "," : "") + text(i);
    kubecoro::detail::list_decoder decoder({}, encoding);
    REQUIRE(decoder.feed(list + "]}"));
    const object fresh = decoder.finish().value().items.back();
    const auto made = object::parse(text(99)).value();
    kubecoro::detail::object_transformer transformer([&made](const object&) { return made; }, encoding, {});

    const auto before = encoding->stats().expansions;
    const auto applied = transformer.apply(fresh, {});
    REQUIRE(applied);
    CHECK(applied->name() == "p1099");
    CHECK(transformer.failures() == 0);
    CHECK(encoding->stats().expansions == before);
    CHECK(fresh.uid() == made.uid());
    CHECK(encoding->stats().expansions == before + 1);
}

TEST_CASE("transform: the result for a partial object is partial", "[cache][transform]")
{
    using namespace kubecoro::test;
    const auto pod_of = [](const std::string& name, const std::string& more) {
        const auto message = field(1, object_meta("web", name)) + more;
        return kubecoro::decode_object(enveloped("v1", "Pod", message), {}, {}, kubecoro::wire_form::protobuf).value();
    };
    fixture f;
    kubecoro::informer_options o;
    o.transform = [](const object& obj) { return reduced(obj); };
    auto pods = f.informers->get<pod>(o);
    f.source().on_list(kt::make_page({pod_of("a", field(900, "new")), pod_of("b", "")}, "5"));
    auto watch = f.source().on_watch();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    const auto a = pods.lister().get("web", "a");
    CHECK(a["spec"]["short"].as_bool());
    CHECK(a.is_partial());
    CHECK_FALSE(pods.lister().get("web", "b").is_partial());
}

TEST_CASE("transform: an informer with one is not shared", "[cache][transform]")
{
    fixture f;
    kubecoro::informer_options o;
    o.transform = [](const object& obj) { return obj; };
    auto mine = f.informers->get<pod>(o);
    CHECK_FALSE(f.informers->get<pod>(o) == mine);
    CHECK_FALSE(f.informers->get<pod>() == mine);
    REQUIRE(f.run.run(f.informers->release(mine)));
    CHECK(f.informers->informers().size() == 2);
}

TEST_CASE("single object: its name becomes a field selector, with its namespace", "[cache][single]")
{
    fixture f;
    auto one = f.informers->get<pod>({.namespaces = {"web"}, .field_selector = "status.phase=Running", .name = "a"});
    CHECK(f.informers->get<pod>({.namespaces = {"web"}, .field_selector = "status.phase=Running,metadata.name=a"}) ==
          one);
    auto& source = *f.provider->source(
        pod::resource(),
        {.ns = "web", .label_selector = {}, .field_selector = "metadata.name=a,status.phase=Running", .decode = {}});
    source.on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
    auto watch = source.on_watch();
    f.informers->start();
    REQUIRE(f.run.run(one.has_synced()));
    CHECK(content(one) == lines{"web/a@1"});
}

TEST_CASE("single object: a namespaced kind needs its namespace, a cluster-scoped one must not have one",
          "[cache][single]")
{
    fixture f;
    auto nowhere = f.informers->get<pod>({.name = "a"});
    auto node_one = f.informers->get<node>({.name = "n1"});
    auto& source = *f.provider->source(
        node::resource(), {.ns = {}, .label_selector = {}, .field_selector = "metadata.name=n1", .decode = {}});
    source.on_list(kt::make_page({}, "5"));
    auto watch = source.on_watch();
    f.informers->start();
    CHECK(f.run.run(nowhere.has_synced()).error() == cond::misconfigured);
    CHECK(f.run.run(node_one.has_synced()));
}
