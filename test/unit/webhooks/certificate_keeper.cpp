// The certificates of webhooks on an embedded server: the Secret, configurations and definitions that two replicas write.
#include "serve/certificate_keeper.hpp"
#include "manager_fixture.hpp"
#include "site.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/crd.hpp>
#include <kubecoro/api/edit.hpp>
#include <kubecoro/client/writing.hpp>

#include <boost/json.hpp>

using namespace manager_test;
using webhooks_test::site;
using webhooks_test::site_v1;
namespace json = boost::json;
using detail::rotation_core;

namespace {

const resource_type validating = detail::configuration_type(false), mutating = detail::configuration_type(true),
                    definitions = detail::definition_type();

struct keepers
{
    world w;
    detail::hook_table table{{w.run.shared_clock(), w.log.handle(), null_metrics()}};
    std::vector<std::string> shown[2];
    std::vector<std::unique_ptr<detail::certificate_keeper>> replicas;
    std::vector<kt::task<void>> running;

    explicit keepers(bool install = true)
    {
        const detail::admission_handler none{
            [](const admission_request&) -> asio::awaitable<result<detail::admission_outcome>> {
                co_return detail::admission_outcome{};
            }};
        CHECK(table.add({.type = site::resource()}, none));
        CHECK(table.add({.type = site::resource(), .mutates = true}, none));
        CHECK(table.add(site_v1::resource(), site::resource(),
                        detail::make_version_step<site_v1, site>(webhooks_test::to_hub),
                        detail::make_version_step<site, site_v1>(webhooks_test::from_hub)));
        for (auto& seen : shown) {
            detail::certificate_keeper::settings s{
                .rules = {.names = {"hooks.default.svc"}},
                .place = {"subject", "hooks", "default", 9443, "subject", {}},
                .secret = "hooks",
                .install = install,
                .cluster = w.cluster,
                .time = w.run.shared_clock(),
                .log = w.log.handle(),
                .serve = [&seen](const rotation_core::identity& i) { seen.push_back(i.certificate); }};
            replicas.push_back(std::make_unique<detail::certificate_keeper>(std::move(s), table));
        }
    }
    ~keepers()
    {
        for (auto& r : running) r.cancel();
        w.run.run_until_idle();
    }
    void begin()
    {
        for (auto& r : replicas) running.push_back(w.run.spawn(r->run()));
    }
    json::object get(const resource_type& type, const std::string& name)
    {
        const std::string ns = type.namespaced ? "default" : "";
        return w.run.run(w.cluster.get(type, ns, name)).value().to_json().as_object();
    }
    json::object secret_data() { return get(secret::resource(), "hooks").at("data").as_object(); }
    void define()
    {
        const auto definition = definition_of<site>().value();
        REQUIRE(w.run.run(w.cluster.create(definitions, "", definition)));
    }
};

std::string bundle_of(const json::object& configuration)
{
    return std::string(configuration.at("webhooks").at(0).at("clientConfig").at("caBundle").as_string());
}

} // namespace

TEST_CASE("certificate keeper: two replicas agree on one Secret, and write all configurations",
          "[webhooks][certificates]")
{
    keepers k;
    k.define();
    k.begin();
    k.w.run.advance(10min);
    const auto data = k.secret_data();
    REQUIRE(k.shown[0].size() == 1);
    CHECK(k.shown[0] == k.shown[1]);
    CHECK(bytes(k.shown[0][0]).base64() == std::string_view(data.at("tls.crt").as_string()));
    CHECK(k.get(secret::resource(), "hooks").at("type") == "kubernetes.io/tls");
    const auto bundle = std::string(data.at("ca.crt").as_string());
    CHECK(bundle_of(k.get(validating, "subject")) == bundle);
    CHECK(bundle_of(k.get(mutating, "subject")) == bundle);
    const auto conversion = k.get(definitions, "sites.example.com").at("spec").at("conversion");
    CHECK(conversion.at("strategy") == "Webhook");
    CHECK(conversion.at("webhook").at("clientConfig").at("caBundle") == json::value(bundle));
    CHECK(k.w.log.count("the Secret of the webhooks was written") == 1);
}

TEST_CASE("certificate keeper: in a quiet cluster nothing is written again", "[webhooks][certificates]")
{
    keepers k;
    k.define();
    k.begin();
    k.w.run.advance(10min);
    const auto version = [&] {
        std::string all;
        for (const auto& [type, name] : {std::pair(secret::resource(), "hooks"), std::pair(validating, "subject"),
                                         std::pair(mutating, "subject"), std::pair(definitions, "sites.example.com")})
            all += std::string(k.get(type, name).at("metadata").at("resourceVersion").as_string()) + " ";
        return all;
    };
    const auto before = version();
    k.w.run.advance(2h);
    CHECK(version() == before);
}

TEST_CASE("certificate keeper: a Secret that is deleted is made again at once, without a look each minute",
          "[webhooks][certificates]")
{
    keepers k;
    k.begin();
    k.w.run.advance(10min + 5s);
    REQUIRE(k.w.run.run(k.w.cluster.remove(secret::resource(), "default", "hooks")));
    k.w.run.advance(3s);
    CHECK(k.w.run.run(k.w.cluster.get(secret::resource(), "default", "hooks")));
}

TEST_CASE("certificate keeper: what others delete or change comes back", "[webhooks][certificates]")
{
    keepers k;
    k.begin();
    k.w.run.advance(10min);
    k.define(); // later than the operator
    REQUIRE(k.w.run.run(k.w.cluster.remove(validating, "", "subject")));
    REQUIRE(k.w.run.run(retry_on_conflict(k.w.cluster, mutating, {"", "subject"}, [](json::object& o) {
        auto& first = o["webhooks"].as_array()[0].as_object();
        first["failurePolicy"] = "Ignore";
        first["matchConditions"] = json::array{json::object{{"name", "mine"}, {"expression", "true"}}};
    })));
    k.w.run.advance(2min);
    const auto bundle = std::string(k.secret_data().at("ca.crt").as_string());
    CHECK(bundle_of(k.get(validating, "subject")) == bundle);
    const auto changed = k.get(mutating, "subject").at("webhooks").at(0);
    CHECK(changed.at("failurePolicy") == "Fail");
    CHECK(changed.as_object().contains("matchConditions")); // that of others
    CHECK(k.get(definitions, "sites.example.com").at("spec").at("conversion").at("strategy") == "Webhook");

    const auto shown = k.shown[0].size();
    REQUIRE(k.w.run.run(k.w.cluster.remove(secret::resource(), "default", "hooks")));
    k.w.run.advance(20min);
    CHECK(k.shown[0].size() == shown + 1);
    CHECK(k.shown[0] == k.shown[1]);
    const auto both = bytes::from_base64(bundle_of(k.get(validating, "subject"))).value().data;
    CHECK(kubecoro::detail::split_certificates(both).size() == 2);
}

TEST_CASE("certificate keeper: a webhook that the program has no more leaves the configuration",
          "[webhooks][certificates]")
{
    keepers k;
    auto stored = detail::configuration(
        false, {{.type = site::resource()}, {.type = site::resource(), .options = {.name = "former"}}},
        {"subject", "hooks", "default", 9443, "subject", {}}, {});
    auto other = stored.at("webhooks").at(1);
    other.as_object()["name"] = "of.another.program";
    other.at("clientConfig").at("service").as_object()["name"] = "another";
    stored["webhooks"].as_array().push_back(other);
    REQUIRE(k.w.run.run(k.w.cluster.create(validating, "", json::value(stored))));
    k.begin();
    k.w.run.advance(2min);
    std::vector<std::string> names;
    const auto now = k.get(validating, "subject");
    for (const auto& w : now.at("webhooks").as_array()) names.emplace_back(w.at("name").as_string());
    CHECK(names == std::vector<std::string>{"validate.sites.example.com", "of.another.program"});
}

TEST_CASE("certificate keeper: a Secret keeps what others have put into it", "[webhooks][certificates]")
{
    keepers k;
    json::object data{{"token", "eA=="}};
    SECTION("beside the certificate") {}
    SECTION("a certificate of their own")
    {
        data["tls.crt"] = "eQ==";
        data["tls.key"] = "eQ==";
    }
    const bool is_theirs = data.contains("tls.key");
    REQUIRE(k.w.run.run(k.w.cluster.create(
        secret::resource(), "default",
        json::object{{"apiVersion", "v1"}, {"kind", "Secret"}, {"metadata", {{"name", "hooks"}}}, {"data", data}})));
    k.begin();
    k.w.run.advance(10min);
    CHECK(k.secret_data().at("token") == "eA==");
    CHECK(k.shown[0].size() == (is_theirs ? 0 : 1));
    CHECK(k.secret_data().contains("signer.key") != is_theirs);
    CHECK((k.w.log.count("the certificates of the webhooks wait") == 2) == is_theirs);
}

TEST_CASE("certificate keeper: without install only bundles are written", "[webhooks][certificates]")
{
    keepers k(false);
    k.define();
    k.begin();
    k.w.run.advance(10min);
    CHECK_FALSE(k.w.run.run(k.w.cluster.get(validating, "", "subject")));
    auto mine = detail::configuration(false, k.table.hooks(), {"subject", "other-service", "ops", 9443, "x", {}}, {});
    REQUIRE(k.w.run.run(k.w.cluster.create(validating, "", json::value(mine))));
    k.w.run.advance(2min);
    const auto now = k.get(validating, "subject");
    CHECK(bundle_of(now) == std::string_view(k.secret_data().at("ca.crt").as_string()));
    CHECK(now.at("webhooks").at(0).at("clientConfig").at("service").at("name") == "other-service");
    CHECK(k.get(definitions, "sites.example.com").at("spec").at("conversion").at("strategy") == "None");
}

TEST_CASE("certificate keeper: a server that refuses or fails is asked again, with one line",
          "[webhooks][certificates]")
{
    keepers k;
    k.w.faults->add({.what = kt::fault::refuse(), .times = 30});
    k.begin();
    k.w.run.advance(30min);
    CHECK(k.shown[0].size() == 1);
    CHECK(k.shown[0] == k.shown[1]);
    CHECK(k.w.log.count("the certificates of the webhooks wait") <= 8);
}
