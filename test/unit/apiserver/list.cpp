// Tests of lists: selectors, pages, versions, representations.
#include "support.hpp"

using namespace kubecoro;
using namespace kubecoro::test;
using strings = std::vector<std::string>;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";

strings names(const json::value& list)
{
    strings all;
    for (const auto& item : list.at("items").as_array())
        all.emplace_back(item.at_pointer("/metadata/name").as_string());
    return all;
}

std::string token(const json::value& list)
{
    const auto* t = list.at("metadata").as_object().if_contains("continue");
    return t ? std::string(t->as_string()) : std::string{};
}

void fill(server& s, int count)
{
    for (int i = 0; i < count; ++i) s.add_config_map("default", "m" + std::to_string(i));
}

} // namespace

TEST_CASE("list: label selectors match as in kube-apiserver", "[apiserver][list]")
{
    server s;
    s.add_config_map("default", "a", R"("labels":{"app":"web","n":"3"})");
    s.add_config_map("default", "b", R"("labels":{"app":"db","n":"12"})");
    s.add_config_map("default", "c");
    const auto select = [&](const std::string& selector) {
        return names(s.expect(200, "GET", maps + "?labelSelector=" + selector));
    };
    CHECK(select("app%3Dweb") == strings{"a"});
    CHECK(select("app%3D%3Dweb") == strings{"a"});
    CHECK(select("app%21%3Dweb") == strings{"b", "c"});
    CHECK(select("app+in+%28web%2Cdb%29") == strings{"a", "b"});
    CHECK(select("app%20notin%20%28web%29") == strings{"b", "c"});
    CHECK(select("app") == strings{"a", "b"});
    CHECK(select("%21app") == strings{"c"});
    CHECK(select("n%3E5") == strings{"b"});
    CHECK(select("n%3C5%2Capp%3Dweb") == strings{"a"});
    CHECK(select("") == strings{"a", "b", "c"});
}

TEST_CASE("list: field selectors match names, namespaces and the selectable fields of a kind", "[apiserver][list]")
{
    server s;
    fill(s, 2);
    s.add_config_map("kube-system", "m0");
    const auto select = [&](const std::string& path, const std::string& selector) {
        return names(s.expect(200, "GET", path + "?fieldSelector=" + selector));
    };
    CHECK(select(maps, "metadata.name%3Dm1") == strings{"m1"});
    CHECK(select(maps, "metadata.name%21%3Dm1") == strings{"m0"});
    CHECK(select("/api/v1/configmaps", "metadata.namespace%3Dkube-system") == strings{"m0"});
    CHECK(select("/api/v1/configmaps", "metadata.namespace%3Dkube-system%2Cmetadata.name%3Dm1").empty());
    const std::string pods = "/api/v1/namespaces/default/pods";
    s.expect(201, "POST", pods,
             R"({"metadata":{"name":"p"},"spec":{"nodeName":"n1","containers":[{"name":"c","image":"i"}]}})");
    s.expect(201, "POST", pods, R"({"metadata":{"name":"q"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    CHECK(select(pods, "spec.nodeName%3Dn1") == strings{"p"});
    CHECK(select(pods, "spec.nodeName%3D") == strings{"q"});
    CHECK(select(pods, "status.phase%3DPending") == strings{"p", "q"});
}

TEST_CASE("list: pages are consistent under concurrent changes", "[apiserver][list]")
{
    server s;
    fill(s, 5);
    const auto first = s.expect(200, "GET", maps + "?limit=2");
    CHECK(names(first) == strings{"m0", "m1"});
    CHECK(first.at_pointer("/metadata/remainingItemCount") == 3);
    s.expect(200, "DELETE", maps + "/m3");
    s.add_config_map("default", "m2a");
    s.patch(maps + "/m4", R"({"data":{"changed":"yes"}})");
    const auto second = s.expect(200, "GET", maps + "?limit=2&continue=" + token(first));
    CHECK(names(second) == strings{"m2", "m3"});
    CHECK(second.at_pointer("/metadata/resourceVersion") == first.at_pointer("/metadata/resourceVersion"));
    const auto third = s.expect(200, "GET", maps + "?limit=2&continue=" + token(second));
    CHECK(names(third) == strings{"m4"});
    CHECK_FALSE(third.at("metadata").as_object().contains("continue"));
    CHECK(json::serialize(third).find("changed") == std::string::npos);
    CHECK(names(s.expect(200, "GET", maps + "?continue=" + token(first))) == strings{"m2", "m3", "m4"});
    CHECK(names(s.expect(200, "GET", maps)) == strings{"m0", "m1", "m2", "m2a", "m4"});
}

TEST_CASE("list: the continue token has kube-apiserver's format", "[apiserver][list]")
{
    server s;
    fill(s, 3); // Versions 5, 6, 7.
    // {"v":"meta.k8s.io/v1","rv":7,"start":"/m1\u0000"}
    CHECK(token(s.expect(200, "GET", maps + "?limit=2")) ==
          "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6Nywic3RhcnQiOiIvbTFcdTAwMDAifQ");
}

TEST_CASE("list: a token older than the history gets 410 with a token that continues at the newest version",
          "[apiserver][list]")
{
    server s;
    fill(s, 4);
    const auto first = s.expect(200, "GET", maps + "?limit=2");
    s.add_config_map("default", "m9");
    s.state.compact();
    const auto e = s.expect(410, "GET", maps + "?limit=2&continue=" + token(first));
    CHECK(e.at("reason") == "Expired");
    const auto rest = s.expect(200, "GET", maps + "?continue=" + token(e));
    CHECK(names(rest) == strings{"m2", "m3", "m9"});
    CHECK(s.expect(410, "GET", maps + "?resourceVersion=6&resourceVersionMatch=Exact").at("message") ==
          "The resourceVersion for the provided list is too old.");
}

TEST_CASE("list: versions are exact when requested, otherwise not older than", "[apiserver][list]")
{
    server s;
    fill(s, 3);
    s.expect(200, "DELETE", maps + "/m0");
    const auto exact = s.expect(200, "GET", maps + "?resourceVersion=6&resourceVersionMatch=Exact");
    CHECK(names(exact) == strings{"m0", "m1"});
    CHECK(exact.at_pointer("/metadata/resourceVersion") == "6");
    CHECK(names(s.expect(200, "GET", maps + "?resourceVersion=6")) == strings{"m1", "m2"});
    CHECK(names(s.expect(200, "GET", maps + "?resourceVersion=6&resourceVersionMatch=NotOlderThan&limit=1")) ==
          strings{"m1"});
    CHECK(names(s.expect(200, "GET", maps + "?resourceVersion=6&limit=1")) == strings{"m0"});
    CHECK(names(s.expect(200, "GET", maps + "?resourceVersion=0&limit=1")) == strings{"m1", "m2"});
}

TEST_CASE("list: a version in the future gets 504 with its cause and a delay", "[apiserver][list]")
{
    server s;
    for (const auto& target : {maps + "?resourceVersion=1000", maps + "/x?resourceVersion=1000"}) {
        const auto r = s.get(target);
        CHECK(r.status == 504);
        CHECK(r.delay == std::chrono::seconds{3});
        CHECK(r.header("Retry-After") == "1");
        CHECK(r.body ==
              R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: Too )"
              R"(large resource version: 1000, current: 4","reason":"Timeout","details":{"causes":[{"reason":)"
              R"("ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},)"
              "\"code\":504}\n");
    }
}

TEST_CASE("list: pages with selectors have no remaining count and no empty last page", "[apiserver][list]")
{
    server s;
    for (int i = 0; i < 6; ++i)
        s.add_config_map("default", "m" + std::to_string(i), i % 2 ? R"("labels":{"odd":"1"})" : "");
    const auto first = s.expect(200, "GET", maps + "?limit=2&labelSelector=odd");
    CHECK(names(first) == strings{"m1", "m3"});
    CHECK_FALSE(first.at("metadata").as_object().contains("remainingItemCount"));
    const auto last = s.expect(200, "GET", maps + "?limit=2&labelSelector=odd&continue=" + token(first));
    CHECK(names(last) == strings{"m5"});
    CHECK(token(last).empty());
}

TEST_CASE("list: errors of invalid tokens are valid UTF-8", "[apiserver][list]")
{
    server s;
    const auto r = s.ask("GET", maps + "?continue=zzz"); // one byte: 0xCF
    CHECK(r.status == 400);
    CHECK(r.body.find("invalid character '\xC3\x8F' looking for beginning of value") != std::string::npos);
}

TEST_CASE("list: items of built-in kinds have no kind and apiVersion", "[apiserver][list]")
{
    server s;
    fill(s, 1);
    CHECK(s.get(maps).body.find(R"("items":[{"metadata":)") != std::string::npos);
    const auto partial =
        s.ask("GET", maps, {}, {{"Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}});
    CHECK(partial.body.find(R"("items":[{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{)") !=
          std::string::npos);
    const auto pretty = s.ask("GET", maps, {}, {{"User-Agent", "curl/8"}});
    CHECK(pretty.body.starts_with("{\n  \"kind\": \"ConfigMapList\",\n"));
    CHECK(json::parse(pretty.body) == json::parse(s.get(maps).body));
}
