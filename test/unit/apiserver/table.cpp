// Tests of tables, as shown by `kubectl get`.
#include "support.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

json::value table(server& s, const std::string& target)
{
    const auto r = s.ask("GET", target, {},
                         {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;"
                                     "g=meta.k8s.io,application/json"}});
    REQUIRE(r.status == 200);
    return json::parse(r.body);
}

/// Formats the cells of all rows, without the columns of -o wide.
std::string shown(const json::value& t)
{
    std::string out;
    const auto& columns = t.at("columnDefinitions").as_array();
    for (const auto& row : t.at("rows").as_array()) {
        const auto& cells = row.at("cells").as_array();
        REQUIRE(cells.size() == columns.size());
        for (std::size_t i = 0; i < cells.size(); ++i)
            if (columns[i].at("priority") == 0) out += (i ? "|" : "") + json::serialize(cells[i]);
        out += '\n';
    }
    return out;
}

std::string headers(const json::value& t)
{
    std::string out;
    for (const auto& c : t.at("columnDefinitions").as_array())
        if (c.at("priority") == 0) out += (out.empty() ? "" : " ") + std::string(c.at("name").as_string());
    return out;
}

} // namespace

TEST_CASE("table: pods", "[apiserver][table]")
{
    server s;
    const std::string pods = "/api/v1/namespaces/default/pods";
    s.expect(201, "POST", pods,
             R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"a","image":"i"},)"
             R"({"name":"b","image":"i"}]}})");
    s.now += std::chrono::seconds{143};
    auto t = table(s, pods);
    CHECK(headers(t) == "Name Ready Status Restarts Age");
    CHECK(shown(t) == "\"p\"|\"0/2\"|\"Pending\"|\"0\"|\"2m23s\"\n");
    CHECK(t.at_pointer("/rows/0/object/kind") == "PartialObjectMetadata");
    CHECK(t.at_pointer("/rows/0/object/metadata/name") == "p");
    CHECK(json::serialize(t.at_pointer("/columnDefinitions/0")) ==
          R"({"name":"Name","type":"string","format":"name","description":"","priority":0})");
    s.patch(pods + "/p/status",
            R"({"status":{"phase":"Running","containerStatuses":[{"name":"a","ready":true,"restartCount":2,"state":)"
            R"({"running":{}}},{"name":"b","restartCount":5,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}})");
    CHECK(shown(table(s, pods + "/p")) == "\"p\"|\"1/2\"|\"CrashLoopBackOff\"|\"7\"|\"2m23s\"\n");
    s.expect(200, "DELETE", pods + "/p");
    CHECK(shown(table(s, pods)) == "\"p\"|\"1/2\"|\"Terminating\"|\"7\"|\"2m23s\"\n");
}

TEST_CASE("table: one row of each other built-in kind", "[apiserver][table]")
{
    server s;
    const std::string core = "/api/v1/namespaces/default/", apps = "/apis/apps/v1/namespaces/default/",
                      batch = "/apis/batch/v1/namespaces/default/";
    const std::string workload =
        R"({"metadata":{"name":"x"},"spec":{"replicas":3,"selector":{"matchLabels":{"a":"b"}},)"
        R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":)"
        R"([{"name":"c","image":"i"}]}}}})";
    for (const auto* plural : {"deployments", "replicasets", "statefulsets", "daemonsets"})
        s.expect(201, "POST", apps + plural, workload);
    s.expect(201, "POST", "/api/v1/nodes",
             R"({"metadata":{"name":"n","labels":{"node-role.kubernetes.io/worker":""}}})");
    s.patch("/api/v1/nodes/n/status",
            R"({"status":{"conditions":[{"type":"Ready","status":"True"}],"nodeInfo":{"kubeletVersion":"v1.36.0"}}})");
    s.expect(
        201, "POST", core + "services",
        R"({"metadata":{"name":"v"},"spec":{"clusterIP":"10.0.0.1","ports":[{"port":80},{"port":53,"protocol":"UDP"}]}})");
    s.expect(201, "POST", core + "secrets", R"({"metadata":{"name":"s"},"data":{"a":"Yg=="}})");
    s.expect(201, "POST", core + "serviceaccounts", R"({"metadata":{"name":"sa"}})");
    s.expect(
        201, "POST", core + "events",
        R"({"metadata":{"name":"e","namespace":"default"},"involvedObject":{"kind":"Pod","namespace":"default","name":"p"},)"
        R"("reason":"Started","message":"up","type":"Normal","lastTimestamp":"2026-11-21T05:59:30Z"})");
    s.expect(201, "POST", batch + "jobs",
             R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
    s.expect(201, "POST", batch + "cronjobs", R"({"metadata":{"name":"c"},"spec":{"schedule":"* * * * *"}})");
    s.expect(201, "POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases",
             R"({"metadata":{"name":"l"},"spec":{"holderIdentity":"me"}})");
    const auto row = [&](const std::string& target) { return shown(table(s, target)); };
    CHECK(row(apps + "deployments") == "\"x\"|\"0/3\"|0|0|\"0s\"\n");
    CHECK(row(apps + "replicasets") == "\"x\"|3|0|0|\"0s\"\n");
    CHECK(row(apps + "statefulsets") == "\"x\"|\"0/3\"|\"0s\"\n");
    CHECK(row(apps + "daemonsets") == "\"x\"|0|0|0|0|0|\"<none>\"|\"0s\"\n");
    CHECK(row("/api/v1/nodes") == "\"n\"|\"Ready\"|\"worker\"|\"0s\"|\"v1.36.0\"\n");
    CHECK(row(core + "services") == "\"v\"|\"ClusterIP\"|\"10.0.0.1\"|\"<none>\"|\"80/TCP,53/UDP\"|\"0s\"\n");
    CHECK(row(core + "secrets") == "\"s\"|\"Opaque\"|1|\"0s\"\n");
    CHECK(row(core + "serviceaccounts") == "\"sa\"|0|\"0s\"\n");
    CHECK(row(core + "events") == "\"30s\"|\"Normal\"|\"Started\"|\"pod/p\"|\"up\"\n");
    CHECK(row(batch + "jobs") == "\"j\"|\"Running\"|\"0/1\"|\"\"|\"0s\"\n");
    CHECK(row(batch + "cronjobs") == "\"c\"|\"* * * * *\"|\"<none>\"|\"False\"|0|\"<none>\"|\"0s\"\n");
    CHECK(row("/apis/coordination.k8s.io/v1/namespaces/default/leases") == "\"l\"|\"me\"|\"0s\"\n");
    CHECK(row("/api/v1/namespaces/default") == "\"default\"|\"Active\"|\"0s\"\n");
}

TEST_CASE("table: custom resources show the columns of their definition", "[apiserver][table]")
{
    server s;
    s.expect(
        201, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":)"
        R"({"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":)"
        R"({"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}},)"
        R"("additionalPrinterColumns":[{"name":"Size","type":"integer","jsonPath":".spec.size"},{"name":"Ready",)"
        R"("type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].status"},{"name":"First","type":)"
        R"("string","jsonPath":".spec.list[0]"},{"name":"Dotted","type":"string","jsonPath":)"
        R"(".metadata.labels['a.b/c']"},{"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}]}]}})");
    const std::string widgets = "/apis/example.com/v1/namespaces/default/widgets";
    s.expect(201, "POST", widgets,
             R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","labels":{"a.b/c":"x"}},"spec":)"
             R"({"size":3,"list":["one","two"]},"status":{"conditions":[{"type":"No","status":"?"},{"type":"Ready",)"
             R"("status":"True"}]}})");
    s.expect(201, "POST", widgets, R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"x"}})");
    const auto t = table(s, widgets);
    CHECK(headers(t) == "Name Size Ready First Dotted Age");
    CHECK(shown(t) == "\"w\"|3|\"True\"|\"one\"|\"x\"|\"0s\"\n\"x\"|null|null|null|null|\"0s\"\n");
}

TEST_CASE("table: includeObject selects the object of a row", "[apiserver][table]")
{
    server s;
    s.add_config_map("default", "m");
    const std::string maps = "/api/v1/namespaces/default/configmaps";
    CHECK(table(s, maps + "?includeObject=None").at_pointer("/rows/0/object").is_null());
    CHECK(table(s, maps + "?includeObject=Object").at_pointer("/rows/0/object/data/k") == "v");
}
