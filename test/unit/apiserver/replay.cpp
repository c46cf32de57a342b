// Replays requests captured from a kube-apiserver and compares the answers.
#include "support.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

void replay(server& s, const std::vector<std::string>& files, bool ordered = true)
{
    for (const auto& file : files) {
        const auto c = load_capture(file);
        const auto r = s.ask(c.method, c.target, c.request_body, c.request_headers);
        INFO(c.file << ": " << c.method << " " << c.target);
        CHECK(r.status == c.status);
        CHECK(r.header("content-type") == c.content_type);
        std::vector<std::string> warnings;
        // A kube-apiserver evaluates the CEL rules of the captured definition, and does not warn of them.
        for (const auto& [name, value] : r.headers)
            if (name == "Warning" && value.find("this embedded API server") == std::string::npos)
                warnings.push_back(value);
        CHECK(warnings == c.warnings);
        if (ordered)
            CHECK(masked(r.body) == masked(c.body));
        else
            CHECK(json::parse(masked(r.body)) == json::parse(masked(c.body)));
    }
}

} // namespace

TEST_CASE("apiserver: creates answer as captured", "[apiserver][replay]")
{
    server s;
    for (const auto* ns : {"cap-w", "cap-d", "cap-misc"}) s.add_namespace(ns);
    replay(s, {"write/create-201",
               "write/create-409-alreadyexists",
               "write/create-404-namespace-missing",
               "write/create-422-bad-name",
               "write/create-422-bad-data-key",
               "write/create-422-empty-object",
               "write/create-400-empty-body",
               "write/create-400-malformed-json",
               "write/create-400-namespace-mismatch",
               "write/create-400-wrong-version",
               "write/create-400-wrong-kind",
               "write/create-with-resourceversion",
               "write/create-400-type-mismatch",
               "write/fieldvalidation-strict-400",
               "write/fieldvalidation-bogus-422",
               "write/fieldvalidation-ignore",
               "write/fieldvalidation-warn",
               "write/create-deployment",
               "write/create-namespace",
               "write/create-422-deployment-many-causes",
               "write/create-422-ownerreference-no-uid",
               "write/create-finalizer-without-domain",
               "write/create-secret-stringdata",
               "write/create-yaml-body",
               "write/create-yaml-body-ok",
               "write/dryrun-create",
               "write/dryrun-create-then-get",
               "write/dryrun-invalid"});
}

TEST_CASE("apiserver: updates and deletes answer as captured", "[apiserver][replay]")
{
    server s;
    for (const auto* ns : {"cap-w", "cap-d", "cap-misc"}) s.add_namespace(ns);
    s.add_config_map("cap-w", "r1");
    s.add_config_map("cap-misc", "f0");
    s.add_config_map("cap-d", "p2");
    replay(s, {"write/put-absent-404",
               "write/put-400-name-change",
               "write/put-400-namespace-mismatch",
               "write/put-rv-not-a-number",
               "write/put-lease-absent-creates",
               "write/patch-json-test-fails-422",
               "write/patch-json-bad-op",
               "write/patch-json-malformed",
               "write/patch-json-remove-missing",
               "write/patch-merge-malformed",
               "write/patch-merge-name-change",
               "write/patch-404",
               "write/merge-with-force",
               "write/status-of-type-without-status-404",
               "write/scale-of-type-without-scale-404",
               "write/delete-404",
               "write/delete-policy-bogus",
               "write/delete-policy-and-orphandependents",
               "write/delete-grace-bad",
               "write/delete-body-malformed",
               "write/deletecollection-empty"});
}

TEST_CASE("apiserver: lists and watches are refused as captured", "[apiserver][replay]")
{
    server s;
    replay(s, {"list/unknown-resource",
               "list/unknown-group",
               "list/continue-invalid-base64",
               "list/continue-invalid-version",
               "list/continue-no-start",
               "list/continue-plus-match",
               "list/continue-plus-rv",
               "list/match-bogus",
               "list/match-without-rv",
               "list/rv-0-exact",
               "list/field-bad",
               "list/field-in",
               "list/field-unsupported",
               "list/pods-field-unsupported",
               "list/label-bad",
               "list/label-bad2",
               "list/limit-invalid",
               "list/rv-not-a-number",
               "list/rv-negative",
               "list/namespace-does-not-exist",
               "watch/match-without-sendinitialevents",
               "watch/sendinitialevents-no-match",
               "watch/sendinitialevents-match-exact",
               "watch/sendinitialevents-on-list",
               "watch/rv-not-a-number",
               "watch/continue-with-watch"});
}

TEST_CASE("apiserver: routes, methods and media types are refused as captured", "[apiserver][replay]")
{
    server s;
    s.add_namespace("cap-w");
    s.add_namespace("cap-watch");
    s.add_config_map("cap-w", "r1");
    s.add_config_map("cap-watch", "seed0");
    replay(s,
           {"read/405-patch-on-collection", "read/405-post-on-item", "read/405-put-on-collection",
            "read/415-patch-application-json", "read/get-404", "read/get-404-grouped", "read/get-namespace-404",
            "read/options", "media/get-406", "media/get-as-bogus-406", "media/list-accept-partialobjectmetadata-item",
            "media/get-accept-partialobjectmetadatalist", "discovery/healthz", "discovery/readyz", "discovery/livez",
            "discovery/apis-unknown-group", "discovery/apis-unknown-group-version"});
}

TEST_CASE("apiserver: unauthorized requests are refused as captured", "[apiserver][replay]")
{
    server s;
    replay(s, {"read/403-create", "read/403-delete", "read/403-get", "read/403-list", "read/403-list-cluster",
               "read/403-subresource", "read/403-unknown-group", "read/403-watch"});
    s.token = "";
    replay(s, {"read/403-anonymous", "discovery/anonymous-api-v1", "discovery/anonymous-healthz"});
    s.token = "nobody";
    replay(s, {"read/401-bad-token"});
}

TEST_CASE("apiserver: custom resources answer as captured", "[apiserver][replay]")
{
    server s;
    s.add_namespace("cap-crd");
    s.add_namespace("cap-x2");
    replay(s, {"crd/list-before-crd-404"});
    // Members of a definition have the order in which they were sent, not that of Go's structs.
    replay(s, {"crd/create-crd-201", "crd/get-crd-established"}, false);
    replay(s, {"crd/list-empty", "crd/discovery-resources", "crd/create-cr-201", "crd/get-404",
               "crd/unknown-resource-in-builtin-group-404", "crd/unknown-resource-in-known-group-404",
               "crd/unknown-version-404", "crd/put-without-rv-422", "crd/create-wrong-kind",
               "crd/create-without-apiversion-kind", "crd/create-malformed-json",
               "crd/field-selector-not-selectable-400"});
    replay(s, {"crd/create-422-required", "crd/create-422-enum", "crd/create-422-maximum", "crd/create-422-type",
               "crd/create-422-many", "crd/create-unknown-field-pruned", "crd/create-strict-unknown-400"});
}
