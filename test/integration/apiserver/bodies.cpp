// A client that writes protobuf, against the embedded server.
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/recording.hpp>

#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace kubecoro::apiserver;
using strings = std::vector<std::string>;

namespace {

const auto maps = untyped::config_map::resource();
const auto deployments = untyped::deployment::resource();

/// Passes requests on and remembers the forms of their bodies.
class form_recorder final : public transport
{
public:
    explicit form_recorder(embedded_server& server) : to_(server) {}
    asio::awaitable<result<std::unique_ptr<kubecoro::answer>>> send(request r) override
    {
        forms.push_back(r.content_type == "application/json"   ? "json"
                        : r.content_type.ends_with("protobuf") ? "protobuf"
                                                               : "none");
        return to_.send(std::move(r));
    }

    strings forms;

private:
    in_process_transport to_;
};

struct world
{
    testing::runner run;
    testing::recording_logger log;
    embedded_server server;
    std::shared_ptr<form_recorder> wire = std::make_shared<form_recorder>(server);
    client c;

    explicit world(wire_form form = wire_form::protobuf) : server(run.executor(), serving()), c(connected(form)) {}
    ~world() { CHECK(run.run(server.stop())); }

    server_options serving()
    {
        server_options out;
        out.time = run.shared_clock();
        return out;
    }
    client connected(wire_form form)
    {
        client_options options;
        options.body_form = form;
        options.time = run.shared_clock();
        options.log = log.handle();
        return client(run.executor(), wire, options);
    }
    object stored(const std::string& target)
    {
        return object::parse(run.run(server.execute("GET", target)).value()).value();
    }
};

std::string deployment(int replicas)
{
    return R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"d"},"spec":{"replicas":)" +
           std::to_string(replicas) + R"(,"selector":{"matchLabels":{"a":"b"}},"strategy":{"rollingUpdate":
           {"maxSurge":"25%","maxUnavailable":0}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[
           {"name":"c","image":"i","resources":{"limits":{"cpu":"1.5","memory":1024}},"env":[{"name":"E","value":""}],
           "livenessProbe":{"httpGet":{"port":80},"timeoutSeconds":0}}]}}}})";
}

/// Creates a deployment, then changes it, its status and its scale.
object life_of_a_deployment(world& the)
{
    REQUIRE(the.run.run(the.c.create(deployments, "default", deployment(1))));
    REQUIRE(the.run.run(the.c.update(deployments, "default", "d", deployment(2))));
    const auto read = the.run.run(the.c.get(deployments, "default", "d"));
    REQUIRE(read);
    auto changed = read->to_json();
    changed.as_object()["status"] = {{"replicas", 2}, {"conditions", {{{"type", "Available"}, {"status", "True"}}}}};
    REQUIRE(the.run.run(the.c.update(deployments, "default", "d", changed, {}, "status")));
    const auto scale = the.run.run(the.c.get(deployments, "default", "d", "scale"));
    REQUIRE(scale);
    auto larger = scale->to_json();
    larger.at("spec").as_object()["replicas"] = 5;
    REQUIRE(the.run.run(the.c.update(deployments, "default", "d", larger, {}, "scale")));
    return the.stored("/apis/apps/v1/namespaces/default/deployments/d");
}

} // namespace

TEST_CASE("bodies: a server stores the same from both forms", "[apiserver][bodies]")
{
    world in_json(wire_form::json);
    world in_protobuf;
    const auto expected = life_of_a_deployment(in_json);
    const auto stored = life_of_a_deployment(in_protobuf);
    CHECK((stored.root() == expected.root()));
    CHECK(in_json.wire->forms == strings{"json", "json", "none", "json", "none", "json"});
    CHECK(in_protobuf.wire->forms == strings{"protobuf", "protobuf", "none", "protobuf", "none", "protobuf"});
}

TEST_CASE("bodies: a field that the schema does not have reaches the server, which warns", "[apiserver][bodies]")
{
    world the;
    REQUIRE(the.run.run(the.c.create(maps, "default", R"({"metadata":{"name":"a"},"newer":1})")));
    CHECK(the.wire->forms == strings{"json"});
    CHECK(the.log.count("newer: unknown field") == 1);
    CHECK(the.log.count("the server sent a warning") == 1);

    write_options strict;
    strict.validation = field_validation::strict;
    const auto refused = the.run.run(the.c.create(maps, "default", R"({"metadata":{"name":"b"},"newer":1})", strict));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::invalid);
}

TEST_CASE("bodies: a value of the wrong type gets the server's refusal", "[apiserver][bodies]")
{
    world the;
    const auto refused = the.run.run(the.c.create(maps, "default", R"({"metadata":{"name":"a"},"data":{"k":1}})"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::invalid);
    REQUIRE(refused.error().status() != nullptr);
    CHECK(refused.error().status()->code == 400);
}

TEST_CASE("bodies: a built-in kind that this server has as a custom resource falls back to JSON", "[apiserver][bodies]")
{
    world the;
    REQUIRE(the.run.run(
        the.server.execute("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                           R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":
            {"name":"storageversions.internal.apiserver.k8s.io","annotations":{"api-approved.kubernetes.io":"unapproved, a test"}},
            "spec":{"group":"internal.apiserver.k8s.io","scope":"Cluster","names":{"plural":"storageversions",
            "kind":"StorageVersion"},"versions":[{"name":"v1alpha1","served":true,"storage":true,"schema":{"openAPIV3Schema":
            {"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})")));
    const resource_type versions{.group = "internal.apiserver.k8s.io",
                                 .version = "v1alpha1",
                                 .plural = "storageversions",
                                 .kind = "StorageVersion",
                                 .namespaced = false};
    const auto created = the.run.run(the.c.create(
        versions, {},
        R"({"apiVersion":"internal.apiserver.k8s.io/v1alpha1","kind":"StorageVersion","metadata":{"name":"p"},"spec":{},"status":{"commonEncodingVersion":"v1"}})"));
    REQUIRE(created);
    CHECK((*created)["status"]["commonEncodingVersion"].as_string() == "v1");
    auto replaced = created->to_json();
    replaced.at("status").as_object()["commonEncodingVersion"] = "v2";
    REQUIRE(the.run.run(the.c.update(versions, {}, "p", replaced)));
    CHECK(the.wire->forms == strings{"protobuf", "json", "json"});
    CHECK(the.log.count("writing this kind as JSON from now on") == 1);
}
