// Tests of events, which are the same objects in two groups.
#include "support.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string core = "/api/v1/namespaces/default/events";
const std::string events = "/apis/events.k8s.io/v1/namespaces/default/events";

const std::string old_event =
    R"({"metadata":{"name":"a"},"involvedObject":{"kind":"Pod","name":"p","namespace":"default"},"reason":"Seen",)"
    R"("message":"m","source":{"component":"c"},"firstTimestamp":"2026-11-21T06:00:00Z","count":3,"type":"Normal"})";
const std::string new_event =
    R"({"metadata":{"name":"b"},"eventTime":"2026-11-21T06:00:00.000000Z","reportingController":"x/y",)"
    R"("reportingInstance":"i","action":"Look","reason":"Seen","type":"Warning","note":"n",)"
    R"("regarding":{"kind":"Pod","name":"p","namespace":"default"}})";

std::string causes(server& s, const std::string& body)
{
    const auto e = s.expect(422, "POST", events, body);
    std::string out;
    for (const auto& cause : e.at_pointer("/details/causes").as_array())
        out += std::string(cause.at("field").as_string()) + " ";
    return out;
}

} // namespace

TEST_CASE("events: one written in a group is read in the other, with its fields under their other names",
          "[apiserver][events]")
{
    server s;
    s.expect(201, "POST", core, old_event);
    const auto a = s.expect(200, "GET", events + "/a");
    CHECK(a.at("apiVersion") == "events.k8s.io/v1");
    CHECK(a.at_pointer("/regarding/name") == "p");
    CHECK(a.at("note") == "m");
    CHECK(a.at_pointer("/deprecatedSource/component") == "c");
    CHECK(a.at("deprecatedFirstTimestamp") == "2026-11-21T06:00:00Z");
    CHECK(a.at("deprecatedCount") == 3);
    CHECK_FALSE(a.as_object().contains("message"));
    CHECK(a.at("metadata") == s.expect(200, "GET", core + "/a").at("metadata"));

    s.expect(201, "POST", events, new_event);
    const auto b = s.expect(200, "GET", core + "/b");
    CHECK(b.at("message") == "n");
    CHECK(b.at_pointer("/involvedObject/kind") == "Pod");
    CHECK(b.at("reportingComponent") == "x/y");
    CHECK(b.at("eventTime") == "2026-11-21T06:00:00.000000Z");
    CHECK(s.expect(200, "GET", core).at("items").as_array().size() == 2);
    for (const std::string form : {"application/vnd.kubernetes.protobuf", "application/json"})
        CHECK(s.ask("GET", events, {}, {{"Accept", form}}).status == 200);
}

TEST_CASE("events: changes and selectors of either group are those of both", "[apiserver][events]")
{
    server s;
    auto in_core = s.watch(core + "?watch=1&resourceVersion=" + std::to_string(s.state.resource_version()));
    auto in_events = s.watch(events + "?watch=1&resourceVersion=" + std::to_string(s.state.resource_version()));
    s.expect(201, "POST", core, old_event);
    s.patch(core + "/a", R"({"message":"changed"})");
    CHECK(s.expect(200, "GET", events + "/a").at("note") == "changed");
    s.expect(200, "DELETE", events + "/a");
    s.expect(404, "GET", core + "/a");
    const auto seen = brief(lines(in_core->next(s.now)));
    CHECK(seen.size() == 3);
    CHECK(seen == brief(lines(in_events->next(s.now))));

    s.expect(201, "POST", events, new_event);
    const auto found = [&](const std::string& at) { return s.expect(200, "GET", at).at("items").as_array().size(); };
    CHECK(found(core + "?fieldSelector=involvedObject.name%3Dp,reportingComponent%3Dx/y") == 1);
    CHECK(found(events + "?fieldSelector=regarding.name%3Dp,reportingController%3Dx/y") == 1);
    CHECK(found(events + "?fieldSelector=regarding.name%3Dq") == 0);
}

TEST_CASE("events: those of events.k8s.io are complete, and have no fields of older clients", "[apiserver][events]")
{
    server s;
    CHECK(causes(s, R"({"metadata":{"name":"x"},"regarding":{"namespace":"default"},"type":"Normal"})") ==
          "eventTime ");
    const auto with = [](const std::string& more) {
        return new_event.substr(0, new_event.size() - 1) + "," + more + "}";
    };
    CHECK(causes(s, with(R"("deprecatedCount":1)")) == "count ");
    CHECK(causes(s, with(R"("deprecatedFirstTimestamp":"2026-11-21T06:00:00Z")")) == "firstTimestamp ");
    CHECK(causes(s, with(R"("deprecatedSource":{"component":"c"})")) == "source ");
    CHECK(causes(s, with(R"("series":{"count":1,"lastObservedTime":"2026-11-21T06:00:00.000000Z"})")) ==
          "series.count ");
    CHECK(causes(
              s,
              R"({"metadata":{"name":"x"},"eventTime":"2026-11-21T06:00:00.000000Z","reportingController":"x/y",)"
              R"("reportingInstance":"i","action":"a","reason":"r","type":"Odd","regarding":{"namespace":"other"}})") ==
          "type ");
    CHECK(causes(s, R"({"metadata":{"name":"x"},"eventTime":"2026-11-21T06:00:00.000000Z","type":"Normal",)"
                    R"("regarding":{"namespace":"default"}})") ==
          "reportingController reportingController reportingController reportingInstance action reason ");
    CHECK(causes(s, R"({"metadata":{"name":"x"},"type":"Normal","regarding":{"namespace":"other"}})") ==
          "involvedObject.namespace eventTime ");
    // In the core group this holds for those with an event time.
    s.expect(201, "POST", core, R"({"metadata":{"name":"x"},"involvedObject":{"namespace":"default"}})");
    s.expect(
        422, "POST", core,
        R"({"metadata":{"name":"y"},"involvedObject":{"namespace":"default"},"eventTime":"2026-11-21T06:00:00.000000Z"})");
}

TEST_CASE("events: in events.k8s.io only the series and the metadata of one may change", "[apiserver][events]")
{
    server s;
    s.expect(201, "POST", events, new_event);
    const auto refusal = [&](const std::string& change) {
        const auto e = s.expect(422, "PATCH", events + "/b", change, {{"Content-Type", std::string(merge_type)}});
        std::string out;
        for (const auto& cause : e.at_pointer("/details/causes").as_array())
            out +=
                std::string(cause.at("field").as_string()) + " " + std::string(cause.at("message").as_string()) + ";";
        return out;
    };
    CHECK(refusal(R"({"note":"other"})") == R"(message Invalid value: "other": field is immutable;)");
    CHECK(refusal(R"({"reportingController":"a/b"})") ==
          R"(reportingController Invalid value: "a/b": field is immutable;)");
    CHECK(refusal(R"({"deprecatedCount":2})") == "count Invalid value: 2: field is immutable;");
    for (const auto* change :
         {R"({"regarding":{"name":"q"}})", R"({"reason":"Other"})", R"({"type":"Normal"})", R"({"action":"Other"})",
          R"({"related":{"kind":"Node","name":"n"}})", R"({"reportingInstance":"j"})",
          R"({"deprecatedSource":{"component":"c"}})", R"({"eventTime":"2026-11-21T06:00:01.000000Z"})",
          R"({"deprecatedFirstTimestamp":"2026-11-21T06:00:00Z"})",
          R"({"deprecatedLastTimestamp":"2026-11-21T06:00:00Z"})"}) {
        INFO(change);
        CHECK(refusal(change).find("field is immutable") != std::string::npos);
    }
    CHECK(refusal(R"({"series":{"count":1,"lastObservedTime":"2026-11-21T06:00:02.000000Z"}})") ==
          "series.count Invalid value: \"\": should be at least 2;");
    s.patch(events + "/b", R"({"series":{"count":2,"lastObservedTime":"2026-11-21T06:00:02.000000Z"}})");
    s.patch(events + "/b", R"({"metadata":{"labels":{"a":"b"}}})");
    // The object as it was read is no change.
    s.expect(200, "PUT", events + "/b", json::serialize(s.expect(200, "GET", events + "/b")));
    // In the core group all may change, as long as the event stays complete.
    s.patch(core + "/b", R"({"message":"other","involvedObject":{"name":"q"}})");
    CHECK(s.expect(200, "GET", events + "/b").at("note") == "other");
    s.expect(422, "PATCH", core + "/b", R"({"reason":""})", {{"Content-Type", std::string(merge_type)}});
    s.expect(201, "POST", core, old_event);
    s.expect(422, "PATCH", core + "/a", R"({"involvedObject":{"namespace":"other"}})",
             {{"Content-Type", std::string(merge_type)}});
    s.patch(events + "/a", R"({"metadata":{"labels":{"a":"b"}}})");
    s.expect(200, "PUT", events + "/a", json::serialize(s.expect(200, "GET", events + "/a")));
}

TEST_CASE("events: a saved state has them once, and a restored one in both groups", "[apiserver][events]")
{
    server before;
    before.expect(201, "POST", events, new_event);
    const auto dump = before.state.dump();
    CHECK(dump.find("events.k8s.io\"") == std::string::npos);
    server s;
    REQUIRE(s.state.restore(dump, s.now));
    CHECK(s.expect(200, "GET", events + "/b").at("note") == "n");
    CHECK(s.expect(200, "GET", core + "/b").at("message") == "n");
    s.expect(200, "DELETE", core + "/b");
    s.expect(404, "GET", events + "/b");
}

TEST_CASE("events: they go with their owner and their namespace, from both groups", "[apiserver][events]")
{
    server s;
    s.add_namespace("web");
    s.expect(201, "POST", "/apis/events.k8s.io/v1/namespaces/web/events",
             R"({"metadata":{"name":"b"},"eventTime":"2026-11-21T06:00:00.000000Z","reportingController":"x/y",)"
             R"("reportingInstance":"i","action":"a","reason":"r","type":"Normal","regarding":{"namespace":"web"}})");
    s.expect(200, "DELETE", "/api/v1/namespaces/web");
    s.expect(404, "GET", "/api/v1/namespaces/web");
    CHECK(s.state.objects("events.events.k8s.io").empty());
    s.expect(
        201, "POST", events,
        R"({"metadata":{"name":"c","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"none","uid":"u"}]},)"
        R"("eventTime":"2026-11-21T06:00:00.000000Z","reportingController":"x/y","reportingInstance":"i",)"
        R"("action":"a","reason":"r","type":"Normal","regarding":{"namespace":"default"}})");
    (void)s.state.tick(s.now);
    s.expect(404, "GET", core + "/c");
    CHECK_FALSE(s.state.tick(s.now));
}
