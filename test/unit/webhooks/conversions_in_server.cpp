// The embedded server has custom resources converted: reads, lists, watches, writes, and converters that fail or lie.
#include "conversion_world.hpp"

#include <kubecoro/api/edit.hpp>
#include <kubecoro/client/writing.hpp>
#include <kubecoro/testing/every_step.hpp>

using namespace webhooks_test;
using namespace manager_test;

TEST_CASE("conversions: an operator's own serve every read and write of the other version", "[webhooks][apiserver]")
{
    converted_world c;
    const auto made = c.w.run.run(c.create_v1("blog", "a.example"));
    REQUIRE(made);
    CHECK((*made)["spec"]["host"].as_string() == "a.example");
    CHECK((*made)["apiVersion"].as_string() == "example.com/v1");
    const auto stored = c.get(site::resource()).value();
    CHECK(stored["spec"]["hosts"].to_json() == json::array{"a.example"});
    CHECK(stored.uid() == made->uid());
    CHECK(stored.resource_version() == made->resource_version());

    const auto v1 = [](const object& o) { return std::string(o["spec"]["host"].as_string()); };
    const auto& cluster = c.w.cluster;
    CHECK(c.w.run.run(retry_on_conflict(cluster, site_v1::resource(), {"default", "blog"},
                                        [](json::object& o) { field(o, "spec", "host") = "b.example"; })));
    CHECK(v1(*c.get(site_v1::resource())) == "b.example");
    const auto merged = c.w.run.run(cluster.patch(site_v1::resource(), "default", "blog", patch_kind::merge,
                                                  json::parse(R"({"spec":{"replicas":3}})")));
    CHECK(v1(merged.value()) == "b.example");
    CHECK(c.spec(site::resource()).at("replicas").as_int64() == 3);
    // The same again changes nothing.
    const auto version = merged->resource_version();
    const auto same = c.w.run.run(cluster.patch(site_v1::resource(), "default", "blog", patch_kind::merge,
                                                json::parse(R"({"spec":{"replicas":3}})")));
    CHECK(same->resource_version() == version);
    CHECK(c.w.run.run(cluster.remove(site_v1::resource(), "default", "blog")));
    CHECK(c.get(site::resource()).error() == cond::not_found);
}

TEST_CASE("conversions: a list is converted in one question, and objects of the version asked for in none",
          "[webhooks][apiserver]")
{
    converted_world c;
    for (const char* name : {"a", "b", "c"}) REQUIRE(c.w.run.run(c.create_v2(name)));
    CHECK(c.questions.empty());
    const auto page = c.w.run.run(c.w.cluster.list(site_v1::resource(), "default")).value();
    CHECK(page.items.size() == 3);
    CHECK(page.items[2]["spec"]["host"].as_string() == "c.example");
    CHECK(c.questions == std::vector<std::size_t>{3});
    CHECK(c.w.run.run(c.w.cluster.list(site::resource(), "default")).value().items.size() == 3);
    CHECK(c.questions.size() == 1);
    CHECK(c.w.run.run(c.w.cluster.remove_collection(site_v1::resource(), "default")).value().items.size() == 3);
    CHECK(c.questions == std::vector<std::size_t>{3, 3});
}

TEST_CASE("conversions: a watch has its objects converted, the first ones together", "[webhooks][apiserver]")
{
    converted_world c;
    for (const char* name : {"a", "b"}) REQUIRE(c.w.run.run(c.create_v2(name)));
    auto seen = c.watch_v1();
    c.w.run.advance(1s);
    CHECK(*seen == lines{"ADDED a a.example", "ADDED b b.example"});
    CHECK(c.questions == std::vector<std::size_t>{2});
    REQUIRE(c.w.run.run(c.create_v2("c")));
    REQUIRE(c.w.run.run(c.w.cluster.remove(site::resource(), "default", "a")));
    c.w.run.advance(1s);
    CHECK(seen->at(2) == "ADDED c c.example");
    CHECK(seen->at(3) == "DELETED a a.example");
    CHECK(c.questions == std::vector<std::size_t>{2, 1, 1});
}

namespace {

/// A world where hosts select objects in the first version alone, in which each also has its host as a label.
struct selecting_world : converted_world
{
    selecting_world()
    {
        auto versions = definition_of_both("v2").at("spec").at("versions").as_array();
        for (auto& v : versions)
            if (v.at("name") == "v1")
                v.as_object()["selectableFields"] = json::array{json::object{{"jsonPath", ".spec.host"}}};
        json::object merge{{"spec", {{"versions", std::move(versions)}}}};
        REQUIRE(
            w.run.run(w.cluster.patch(definitions(), "", "sites.example.com", patch_kind::merge, std::move(merge))));
        meddle = [](json::object& response) {
            for (auto& each : response["convertedObjects"].as_array()) {
                auto& o = each.as_object();
                auto& metadata = o["metadata"].as_object();
                if (o["apiVersion"] == "example.com/v1")
                    metadata["labels"] = json::object{{"host", o["spec"].at("host")}};
                else
                    metadata.erase("labels");
            }
        };
        for (const char* name : {"a", "b", "c"}) REQUIRE(w.run.run(create_v2(name)));
    }
    std::string listed(const resource_type& type, const list_options& which)
    {
        const auto page = w.run.run(w.cluster.list(type, "default", which));
        if (!page) return refusal(page);
        std::string names;
        for (const auto& each : page->items) names += each.name();
        return names;
    }
    void set_host(const std::string& name, const std::string& host)
    {
        REQUIRE(w.run.run(w.cluster.patch(site::resource(), "default", name, patch_kind::merge,
                                          json::value{{"spec", {{"hosts", {host}}}}})));
        w.run.advance(1s);
    }
};

} // namespace

TEST_CASE("conversions: lists select objects in the version of the request", "[webhooks][apiserver]")
{
    selecting_world c;
    const auto v1 = site_v1::resource();
    CHECK(c.listed(v1, {.field_selector = "spec.host=b.example"}) == "b");
    CHECK(c.questions == std::vector<std::size_t>{3});
    CHECK(c.listed(v1, {.label_selector = "host=c.example"}) == "c");
    CHECK(c.listed(site::resource(), {.label_selector = "host=c.example"}).empty());
    CHECK(c.listed(site::resource(), {.field_selector = "spec.host=b.example"}) ==
          "400 field label not supported: spec.host");
    const list_options others{.field_selector = "spec.host!=b.example", .limit = 1};
    const auto first = c.w.run.run(c.w.cluster.list(v1, "default", others)).value();
    CHECK(first.items.size() == 1);
    auto rest = others;
    rest.continue_token = first.continue_token;
    CHECK(c.listed(v1, rest) == "c");
    const list_options of_b{.field_selector = "spec.host=b.example"};
    CHECK(c.w.run.run(c.w.cluster.remove_collection(v1, "default", of_b)).value().items.size() == 1);
    CHECK(c.listed(site::resource(), {}) == "ac");
}

TEST_CASE("conversions: a watch selects objects in its version", "[webhooks][apiserver]")
{
    selecting_world c;
    const auto seen = c.watch_v1({.field_selector = "spec.host=b.example"});
    const auto by_label = c.watch_v1({.label_selector = "host=b.example"});
    c.w.run.advance(1s);
    CHECK(*seen == lines{"ADDED b b.example"});
    c.questions.clear();
    c.set_host("a", "b.example");
    // Both states of a change are one question, of each watch.
    CHECK(c.questions == std::vector<std::size_t>{2, 2});
    c.set_host("b", "x");
    for (int i = 0; i < 15; ++i) c.set_host("c", "y" + std::to_string(i));
    REQUIRE(c.w.run.run(c.w.cluster.remove(site::resource(), "default", "a")));
    c.w.run.advance(1s);
    CHECK(*seen == lines{"ADDED b b.example", "ADDED a b.example", "DELETED b b.example", "DELETED a b.example"});
    CHECK(*by_label == *seen);
}

TEST_CASE("conversions: the object selector of a webhook sees the version of the request", "[webhooks][apiserver]")
{
    selecting_world c;
    c.add_raw("Validating",
              R"({"apiGroups":["example.com"],"apiVersions":["v2"],"operations":["UPDATE"],"resources":["sites"]})",
              {{"objectSelector", {{"matchLabels", {{"host", "b.example"}}}}}});
    c.set_host("b", "x"); // in v2, which has no labels
    CHECK(c.reviews.empty());
    c.set_host("b", "b.example");
    CHECK(c.w.run.run(c.w.cluster.patch(site_v1::resource(), "default", "b", patch_kind::merge,
                                        json::parse(R"({"spec":{"replicas":2}})"))));
    REQUIRE(c.reviews.size() == 1);
    CHECK(c.reviews[0].at("object").at("apiVersion") == "example.com/v2");
}

TEST_CASE("conversions: converters that fail or lie, in the words of a kube-apiserver", "[webhooks][apiserver]")
{
    converted_world c;
    REQUIRE(c.w.run.run(c.create_v2("blog")));
    const std::string begin = "500 conversion webhook for example.com/v2, Kind=Site ";
    const auto with = [&](std::function<void(json::object&)> change) {
        c.meddle = std::move(change);
        return refusal(c.get(site_v1::resource()));
    };
    const auto in_object = [&](std::function<void(json::object&)> change) {
        return with([change = std::move(change)](json::object& response) {
            change(response["convertedObjects"].as_array().at(0).as_object());
        });
    };
    const auto in_metadata = [&](const char* name, json::value v) {
        return in_object([name, v](json::object& o) { o["metadata"].as_object()[name] = v; });
    };
    CHECK(with([](json::object& r) { r["convertedObjects"] = json::array(); }) ==
          begin + "returned 0 objects, expected 1");
    CHECK(with([](json::object& r) { r["uid"] = "other"; }).starts_with(begin + "failed: expected response.uid=\""));
    CHECK(with([](json::object& r) {
              r["result"] = {{"status", "Failure"}, {"message", "no idea"}};
          }) == begin + "failed: no idea");
    CHECK(with([](json::object& r) {
              r["result"] = {{"status", "Failure"}};
          }) == begin + "failed: response.result.status was 'Failure', not 'Success'");
    CHECK(in_object([](json::object& o) { o["apiVersion"] = "example.com/v2"; }) ==
          begin + "returned invalid object at index 0: invalid groupVersion (expected example.com/v1, received "
                  "example.com/v2)");
    CHECK(in_object([](json::object& o) { o["kind"] = "House"; }) ==
          begin + "returned invalid object at index 0: invalid kind (expected Site, received House)");
    CHECK(in_metadata("name", "other") == begin + "returned invalid object: must have the same name: blog != other");
    CHECK(in_metadata("namespace", "x") ==
          begin + "returned invalid object: must have the same namespace: default != x");
    CHECK(in_metadata("uid", "1").starts_with(begin + "returned invalid object: must have the same UID: "));
    CHECK(in_metadata("labels", json::object{{"a", 1}}) ==
          begin + "returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object");
    CHECK(in_metadata("annotations", 5) ==
          begin + "returned invalid metadata: invalid metadata.annotations of type int64 in converted object");
    CHECK(in_metadata("labels", json::object{{"a b", ""}})
              .starts_with(begin + "returned invalid metadata: metadata.labels: Invalid value: \"a b\""));
    CHECK(in_object([](json::object& o) { o.erase("metadata"); }) ==
          begin + "returned invalid object: must have the same name: blog != ");
    SECTION("labels and annotations may change, other metadata keeps its values")
    {
        c.meddle = [](json::object& response) {
            auto& m = response["convertedObjects"].as_array().at(0).as_object()["metadata"].as_object();
            m["labels"] = json::object{{"a", "1"}};
            m["finalizers"] = json::array{"x"};
            m["resourceVersion"] = "1";
        };
        const auto read = c.get(site_v1::resource()).value();
        CHECK(read.labels()["a"].as_string() == "1");
        CHECK(read["metadata"]["finalizers"].size() == 0);
        CHECK(read.resource_version() == c.version(site::resource()));
    }
    SECTION("one object of a list")
    {
        REQUIRE(c.w.run.run(c.create_v2("other")));
        c.meddle = [](json::object& r) { r["convertedObjects"].as_array().at(1).as_object()["kind"] = "House"; };
        CHECK(refusal(c.w.run.run(c.w.cluster.list(site_v1::resource(), "default"))) ==
              begin + "returned invalid converted object at index 1: invalid kind (expected Site, received House)");
    }
    SECTION("a watch")
    {
        c.meddle = [](json::object& r) { r["convertedObjects"] = json::array(); };
        auto seen = c.watch_v1();
        c.w.run.advance(1s);
        CHECK(*seen == lines{begin + "returned 0 objects, expected 1"});
    }
}

TEST_CASE("conversions: a webhook that cannot be reached, is slow, or answers rubbish", "[webhooks][apiserver]")
{
    converted_world c;
    REQUIRE(c.w.run.run(c.create_v2("blog")));
    const std::string begin = "500 conversion webhook for example.com/v2, Kind=Site failed: ";
    const std::string post = begin + "Post \"https://subject-webhooks.default.svc:443/convert?timeout=30s\": ";
    c.answer = std::string("rubbish");
    CHECK(refusal(c.get(site_v1::resource())).starts_with(begin + "couldn't get version/kind"));
    c.answer = std::string(R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"})");
    CHECK(refusal(c.get(site_v1::resource())) == begin + "no response provided");
    c.answer = std::string(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{}})");
    CHECK(refusal(c.get(site_v1::resource())) ==
          begin + "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got "
                  "admission.k8s.io/v1, Kind=AdmissionReview");
    c.answer = failure(cond::unreachable, "refused");
    CHECK(refusal(c.get(site_v1::resource())).starts_with(post));
    c.answer.reset();
    c.delay = 40s;
    const auto began = c.w.run.clock().now();
    CHECK(refusal(c.get(site_v1::resource())) == post + "context deadline exceeded");
    CHECK(c.w.run.clock().now() - began == 30s);
    // A write is refused before it has an effect; so is a deletion.
    CHECK_FALSE(c.w.run.run(c.create_v1("other", "x")));
    CHECK(refusal(c.w.run.run(c.w.cluster.remove(site_v1::resource(), "default", "blog"))) ==
          post + "context deadline exceeded");
    c.delay = 0s;
    CHECK(c.w.run.run(c.w.cluster.list(site_v1::resource(), "default")).value().items.size() == 1);
}

TEST_CASE("conversions: a write whose answer cannot be converted has been carried out", "[webhooks][apiserver]")
{
    converted_world c;
    c.meddle = [](json::object& response) {
        auto& o = response["convertedObjects"].as_array().at(0).as_object();
        if (o["apiVersion"] == "example.com/v1") o["kind"] = "House";
    };
    CHECK(refusal(c.w.run.run(c.create_v1("blog", "a"))).ends_with("(expected Site, received House)"));
    CHECK(c.get(site::resource()));
}

TEST_CASE("conversions: objects stay in their version until they are written when another one is stored",
          "[webhooks][apiserver]")
{
    converted_world c;
    REQUIRE(c.w.run.run(c.create_v2("blog")));
    auto held = site_object("v2", "held", {{"hosts", {"held.example"}}});
    field(held, "metadata", "finalizers") = json::array{"example.com/x"};
    REQUIRE(c.w.run.run(c.w.cluster.create(site::resource(), "default", held)));
    c.store_in("v1");
    // A deletion that waits is no write of its fields.
    REQUIRE(c.w.run.run(c.w.cluster.remove(site::resource(), "default", "held")));
    const auto waits = c.w.run.run(c.w.cluster.get(site_v1::resource(), "default", "held")).value();
    CHECK(waits["spec"]["host"].as_string() == "held.example");
    c.questions.clear();
    CHECK(c.questions.empty());
    CHECK(c.get(site::resource()));
    CHECK(c.questions.empty());
    CHECK(c.spec(site_v1::resource()).at("host").as_string() == "blog.example");
    CHECK(c.questions.size() == 1);
    const auto before = c.version(site_v1::resource());
    // A write that changes nothing else moves it.
    const auto moved =
        c.w.run.run(c.w.cluster.patch(site_v1::resource(), "default", "blog", patch_kind::merge, json::object()));
    CHECK(moved.value().resource_version() != before);
    c.questions.clear();
    CHECK(c.get(site_v1::resource()));
    CHECK(c.questions.empty());
    CHECK(c.spec(site::resource()).at("hosts").as_array().size() == 1);
    CHECK(c.questions.size() == 1);
}

TEST_CASE("conversions: admission webhooks see the version of the request", "[webhooks][apiserver]")
{
    converted_world c;
    lines seen;
    c.hooks.mutates<site_v1>([&](site_v1& s, const admission<site_v1>& r) {
        const auto before = r.before ? r.before.untyped()["spec"]["host"].as_string() : std::string_view("none");
        seen.push_back(s.spec.host + " before " + std::string(before));
        s.spec.host = "m.example";
    });
    c.install();
    REQUIRE(c.w.run.run(c.create_v1("blog", "a")));
    CHECK(c.spec(site::resource()).at("hosts") == json::array{"m.example"});
    CHECK(c.w.run.run(retry_on_conflict(c.w.cluster, site_v1::resource(), {"default", "blog"},
                                        [](json::object& o) { field(o, "spec", "host") = "b"; })));
    CHECK(seen == lines{"a before none", "b before m.example"});
}

TEST_CASE("conversions: a change by others while an object is converted begins the write again",
          "[webhooks][apiserver]")
{
    converted_world c;
    REQUIRE(c.w.run.run(c.create_v2("blog")));
    c.delay = 1s;
    auto first = c.w.run.spawn(c.w.cluster.patch(site_v1::resource(), "default", "blog", patch_kind::merge,
                                                 json::parse(R"({"spec":{"replicas":2}})")));
    c.w.run.advance(1500ms);
    REQUIRE(c.w.run.run(c.w.cluster.patch(site::resource(), "default", "blog", patch_kind::merge,
                                          json::parse(R"({"spec":{"hosts":["other"]}})"))));
    c.w.run.advance(10s);
    REQUIRE(first.done());
    REQUIRE(first.outcome());
    const auto now = c.get(site::resource()).value();
    CHECK(now["spec"]["replicas"].as_int64() == 2);
    CHECK(now["spec"]["hosts"].to_json() == json::array{"other"});
}

TEST_CASE("conversions: ended or cancelled after each step", "[webhooks][apiserver]")
{
    const auto make = [](kt::runner& run) {
        auto c = std::make_shared<conversion_scenario>(run);
        return kt::scenario{c->body(), c};
    };
    CHECK(kt::stop_after_every_step(make).value() > 20);
    CHECK(kt::cancel_after_every_step(make).value() > 20);
}
