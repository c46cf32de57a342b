#include <kubecoro/client/kubeconfig.hpp>
#include <kubecoro/test/catch.hpp>

#include <map>

using namespace kubecoro;

namespace {

/// An environment backed by two maps.
struct machine
{
    std::map<std::string, std::string> variables = {{"HOME", "/home/u"}};
    std::map<std::string, std::string> files;

    environment env() const
    {
        environment e;
        e.variable = [this](const std::string& name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            if (found == variables.end()) return std::nullopt;
            return found->second;
        };
        e.read_file = [this](const std::string& path, std::size_t limit) -> result<std::string> {
            const auto found = files.find(path);
            if (found == files.end()) return failure(cond::not_found, path + ": No such file or directory");
            if (found->second.size() > limit) return failure(cond::misconfigured, path + ": too long");
            return found->second;
        };
        e.service_account_dir = "/sa";
        return e;
    }
};

std::string config(const std::string& cluster, const std::string& user, const std::string& context = "")
{
    return "apiVersion: v1\nkind: Config\ncurrent-context: one\n"
           "clusters: [{name: c, cluster: {" +
           cluster +
           "}}]\n"
           "users: [{name: u, user: {" +
           user +
           "}}]\n"
           "contexts: [{name: one, context: {cluster: c, user: u" +
           context + "}}]\n";
}

result<cluster_config> load(const std::string& text)
{
    machine m;
    m.files["/k/config"] = text;
    return load_kubeconfig({.path = "/k/config"}, m.env());
}

std::string complaint(const std::string& text)
{
    auto loaded = load(text);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().condition() == cond::misconfigured);
    return loaded.error().message();
}

void has(const std::string& text, const std::string& part)
{
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
}

} // namespace

TEST_CASE("kubeconfig: data members are decoded and override files", "[client][kubeconfig]")
{
    auto got = load(config("server: 'https://h:6443', certificate-authority-data: Q0E=, certificate-authority: ca.pem, "
                           "tls-server-name: kubernetes",
                           "client-certificate-data: Q0VSVA==, client-key-data: S0VZ, client-key: nowhere",
                           ", namespace: web"));
    REQUIRE(got);
    CHECK(got->server == "https://h:6443");
    CHECK(got->ca == "CA");
    CHECK(got->server_name == "kubernetes");
    CHECK_FALSE(got->insecure);
    CHECK_FALSE(got->disable_compression);
    CHECK(got->client_certificate == "CERT");
    CHECK(got->client_key == "KEY");
    CHECK(got->ns == "web");
    CHECK(got->origin == "context one of /k/config");
}

TEST_CASE("kubeconfig: a server name that is no host name is refused where it is written", "[client][kubeconfig]")
{
    for (const char* name : {".h", "*.h", "a..b", "'h '"}) {
        const auto got =
            load(config("server: 'https://h', tls-server-name: " + (name[0] == '*' ? "'*.h'" : std::string(name)), ""));
        REQUIRE_FALSE(got);
        has(got.error().message(), "tls-server-name: neither a host name nor an address");
    }
    has(load(config("server: 'https://.h'", "")).error().message(), "neither a host name nor an address");
    has(load(config("server: 'https://h', proxy-url: 'http://.p'", "")).error().message(),
        "neither a host name nor an address");
}

TEST_CASE("kubeconfig: paths are relative to their file", "[client][kubeconfig]")
{
    machine m;
    m.files["/k/config"] = config("server: 'https://h', certificate-authority: pki/ca.pem",
                                  "client-certificate: /abs/cert, client-key: key, tokenFile: ../token");
    m.files["/k/pki/ca.pem"] = "CA";
    m.files["/abs/cert"] = "CERT";
    m.files["/k/key"] = "KEY";
    m.files["/k/../token"] = "secret";
    auto got = load_kubeconfig({.path = "/k/config"}, m.env());
    REQUIRE(got);
    CHECK(got->ca_file == "/k/pki/ca.pem");
    CHECK(got->client_certificate_file == "/abs/cert");
    CHECK(got->client_key_file == "/k/key");
    CHECK(got->login.token_file == "/k/../token");
}

TEST_CASE("kubeconfig: relative paths begin in the folder of their file whatever its name has", "[client][kubeconfig]")
{
    machine m;
    const std::string folder = "/k: 1/clusters: [a]/";
    m.files[folder + "config"] = config("server: 'https://h', certificate-authority: ca",
                                        "tokenFile: token, exec: {command: ./login, apiVersion: "
                                        "client.authentication.k8s.io/v1, interactiveMode: Never}");
    m.files[folder + "ca"] = "CA";
    m.files[folder + "token"] = "secret";
    const auto got = load_kubeconfig({.path = folder + "config"}, m.env());
    REQUIRE(got);
    CHECK(got->ca_file == folder + "ca");
    CHECK(got->login.token_file == folder + "token");
    REQUIRE(got->login.exec);
    CHECK(got->login.exec->command == folder + "./login");
}

TEST_CASE("kubeconfig: all kinds of credentials are supported", "[client][kubeconfig]")
{
    auto token = load(config("server: 'https://h'", "token: abc"));
    REQUIRE(token);
    CHECK(token->login.token == "abc");
    auto basic = load(config("server: 'https://h'", "username: admin, password: pw"));
    REQUIRE(basic);
    CHECK(basic->login.username == "admin");
    CHECK(basic->login.password == "pw");
    auto as = load(config("server: 'https://h'",
                          "token: t, as: jane, as-uid: '7', as-groups: [a, b], as-user-extra: {scopes: [x, z]}"));
    REQUIRE(as);
    CHECK(as->login.as.name == "jane");
    CHECK(as->login.as.uid == "7");
    CHECK(as->login.as.groups == std::vector<std::string>{"a", "b"});
    CHECK(as->login.as.extra == decltype(as->login.as.extra){{"scopes", {"x", "z"}}});
}

TEST_CASE("kubeconfig: over plain http credentials are dropped, impersonation is kept", "[client][kubeconfig]")
{
    for (const char* server : {"http://h:8080", "HTTP://h:8080"}) {
        INFO(server);
        auto got = load(config("server: '" + std::string(server) + "'", "token: abc, as: jane, as-groups: [devs]"));
        REQUIRE(got);
        CHECK(got->login.token.empty());
        CHECK(got->login.as.name == "jane");
        CHECK(got->login.as.groups == std::vector<std::string>{"devs"});
    }
}

TEST_CASE("kubeconfig: impersonation without a user is rejected, because it would mean full rights",
          "[client][kubeconfig]")
{
    for (const char* server : {"https://h", "http://h"})
        for (const char* as : {"as-groups: [devs]", "as-uid: '7'", "as-user-extra: {scopes: [x]}"}) {
            INFO(server << " " << as);
            const auto why = complaint(config("server: '" + std::string(server) + "'", std::string("token: t, ") + as));
            has(why, "/k/config: users[u].user: ");
            has(why, "without as");
        }
}

TEST_CASE("kubeconfig: JSON is YAML", "[client][kubeconfig]")
{
    auto got = load(R"({"apiVersion":"v1","kind":"Config","current-context":"x",
        "contexts":[{"name":"x","context":{"cluster":"y","user":""}}],
        "clusters":[{"name":"y","cluster":{"server":"https://h","insecure-skip-tls-verify":true,
            "disable-compression":true,"proxy-url":"socks5://p:1080"}}],"users":null})");
    REQUIRE(got);
    CHECK(got->insecure);
    CHECK(got->proxy_url == "socks5://p:1080");
    CHECK(got->disable_compression);
}

TEST_CASE("kubeconfig: the files in KUBECONFIG are merged, the first one wins", "[client][kubeconfig]")
{
    machine m;
    m.variables["KUBECONFIG"] = "/missing:/a/config::/b/config:/a/config";
    m.files["/a/config"] = "clusters: [{name: c, cluster: {server: 'https://a', certificate-authority: ca}}]\n";
    m.files["/a/ca"] = "CA of a";
    m.files["/b/config"] = config("server: 'https://b'", "token: from-b");
    auto got = load_kubeconfig({}, m.env());
    REQUIRE(got);
    CHECK(got->server == "https://a");
    CHECK(got->ca_file == "/a/ca");
    CHECK(got->login.token == "from-b");
}

TEST_CASE("kubeconfig: sources are tried in kubectl's order", "[client][kubeconfig]")
{
    machine m;
    m.files["/home/u/.kube/config"] = config("server: 'https://home'", "token: t");
    m.files["/x"] = config("server: 'https://x'", "token: t");
    m.files["/sa/token"] = "pod-token\n";
    m.files["/sa/ca.crt"] = "POD CA";
    m.files["/sa/namespace"] = "jobs\n";
    m.variables["KUBERNETES_SERVICE_HOST"] = "fd00::1";
    m.variables["KUBERNETES_SERVICE_PORT"] = "443";

    CHECK(load_kubeconfig({.path = "/x"}, m.env())->server == "https://x");
    CHECK(load_kubeconfig({}, m.env())->server == "https://home");
    m.variables["KUBECONFIG"] = "/x";
    CHECK(load_kubeconfig({}, m.env())->server == "https://x");
    m.variables.erase("KUBECONFIG");
    m.files.erase("/home/u/.kube/config");
    auto pod = load_kubeconfig({}, m.env());
    REQUIRE(pod);
    CHECK(pod->server == "https://[fd00::1]:443");
    CHECK(pod->ca_file == "/sa/ca.crt");
    CHECK(pod->ns == "jobs");
    CHECK(pod->login.token_file == "/sa/token");
    CHECK(pod->origin == "in-cluster");
}

TEST_CASE("kubeconfig: without any configuration the failure names the places searched and what to do",
          "[client][kubeconfig]")
{
    machine m;
    auto got = load_kubeconfig({}, m.env());
    REQUIRE_FALSE(got);
    has(got.error().message(), "/home/u/.kube/config");
    has(got.error().message(), "set KUBECONFIG");
    m.variables.clear();
    auto homeless = load_kubeconfig({}, m.env());
    REQUIRE_FALSE(homeless);
    has(homeless.error().message(), "HOME is not set");
    auto named = load_kubeconfig({.context = "prod"}, m.env());
    REQUIRE_FALSE(named);
    has(named.error().message(), "prod");
}

TEST_CASE("kubeconfig: an explicit file must exist", "[client][kubeconfig]")
{
    machine m;
    m.variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
    auto got = load_kubeconfig({.path = "/nowhere"}, m.env());
    REQUIRE_FALSE(got);
    CHECK(got.error().condition() == cond::misconfigured);
    has(got.error().message(), "/nowhere");
}

TEST_CASE("kubeconfig: a missing token of a pod is reported", "[client][kubeconfig]")
{
    machine m;
    m.variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
    m.variables["KUBERNETES_SERVICE_PORT"] = "443";
    auto got = load_kubeconfig({}, m.env());
    REQUIRE_FALSE(got);
    has(got.error().message(), "/sa/token");
    m.variables["KUBERNETES_SERVICE_PORT"] = "https";
    m.files["/sa/token"] = "t";
    CHECK_FALSE(load_in_cluster_config(m.env()));
}

TEST_CASE("kubeconfig: the context can be chosen", "[client][kubeconfig]")
{
    machine m;
    m.files["/k"] = config("server: 'https://h'", "token: t") + "";
    auto missing = load_kubeconfig({.path = "/k", .context = "two"}, m.env());
    REQUIRE_FALSE(missing);
    has(missing.error().message(), "\"two\"");
    has(missing.error().message(), "one");
    CHECK(load_kubeconfig({.path = "/k", .context = "one"}, m.env()));
}

TEST_CASE("kubeconfig: errors name file and field", "[client][kubeconfig]")
{
    const std::string good = "server: 'https://h'";
    has(complaint(config("server: [1]", "")), "/k/config: clusters[c].cluster.server: expected a string");
    has(complaint(config("", "")), "clusters[c].cluster.server: missing");
    has(complaint(config("server: h/path", "")), "clusters[c].cluster.server: the server address");
    has(complaint(config("server: 'ftp://h'", "")), "neither https nor http");
    has(complaint(config("server: 'https://u:p@h'", "")), "user name");
    has(complaint(config(good + ", insecure-skip-tls-verify: maybe", "")),
        "clusters[c].cluster.insecure-skip-tls-verify: expected true or false");
    has(complaint(config(good + ", insecure-skip-tls-verify: true, certificate-authority-data: Q0E=", "")),
        "mutually exclusive");
    has(complaint(config(good + ", certificate-authority-data: '%%%'", "")),
        "/k/config: clusters[c].cluster.certificate-authority-data: not base64");
    has(complaint(config(good + ", certificate-authority: ca.pem", "")),
        "clusters[c].cluster.certificate-authority: /k/ca.pem: No such file");
    const auto proxy = complaint(config(good + ", proxy-url: 'ftp://u:geheim@p'", ""));
    has(proxy, "clusters[c].cluster.proxy-url: the proxy's URL has another scheme");
    CHECK(proxy.find("geheim") == std::string::npos);
    has(complaint(config(good, "tokenFile: t")), "users[u].user.tokenFile: /k/t: No such file");
    has(complaint(config(good, "exec: 7")), "users[u].user.exec: expected a map");
    has(complaint(config(good, "exec: {command: x}")), "users[u].user.exec: apiVersion: \"\" is neither");
    const std::string version = "apiVersion: client.authentication.k8s.io/v1";
    has(complaint(config(good, "exec: {command: x, " + version + "}")), "exec.interactiveMode: missing");
    has(complaint(config(good, "exec: {command: x, interactiveMode: Maybe, " + version + "}")),
        "exec.interactiveMode: neither Never");
    has(complaint(config(good, "exec: {interactiveMode: Never, " + version + "}")), "user.exec: command: missing");
    has(complaint(config(good, "exec: {command: x, args: 7}")), "exec.args: expected a list");
    has(complaint(config(good, "exec: {command: x, env: {a: b}}")), "exec.env: expected a list");
    has(complaint(config(good, "exec: {command: x, env: [{value: b}]}")), "exec.env: a name is missing");
    has(complaint(config(good, "auth-provider: {name: x}")), "users[u].user.auth-provider");
    has(complaint(config(good, "as-groups: x")), "users[u].user.as-groups: expected a list");
    has(complaint("[1, 2]"), "/k/config: expected a map");
    has(complaint("clusters: 7"), "/k/config: clusters: expected a list");
    has(complaint("clusters: [7]"), "clusters[0]: expected a map");
    // As in Go: an entry without a name has an empty one, and a null is an entry.
    has(complaint("clusters: [{cluster: {}}, {cluster: {}}]"), "clusters[].cluster: duplicate name");
    has(complaint("users: [~, ~]"), "users[].user: duplicate name");
    has(complaint("clusters: [{cluster: {}}]\ncurrent-context: a\ncontexts: [{name: a}]"),
        "contexts[a].context.cluster: missing");
    has(complaint("kind: Pod"), "/k/config: is not of kind Config and apiVersion v1");
    has(complaint("apiVersion: v2"), "/k/config: is not of kind Config and apiVersion v1");
    has(complaint(config(good, "token: 12")), "users[u].user.token: expected a string");
    has(complaint(config(good + ", insecure-skip-tls-verify: 'true'", "")),
        "insecure-skip-tls-verify: expected true or false");
    has(complaint("clusters: [{name: a}, {name: a}]"), "duplicate name");
    has(complaint("clusters: [{name: a, cluster: 7}]"), "clusters[a].cluster: expected a map");
    has(complaint("a: [1\nb: 2"), "/k/config: not YAML: line");
    has(complaint("contexts: [{name: a}, {name: b}]"), "no current-context; name one of these contexts: a, b");
    has(complaint("current-context: x"), "/k/config: current-context: no context \"x\"; available: none");
    has(complaint("current-context: a\ncontexts: [{name: a, context: {cluster: nope}}]"),
        "contexts[a].context.cluster: no cluster \"nope\"");
    has(complaint("current-context: a\ncontexts: [{name: a}]"), "contexts[a].context.cluster: missing");
    has(complaint("current-context: a\ncontexts: [{name: a, context: {cluster: c, user: nope}}]\n"
                  "clusters: [{name: c, cluster: {server: 'https://h'}}]"),
        "contexts[a].context.user: no user \"nope\"");
    has(complaint(std::string(3000, '[')), "/k/config: not YAML");
}

TEST_CASE("kubeconfig: a credential plugin is taken with its settings", "[client][kubeconfig]")
{
    const auto exec = [](const std::string& settings) {
        auto loaded = load(config("server: 'https://h'", "exec: {" + settings + "}"));
        REQUIRE(loaded);
        REQUIRE(loaded->login.exec);
        return *loaded->login.exec;
    };
    using mode = exec_config::interactive_mode;
    const auto full = exec("apiVersion: client.authentication.k8s.io/v1, command: aws, args: [eks, get-token], "
                           "env: [{name: AWS_PROFILE, value: p}], installHint: see there, provideClusterInfo: true, "
                           "interactiveMode: Never");
    CHECK(full.command == "aws");
    CHECK(full.arguments == std::vector<std::string>{"eks", "get-token"});
    CHECK(full.variables == std::vector<std::pair<std::string, std::string>>{{"AWS_PROFILE", "p"}});
    CHECK(full.install_hint == "see there");
    CHECK(full.provide_cluster_info);
    CHECK(full.interactive == mode::never);
    // The older version has a default, and a path is relative to the file.
    const auto old = exec("apiVersion: client.authentication.k8s.io/v1beta1, command: bin/login");
    CHECK(old.command == "/k/bin/login");
    CHECK(old.interactive == mode::if_available);
    CHECK_FALSE(old.provide_cluster_info);
}

TEST_CASE("kubeconfig: a client certificate without its key, or vice versa, names file and field",
          "[client][kubeconfig]")
{
    has(complaint(config("server: 'https://h'", "client-certificate-data: YQ==")),
        "/k/config: users[u].user.client-certificate-data: a client certificate and its key must be given together");
    has(complaint(config("server: 'https://h'", "client-key-data: YQ==")),
        "/k/config: users[u].user.client-key-data: ");
}

TEST_CASE("kubeconfig: broken base64 of a secret is not shown", "[client][kubeconfig]")
{
    const auto text = complaint(config("server: 'https://h'", "client-key-data: 'c2VjcmV0!'"));
    has(text, "users[u].user.client-key-data: not base64");
    CHECK(text.find("c2VjcmV0") == std::string::npos);
}
