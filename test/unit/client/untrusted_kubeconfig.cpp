// Kubeconfigs that others have written.
#include <kubecoro/client/kubeconfig.hpp>
#include <kubecoro/test/catch.hpp>

using namespace kubecoro;

namespace {

std::string repeated(int times, const std::string& item)
{
    std::string out;
    for (int i = 0; i < times; ++i) out += item;
    return out;
}

/// Each of that many users has the members.
std::string users(int count, const std::string& members)
{
    std::string out;
    for (int i = 0; i < count; ++i) out += ", {name: u" + std::to_string(i) + ", user: {" + members + "}}";
    return out;
}

std::string text(const std::string& user, const std::string& cluster = "server: 'https://far:6443'",
                 const std::string& more_users = "")
{
    return "clusters: [{name: c, cluster: {" + cluster + "}}]\nusers: [{name: u, user: {" + user + "}}" + more_users +
           "]\ncontexts: [{name: one, context: {cluster: c, user: u, namespace: shop}}]\ncurrent-context: one\n";
}

std::string complaint(const std::string& yaml, const std::string& context = {})
{
    const auto parsed = parse_untrusted_kubeconfig(yaml, "Secret a/b", context);
    if (parsed) return "accepted";
    CHECK(parsed.error() == cond::misconfigured);
    return parsed.error().message();
}

} // namespace

TEST_CASE("untrusted kubeconfig: data, tokens and passwords are read", "[kubeconfig]")
{
    const auto parsed = parse_untrusted_kubeconfig(text("token: t"), "Secret a/b");
    REQUIRE(parsed);
    CHECK(parsed->server == "https://far:6443");
    CHECK(parsed->login.token == "t");
    CHECK(parsed->ns == "shop");
    CHECK(parsed->origin == "context one of Secret a/b");
    CHECK(complaint(text("username: u, password: p")) == "accepted");
    CHECK(complaint(text("token: t", "server: 'https://far:6443', certificate-authority-data: YQ==")) == "accepted");
}

TEST_CASE("untrusted kubeconfig: its own proxy counts, that of the environment on demand only", "[kubeconfig]")
{
    const auto proxy = [](const std::string& cluster, bool environment) {
        return parse_untrusted_kubeconfig(text("token: t", cluster), "Secret a/b", {}, environment)->proxy_url;
    };
    const std::string plain = "server: 'https://far:6443'", own = plain + ", proxy-url: 'http://p:1'";
    CHECK(proxy(plain, false) == "direct:");
    CHECK(proxy(plain, true).empty());
    CHECK(proxy(own, false) == "http://p:1");
    CHECK(proxy(own, true) == "http://p:1");
    CHECK(complaint(text("token: t", plain + ", proxy-url: 'direct:'")).find("proxy-url") != std::string::npos);
}

TEST_CASE("kubeconfig: the length of a proxy's URL costs its reading, not the square of it", "[kubeconfig]")
{
    // A square would not end.
    const std::string signs(std::size_t{4} << 20, '@');
    environment machine;
    machine.variable = [](const std::string&) { return std::nullopt; };
    machine.read_file = [&signs](const std::string&, std::size_t) -> result<std::string> {
        return text("token: t", "server: 'https://far:6443', proxy-url: 'http://u:" + signs + "h'");
    };
    const auto parsed = load_kubeconfig({.path = "/config"}, machine);
    REQUIRE(parsed);
    CHECK(parsed->proxy_url.size() == signs.size() + 10);
}

TEST_CASE("untrusted kubeconfig: paths of files are refused, also in entries that are not used", "[kubeconfig]")
{
    const std::string refused = ": the path of a file is not allowed here";
    CHECK(complaint(text("tokenFile: /etc/token")) == "Secret a/b: users[u].user.tokenFile" + refused);
    CHECK(complaint(text("token: t, tokenFile: token")) == "Secret a/b: users[u].user.tokenFile" + refused);
    CHECK(complaint(text("client-certificate: c, client-key: k")) ==
          "Secret a/b: users[u].user.client-certificate" + refused);
    CHECK(complaint(text("client-certificate-data: YQ==, client-key: k")) ==
          "Secret a/b: users[u].user.client-key" + refused);
    CHECK(complaint(text("token: t", "server: 'https://far', certificate-authority: /etc/ca")) ==
          "Secret a/b: clusters[c].cluster.certificate-authority" + refused);
    CHECK(complaint(text("token: t", "server: 'https://far'", ", {name: v, user: {tokenFile: f}}")) ==
          "Secret a/b: users[v].user.tokenFile" + refused);
}

TEST_CASE("untrusted kubeconfig: programs are refused", "[kubeconfig]")
{
    const std::string exec = "exec: {command: sh, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}";
    CHECK(complaint(text(exec)) ==
          "Secret a/b: users[u].user.exec: a program that prints credentials is not allowed here");
    CHECK(complaint(text("token: t", "server: 'https://far'", ", {name: v, user: {" + exec + "}}")).find("users[v]") !=
          std::string::npos);
    CHECK(complaint(text("auth-provider: {name: gcp}")).find("auth-provider") != std::string::npos);
}

TEST_CASE("untrusted kubeconfig: nothing of the program takes the place of what is missing", "[kubeconfig]")
{
    CHECK(complaint("") != "accepted");
    CHECK(complaint("{}") != "accepted");
    CHECK(complaint(text("token: t", "insecure-skip-tls-verify: true")).find("server: missing") != std::string::npos);
    CHECK(complaint(text("token: t"), "two") == "Secret a/b: no context \"two\"; available: one");
}

TEST_CASE("untrusted kubeconfig: length and messages have limits", "[kubeconfig]")
{
    CHECK(complaint(text("token: t") + std::string(131'072, '#')).find("at most 131072 are allowed") !=
          std::string::npos);
    std::string names = "contexts: [{name: one, context: {}}";
    for (int i = 0; i < 1000; ++i) names += ", {name: context-" + std::to_string(i) + ", context: {}}";
    CHECK(complaint(names + "]\n").size() < 600);
    const auto nested = std::string(60000, '[');
    CHECK(complaint(nested) != "accepted");
}

TEST_CASE("untrusted kubeconfig: aliases are expanded within bounds", "[kubeconfig]")
{
    const std::string server = "server: 'https://far'";
    const auto is_large = [](const std::string& text) {
        const auto why = complaint(text);
        INFO(why);
        return why.starts_with("Secret a/b: not YAML: line") &&
               (why.ends_with("too many nodes") || why.ends_with("aliases of too long texts"));
    };
    const auto with_anchor = [&](const std::string& anchor, const std::string& more_users) {
        return "anchor: &a " + anchor + "\n" + text("token: t", server, more_users);
    };
    CHECK(is_large(with_anchor("[" + repeated(1000, "g, ") + "g]", users(200, "as: x, as-groups: *a"))));
    CHECK(is_large(with_anchor("'" + std::string(50'000, 'k') + "'", users(200, "token: *a"))));
    std::string wide;
    for (int i = 0; i < 1000; ++i) wide += "k" + std::to_string(i) + ": v, ";
    std::string same;
    for (int i = 0; i < 200; ++i) same += ", {name: u" + std::to_string(i) + ", user: *a}";
    CHECK(is_large(with_anchor("{" + wide + "}", same)));
    CHECK(complaint("a: &a [*a]\n" + text("token: t")) ==
          "Secret a/b: not YAML: line 1, column 8: anchor 'a' value contains itself");
    // Authorities and logins that entries share.
    CHECK(complaint(with_anchor("'" + std::string(3'000, 'k') + "'", users(1000, "token: *a"))) == "accepted");
    CHECK(complaint(with_anchor("[" + repeated(50, "g, ") + "g]", users(1000, "as: x, as-groups: *a"))) == "accepted");
}

TEST_CASE("untrusted kubeconfig: the key of extra data stands beside each value within bounds", "[kubeconfig]")
{
    const auto extra = [](std::size_t key, int values) {
        return text("token: t, as: x, as-user-extra: {? " + std::string(key, 'k') + " : [" + repeated(values, "v,") +
                    "]}");
    };
    CHECK(complaint(extra(10'000, 4'000)).ends_with("as-user-extra: expands to too many values or bytes"));
    CHECK(complaint(extra(100, 4'000)) == "accepted");
}
