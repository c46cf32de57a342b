#pragma once
// The operator of websites and an embedded server that plays a cluster, in virtual time.

#include "website_reconciler.hpp"
#include "website_webhooks.hpp"

#include <kubecoro/api/edit.hpp>
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/client/struct_edit.hpp>
#include <kubecoro/client/subresources.hpp>
#include <kubecoro/core_v1/namespace_.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/fault_plan.hpp>
#include <kubecoro/testing/faulty_transport.hpp>
#include <kubecoro/testing/recording.hpp>

#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace website_test {

namespace kt = kubecoro::testing;
using namespace kubecoro;
using namespace kubecoro::website_operator;
using namespace std::chrono_literals;
using apps_v1::deployment;
using core_v1::config_map;
using core_v1::service;

struct fixture
{
    kt::runner run;
    kt::recording_logger log;
    apiserver::embedded_server server;
    std::shared_ptr<kt::fault_plan> faults;
    /// The operator's.
    client cluster;
    client users;
    std::optional<manager> m;
    std::optional<webhooks> hooks;

    explicit fixture(std::uint64_t seed = 1)
        : server(run.executor(), server_options()),
          faults(std::make_shared<kt::fault_plan>(seed)),
          cluster(connect(true)),
          users(connect(false))
    {
        server.call_webhooks([this](const webhook_server&) -> result<client> {
            if (!hooks) return failure(cond::unreachable, "the operator does not run");
            return hooks->in_process();
        });
        apply(definition().value());
        REQUIRE(run.run(users.resource<core_v1::namespace_>().create({.metadata = {.name = "website"}})));
        std::ifstream rights(KUBECORO_OPERATORS "/website/manifests/rbac.yaml");
        REQUIRE(rights);
        apply({std::istreambuf_iterator<char>(rights), {}});
    }
    ~fixture()
    {
        end();
        CHECK(run.run(server.stop()).has_value());
    }
    fixture(const fixture&) = delete;
    fixture& operator=(const fixture&) = delete;

    void begin(std::uint64_t seed = 1)
    {
        manager_options o{.name = "website"};
        o.seed = seed;
        m.emplace(cluster, std::move(o));
        add_websites(*m);
        hooks = add_webhooks(*m, {.address = "0"});
        m->start();
        settle();
    }
    void end()
    {
        if (m) (void)run.run(m->stop());
        hooks.reset();
        m.reset();
    }
    /// Has the server ask the operator's webhooks from now on.
    void ask()
    {
        for (const auto& o : hooks->manifests()) {
            const std::string kind(o.at("kind").as_string()), name(o.at("metadata").at("name").as_string());
            if (kind == "CustomResourceDefinition") {
                const auto settle = [&](boost::json::object& d) {
                    field(d, "spec", "conversion") = o.at("spec").at("conversion");
                };
                const resource_type definitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions", kind, false};
                REQUIRE(run.run(retry_on_conflict(users, definitions, {"", name}, settle)));
            } else if (kind != "Service") {
                const auto plural =
                    kind.starts_with("Mutating") ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations";
                const resource_type type{"admissionregistration.k8s.io", "v1", plural, kind, false};
                REQUIRE(run.run(users.create(type, "", boost::json::value(o))));
            }
        }
    }
    void settle() { run.advance(20s); }

    void put(const std::string& name, std::int32_t replicas = 1, const std::string& page = "hello")
    {
        website site{.metadata = {}, .spec = {}, .status = {}};
        site.metadata.name = name;
        site.spec.pages["index.html"] = page;
        site.spec.replicas = replicas;
        REQUIRE(run.run(users.resource<website>("default").create(site)));
    }
    void edit(const std::string& name, struct_edit<website> change)
    {
        REQUIRE(run.run(retry_on_conflict<website>(users, {"default", name}, std::move(change))));
    }
    void remove(const std::string& name)
    {
        const auto gone = run.run(users.remove(website::resource(), "default", name));
        REQUIRE(gone);
    }
    /// The newest state; empty if there is none.
    template<class T>
    std::optional<T> read(const std::string& name)
    {
        const auto got = run.run(users.get(T::resource(), "default", name));
        if (!got) {
            REQUIRE(got.error() == cond::not_found);
            return std::nullopt;
        }
        return read_struct<T>(*got).value();
    }
    /// "True Serving 2 of 2 pods are ready", of the condition Ready.
    std::string ready(const std::string& name)
    {
        const auto site = read<website>(name);
        if (!site) return "gone";
        for (const auto& c : site->status.conditions)
            if (c.type == "Ready")
                return c.status.value_or("") + " " + c.reason.value_or("") + " " + c.message.value_or("");
        return "unknown";
    }

private:
    [[nodiscard]] apiserver::server_options server_options() const
    {
        apiserver::server_options o;
        o.time = run.shared_clock();
        o.live_nodes = 1;
        return o;
    }
    void apply(const std::string& manifest)
    {
        const auto parts = load_manifests(manifest, "manifest");
        REQUIRE(parts);
        REQUIRE(run.run(apply_all(users, *parts, {.field_manager = "test"})));
    }
    /// The operator has faults, and the rights of its manifest. Users have neither.
    client connect(bool is_operator)
    {
        client_options how;
        how.time = run.shared_clock();
        how.log = log.handle();
        how.seed = 1;
        user_info as{"system:admin", {"system:masters"}};
        if (is_operator) as = {"system:serviceaccount:website:website", {"system:authenticated"}};
        std::shared_ptr<transport> carrier = std::make_shared<apiserver::in_process_transport>(server, as);
        if (is_operator) carrier = std::make_shared<kt::faulty_transport>(carrier, faults, run.shared_clock());
        return client(run.executor(), std::move(carrier), std::move(how));
    }
};

} // namespace website_test
