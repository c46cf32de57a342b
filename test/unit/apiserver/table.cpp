// Tests of tables, as shown by `kubectl get`.
#include "support.hpp"
#include "text/json_path.hpp"

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

TEST_CASE("table: the status of a pod is that of its containers", "[apiserver][table]")
{
    server s;
    const std::string pods = "/api/v1/namespaces/default/pods";
    s.expect(201, "POST", pods,
             R"({"metadata":{"name":"p","finalizers":["x/y"]},"spec":{"readinessGates":[{"conditionType":"a"},)"
             R"({"conditionType":"b"}],"initContainers":[{"name":"i","image":"i"},{"name":"s","image":"i",)"
             R"("restartPolicy":"Always"}],"containers":[{"name":"a","image":"i"},{"name":"b","image":"i"}]}})");
    s.now += std::chrono::minutes{7};
    // The cells Ready, Status and Restarts.
    const auto cells = [&](const std::string& status) {
        s.patch(pods + "/p/status", R"({"status":null})");
        s.patch(pods + "/p/status", R"({"status":)" + status + "}");
        const auto text = shown(table(s, pods + "/p"));
        return text.substr(4, text.size() - 10);
    };
    const std::string exited = R"({"terminated":{"exitCode":0,"reason":"Completed"}})", running = R"({"running":{}})";
    const auto init = [](const std::string& first, const std::string& second) {
        return R"({"phase":"Pending","initContainerStatuses":[{"name":"i","restartCount":4,)" + first +
               R"(},{"name":"s","restartCount":1,)" + second + "}]}";
    };
    const std::string not_yet = R"("state":{"waiting":{"reason":"PodInitializing"}})";
    CHECK(cells(init(R"("state":)" + running, not_yet)) == R"("0/3"|"Init:0/2"|"4")");
    CHECK(cells(init(R"("state":)" + exited, not_yet)) == R"("0/3"|"Init:1/2"|"5")");
    CHECK(cells(init(R"("state":{"waiting":{"reason":"ImagePullBackOff"}})", not_yet)) ==
          R"("0/3"|"Init:ImagePullBackOff"|"4")");
    CHECK(cells(init(R"("state":{"terminated":{"exitCode":3}})", not_yet)) == R"("0/3"|"Init:ExitCode:3"|"4")");
    CHECK(cells(init(R"("state":{"terminated":{"exitCode":3,"signal":9}})", not_yet)) ==
          R"("0/3"|"Init:Signal:9"|"4")");
    CHECK(cells(init(R"("state":{"terminated":{"exitCode":3,"reason":"Error"}})", not_yet)) ==
          R"("0/3"|"Init:Error"|"4")");
    CHECK(cells(init(R"("state":)" + exited, R"("ready":true,"started":true,"state":)" + running)) ==
          R"("1/3"|"Pending"|"1")");
    const auto both = [](const std::string& a, const std::string& b, const std::string& more = {}) {
        return R"({"phase":"Running",)" + more + R"("containerStatuses":[{"name":"a","ready":true,"state":)" + a +
               R"(},{"name":"b","ready":true,"restartCount":2,"lastState":{"terminated":{"exitCode":1,"finishedAt":)"
               R"("2026-11-21T06:02:00Z"}},"state":)" +
               b + "}]}";
    };
    const std::string again = R"-("2 (5m ago)")-";
    CHECK(cells(both(running, running)) == R"("2/3"|"Running"|)" + again);
    CHECK(cells(both(exited, running)) == R"("1/3"|"NotReady"|)" + again);
    CHECK(cells(both(exited, running, R"("conditions":[{"type":"Ready","status":"True"}],)")) ==
          R"("1/3"|"Running"|)" + again);
    CHECK(cells(both(R"({"waiting":{"reason":"First"}})", R"({"waiting":{"reason":"Second"}})")) ==
          R"("0/3"|"First"|)" + again);
    CHECK(cells(both(running, R"({"terminated":{"exitCode":2}})")) == R"("1/3"|"ExitCode:2"|)" + again);
    CHECK(
        cells(
            R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]})") ==
        R"("0/3"|"SchedulingGated"|"0")");
    CHECK(table(s, pods).at_pointer("/rows/0/cells/8") == "0/2");
    s.patch(pods + "/p/status", R"({"status":{"conditions":[{"type":"b","status":"True"}]}})");
    CHECK(table(s, pods).at_pointer("/rows/0/cells/8") == "1/2");
    s.expect(200, "DELETE", pods + "/p");
    CHECK(cells(both(running, running)) == R"("2/3"|"Terminating"|)" + again);
    CHECK(cells(R"({"phase":"Succeeded"})") == R"("0/3"|"Succeeded"|"0")");
    CHECK(cells(R"({"phase":"Running","reason":"NodeLost"})") == R"("0/3"|"Unknown"|"0")");
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
        R"({"metadata":{"name":"v"},"spec":{"clusterIP":"10.96.0.1","ports":[{"name":"a","port":80},{"name":"b","port":53,"protocol":"UDP"}]}})");
    s.expect(201, "POST", core + "secrets", R"({"metadata":{"name":"s"},"data":{"a":"Yg=="}})");
    s.expect(201, "POST", core + "serviceaccounts", R"({"metadata":{"name":"sa"}})");
    s.expect(
        201, "POST", core + "events",
        R"({"metadata":{"name":"e","namespace":"default"},"involvedObject":{"kind":"Pod","namespace":"default","name":"p"},)"
        R"("reason":"Started","message":"up","type":"Normal","lastTimestamp":"2026-11-21T05:59:30Z"})");
    s.expect(201, "POST", batch + "jobs",
             R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[)"
             R"({"name":"c","image":"i"}]}}}})");
    s.expect(201, "POST", batch + "cronjobs",
             R"({"metadata":{"name":"c"},"spec":{"schedule":"* * * * *","jobTemplate":{"spec":{"template":{"spec":)"
             R"({"restartPolicy":"Never","containers":[{"name":"d","image":"i"}]}}}}}})");
    s.expect(201, "POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases",
             R"({"metadata":{"name":"l"},"spec":{"holderIdentity":"me"}})");
    const auto row = [&](const std::string& target) { return shown(table(s, target)); };
    CHECK(row(apps + "deployments") == "\"x\"|\"0/3\"|0|0|\"0s\"\n");
    CHECK(row(apps + "replicasets") == "\"x\"|3|0|0|\"0s\"\n");
    CHECK(row(apps + "statefulsets") == "\"x\"|\"0/3\"|\"0s\"\n");
    CHECK(row(apps + "daemonsets") == "\"x\"|0|0|0|0|0|\"<none>\"|\"0s\"\n");
    CHECK(row("/api/v1/nodes") == "\"n\"|\"Ready\"|\"worker\"|\"0s\"|\"v1.36.0\"\n");
    CHECK(row(core + "services") == "\"v\"|\"ClusterIP\"|\"10.96.0.1\"|\"<none>\"|\"80/TCP,53/UDP\"|\"0s\"\n");
    CHECK(row(core + "secrets") == "\"s\"|\"Opaque\"|1|\"0s\"\n");
    CHECK(row(core + "serviceaccounts") == "\"sa\"|\"0s\"\n");
    CHECK(row(core + "events") == "\"30s\"|\"Normal\"|\"Started\"|\"pod/p\"|\"up\"\n");
    CHECK(row(batch + "jobs") == "\"j\"|\"Running\"|\"0/1\"|\"\"|\"0s\"\n");
    CHECK(row(batch + "cronjobs") == "\"c\"|\"* * * * *\"|\"<none>\"|\"False\"|0|\"<none>\"|\"0s\"\n");
    s.expect(
        201, "POST", batch + "jobs",
        R"({"metadata":{"name":"k"},"spec":{"parallelism":2,"suspend":true,"template":{"spec":{"restartPolicy":"Never",)"
        R"("containers":[{"name":"c","image":"i"}]}}}})");
    s.patch(batch + "jobs/k/status", R"({"status":{"conditions":[{"type":"Suspended","status":"True"}]}})");
    CHECK(row(batch + "jobs/k") == "\"k\"|\"Suspended\"|\"0/1 of 2\"|\"\"|\"0s\"\n");
    // The columns of -o wide.
    CHECK(json::serialize(table(s, core + "events").at_pointer("/rows/0/cells")) ==
          R"(["30s","Normal","Started","pod/p","","","up","<unknown>",1,"e"])");
    CHECK(json::serialize(table(s, batch + "cronjobs").at_pointer("/rows/0/cells"))
              .ends_with(R"("0s","d","i","<none>"])"));
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

TEST_CASE("table: paths of columns and their filters", "[apiserver][table]")
{
    const auto at = [](std::string_view path, std::string_view text) {
        const auto v = json::parse(json::string_view(text.data(), text.size()));
        const auto* found = apiserver::json_path(path).find(v);
        return found ? json::serialize(*found) : "absent";
    };
    CHECK(at("", "1") == "1");
    CHECK(at(".", R"({"a":1})") == R"({"a":1})");
    CHECK(at(".a.b", R"({"a":{"b":1}})") == "1");
    CHECK(at("a.b.", R"({"a":{"b":1}})") == "1");
    CHECK(at(".a.b", R"({"a":[{"b":1}]})") == "absent");
    CHECK(at(R"(.a\.b)", R"({"a.b":1})") == "1");
    CHECK(at(".a['b.c']", R"({"a":{"b.c":1}})") == "1");
    CHECK(at(R"(.a["x]y"].z)", R"({"a":{"x]y":{"z":1}}})") == "1");
    CHECK(at(".a[1]", R"({"a":[1,2]})") == "2");
    CHECK(at(".a[2]", R"({"a":[1,2]})") == "absent");
    CHECK(at(".a[x]", R"({"a":[1,2]})") == "absent");
    CHECK(at(".a[-1]", R"({"a":[1,2]})") == "2");
    CHECK(at(".a[-3]", R"({"a":[1,2]})") == "absent");
    CHECK(at(".a[-1:].b", R"({"a":[{"b":1},{"b":2}]})") == "2");
    CHECK(at(".a[0:1].b", R"({"a":[{"b":1},{"b":2}]})") == "1");
    CHECK(at(".a[:1].b", R"({"a":[{"b":1},{"b":2}]})") == "1");
    CHECK(at(".a[1:1]", R"({"a":[1,2]})") == "absent");
    CHECK(at(".a[].b", R"({"a":[{"c":1},{"b":2}]})") == "2");
    CHECK(at(".a[*].b", R"({"a":[{"c":1},{"b":2},{"b":3}]})") == "2");
    CHECK(at(".a[?(@.t==\"x\")].b", R"({"a":[{"t":"y","b":1},{"t":"x"},{"t":"x","b":2}]})") == "2");
    CHECK(at(".a[?(@.t  ==  7)].b", R"({"a":[{"t":6,"b":1},{"t":7,"b":2}]})") == "2");
    CHECK(at(".a[?(@.l[0].k==1)].b", R"({"a":[{"b":1},{"l":[{"k":1}],"b":2}]})") == "2");
    CHECK(at(".a[?(t==1)]", R"({"a":[{"t":1}]})") == "absent");
    CHECK(at(".a[?(@.t)]", R"({"a":[{"t":1}]})") == "absent");
    CHECK(at(".a[?()]", R"({"a":[{"t":1}]})") == "absent");
    CHECK(at(".a[0", R"({"a":[1]})") == "absent");
    const std::string longest = "." + std::string(apiserver::json_path::longest - 1, 'a');
    CHECK(at(longest, "{\"" + longest.substr(1) + "\":1}") == "1");
    CHECK(at(longest + ".", "{\"" + longest.substr(1) + "\":1}") == "absent");
}

TEST_CASE("table: the number of columns and the length of their paths are bounded", "[apiserver][table]")
{
    server s;
    const auto answer = [&](int columns, const std::string& path) {
        std::string list;
        for (int i = 0; i < columns; ++i)
            list += (i ? "," : "") + (R"({"name":"c","type":"string","jsonPath":")" + path + "\"}");
        const auto r = s.ask(
            "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All",
            R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",)"
            R"("names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,)"
            R"("schema":{"openAPIV3Schema":{"type":"object"}},"additionalPrinterColumns":[)" +
                list + "]}]}}");
        return r.status == 201 ? std::string() : std::string(json::parse(r.body).at("message").as_string());
    };
    CHECK(answer(100, "." + std::string(apiserver::json_path::longest - 1, 'a')).empty());
    CHECK(answer(101, ".a").ends_with("spec.additionalPrinterColumns: Too many: 101: must have at most 100 items"));
    CHECK(answer(1, "." + std::string(apiserver::json_path::longest, 'a'))
              .ends_with("spec.additionalPrinterColumns[0].jsonPath: Too long: may not be more than 1024 bytes"));
}

TEST_CASE("table: external addresses of services are those of their type", "[apiserver][table]")
{
    server s;
    const std::string services = "/api/v1/namespaces/default/services";
    const auto external = [&](const std::string& spec, const std::string& status = "{}") {
        s.expect(201, "POST", services, R"({"metadata":{"name":"s"},"spec":)" + spec + "}");
        s.patch(services + "/s/status", R"({"status":)" + status + "}");
        const auto row = table(s, services).at("rows").at(0).at("cells");
        s.expect(200, "DELETE", services + "/s");
        return std::string(row.at(3).as_string());
    };
    const std::string balanced = R"({"type":"LoadBalancer","ports":[{"port":80}])";
    CHECK(external(R"({"type":"ExternalName","externalName":"a.b"})") == "a.b");
    CHECK(external(R"({"ports":[{"port":80}]})") == "<none>");
    CHECK(external(R"({"ports":[{"port":80}],"externalIPs":["1.2.3.4","1.2.3.5"]})") == "1.2.3.4,1.2.3.5");
    CHECK(external(balanced + "}") == "<pending>");
    CHECK(external(balanced + R"(,"externalIPs":["1.2.3.4"]})",
                   R"({"loadBalancer":{"ingress":[{"hostname":"z.y"},{"ip":"5.6.7.8"}]}})") == "5.6.7.8,z.y,1.2.3.4");
}

TEST_CASE("table: includeObject selects the object of a row", "[apiserver][table]")
{
    server s;
    s.add_config_map("default", "m");
    const std::string maps = "/api/v1/namespaces/default/configmaps";
    CHECK(table(s, maps + "?includeObject=None").at_pointer("/rows/0/object").is_null());
    CHECK(table(s, maps + "?includeObject=Object").at_pointer("/rows/0/object/data/k") == "v");
}
