// The log at trace level: each station of an object, and no secret.
#include "rest_fixture.hpp"

#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <algorithm>
#include <map>

using namespace kubecoro;
using namespace kubecoro::rest_test;
using namespace std::chrono_literals;
namespace asio = boost::asio;
namespace kt = kubecoro::testing;

namespace {

/// Plain, in base64 and as a Basic header carries it.
const std::vector<std::string> secrets{"hunter2",  "aHVudGVyMg==", "YWRtaW46aHVudGVyMg==", "tok-first",
                                       "tok-next", "tok-static",   "PRIVATE KEY",          "key-bytes"};

void check_no_secret(const std::vector<std::string>& lines)
{
    for (const auto& line : lines)
        for (const auto& secret : secrets) {
            INFO(line);
            CHECK(line.find(secret) == line.npos);
        }
}

const resource_type secret_type = untyped::secret::resource();

std::string secret_object(const std::string& version)
{
    return R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"login","namespace":"web","uid":"u","resourceVersion":")" +
           version + R"("},"data":{"password":"aHVudGVyMg=="},"stringData":{"plain":"hunter2"}})";
}

std::string secret_list(const std::string& version, const std::string& items)
{
    return R"({"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":")" + version + R"("},"items":[)" +
           items + "]}";
}

/// The last line of the initial events.
std::string end_of_initial(const std::string& kind, const std::string& version)
{
    return R"({"type":"BOOKMARK","object":{"kind":")" + kind +
           R"(","apiVersion":"v1","metadata":{"resourceVersion":")" + version +
           R"(","annotations":{"k8s.io/initial-events-end":"true"}}}})" + "\n";
}

std::string pod_event(const std::string& type, const std::string& name, const std::string& version)
{
    return R"({"type":")" + type + R"(","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name +
           R"(","resourceVersion":")" + version + R"("}}})" + "\n";
}

const std::string denied =
    R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"Forbidden","code":403})";

std::map<std::string, credentials> logins(const token_file& file)
{
    return {{"token", {.token = "tok-static"}},
            {"token file", {.token_file = file.path()}},
            {"token file that is not there", {.token = "tok-static", .token_file = "/nowhere/token"}},
            {"basic", {.username = "admin", .password = "hunter2"}},
            {"impersonation", {.token = "tok-static", .as = {.name = "jane"}}}};
}

} // namespace

TEST_CASE("log: at trace level, with every kind of login, nothing secret is written", "[client][log]")
{
    const token_file file;
    for (const auto& [name, login] : logins(file)) {
        INFO(name);
        world the;
        file.write("tok-first");
        auto c = the.make(login);
        the.net->replies = {{.body = {pod("a")}}};
        REQUIRE(the.run.run(c.get(pods, "web", "a")));
        file.write("tok-next");
        std::vector<std::string> failures;
        const auto keep = [&](const auto& outcome) {
            if (!outcome) failures.push_back(outcome.error().describe());
        };
        the.net->replies = {
            {.status = 401, .body = {denied}}, // another token, for a file
            {.body = {secret_object("1")}},
            {.status = 429, .body = {denied}, .headers = {{"retry-after", "1"}}},
            {.status = 201, .body = {secret_object("2")}, .headers = {{"warning", "299 - \"old\""}}},
            {.status = 409, .body = {denied}},
            {.body = {secret_object("3").substr(0, 150) + "hunter2"}}, // broken off
            {.body = {secret_list("4", R"({"data":"aHVudGVyMg==)")}},
            {.body = {secret_list("4", R"({"metadata":{"name":"x"},"data":{"hunter2":nonsense}})")}},
        };
        for (int i = 0; i < 2; ++i) keep(the.run.run(c.get(secret_type, "web", "login")));
        const json_text body(object::parse(secret_object("1")).value());
        const auto writing = the.run.spawn(c.create(secret_type, "web", body));
        the.run.advance(1s);
        for (int i = 0; i < 2; ++i) keep(the.run.run(c.create(secret_type, "web", body)));
        for (int i = 0; i < 2; ++i) keep(the.run.run(c.get(secret_type, "web", "login")));
        for (int i = 0; i < 2; ++i) keep(the.run.run(c.list(secret_type, "web")));
        CHECK(failures.size() > 2);

        the.net->replies = {
            {.body = {R"({"type":"ADDED","object":)" + secret_object("5") + "}\n", end_of_initial("Secret", "5"),
                      R"({"type":"MODIFIED","object":)" + secret_object("6") + "}\n",
                      R"({"type":"MODIFIED","object":{"data":{"password":"aHVudGVyMg==")"},
             .comes_at_once = false},
        };
        informer_factory informers(c);
        auto stored = informers.get(secret_type);
        const auto fails = [](const updated<object>&) -> asio::awaitable<result<>> {
            co_return failure(cond::internal, "no");
        };
        stored.add_event_handler({.on_update = fails});
        informers.start();
        REQUIRE(the.run.run(stored.has_synced()));
        the.run.advance(1s);
        failures.push_back(stored.describe());
        REQUIRE(the.run.run(informers.stop()));

        CHECK(std::any_of(the.lines.begin(), the.lines.end(),
                          [](const auto& line) { return line.find("web/login") != line.npos; }));
        check_no_secret(the.lines);
        check_no_secret(failures);
    }
}

TEST_CASE("log: configurations that are refused do not show what they hold", "[client][log]")
{
    std::vector<std::string> said;
    const std::string pem = "-----BEGIN PRIVATE KEY-----\nkey-bytes\n-----END PRIVATE KEY-----\n";
    kt::runner run;
    const auto refuse = [&](cluster_config config) {
        client_options o;
        o.log = logger([&](const log_record& r) { said.push_back(format(r)); }, log_level::trace);
        const auto made = client::create(run.executor(), std::move(config), std::move(o));
        REQUIRE_FALSE(made);
        said.push_back(made.error().describe());
    };
    refuse({.server = "https://h", .client_certificate = pem, .client_key = pem});
    refuse({.server = "https://h", .client_key = pem});
    refuse({.server = "https://h", .ca = pem});
    refuse({.server = "https://admin:hunter2@h"});
    refuse({.server = "ftp://admin:hunter2@h"});
    const auto load = [&](const std::string& user) {
        environment e;
        e.variable = [](const std::string&) { return std::nullopt; };
        e.read_file = [&](const std::string&, std::size_t) -> result<std::string> {
            return "current-context: one\nclusters: [{name: c, cluster: {server: \"https://h\"}}]\n"
                   "users: [{name: u, user: {" +
                   user + "}}]\ncontexts: [{name: one, context: {cluster: c, user: u}}]\n";
        };
        const auto loaded = load_kubeconfig({.path = "/k"}, e);
        REQUIRE_FALSE(loaded);
        said.push_back(loaded.error().describe());
    };
    load("exec: {command: login, env: [{name: PASSWORD, value: hunter2}]}");
    load("auth-provider: {name: oidc, config: {id-token: hunter2}}");
    load("token: [hunter2]");
    load("token: {hunter2: hunter2}");
    load("client-certificate-data: Zg==, client-key-data: \"hunter2 !\"");
    load("client-key-data: aHVudGVyMg==");
    load("password: \"hunter2");
    check_no_secret(said);
}

TEST_CASE("log: at trace level one object is followed from its bytes to the end of its handler", "[client][log]")
{
    world the;
    the.net->replies = {
        {.body = {pod_event("ADDED", "a", "5"), end_of_initial("Pod", "5"), pod_event("MODIFIED", "b", "6"),
                  pod_event("MODIFIED", "a", "7")},
         .hangs_in_body = true},
    };
    auto c = the.make();
    informer_factory informers(c);
    auto stored = informers.get(pods);
    stored.add_event_handler({.on_add = [](const added<object>&) {}, .on_update = [](const updated<object>&) {}});
    informers.start();
    REQUIRE(the.run.run(stored.has_synced()));
    the.run.advance(1s);
    REQUIRE(the.run.run(informers.stop()));
    const std::vector<std::string> all{"decoded", "pushed", "stored", "distributed", "handler begins", "handler ended"};
    for (const std::string whose : {"object=a", "object=b", "object=a version=7"}) {
        std::vector<std::string> passed;
        for (const auto& line : the.lines) {
            if (line.find(whose) == line.npos) continue;
            if (whose == "object=a" && line.find("version=7") != line.npos) continue;
            for (const auto& station : all)
                if (line.find(station + " ") != line.npos) passed.push_back(station);
        }
        INFO(whose);
        CHECK(passed == all);
    }
}
