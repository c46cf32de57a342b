// End-to-end tests of every way to log in whose credentials change, while an informer watches.

#include "churn.hpp"
#include "followed.hpp"
#include "hurried_clock.hpp"
#include "identity.hpp"

#include "plugin_script.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/client/subresources.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

using namespace kubecoro;
using namespace kubecoro::e2e;
using test::plugin_script;
using untyped::config_map;

namespace json = boost::json;

namespace {

/// A client whose clock the case puts forward.
struct hurried_login
{
    hurried_login(cluster& c, cluster_config config) : who(c.connect(std::move(config), with(time))) {}

    static client_options with(std::shared_ptr<time_source> time)
    {
        client_options o;
        o.time = std::move(time);
        return o;
    }

    std::shared_ptr<hurried_clock> time = std::make_shared<hurried_clock>();
    client who;
};

void create_map(cluster& c, const std::string& ns, const std::string& name)
{
    const auto made = c.run(c.api().create(config_map::resource(), ns, manifest(config_map::resource(), name)));
    REQUIRE(made);
}

std::string path_in(const plugin_script& folder, const std::string& name)
{
    return folder.path().substr(0, folder.path().rfind('/') + 1) + name;
}

std::optional<cluster_config> certificate_or_skip()
{
    auto found = cluster::config("KUBECORO_E2E_CERT_KUBECONFIG");
    if (!found) WARN("skipped: KUBECORO_E2E_CERT_KUBECONFIG is unset");
    return found;
}

std::string content_of(const std::string& text, const std::string& file)
{
    return text.empty() ? system_environment().read_file(file, 1 << 20).value() : text;
}

/// Prints an ExecCredential that lives for five seconds. `status` is shell text within double quotes: more of its status.
std::string prints_for_five_seconds(const std::string& status)
{
    return "until=$(date -u -d '+5 seconds' +%Y-%m-%dT%H:%M:%SZ)\n"
           R"(printf '%s\n' "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",)"
           R"(\"status\":{\"expirationTimestamp\":\"$until\",)" +
           status + R"(}}")";
}

} // namespace

TEST_CASE("login: a token file that is replaced while a watch runs", "[login]")
{
    cluster c;
    const auto ns = c.make_namespace("token-file");
    const auto one = make_service_account(c, ns, "one");
    const auto two = make_service_account(c, ns, "two");
    const plugin_script folder("exit 1");
    folder.write("token", one);
    auto config = without_login();
    config.login.token_file = path_in(folder, "token");
    const hurried_login login(c, config);
    CHECK(identity(c, login.who) == account_name(ns, "one"));
    followed f(c, login.who, config_map::resource(), ns);
    const auto synced = f.sync();
    REQUIRE(synced);

    folder.write("token", two);
    CHECK(identity(c, login.who) == account_name(ns, "one"));
    login.time->advance(std::chrono::minutes{1});
    CHECK(identity(c, login.who) == account_name(ns, "two"));
    // A file that is damaged in between costs nothing.
    folder.write("token", "");
    login.time->advance(std::chrono::minutes{1});
    CHECK(identity(c, login.who) == account_name(ns, "two"));
    create_map(c, ns, "after");
    CHECK(f.converge() == "");
    CHECK(f.witnessed.complaint() == "");
    CHECK(f.stats().failures == 0);
}

TEST_CASE("login: a 401 makes the client read its certificate and its token again", "[login]")
{
    const auto certified = certificate_or_skip();
    if (!certified) return;
    cluster c;
    const plugin_script files("exit 1");
    auto config = without_login();
    config.client_certificate_file = path_in(files, "crt");
    config.client_key_file = path_in(files, "key");
    // Any pair that the server's authority has not signed: the server's answer is a 401.
    REQUIRE(std::system(("openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=stranger -keyout " +
                         path_in(files, "key") + " -out " + path_in(files, "crt") + " 2>/dev/null")
                            .c_str()) == 0);
    const auto who = c.connect(config);
    const auto refused = self_review(c, who);
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::unauthorized);
    files.write("key", content_of(certified->client_key, certified->client_key_file));
    CHECK_FALSE(self_review(c, who));
    files.write("crt", content_of(certified->client_certificate, certified->client_certificate_file));
    CHECK(identity(c, who) == identity(c, c.connect(*certified)));

    const auto token = cluster::config("KUBECORO_E2E_KUBECONFIG")->login.token;
    if (token.empty()) return;
    files.write("token", "wrong");
    auto other = without_login();
    other.login.token_file = path_in(files, "token");
    const auto by_token = c.connect(other);
    CHECK_FALSE(self_review(c, by_token));
    files.write("token", token);
    CHECK(identity(c, by_token) == identity(c, c.api()));
}

TEST_CASE("login: a plugin's tokens of five seconds, while a watch runs", "[login]")
{
    cluster c;
    const auto ns = c.make_namespace("plugin");
    const plugin_script script("token=$(cat token-$(($(wc -l <runs) % 2)))\n" +
                               prints_for_five_seconds(R"(\"token\":\"$token\")"));
    script.write("token-1", make_service_account(c, ns, "one"));
    script.write("token-0", make_service_account(c, ns, "two"));
    auto config = without_login();
    config.login.exec = script.config();
    const hurried_login login(c, config);
    CHECK(identity(c, login.who) == account_name(ns, "one"));
    followed f(c, login.who, config_map::resource(), ns);
    const auto synced = f.sync();
    REQUIRE(synced);
    for (int round = 0; round < 5; ++round) {
        login.time->advance(std::chrono::seconds{5});
        create_map(c, ns, "in-round-" + std::to_string(round));
        CHECK(identity(c, login.who) == account_name(ns, round % 2 ? "one" : "two"));
    }
    CHECK(script.runs() >= 6);
    CHECK(f.converge() == "");
    CHECK(f.witnessed.complaint() == "");
    CHECK(f.stats().failures == 0);
}

TEST_CASE("login: a plugin's client certificates of five seconds, while a watch runs", "[login]")
{
    const auto files = cluster::config("KUBECORO_E2E_CERT_KUBECONFIG");
    const auto authority = files ? files->ca_file : std::string();
    const auto key = std::filesystem::path(authority).replace_extension(".key");
    if (authority.empty() || !std::filesystem::exists(key)) {
        WARN("skipped: KUBECORO_E2E_CERT_KUBECONFIG does not name the files of an authority");
        return;
    }
    cluster c;
    const auto ns = c.make_namespace("plugin-certificate");
    const plugin_script script(
        "n=$(($(wc -l <runs)))\n"
        "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /O=system:masters/CN=plugin-$n"
        " -keyout key -out request 2>errors || exit 1\n"
        "echo extendedKeyUsage=clientAuth >usage\n"
        "openssl x509 -req -in request -CA '" +
        authority + "' -CAkey '" + key.string() +
        "' -set_serial $((4000 + n)) -days 1 -extfile usage -out certificate 2>>errors || exit 1\n"
        "pem() { awk '{ printf \"%s\\\\n\", $0 }' $1; }\n" +
        prints_for_five_seconds(
            R"(\"clientCertificateData\":\"$(pem certificate)\",\"clientKeyData\":\"$(pem key)\")"));
    auto config = without_login();
    config.login.exec = script.config();
    const hurried_login login(c, config);
    CHECK(identity(c, login.who) == "plugin-1");
    followed f(c, login.who, config_map::resource(), ns, impatient());
    const auto synced = f.sync();
    REQUIRE(synced);
    for (int round = 0; round < 3; ++round) {
        login.time->advance(std::chrono::seconds{5});
        create_map(c, ns, "in-round-" + std::to_string(round));
        const auto name = identity(c, login.who);
        CHECK(name == "plugin-" + std::to_string(script.runs()));
        CHECK(script.runs() >= round + 2);
    }
    CHECK(f.converge() == "");
    CHECK(f.witnessed.complaint() == "");
    // The end of a connection whose certificate was replaced is not a failure.
    CHECK(f.stats().failures == 0);
}

TEST_CASE("login: a token of a service account has the rights of the account", "[login]")
{
    cluster c;
    const auto ns = c.make_namespace("account");
    auto config = without_login();
    config.login.token = make_service_account(c, ns, "one");
    const auto who = c.connect(config);
    CHECK(identity(c, who) == account_name(ns, "one"));
    followed f(c, who, config_map::resource(), ns);
    const auto synced = f.sync();
    REQUIRE(synced);
    create_map(c, ns, "a");
    CHECK(f.converge() == "");
    CHECK(f.witnessed.complaint() == "");
    const auto elsewhere = c.run(who.list(config_map::resource(), "default"));
    REQUIRE_FALSE(elsewhere);
    CHECK(elsewhere.error() == cond::forbidden);
    CHECK(elsewhere.error().describe().find(config.login.token) == std::string::npos);

    token_options other;
    other.audiences = {"https://elsewhere.example"};
    config.login.token = c.run(create_token(c.api(), ns, "one", other)).value().token;
    const auto stranger = c.run(c.connect(config).list(config_map::resource(), ns));
    REQUIRE_FALSE(stranger);
    CHECK(stranger.error() == cond::unauthorized);
}

TEST_CASE("login: an impersonated identity arrives whole", "[login]")
{
    cluster c;
    auto config = cluster::config("KUBECORO_E2E_KUBECONFIG").value();
    config.login.as = {.name = "jane",
                       .groups = {"system:masters", "devs"},
                       .uid = "7",
                       .extra = {{"example.com/team", {"a", "b"}}, {"50%", {"c d"}}}};
    const auto got = self_review(c, c.connect(config));
    REQUIRE(got);
    const auto info = got->to_json().at("status").at("userInfo").as_object();
    CHECK(info.at("username") == "jane");
    CHECK(info.at("uid") == "7");
    const auto groups = info.at("groups").as_array();
    CHECK(std::find(groups.begin(), groups.end(), json::value("devs")) != groups.end());
    CHECK(info.at("extra") == json::value({{"example.com/team", {"a", "b"}}, {"50%", json::array{"c d"}}}));

    config.login.as.groups = {"nobodies"};
    const auto powerless = c.run(c.connect(config).list(config_map::resource(), "default"));
    REQUIRE_FALSE(powerless);
    CHECK(powerless.error() == cond::forbidden);
    CHECK(powerless.error().describe().find("jane") != std::string::npos);
}
TEST_CASE("login: impersonation has the rights of the other user, and needs a right itself", "[login]")
{
    cluster c;
    const auto ns = c.make_namespace("impersonation");
    auto config = cluster::config("KUBECORO_E2E_KUBECONFIG").value();
    config.login.as.name = "nobody-special";
    const auto weak = c.run(c.connect(config).list(config_map::resource(), ns));
    REQUIRE_FALSE(weak);
    CHECK(weak.error() == cond::forbidden);
    CHECK(weak.error().describe().find("nobody-special") != std::string::npos);

    auto account = without_login();
    account.login.token = make_service_account(c, ns, "one");
    account.login.as.name = "admin";
    account.login.as.groups = {"system:masters"};
    const auto risen = c.run(c.connect(account).list(config_map::resource(), ns));
    REQUIRE_FALSE(risen);
    CHECK(risen.error() == cond::forbidden);
    CHECK(risen.error().describe().find("impersonate") != std::string::npos);
}
