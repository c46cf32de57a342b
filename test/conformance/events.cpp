// Conformance cases: events, which are the same objects in two groups.
#include "cluster_under_test.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

using namespace kubecoro;
using namespace kubecoro::conformance;

namespace json = boost::json;

namespace {

/// The events of a case's namespace, in either group.
struct both_groups
{
    cluster_under_test c;
    const std::string core = "/api/v1/namespaces/" + c.ns() + "/events";
    const std::string events = "/apis/events.k8s.io/v1/namespaces/" + c.ns() + "/events";

    json::object ask(int code, std::string method, const std::string& target, const std::string& body = {},
                     std::string type = "application/json")
    {
        request r{.method = std::move(method), .target = target, .body = body};
        if (!body.empty()) r.content_type = std::move(type);
        const auto got = c.run(c.api().raw(std::move(r)));
        REQUIRE(got);
        INFO(target << " " << got->body);
        REQUIRE(got->head.status == code);
        return json::parse(got->body).as_object();
    }
    [[nodiscard]] std::string regarding(const std::string& name = "p") const
    {
        return R"({"kind":"Pod","apiVersion":"v1","name":")" + name + R"(","namespace":")" + c.ns() + "\"}";
    }
    /// As older clients write it.
    [[nodiscard]] std::string old_event(const std::string& name) const
    {
        return R"({"metadata":{"name":")" + name + R"("},"involvedObject":)" + regarding() +
               R"(,"reason":"Seen","message":"m","source":{"component":"c","host":"h"},"firstTimestamp":)"
               R"("2026-11-21T06:00:00Z","lastTimestamp":"2026-11-21T06:00:01Z","count":3,"type":"Normal"})";
    }
    [[nodiscard]] std::string new_event(const std::string& name, const std::string& more = {}) const
    {
        return R"({"metadata":{"name":")" + name + R"("},"eventTime":"2026-11-21T06:00:00.000000Z",)" +
               R"("reportingController":"x/y","reportingInstance":"i","action":"Look","reason":"Seen",)" +
               R"("type":"Warning","note":"n","regarding":)" + regarding() + more + "}";
    }
    /// The fields that a creation in events.k8s.io complains about.
    std::string complaints(const std::string& body)
    {
        std::string out;
        const auto refused = ask(422, "POST", events, body);
        for (const auto& cause : refused.at("details").at("causes").as_array())
            out += std::string(cause.at("field").as_string()) + " ";
        return out;
    }
    std::size_t found(const std::string& target) { return ask(200, "GET", target).at("items").as_array().size(); }
};

} // namespace

TEST_CASE("events: one of the core group is read in events.k8s.io, under the fields' newer names",
          "[conformance][events]")
{
    both_groups w;
    const auto made = w.ask(201, "POST", w.core, w.old_event("a"));
    const auto seen = w.ask(200, "GET", w.events + "/a");
    CHECK(seen.at("apiVersion") == "events.k8s.io/v1");
    CHECK(seen.at("kind") == "Event");
    CHECK(seen.at("note") == "m");
    CHECK(seen.at("reason") == "Seen");
    CHECK(seen.at("type") == "Normal");
    CHECK(seen.at("regarding").at("name") == "p");
    CHECK(seen.at("deprecatedSource").at("component") == "c");
    CHECK(seen.at("deprecatedSource").at("host") == "h");
    CHECK(seen.at("deprecatedFirstTimestamp") == "2026-11-21T06:00:00Z");
    CHECK(seen.at("deprecatedLastTimestamp") == "2026-11-21T06:00:01Z");
    CHECK(seen.at("deprecatedCount") == 3);
    for (const auto* older : {"message", "involvedObject", "source", "firstTimestamp", "lastTimestamp", "count"})
        CHECK_FALSE(seen.contains(older));
    for (const auto* same : {"uid", "resourceVersion", "creationTimestamp"})
        CHECK(seen.at("metadata").at(same) == made.at("metadata").at(same));
}

TEST_CASE("events: one of events.k8s.io is read in the core group", "[conformance][events]")
{
    both_groups w;
    (void)w.ask(201, "POST", w.events,
                w.new_event("b", R"(,"related":{"kind":"Node","name":"n"},"series":{"count":2,)"
                                 R"("lastObservedTime":"2026-11-21T06:00:02.000000Z"})"));
    const auto seen = w.ask(200, "GET", w.core + "/b");
    CHECK(seen.at("apiVersion") == "v1");
    CHECK(seen.at("message") == "n");
    CHECK(seen.at("involvedObject").at("kind") == "Pod");
    CHECK(seen.at("reportingComponent") == "x/y");
    CHECK(seen.at("reportingInstance") == "i");
    CHECK(seen.at("action") == "Look");
    CHECK(seen.at("eventTime") == "2026-11-21T06:00:00.000000Z");
    CHECK(seen.at("related").at("name") == "n");
    CHECK(seen.at("series").at("count") == 2);
    CHECK_FALSE(seen.contains("note"));
    CHECK_FALSE(seen.contains("regarding"));
}

TEST_CASE("events: a change or a deletion in one group is one in the other", "[conformance][events]")
{
    both_groups w;
    (void)w.ask(201, "POST", w.core, w.old_event("a"));
    (void)w.ask(200, "PATCH", w.events + "/a", R"({"metadata":{"labels":{"a":"b"}}})", "application/merge-patch+json");
    CHECK(w.ask(200, "GET", w.core + "/a").at("metadata").at("labels").at("a") == "b");
    (void)w.ask(200, "PATCH", w.core + "/a", R"({"message":"again"})", "application/strategic-merge-patch+json");
    CHECK(w.ask(200, "GET", w.events + "/a").at("note") == "again");
    (void)w.ask(409, "POST", w.events, w.new_event("a"));
    (void)w.ask(200, "DELETE", w.events + "/a");
    (void)w.ask(404, "GET", w.core + "/a");
}

TEST_CASE("events: lists of both groups have the events of both, and each its own selectors", "[conformance][events]")
{
    both_groups w;
    (void)w.ask(201, "POST", w.core, w.old_event("a"));
    (void)w.ask(201, "POST", w.events, w.new_event("b"));
    CHECK(w.ask(200, "GET", w.core).at("kind") == "EventList");
    CHECK(w.ask(200, "GET", w.events).at("apiVersion") == "events.k8s.io/v1");
    CHECK(w.found(w.core) == 2);
    CHECK(w.found(w.events) == 2);
    CHECK(w.found(w.core + "?fieldSelector=involvedObject.name%3Dp,type%3DWarning") == 1);
    CHECK(w.found(w.core + "?fieldSelector=source%3Dc") == 1);
    CHECK(w.found(w.core + "?fieldSelector=reason%3DSeen") == 2);
    CHECK(w.found(w.events + "?fieldSelector=regarding.name%3Dp") == 2);
    CHECK(w.found(w.events + "?fieldSelector=regarding.name%3Dq") == 0);
    CHECK(w.found(w.events + "?fieldSelector=reportingController%3Dx/y") == 1);
    CHECK(w.ask(400, "GET", w.core + "?fieldSelector=regarding.name%3Dp").at("reason") == "BadRequest");
    CHECK(w.ask(400, "GET", w.events + "?fieldSelector=involvedObject.name%3Dp").at("reason") == "BadRequest");
}

TEST_CASE("events: those of events.k8s.io are complete, and have no fields of older clients", "[conformance][events]")
{
    both_groups w;
    const std::string about = R"("regarding":{"namespace":")" + w.c.ns() + R"("},"type":"Normal"})";
    CHECK(w.complaints(R"({"metadata":{"name":"x"},)" + about) == "eventTime ");
    CHECK(w.complaints(R"({"metadata":{"name":"x"},"eventTime":"2026-11-21T06:00:00.000000Z",)" + about) ==
          "reportingController reportingController reportingController reportingInstance action reason ");
    CHECK(w.complaints(w.new_event("x", R"(,"deprecatedCount":1)")) == "count ");
    CHECK(w.complaints(w.new_event("x", R"(,"deprecatedFirstTimestamp":"2026-11-21T06:00:00Z")")) == "firstTimestamp ");
    CHECK(w.complaints(w.new_event("x", R"(,"deprecatedSource":{"component":"c"})")) == "source ");
    CHECK(w.complaints(w.new_event("x", R"(,"series":{"count":1,"lastObservedTime":"2026-11-21T06:00:00.000000Z"})")) ==
          "series.count ");
    // In the core group the same is allowed.
    (void)w.ask(201, "POST", w.core, R"({"metadata":{"name":"x"},"involvedObject":{"namespace":")" + w.c.ns() + "\"}}");
}

TEST_CASE("events: in events.k8s.io only the series and the metadata of one may change", "[conformance][events]")
{
    both_groups w;
    const std::string merge = "application/merge-patch+json";
    (void)w.ask(201, "POST", w.events, w.new_event("b"));
    const auto refused = w.ask(422, "PATCH", w.events + "/b", R"({"note":"other"})", merge);
    CHECK(refused.at("details").at("causes").at(0).at("field") == "message");
    CHECK(refused.at("details").at("causes").at(0).at("message") == R"(Invalid value: "other": field is immutable)");
    for (const auto* change : {R"({"regarding":{"name":"q"}})", R"({"reason":"Other"})", R"({"type":"Normal"})",
                               R"({"deprecatedCount":2})", R"({"eventTime":"2026-11-21T06:00:01.000000Z"})"})
        (void)w.ask(422, "PATCH", w.events + "/b", change, merge);
    (void)w.ask(422, "PATCH", w.events + "/b",
                R"({"series":{"count":1,"lastObservedTime":"2026-11-21T06:00:02.000000Z"}})", merge);
    (void)w.ask(200, "PATCH", w.events + "/b",
                R"({"series":{"count":2,"lastObservedTime":"2026-11-21T06:00:02.000000Z"}})", merge);
    (void)w.ask(200, "PATCH", w.core + "/b", R"({"message":"other"})", merge);
    CHECK(w.ask(200, "GET", w.events + "/b").at("note") == "other");
}

TEST_CASE("events: one without a time is about an object of its namespace", "[conformance][events]")
{
    both_groups w;
    const std::string elsewhere = R"({"kind":"Pod","name":"p","namespace":"default"})";
    const auto refused = w.ask(422, "POST", w.core, R"({"metadata":{"name":"x"},"involvedObject":)" + elsewhere + "}");
    CHECK(refused.at("details").at("causes").at(0).at("field") == "involvedObject.namespace");
    (void)w.ask(201, "POST", w.events,
                R"({"metadata":{"name":"x"},"eventTime":"2026-11-21T06:00:00.000000Z","reportingController":"x/y",)"
                R"("reportingInstance":"i","action":"Look","reason":"Seen","type":"Warning","regarding":)" +
                    elsewhere + "}");
}
