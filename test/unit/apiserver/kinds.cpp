// Tests of the built-in kinds without rules of their own, and of the structure that OpenAPI documents describe.
#include "support.hpp"

#include "state/resource_store.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

TEST_CASE("kinds: those of kubectl create are stored, in JSON and in protobuf", "[apiserver][kinds]")
{
    server s;
    const auto create = [&](const std::string& at, const std::string& body) {
        const auto made = s.expect(201, "POST", at, body);
        const auto name = std::string(made.at_pointer("/metadata/name").as_string());
        const auto r = s.ask("GET", at + "/" + name, {}, {{"Accept", "application/vnd.kubernetes.protobuf"}});
        CHECK(r.status == 200);
        CHECK(r.body.starts_with("k8s"));
        const auto put =
            s.ask("PUT", at + "/" + name, r.body, {{"Content-Type", "application/vnd.kubernetes.protobuf"}});
        CHECK(put.status == 200);
        CHECK(json::parse(put.body) == made);
        s.expect(200, "DELETE", at + "/" + name);
        return made;
    };
    const std::string rbac = "/apis/rbac.authorization.k8s.io/v1";
    create(rbac + "/clusterroles",
           R"({"metadata":{"name":"a"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]})");
    create(
        rbac + "/clusterrolebindings",
        R"({"metadata":{"name":"a"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"a"}})");
    create(rbac + "/namespaces/default/roles", R"({"metadata":{"name":"a"},"rules":null})");
    create(rbac + "/namespaces/default/rolebindings",
           R"({"metadata":{"name":"a"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"a"}})");
    const auto ingress =
        create("/apis/networking.k8s.io/v1/namespaces/default/ingresses",
               R"({"metadata":{"name":"a"},"spec":{"rules":[{"host":"h"}]},"status":{"loadBalancer":{}}})");
    CHECK(ingress.at_pointer("/metadata/generation") == 1);
    create("/apis/policy/v1/namespaces/default/poddisruptionbudgets",
           R"({"metadata":{"name":"a"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"a":"b"}}}})");
    create("/apis/scheduling.k8s.io/v1/priorityclasses", R"({"metadata":{"name":"a"},"value":7})");
    create("/api/v1/namespaces/default/resourcequotas", R"({"metadata":{"name":"a"},"spec":{"hard":{"pods":"1"}}})");
    create("/apis/apps/v1/namespaces/default/controllerrevisions",
           R"({"metadata":{"name":"a"},"data":{"any":["thing"]},"revision":3})");
}

TEST_CASE("kinds: names that are no subdomains", "[apiserver][kinds]")
{
    server s;
    const auto make = [&](const std::string& at, const std::string& name, const std::string& spec = "{}") {
        const auto r = s.ask("POST", "/apis/" + at, R"({"metadata":{"name":")" + name + R"("},"spec":)" + spec + "}");
        const auto body = json::parse(r.body);
        return r.status == 201 ? std::string("made") : std::string(body.at("message").as_string());
    };
    const auto ends = [](const std::string& text, const std::string& end) { return text.ends_with(": " + end); };
    const std::string addresses = "networking.k8s.io/v1/ipaddresses";
    for (const auto* good : {"10.9.8.7", "2001:db8::ffff", "::1", "0.0.0.0"}) CHECK(make(addresses, good) == "made");
    CHECK(ends(make(addresses, "name"), "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
    CHECK(ends(make(addresses, "2001:DB8::0"), R"(must be in canonical form ("2001:db8::"))"));
    CHECK(ends(make(addresses, "::ffff:1.2.3.4"), "must not be an IPv4-mapped IPv6 address"));

    const std::string bundles = "certificates.k8s.io/v1/clustertrustbundles";
    const std::string signer = R"({"signerName":"example.com/foo"})";
    CHECK(make(bundles, "example.com:foo:v1", signer) == "made");
    CHECK(make(bundles, "plain") == "made");
    CHECK(ends(make(bundles, "a:b"), R"(ClusterTrustBundle without signer name must not have ":" in its name)"));
    CHECK(ends(make(bundles, "v1", signer),
               "ClusterTrustBundle for signerName example.com/foo must be named with prefix example.com:foo:"));
    CHECK(make(bundles, "example.com:foo:a:b", signer).find("subdomain") != std::string::npos);

    const std::string services = "apiregistration.k8s.io/v1/apiservices";
    CHECK(make(services, "v1.", R"({"version":"v1"})") == "made");
    CHECK(ends(make(services, "v1.apps", R"({"version":"v1","group":"batch"})"),
               R"(must be `spec.version+"."+spec.group`: "v1.batch")"));
    CHECK(make("certificates.k8s.io/v1/certificatesigningrequests", "node-csr_X") == "made");
    CHECK(make("networking.k8s.io/v1/ingressclasses", "node-csr_X").find("subdomain") != std::string::npos);
}

TEST_CASE("kinds: field selectors name the fields that a kube-apiserver selects by", "[apiserver][kinds]")
{
    server s;
    const auto selected = [&](const std::string& at, const std::string& field) {
        return s.expect(200, "GET", at + "?fieldSelector=" + field).at("items").as_array().size();
    };
    const std::string requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    s.expect(201, "POST", requests,
             R"({"metadata":{"name":"a"},"spec":{"signerName":"x.io/a","request":"","usages":[]}})");
    CHECK(selected(requests, "spec.signerName%3Dx.io/a") == 1);
    CHECK(selected(requests, "spec.signerName%3Dx.io/b") == 0);
    const std::string bundles = "/apis/certificates.k8s.io/v1/clustertrustbundles";
    s.expect(201, "POST", bundles,
             R"({"metadata":{"name":"x.io:a:1"},"spec":{"signerName":"x.io/a","trustBundle":""}})");
    CHECK(selected(bundles, "spec.signerName%3Dx.io/a") == 1);
    CHECK(selected(bundles, "spec.signerName%3D") == 0);
    const std::string pod_requests = "/apis/certificates.k8s.io/v1/namespaces/default/podcertificaterequests";
    s.expect(201, "POST", pod_requests,
             R"({"metadata":{"name":"a"},"spec":{"signerName":"x.io/a","podName":"p","nodeName":"n"}})");
    CHECK(selected(pod_requests, "spec.signerName%3Dx.io/a,spec.podName%3Dp,spec.nodeName%3Dn") == 1);
    CHECK(selected(pod_requests, "spec.nodeName%3Dm") == 0);
    const std::string slices = "/apis/resource.k8s.io/v1/resourceslices";
    s.expect(201, "POST", slices,
             R"({"metadata":{"name":"a"},"spec":{"driver":"d","nodeName":"n","pool":{"name":"p","generation":1,)"
             R"("resourceSliceCount":1}}})");
    CHECK(selected(slices, "spec.nodeName%3Dn,spec.driver%3Dd") == 1);
    CHECK(selected(slices, "spec.driver%3De") == 0);
    const std::string controllers = "/api/v1/namespaces/default/replicationcontrollers";
    s.expect(201, "POST", controllers, R"({"metadata":{"name":"a"},"spec":{"selector":{"a":"b"}}})");
    CHECK(selected(controllers, "status.replicas%3D0") == 1);
    s.expect(400, "GET", "/apis/apps/v1/replicasets?fieldSelector=status.replicas%3D0");
}

TEST_CASE("kinds: immutable fields stay as they are", "[apiserver][kinds]")
{
    server s;
    const auto make = [&](const std::string& at, const std::string& content) {
        s.expect(201, "POST", at, R"({"metadata":{"name":"a"},)" + content + "}");
    };
    const auto refusal = [&](const std::string& at, const std::string& change) {
        const auto refused = s.expect(422, "PATCH", at + "/a", change, {{"Content-Type", std::string(merge_type)}});
        const auto& cause = refused.at_pointer("/details/causes/0");
        return std::string(cause.at("field").as_string()) + ": " + std::string(cause.at("message").as_string());
    };
    const std::string classes = "/apis/storage.k8s.io/v1/storageclasses";
    make(classes, R"("provisioner":"p","parameters":{"a":"b"})");
    CHECK(refusal(classes, R"({"provisioner":"q"})") == R"(provisioner: Invalid value: "q": field is immutable)");
    CHECK(refusal(classes, R"({"parameters":null})") == "parameters: Invalid value: null: field is immutable");
    CHECK(refusal(classes, R"({"reclaimPolicy":"Retain"})") ==
          R"(reclaimPolicy: Invalid value: "Retain": field is immutable)");
    CHECK(refusal(classes, R"({"volumeBindingMode":"WaitForFirstConsumer"})") ==
          R"(volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable)");
    // A default that is stated is no change.
    s.patch(classes + "/a",
            R"({"reclaimPolicy":"Delete","volumeBindingMode":"Immediate","allowVolumeExpansion":true})");

    const std::string priorities = "/apis/scheduling.k8s.io/v1/priorityclasses";
    make(priorities, R"("value":7)");
    CHECK(refusal(priorities, R"({"value":8})") == "value: Forbidden: may not be changed in an update.");
    s.patch(priorities + "/a", R"({"preemptionPolicy":"PreemptLowerPriority","description":"d"})");
    const std::string revisions = "/apis/apps/v1/namespaces/default/controllerrevisions";
    make(revisions, R"("data":{"a":1},"revision":3)");
    CHECK(refusal(revisions, R"({"data":{"a":2}})") == R"(data: Invalid value: {"a":2}: field is immutable)");
    s.patch(revisions + "/a", R"({"revision":4})");
    const std::string slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    make(slices, R"("addressType":"IPv4","endpoints":[])");
    CHECK(refusal(slices, R"({"addressType":"IPv6"})") == R"(addressType: Invalid value: "IPv6": field is immutable)");
    s.patch(slices + "/a", R"({"endpoints":[{"addresses":["10.0.0.1"]}]})");
    const std::string ingress_classes = "/apis/networking.k8s.io/v1/ingressclasses";
    const std::string attributes = "/apis/storage.k8s.io/v1/volumeattributesclasses";
    make(attributes, R"("driverName":"d","parameters":{"a":"b"})");
    CHECK(refusal(attributes, R"({"driverName":"e"})") ==
          "driverName: Forbidden: updates to driverName are forbidden.");
    make(ingress_classes, R"("spec":{"controller":"a.b/c"})");
    CHECK(refusal(ingress_classes, R"({"spec":{"controller":"a.b/d"}})").starts_with("spec.controller: Invalid value"));
}

TEST_CASE("kinds: containers have labels for names and mount volumes that exist", "[apiserver][kinds]")
{
    server s;
    const auto complaints = [&](const std::string& at, const std::string& body) {
        const auto refused = s.expect(422, "POST", at, body);
        std::string out;
        for (const auto& cause : refused.at_pointer("/details/causes").as_array())
            out += std::string(cause.at("field").as_string()) + " " +
                   std::string(cause.at("message").as_string()).substr(0, 13) + ";";
        return out;
    };
    const std::string pods = "/api/v1/namespaces/default/pods", apps = "/apis/apps/v1/namespaces/default/";
    const auto spec = [](const std::string& container, const std::string& more = {}) {
        return R"({"containers":[{"image":"i",)" + container + "}]" + more + "}";
    };
    const auto pod = [&](const std::string& content) { return R"({"metadata":{"name":"p"},"spec":)" + content + "}"; };
    CHECK(complaints(pods, pod(spec(R"("name":"Main")"))) == "spec.containers[0].name Invalid value;");
    const std::string mount = R"("name":"c","volumeMounts":[{"name":"v","mountPath":"/v"}])";
    CHECK(complaints(pods, pod(spec(mount))) == R"(spec.containers[0].volumeMounts[0].name Not found: "v;)");
    const std::string volumes = R"(,"volumes":[{"name":"v","emptyDir":{}}])";
    CHECK(complaints(pods, pod(spec(R"("name":"c","volumeMounts":[{"name":"v","mountPath":"/v"},)"
                                    R"({"name":"v","mountPath":"/v"},{"name":"v"}])",
                                    volumes))) == "spec.containers[0].volumeMounts[1].mountPath Invalid value;"
                                                  "spec.containers[0].volumeMounts[2].mountPath Required valu;");
    s.expect(201, "POST", pods, pod(spec(mount, volumes)));
    const auto workload = [&](const std::string& content) {
        return R"({"metadata":{"name":"w"},"spec":{"serviceName":"s","selector":{"matchLabels":{"a":"b"}},"template":)"
               R"({"metadata":{"labels":{"a":"b"}},"spec":)" +
               content + "}}}";
    };
    CHECK(complaints(apps + "deployments", workload(spec(mount))) ==
          R"(spec.template.spec.containers[0].volumeMounts[0].name Not found: "v;)");
    // It may be a claim of the set.
    s.expect(201, "POST", apps + "statefulsets", workload(spec(mount)));
    const std::string jobs = "/apis/batch/v1/namespaces/default/jobs";
    const auto job = [&](const std::string& more) {
        return R"({"metadata":{"name":"j"},"spec":{"template":{"spec":)" + spec(R"("name":"c")", more) + "}}}";
    };
    CHECK(complaints(jobs, job("")) == "spec.template.spec.restartPolicy Required valu;");
    CHECK(complaints(jobs, job(R"(,"restartPolicy":"Always")")) == "spec.template.spec.restartPolicy Required valu;");
    CHECK(complaints(jobs, job(R"(,"restartPolicy":"Odd")")) == "spec.template.spec.restartPolicy Unsupported v;");
    s.expect(201, "POST", jobs, job(R"(,"restartPolicy":"OnFailure")"));
}

TEST_CASE("kinds: a secret of a type has the keys of that type", "[apiserver][kinds]")
{
    server s;
    const std::string secrets = "/api/v1/namespaces/default/secrets";
    const auto make = [&](const std::string& type, const std::string& keys, const std::string& metadata = {}) {
        const auto r = s.ask("POST", secrets + "?dryRun=All",
                             R"({"metadata":{"name":"a")" + metadata + R"(},"type":")" + type + R"(","stringData":{)" +
                                 keys + "}}");
        std::string out;
        if (r.status == 201) return out;
        const auto refused = json::parse(r.body);
        for (const auto& cause : refused.at_pointer("/details/causes").as_array())
            out += std::string(cause.at("field").as_string()) + " ";
        return out;
    };
    CHECK(make("kubernetes.io/tls", R"("tls.crt":"c")") == "data[tls.key] ");
    CHECK(make("kubernetes.io/tls", R"("tls.crt":"c","tls.key":"","more":"m")").empty());
    CHECK(make("kubernetes.io/basic-auth", "") == "data[username] data[password] ");
    CHECK(make("kubernetes.io/basic-auth", R"("password":"p")").empty());
    CHECK(make("kubernetes.io/dockerconfigjson", "") == "data[.dockerconfigjson] ");
    CHECK(make("kubernetes.io/dockercfg", "") == "data[.dockercfg] ");
    CHECK(make("kubernetes.io/ssh-auth", R"("ssh-privatekey":"")") == "data[ssh-privatekey] ");
    const std::string token = "kubernetes.io/service-account-token";
    CHECK(make(token, "") == "metadata.annotations[kubernetes.io/service-account.name] ");
    CHECK(make(token, "", R"(,"annotations":{"kubernetes.io/service-account.name":"a"})").empty());
    CHECK(make("example.com/any", "").empty());
    s.expect(201, "POST", secrets,
             R"({"metadata":{"name":"a"},"type":"kubernetes.io/tls","stringData":{"tls.crt":"c","tls.key":"k"}})");
    s.expect(422, "PATCH", secrets + "/a", R"({"data":{"tls.key":null}})", {{"Content-Type", std::string(merge_type)}});
}

TEST_CASE("kinds: an object of the cluster may state a namespace, which is dropped", "[apiserver][kinds]")
{
    server s;
    const std::string roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    const auto made = s.expect(201, "POST", roles, R"({"metadata":{"name":"a","namespace":"web"}})");
    CHECK_FALSE(made.at("metadata").as_object().contains("namespace"));
    s.expect(200, "PUT", roles + "/a", R"({"metadata":{"name":"a","namespace":"web","labels":{"a":"b"}}})");
    const auto applied = s.ask(
        "PATCH", roles + "/b?fieldManager=m",
        R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"b","namespace":"web"}})",
        {{"Content-Type", "application/apply-patch+yaml"}});
    CHECK(applied.status == 201);
    CHECK_FALSE(json::parse(applied.body).at("metadata").as_object().contains("namespace"));
}

TEST_CASE("kinds: of a claim the request may grow once it is bound, and the rest stays", "[apiserver][kinds]")
{
    server s;
    const std::string claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    s.expect(
        201, "POST", claims,
        R"({"metadata":{"name":"a"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})");
    const auto status = [&](const std::string& change) {
        return s.ask("PATCH", claims + "/a", change, {{"Content-Type", std::string(merge_type)}}).status;
    };
    const std::string larger = R"({"spec":{"resources":{"requests":{"storage":"2Gi"}}}})";
    CHECK(status(larger) == 422);
    CHECK(status(R"({"spec":{"accessModes":["ReadOnlyMany"]}})") == 422);
    CHECK(status(R"({"spec":{"storageClassName":"fast"}})") == 200);
    CHECK(status(R"({"spec":{"storageClassName":"slow"}})") == 422);
    CHECK(status(R"({"spec":{"volumeName":"v"}})") == 200);
    CHECK(status(R"({"spec":{"volumeName":"w"}})") == 422);
    s.patch(claims + "/a/status", R"({"status":{"phase":"Bound"}})");
    CHECK(status(larger) == 200);
    CHECK(status(R"({"spec":{"volumeAttributesClassName":"c"}})") == 200);
    CHECK(status(R"({"spec":{"accessModes":["ReadOnlyMany"]}})") == 422);
    CHECK(status(R"({"metadata":{"labels":{"a":"b"}}})") == 200);
}

TEST_CASE("kinds: an unknown resource of a built-in group is answered with a Status", "[apiserver][kinds]")
{
    server s;
    CHECK(s.expect(404, "GET", "/apis/policy/v1/namespaces/default/nothing").at("reason") == "NotFound");
    CHECK(s.get("/apis/nothing.example.com/v1/x").body == "404 page not found\n");
}

TEST_CASE("kinds: a job with parallelism alone works on a queue, and limits per index replace the backoff limit",
          "[apiserver][kinds]")
{
    server s;
    int jobs = 0;
    const auto defaults = [&](const std::string& spec) {
        const auto made = s.expect(201, "POST", "/apis/batch/v1/namespaces/default/jobs",
                                   R"({"metadata":{"name":"j)" + std::to_string(++jobs) + R"("},"spec":{)" + spec +
                                       R"("template":{"spec":{"restartPolicy":"Never","containers":[)"
                                       R"({"name":"c","image":"i"}]}}}})");
        std::string out;
        for (const char* member : {"parallelism", "completions", "backoffLimit"}) {
            const auto* value = made.at("spec").as_object().if_contains(member);
            out += (value ? json::serialize(*value) : "none") + " ";
        }
        return out;
    };
    CHECK(defaults("") == "1 1 6 ");
    CHECK(defaults(R"("parallelism":null,)") == "1 1 6 ");
    CHECK(defaults(R"("parallelism":3,)") == "3 none 6 ");
    CHECK(defaults(R"("completions":3,)") == "1 3 6 ");
    CHECK(defaults(R"("completionMode":"Indexed","completions":2,"backoffLimitPerIndex":1,)") == "1 2 2147483647 ");
    CHECK(defaults(R"("completionMode":"Indexed","completions":2,"backoffLimitPerIndex":1,"backoffLimit":4,)") ==
          "1 2 4 ");
    // It stays one when it is written again.
    const auto at = "/apis/batch/v1/namespaces/default/jobs/j3";
    CHECK_FALSE(s.patch(at, R"({"spec":{"parallelism":2}})").at("spec").as_object().contains("completions"));
}

TEST_CASE("kinds: null texts in maps are empty texts, as Go reads them", "[apiserver][kinds]")
{
    server s;
    const std::string maps = "/api/v1/namespaces/default/configmaps";
    const auto made =
        s.expect(201, "POST", maps, R"({"metadata":{"name":"m","labels":{"l":null}},"data":{"a":null,"b":"1"}})");
    CHECK(json::serialize(made.at("data")) == R"({"a":"","b":"1"})");
    CHECK(json::serialize(made.at_pointer("/metadata/labels")) == R"({"l":""})");
    s.expect(400, "POST", maps, R"({"metadata":{"name":"n"},"data":{"a":1}})");
    CHECK(json::serialize(
              s.expect(200, "PUT", maps + "/m", R"({"metadata":{"name":"m"},"data":{"c":null}})").at("data")) ==
          R"({"c":""})");
}

TEST_CASE("openapi: documents describe the fields of built-in kinds and their types", "[apiserver][openapi]")
{
    server s;
    const auto core = s.expect(200, "GET", "/openapi/v3/api/v1");
    const auto& all = core.at_pointer("/components/schemas").as_object();
    const auto& pod = all.at("io.k8s.api.core.v1.Pod");
    CHECK(pod.at_pointer("/properties/spec/$ref") == "#/components/schemas/io.k8s.api.core.v1.PodSpec");
    CHECK(pod.at_pointer("/properties/kind/type") == "string");
    CHECK(json::serialize(pod.at("x-kubernetes-group-version-kind")) ==
          R"([{"group":"","version":"v1","kind":"Pod"}])");
    const auto& spec = all.at("io.k8s.api.core.v1.PodSpec").at("properties");
    CHECK(spec.at_pointer("/containers/type") == "array");
    CHECK(spec.at_pointer("/containers/items/$ref") == "#/components/schemas/io.k8s.api.core.v1.Container");
    CHECK(spec.at_pointer("/nodeSelector/additionalProperties/type") == "string");
    CHECK(spec.at_pointer("/priority/format") == "int32");
    // Fields of inlined messages belong to the message around them.
    CHECK(all.at("io.k8s.api.core.v1.Probe").at("properties").as_object().contains("httpGet"));
    CHECK(all.at("io.k8s.api.core.v1.Probe").at_pointer("/properties/periodSeconds/type") == "integer");
    // A message that contains itself.
    const auto crds = s.expect(200, "GET", "/openapi/v3/apis/apiextensions.k8s.io/v1");
    CHECK(json::serialize(crds).find("JSONSchemaProps\"}") != std::string::npos);
    // The hash of the index is that of the document's address.
    const auto index = s.expect(200, "GET", "/openapi/v3");
    const auto url = std::string(index.at("paths").at("api/v1").at("serverRelativeURL").as_string());
    CHECK(s.get(url).header("cache-control") == "public, immutable");
    CHECK(s.get("/openapi/v3/api/v1?hash=other").header("cache-control") == "no-cache, private");
}

TEST_CASE("version: says which versions it emulates and is compatible with", "[apiserver][kinds]")
{
    server s;
    const auto version = s.expect(200, "GET", "/version");
    CHECK(version.at("emulationMinor") == "36");
    CHECK(version.at("minCompatibilityMinor") == "35");
}

TEST_CASE("kinds: all stable ones are served, and nothing else of the built-in groups", "[apiserver][kinds]")
{
    server s;
    std::string names;
    for (const auto& store : s.state.resources()) {
        // Each has columns that fit an empty object, and a list in both forms.
        const auto& info = store->info;
        const std::string at = (info.group.empty() ? "/api/" : "/apis/" + info.group + "/") +
                               info.versions.front().name + "/" + info.plural;
        if (info.behaves == apiserver::builtin::review) continue;
        INFO(at);
        const auto table = s.expect(200, "GET", at, {}, {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
        CHECK(table.at("columnDefinitions").as_array().size() >= 2);
        CHECK(s.ask("GET", at, {}, {{"Accept", "application/vnd.kubernetes.protobuf"}}).status == 200);
        names += info.display_name() + " ";
    }
    for (const std::string name :
         {"validatingwebhookconfigurations.admissionregistration.k8s.io", "apiservices.apiregistration.k8s.io",
          "certificatesigningrequests.certificates.k8s.io", "flowschemas.flowcontrol.apiserver.k8s.io",
          "resourceclaims.resource.k8s.io", "csidrivers.storage.k8s.io", "events.events.k8s.io",
          "servicecidrs.networking.k8s.io"})
        CHECK(names.find(name) != std::string::npos);
}

namespace {

/// The cells of the first object.
std::string rows(server& s, const std::string& at)
{
    const auto table = s.expect(200, "GET", at, {}, {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
    return json::serialize(table.at("rows").as_array().front().at("cells"));
}

std::string cells(server& s, const std::string& at, const std::string& body)
{
    s.expect(201, "POST", at, body);
    return rows(s, at);
}

} // namespace

TEST_CASE("kinds: tables have the cells of kubectl", "[apiserver][kinds]")
{
    server s;
    const std::string core = "/api/v1/namespaces/default/";
    CHECK(cells(s, core + "persistentvolumeclaims",
                R"({"metadata":{"name":"a"},"spec":{"accessModes":["ReadWriteOnce","ReadOnlyMany"],"volumeName":"v",)"
                R"("storageClassName":"fast","volumeMode":"Block","resources":{"requests":{"storage":"1Gi"}}}})") ==
          R"(["a","Pending","v","0","","fast","<unset>","0s","Block"])");
    CHECK(cells(s, core + "endpoints",
                R"({"metadata":{"name":"a"},"subsets":[{"addresses":[{"ip":"10.0.0.1"},{"ip":"10.0.0.2"}],)"
                R"("ports":[{"port":80},{"port":90}]}]})") ==
          R"(["a","10.0.0.1:80,10.0.0.2:80,10.0.0.1:90 + 1 more...","0s"])");
    s.expect(200, "DELETE", core + "endpoints/a");
    CHECK(cells(s, core + "endpoints",
                R"({"metadata":{"name":"b"},"subsets":[{"addresses":[{"ip":"fd00::1"}],"ports":[{"port":80}]},)"
                R"({"addresses":[{"ip":"10.0.0.2"}]}]})") == R"(["b","[fd00::1]:80,10.0.0.2","0s"])");
    CHECK(
        cells(
            s, "/apis/storage.k8s.io/v1/volumeattachments",
            R"({"metadata":{"name":"a"},"spec":{"attacher":"x","nodeName":"n","source":{"persistentVolumeName":"v"}}})") ==
        R"(["a","x","v","n",false,"0s"])");
    CHECK(
        cells(
            s, "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
            R"({"metadata":{"name":"a"},"addressType":"IPv4","ports":[{"port":1},{"name":"n"},{"name":""},{"port":4},)"
            R"({"port":5}],"endpoints":[{"addresses":["10.0.0.1","10.0.0.2"]},{"addresses":["10.0.0.3","10.0.0.4"]}]})") ==
        R"(["a","IPv4","1,n, + 2 more...","10.0.0.1,10.0.0.2,10.0.0.3 + 1 more...","0s"])");
    CHECK(
        cells(
            s, "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
            R"({"metadata":{"name":"a"},"spec":{"rules":[{"host":"a.b"},{},{"host":"c.d"},{"host":"e.f"},{"host":"g.h"}]}})") ==
        R"(["a","<none>","a.b,c.d,e.f + 2 more...","","80","0s"])");
    s.patch(
        core + "persistentvolumeclaims/a/status",
        R"({"status":{"accessModes":["ReadWriteMany","ReadWriteOnce","ReadOnlyMany"],"capacity":{"storage":"2Gi"}}})");
    CHECK(rows(s, core + "persistentvolumeclaims") ==
          R"(["a","Pending","v","2Gi","RWO,ROX,RWX","fast","<unset>","0s","Block"])");
    CHECK(cells(s, "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
                R"({"metadata":{"name":"a"},"spec":{"maxReplicas":5,"scaleTargetRef":{"kind":"Deployment","name":"w"},)"
                R"("metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization",)"
                R"("averageUtilization":80}}},{"type":"Resource","resource":{"name":"memory","target":)"
                R"({"type":"AverageValue","averageValue":"2"}}},{"type":"Pods"}]}})") ==
          R"(["a","Deployment/w","cpu: <unknown>/80%, memory: <unknown>/2 + 1 more...","1",5,0,"0s"])");
    s.patch(
        "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/a/status",
        R"({"status":{"currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":33}}}]}})");
    CHECK(rows(s, "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers").find("cpu: 33%/80%") !=
          std::string::npos);
    CHECK(cells(s, core + "resourcequotas", R"({"metadata":{"name":"a"},"status":{"hard":{}}})") ==
          R"(["a","","","0s"])");
    s.patch(core + "resourcequotas/a/status",
            R"({"status":{"hard":{"pods":"5","limits.cpu":"2","cpu":"1"},"used":{"pods":"2"}}})");
    CHECK(rows(s, core + "resourcequotas") == R"(["a","cpu: 0/1, pods: 2/5","limits.cpu: 0/2","0s"])");
    CHECK(
        cells(
            s, "/apis/networking.k8s.io/v1/ingressclasses",
            R"({"metadata":{"name":"a"},"spec":{"controller":"a.b/c","parameters":{"apiGroup":"x.y","kind":"K","name":"n"}}})") ==
        R"(["a","a.b/c","K.x.y/n","0s"])");
    CHECK(
        cells(
            s, "/apis/apiregistration.k8s.io/v1/apiservices",
            R"({"metadata":{"name":"v1.x.y"},"spec":{"group":"x.y","version":"v1","service":{"namespace":"n","name":"s"}}})") ==
        R"(["v1.x.y","n/s","Unknown","0s"])");
    s.patch("/apis/apiregistration.k8s.io/v1/apiservices/v1.x.y/status",
            R"({"status":{"conditions":[{"type":"Available","status":"False","reason":"ServiceNotFound"}]}})");
    CHECK(rows(s, "/apis/apiregistration.k8s.io/v1/apiservices") ==
          R"-(["v1.x.y","n/s","False (ServiceNotFound)","0s"])-");
    CHECK(cells(s, "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
                R"({"metadata":{"name":"a"},"spec":{"maxUnavailable":"30%"}})") == R"(["a","N/A","30%",0,"0s"])");
    CHECK(cells(s, "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
                R"({"metadata":{"name":"a"},"spec":{"podSelector":{"matchLabels":{"x":"y"},"matchExpressions":[)"
                R"({"key":"k","operator":"In","values":["w","v"]},{"key":"a","operator":"DoesNotExist"}]}}})") ==
          R"-(["a","!a,k in (v,w),x=y","0s"])-");
    CHECK(cells(s, "/apis/storage.k8s.io/v1/storageclasses",
                R"({"metadata":{"name":"a","annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},)"
                R"("provisioner":"p","reclaimPolicy":"Delete","volumeBindingMode":"Immediate"})") ==
          R"-(["a (default)","p","Delete","Immediate",false,"0s"])-");
    CHECK(cells(s, "/apis/certificates.k8s.io/v1/certificatesigningrequests",
                R"({"metadata":{"name":"a"},"spec":{"request":"cg==","signerName":"x/y","expirationSeconds":600,)"
                R"("usages":["client auth"]}})") == R"(["a","0s","x/y","","600s","Pending"])");
}

// This would take minutes if each address were looked at with each port.
TEST_CASE("kinds: tables of many addresses with many ports", "[apiserver][limits]")
{
    server s;
    std::string addresses, ports;
    for (int i = 0; i < 40'000; ++i) {
        addresses += (i == 0 ? "" : ",") + std::string(R"({"ip":"10.0.0.1"})");
        if (i < 20'000) ports += (i == 0 ? "" : ",") + std::string(R"({"port":80})");
    }
    CHECK(cells(s, "/api/v1/namespaces/default/endpoints",
                R"({"metadata":{"name":"a"},"subsets":[{"addresses":[)" + addresses + R"(],"ports":[)" + ports +
                    "]}]}") == R"(["a","10.0.0.1:80,10.0.0.1:80,10.0.0.1:80 + 799999997 more...","0s"])");
}
