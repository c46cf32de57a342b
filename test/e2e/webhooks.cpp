// End-to-end tests of webhooks: a kube-apiserver asks those of a manager, which restarts and loses its certificates meanwhile.

#include "cluster.hpp"
#include "site.hpp"

#include <kubecoro/api/crd.hpp>
#include <kubecoro/api/edit.hpp>
#include <kubecoro/client/writing.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/webhooks/webhooks.hpp>

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::e2e;
using namespace std::chrono_literals;
using webhooks_test::site;
using webhooks_test::site_v1;

namespace json = boost::json;

namespace {

const resource_type definitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition",
                                false};
const resource_type secrets{"", "v1", "secrets", "Secret", true};

/// The definition of Site with both versions.
json::object definition()
{
    auto out = definition_of<site>().value();
    auto old = definition_of<site_v1>().value().at("spec").at("versions").at(0).as_object();
    old["storage"] = false;
    out["spec"].as_object()["versions"].as_array().push_back(std::move(old));
    return out;
}

/// One replica of a program with webhooks, which may be stopped and started.
class program
{
public:
    program(cluster& c, std::string name)
        : cluster_(c), name_(std::move(name)), address_("127.0.0.1:" + std::to_string(free_port()))
    {
        start();
    }
    ~program() { stop(); }
    void start()
    {
        manager_.emplace(cluster_.api(), manager_options{.name = name_});
        webhooks hooks(*manager_, {.address = address_, .url = "https://" + address_});
        hooks.mutates<site>([](site& s) { s.metadata.labels["mutated"] = "yes"; })
            .validates<site>([](const site& s, const admission<site>& a) {
                if (s.spec.hosts.size() > 1) return verdict::denied("one host only");
                return verdict::allowed().warn("asked by " + a.request.user.name.substr(0, 6));
            })
            .converts<site_v1, site>(webhooks_test::to_hub, webhooks_test::from_hub);
        ended_ = cluster_.start(manager_->run());
    }
    void stop()
    {
        if (!manager_) return;
        manager_->request_stop();
        CHECK(ended_.get());
        manager_.reset();
    }

private:
    cluster& cluster_;
    std::string name_;
    std::string address_;
    std::optional<manager> manager_;
    std::future<result<>> ended_;
};

struct fixture
{
    cluster c;
    std::string name = c.unique("hooks");
    std::string ns = c.make_namespace("hooks");
    std::optional<program> running;

    fixture()
    {
        // That of the case before may still be going.
        (void)c.run(remove_and_wait(c.api(), definitions, {"", "sites.example.com"}));
        c.make(definitions, "", "sites.example.com", json::serialize(definition()));
        running.emplace(c, name);
        // From now on the server asks.
        CHECK(c.eventually([&] {
            const auto made = create("probe", R"({"hosts":["a"]})");
            (void)c.run(c.api().remove(site::resource(), ns, "probe"));
            return made && (*made).labels()["mutated"].as_string() == "yes";
        }));
    }
    ~fixture()
    {
        // Objects go while their conversions are served.
        (void)c.run(c.api().remove_collection(site::resource(), ns));
        running.reset();
        for (const std::string plural : {"validatingwebhookconfigurations", "mutatingwebhookconfigurations"})
            (void)c.run(c.api().remove({"admissionregistration.k8s.io", "v1", plural, "", false}, "", name));
        (void)c.run(c.api().remove(secrets, "default", name + "-webhooks"));
    }
    result<object> create(const std::string& object_name, std::string_view spec)
    {
        json::object o{{"apiVersion", "example.com/v2"}, {"kind", "Site"}, {"metadata", {{"name", object_name}}}};
        o["spec"] = json::parse(spec);
        return c.run(c.api().create(site::resource(), ns, json::value(o)));
    }
};

} // namespace

TEST_CASE("webhooks: a kube-apiserver asks a manager's webhooks", "[webhooks]")
{
    fixture f;
    const auto refused = f.create("two", R"({"hosts":["a","b"]})");
    REQUIRE_FALSE(refused);
    REQUIRE(refused.error().status());
    CHECK(refused.error().status()->code == 403);
    CHECK(refused.error().status()->message ==
          "admission webhook \"validate.sites.example.com\" denied the request: one host only");
    REQUIRE(f.create("one", R"({"hosts":["a"],"replicas":3})"));
    const auto old = f.c.run(f.c.api().get(site_v1::resource(), f.ns, "one")).value();
    CHECK(old["spec"]["host"].as_string() == "a");
    CHECK(old["spec"]["replicas"].as_int64() == 3);
    const auto listed = f.c.run(f.c.api().list(site_v1::resource(), f.ns)).value();
    CHECK(listed.items.size() == 1);
    REQUIRE(f.c.run(retry_on_conflict(f.c.api(), site_v1::resource(), {f.ns, "one"},
                                      [](json::object& o) { field(o, "spec", "host") = "b"; })));
    const auto now = f.c.run(f.c.api().get(site::resource(), f.ns, "one")).value();
    CHECK(now["spec"]["hosts"].to_json() == json::array{"b"});
}

TEST_CASE("webhooks: while they restart and lose their Secret no write gets through unchecked", "[webhooks]")
{
    fixture f;
    std::size_t made = 0, refused = 0, failed = 0;
    const auto count = std::getenv("KUBECORO_LONG") ? 1000U : 200U;
    for (std::size_t i = 0; made + refused < count; ++i) {
        if (i == count / 4) (void)f.c.run(f.c.api().remove(secrets, "default", f.name + "-webhooks"));
        if (i % (count / 4) == count / 5) {
            f.running->stop();
            CHECK_FALSE(f.create("down", R"({"hosts":["a"]})")); // Fail
            f.running->start();
        }
        const bool good = i % 3 != 0;
        const auto outcome = f.create("s" + std::to_string(i), good ? R"({"hosts":["a"]})" : R"({"hosts":["a","b"]})");
        if (outcome) {
            ++made;
            CHECK(good);
            CHECK((*outcome).labels()["mutated"].as_string() == "yes");
        } else if (outcome.error().status() && outcome.error().status()->code == 403) {
            ++refused;
            CHECK_FALSE(good);
        } else {
            ++failed; // refused by the failure policy
        }
        REQUIRE(failed < 100 * count);
    }
    CHECK(made > count / 2);
    CHECK(refused > count / 5);
    const auto all = f.c.run(f.c.api().list_all(site::resource(), f.ns)).value();
    CHECK(all.items.size() == made);
    WARN("writes: " << made << " made, " << refused << " refused, " << failed << " failed while it was down");
}
