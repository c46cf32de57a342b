// The rules of client-go's package clientcmd for kubeconfig files, in cases of our own.
#include <kubecoro/client/kubeconfig.hpp>
#include <kubecoro/test/catch.hpp>

#include <map>

using namespace kubecoro;

namespace {

/// Files, and a KUBECONFIG that lists some of them.
struct setting
{
    std::map<std::string, std::string> files = {};
    std::string kubeconfig = "/a:/b:/c";

    [[nodiscard]] environment env() const
    {
        environment e;
        e.variable = [this](const std::string& name) -> std::optional<std::string> {
            if (name == "KUBECONFIG") return kubeconfig;
            return std::nullopt;
        };
        e.read_file = [this](const std::string& path, std::size_t) -> result<std::string> {
            const auto found = files.find(path);
            if (found == files.end()) return failure(cond::not_found, path + ": No such file or directory");
            if (found->second == "unreadable") return failure(cond::misconfigured, path + ": Permission denied");
            return found->second;
        };
        return e;
    }
    [[nodiscard]] cluster_config load(const std::string& context = {}) const
    {
        const auto got = load_kubeconfig({.context = context}, env());
        INFO((got ? std::string() : got.error().message()));
        REQUIRE(got);
        return *got;
    }
    [[nodiscard]] std::string complaint(const std::string& context = {}) const
    {
        const auto got = load_kubeconfig({.context = context}, env());
        REQUIRE_FALSE(got);
        CHECK(got.error() == cond::misconfigured);
        return got.error().message();
    }
};

std::string cluster(const std::string& name, const std::string& body)
{
    return "clusters: [{name: " + name + ", cluster: {" + body + "}}]\n";
}
std::string user(const std::string& name, const std::string& body)
{
    return "users: [{name: " + name + ", user: {" + body + "}}]\n";
}
std::string context(const std::string& name, const std::string& body)
{
    return "contexts: [{name: " + name + ", context: {" + body + "}}]\n";
}

/// One file with one cluster and one user.
setting alone(const std::string& of_cluster, const std::string& of_user)
{
    setting s;
    s.files["/a"] =
        "current-context: x\n" + cluster("c", of_cluster) + user("u", of_user) + context("x", "cluster: c, user: u");
    return s;
}

const std::string https = "server: 'https://h'";

} // namespace

TEST_CASE("clientcmd: an entry is taken whole from the first file that has it", "[client][kubeconfig]")
{
    setting s;
    s.files["/a"] = context("x", "cluster: c, user: u") + "current-context: x\n";
    s.files["/b"] = cluster("c", "server: 'https://b'") + user("u", "username: b") +
                    context("x", "cluster: none, user: none, namespace: b");
    s.files["/c"] = cluster("c", "server: 'https://c', tls-server-name: c, insecure-skip-tls-verify: true") +
                    user("u", "token: c, password: c") + "current-context: other\n";
    const auto got = s.load();
    CHECK(got.server == "https://b");
    CHECK(got.server_name.empty());
    CHECK_FALSE(got.insecure);
    CHECK(got.login.username == "b");
    CHECK(got.login.password.empty());
    CHECK(got.login.token.empty());
    CHECK(got.ns.empty());
}

TEST_CASE("clientcmd: entries of all files are there, and the first current-context that is not empty counts",
          "[client][kubeconfig]")
{
    setting s;
    s.files["/a"] = cluster("c", https) + "current-context: ''\n";
    s.files["/b"] = user("u", "token: t") + "current-context: two\n";
    s.files["/c"] = "contexts: [{name: one, context: {cluster: c, user: u, namespace: one}},"
                    "{name: two, context: {cluster: c, user: u, namespace: two}}]\ncurrent-context: one\n";
    CHECK(s.load().ns == "two");
    CHECK(s.load("one").ns == "one");
    CHECK_THAT(s.complaint("three"), Catch::Contains("no context \"three\"") && Catch::Contains("one, two"));
}

TEST_CASE("clientcmd: missing files are passed over, unreadable ones are not", "[client][kubeconfig]")
{
    auto s = alone(https, "token: t");
    s.kubeconfig = "/none:/a:/nowhere:/a";
    CHECK(s.load().server == "https://h");
    s.files["/none"] = "unreadable";
    CHECK_THAT(s.complaint(), Catch::Contains("/none: Permission denied"));
    s.files["/none"] = "}not yaml";
    CHECK_THAT(s.complaint(), Catch::Contains("/none: not YAML"));
}

TEST_CASE("clientcmd: empty files and empty lists change nothing", "[client][kubeconfig]")
{
    auto s = alone(https, "token: t");
    s.kubeconfig = "/empty:/null:/lists:/a";
    s.files["/empty"] = "";
    s.files["/null"] = "---\n";
    s.files["/lists"] = "apiVersion: v1\nkind: Config\nclusters: null\nusers: []\ncontexts:\npreferences: {}\n";
    CHECK(s.load().login.token == "t");
}

TEST_CASE("clientcmd: a name may occur once in each list of a file", "[client][kubeconfig]")
{
    for (const std::string list : {"clusters", "users", "contexts"}) {
        INFO(list);
        const auto item = list.substr(0, list.size() - 1);
        setting s;
        s.files["/a"] = list + ": [{name: m, " + item + ": {}}, {name: m, " + item + ": {}}]";
        CHECK_THAT(s.complaint(), Catch::Contains("/a: " + list + "[m]") && Catch::Contains("duplicate name"));
    }
    const auto s = alone(https + ", extensions: [{name: e, extension: 1}, {name: e, extension: 2}]", "token: t");
    CHECK_THAT(s.complaint(), Catch::Contains("extensions: duplicate name"));
}

TEST_CASE("clientcmd: paths are relative to the file that has them, whichever file has the context",
          "[client][kubeconfig]")
{
    setting s;
    s.kubeconfig = "/one/config:/two/config";
    s.files["/one/config"] = "current-context: x\n" + context("x", "cluster: c, user: u") +
                             cluster("c", https + ", certificate-authority: pki/ca");
    s.files["/two/config"] = user("u", "client-certificate: ../pki/crt, client-key: /abs/key, tokenFile: token");
    s.files["/one/pki/ca"] = "CA";
    s.files["/two/../pki/crt"] = "CRT";
    s.files["/abs/key"] = "KEY";
    s.files["/two/token"] = "t";
    const auto got = s.load();
    CHECK(got.ca_file == "/one/pki/ca");
    CHECK(got.client_certificate_file == "/two/../pki/crt");
    CHECK(got.client_key_file == "/abs/key");
    CHECK(got.login.token_file == "/two/token");
    // One field for each setting: a program that clears or replaces it is not contradicted by another one.
    CHECK((got.ca + got.client_certificate + got.client_key).empty());
}

TEST_CASE("clientcmd: data has precedence over files, which are then not read again", "[client][kubeconfig]")
{
    const auto s = alone(https + ", certificate-authority: /none, certificate-authority-data: Q0E=",
                         "client-certificate: /none, client-certificate-data: Q1JU, client-key: /none, "
                         "client-key-data: S0VZ");
    const auto got = s.load();
    CHECK(got.ca == "CA");
    CHECK(got.client_certificate == "CRT");
    CHECK(got.client_key == "KEY");
    CHECK((got.ca_file + got.client_certificate_file + got.client_key_file).empty());
}

TEST_CASE("clientcmd: files that are named must exist", "[client][kubeconfig]")
{
    CHECK_THAT(alone(https + ", certificate-authority: ca", "").complaint(),
               Catch::Contains("cluster.certificate-authority: /ca: No such file"));
    CHECK_THAT(alone(https, "client-certificate: crt, client-key-data: S0VZ").complaint(),
               Catch::Contains("user.client-certificate: /crt: No such file"));
    CHECK_THAT(alone(https, "client-certificate-data: Q1JU, client-key: key").complaint(),
               Catch::Contains("user.client-key: /key: No such file"));
    CHECK_THAT(alone(https, "client-certificate-data: Q1JU").complaint(), Catch::Contains("given together"));
}

TEST_CASE("clientcmd: a token file has precedence over a token, which is used while the file has none",
          "[client][kubeconfig]")
{
    auto s = alone(https, "token: expected, tokenFile: token");
    CHECK(s.load().login.token == "expected");
    CHECK(s.load().login.token_file == "/token");
    s.files["/token"] = "  \n";
    CHECK(s.load().login.token_file == "/token");
    s = alone(https, "tokenFile: token");
    CHECK_THAT(s.complaint(), Catch::Contains("user.tokenFile: /token: No such file"));
    s.files["/token"] = " \n";
    CHECK_THAT(s.complaint(), Catch::Contains("user.tokenFile: /token: is empty"));
    s.files["/token"] = "t\n";
    CHECK(s.load().login.token_file == "/token");
}

TEST_CASE("clientcmd: a token and a user name are mutually exclusive", "[client][kubeconfig]")
{
    for (const std::string token : {"token: s3cret", "tokenFile: /token"})
        for (const std::string basic : {"username: u", "password: s3cret", "username: u, password: s3cret"})
            for (const std::string server : {"https://h", "http://h"}) {
                auto s = alone("server: '" + server + "'", token + ", " + basic);
                s.files["/token"] = "t";
                const auto why = s.complaint();
                CHECK_THAT(why, Catch::Contains("/a: users[u].user: ") && Catch::Contains("mutually exclusive"));
                CHECK(why.find("s3cret") == why.npos);
            }
}

TEST_CASE("clientcmd: an encrypted key is refused with its file and what to do", "[client][kubeconfig]")
{
    for (const std::string key : {"-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
                                  "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: "
                                  "x\n\nAAAA\n-----END RSA PRIVATE KEY-----\n"}) {
        auto s = alone(https, "client-certificate-data: Q1JU, client-key: key");
        s.files["/key"] = key;
        CHECK_THAT(s.complaint(),
                   Catch::Contains("user.client-key: /key: the key is encrypted") && Catch::Contains("openssl pkey"));
    }
    const auto data = alone(https, "client-certificate-data: Q1JU, client-key-data: "
                                   "LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFURSBLRVktLS0tLQo=");
    CHECK_THAT(data.complaint(), Catch::Contains("user.client-key-data: the key is encrypted"));
}

TEST_CASE("clientcmd: a server without a scheme speaks TLS if the cluster has settings for it, else it gets no login",
          "[client][kubeconfig]")
{
    for (const std::string tls :
         {"certificate-authority-data: Q0E=", "insecure-skip-tls-verify: true", "tls-server-name: m"}) {
        const auto got = alone("server: 'h:6443', " + tls, "token: t").load();
        CHECK(got.server == "https://h:6443");
        CHECK(got.login.token == "t");
    }
    const auto plain = alone("server: 'localhost:8080'", "token: t").load();
    CHECK(plain.server == "http://localhost:8080");
    CHECK(plain.login.token.empty());
    CHECK_THAT(alone("server: 'h/path'", "").complaint(), Catch::Contains("server: the server address"));
}

TEST_CASE("clientcmd: contexts, clusters and users that do not exist are named with those that do",
          "[client][kubeconfig]")
{
    auto s = alone(https, "token: t");
    s.files["/a"] = cluster("c", https) + user("u", "") + context("x", "cluster: none, user: u");
    CHECK_THAT(s.complaint(), Catch::Contains("no current-context") && Catch::Contains("x"));
    CHECK_THAT(s.complaint("x"), Catch::Contains("no cluster \"none\"; available: c"));
    s.files["/a"] = cluster("c", https) + user("u", "") + context("x", "cluster: c, user: none");
    CHECK_THAT(s.complaint("x"), Catch::Contains("no user \"none\"; available: u"));
    s.files["/a"] = cluster("c", https) + context("x", "cluster: c");
    CHECK(s.load("x").server == "https://h");
    s.files["/a"] = cluster("c", "") + context("x", "cluster: c");
    CHECK_THAT(s.complaint("x"), Catch::Contains("clusters[c].cluster.server: missing"));
}

TEST_CASE("clientcmd: other entries of a file may be broken", "[client][kubeconfig]")
{
    setting s;
    s.files["/a"] = "current-context: x\n"
                    "clusters: [{name: bad, cluster: {}}, {name: c, cluster: {server: 'https://h'}}]\n"
                    "users: [{name: bad, user: {exec: {}}}, {name: u, user: {token: t}}]\n"
                    "contexts: [{name: bad, context: {}}, {name: x, context: {cluster: c, user: u}}]\n";
    CHECK(s.load().login.token == "t");
    CHECK_THAT(s.complaint("bad"), Catch::Contains("context.cluster: missing"));
}

TEST_CASE("clientcmd: the settings of a credential plugin are checked", "[client][kubeconfig]")
{
    const std::string v1 = "apiVersion: client.authentication.k8s.io/v1, ";
    const auto with = [](const std::string& exec, const std::string& more = {}) {
        return alone(https, "exec: {" + exec + "}" + more);
    };
    const auto good = with(v1 + "command: login, interactiveMode: Never, env: [{name: A, value: b}, {name: C}]").load();
    REQUIRE(good.login.exec);
    CHECK(good.login.exec->variables == std::vector<std::pair<std::string, std::string>>{{"A", "b"}, {"C", ""}});
    CHECK_THAT(with("command: login, interactiveMode: Never").complaint(), Catch::Contains("exec: apiVersion"));
    CHECK_THAT(with(v1 + "interactiveMode: Never").complaint(), Catch::Contains("exec: command: missing"));
    CHECK_THAT(with(v1 + "command: login").complaint(), Catch::Contains("interactiveMode: missing"));
    CHECK_THAT(with(v1 + "command: login, interactiveMode: Perhaps").complaint(), Catch::Contains("neither Never"));
    CHECK_THAT(with(v1 + "command: login, interactiveMode: Never, env: [{value: b}]").complaint(),
               Catch::Contains("env: a name is missing"));
    CHECK_THAT(with(v1 + "command: login, interactiveMode: Never", ", auth-provider: {name: gcp}").complaint(),
               Catch::Contains("auth-provider"));
}

TEST_CASE("clientcmd: the cluster's extension for plugins becomes their config", "[client][kubeconfig]")
{
    const std::string exec = "exec: {apiVersion: client.authentication.k8s.io/v1, command: l, interactiveMode: Never}";
    const auto config = [&](const std::string& extensions) {
        return alone(https + ", extensions: [" + extensions + "]", exec).load().login.exec->config;
    };
    const std::string name = "{name: client.authentication.k8s.io/exec, extension: ";
    CHECK(config("{name: other, extension: {a: 1}}").empty());
    CHECK(config(name + "{audience: api, i: 5, big: 18446744073709551615, f: -1.5, t: true, none: ~, q: '5', id: 007, "
                        "list: [a, {b: c}], hex: 0x1f}}, {name: other, extension: 1}") ==
          R"({"audience":"api","i":5,"big":18446744073709551615,"f":-1.5E0,"t":true,"none":null,"q":"5","id":7,)"
          R"("list":["a",{"b":"c"}],"hex":31})");
    CHECK(config(name + "text}") == R"("text")");
    CHECK(alone(https + ", extensions: [" + name + "{a: 1}}]", "token: t").load().login.exec == std::nullopt);

    const auto refused = [&](const std::string& value) {
        return alone(https + ", extensions: [" + name + value + "}]", exec).complaint();
    };
    CHECK_THAT(refused(std::string(210, '[') + std::string(210, ']')), Catch::Contains("nested too deeply"));
    CHECK_THAT(refused("{? [a] : b}"), Catch::Contains("invalid map key"));
    CHECK_THAT(refused("{a: '\xff'}"), Catch::Contains("invalid leading UTF-8 octet"));
    // Each level refers to the one before ten times.
    std::string bomb = "{l0: &l0 [x, x]";
    for (int i = 1; i < 5; ++i) {
        bomb += ", l" + std::to_string(i) + ": &l" + std::to_string(i) + " [";
        for (int j = 0; j < 10; ++j) bomb += (j == 0 ? "*l" : ", *l") + std::to_string(i - 1);
        bomb += "]";
    }
    CHECK_THAT(refused(bomb + "}"), Catch::Contains("excessive aliasing"));
}
