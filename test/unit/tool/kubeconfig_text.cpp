#include "files/kubeconfig_text.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

using namespace kubecoro;
using namespace kubecoro::tool;
namespace json = boost::json;

namespace {

json::object read(const char* text) { return read_kubeconfig(text, "config").value(); }

json::object example()
{
    return read(R"yaml(
apiVersion: v1
kind: Config
current-context: a
clusters:
- name: one
  cluster: {server: "https://u:pw@h", certificate-authority-data: Q0E=, proxy-url: "http://me:pw@proxy:3128/x@y"}
contexts:
- name: a
  context: {cluster: one, user: admin, namespace: token-space}
- name: b
  context: {cluster: two, user: bob}
users:
- name: admin
  user:
    token: s3cret
    tokenFile: /var/token
    password: s3cret
    username: me
    client-certificate-data: Q0E=
    client-key-data: s3cret
    client-key: /path
    exec: {command: aws, args: [get-token], env: [{name: AWS, value: s3cret}]}
    auth-provider: {name: oidc, config: {id-token: s3cret, refresh-token: s3cret, client-id: s3cret}}
    my-token: s3cret
)yaml");
}

} // namespace

TEST_CASE("tool: no secret of a kubeconfig is shown", "[tool]")
{
    auto config = example();
    redact(config);
    const auto text = json::serialize(config);
    CHECK(text.find("s3cret") == std::string::npos);
    CHECK(text.find("pw@") == std::string::npos);
    CHECK(text.find("Q0E") == std::string::npos);
    for (const char* kept : {"/var/token", "\"username\":\"me\"", "/path", "get-token", "token-space",
                             "https://REDACTED@h", "http://REDACTED@proxy:3128/x@y", "DATA+OMITTED"})
        CHECK(text.find(kept) != std::string::npos);
}

TEST_CASE("tool: of several files the first one that defines something wins", "[tool]")
{
    const auto merged = merge_kubeconfigs(
        {read("contexts: [{name: a, context: {user: first}}]\ncurrent-context: ''\nextra: 1"),
         read("contexts: [{name: a, context: {user: second}}, {name: b, context: {user: second}}]\ncurrent-context: b"),
         read("current-context: c\nextra: 2"), read("")});
    CHECK(
        json::serialize(merged) ==
        R"({"apiVersion":"v1","kind":"Config","contexts":[{"name":"a","context":{"user":"first"}},{"name":"b","context":{"user":"second"}}],"extra":1,"current-context":"b"})");
}

TEST_CASE("tool: one context with what it refers to", "[tool]")
{
    auto config = example();
    REQUIRE(keep_only(config, "a"));
    CHECK(context_names(config) == std::vector<std::string>{"a"});
    CHECK(config["users"].as_array().size() == 1);
    CHECK(keep_only(config, "none").error() == cond::not_found);
}

TEST_CASE("tool: the current context changes, and nothing else", "[tool]")
{
    CHECK(
        with_current_context("# mine\nkind: Config\ncurrent-context: a # old\nusers: []\nodd: {x: 1}\n", "b").value() ==
        "# mine\nkind: Config\ncurrent-context: b\nusers: []\nodd: {x: 1}\n");
    CHECK(with_current_context("kind: Config", "b").value() == "kind: Config\ncurrent-context: b\n");
    CHECK(with_current_context("", "b").value() == "current-context: b\n");
    CHECK(with_current_context("current-context: \"\"\nx: 1\n", "yes").value() == "current-context: \"yes\"\nx: 1\n");
    CHECK(with_current_context("current-context: a\n", "b: c\nd").value() == "current-context: |-\n  b: c\n  d\n");
    CHECK(with_current_context(R"({"odd":[1],"current-context":"a"})", "b").value() ==
          "{\n    \"odd\": [\n        1\n    ],\n    \"current-context\": \"b\"\n}\n");
}

TEST_CASE("tool: a kubeconfig that cannot be changed safely is left alone", "[tool]")
{
    for (const char* odd : {"current-context:\n  a\nx: 1\n", "? current-context\n: a\n",
                            "current-context: >\n  folded\n", "a: &x 1\n...\n", "- list\n", "a: [\n"}) {
        INFO(odd);
        CHECK(with_current_context(odd, "b").error() == cond::misconfigured);
    }
}

TEST_CASE("tool: a kubeconfig that a client refuses is not shown", "[tool]")
{
    // As get would read them: the last of equal keys, the first document, and nothing of the wrong type.
    CHECK(json::serialize(read("clusters: [{name: a, cluster: {server: x, server: z}}]\n---\nclusters: []\n")) ==
          R"({"clusters":[{"name":"a","cluster":{"server":"z"}}]})");
    for (const char* wrong : {"users: [{name: a, user: {token: 12}}]", "users: [{name: a}, {name: a}]", "kind: Pod",
                              "users:\n- name: a\n  user:\n    token: \"t\n    as: jane\n"}) {
        INFO(wrong);
        CHECK(read_kubeconfig(wrong, "config").error() == cond::misconfigured);
    }
}
