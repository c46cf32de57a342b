#pragma once
// The checks that the manifests of every operator pass.

#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/manager/access_right.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace manifest_test {

inline std::string text(const boost::json::value& v) { return std::string(v.as_string()); }

/// An operator's folder.
struct folder
{
    std::string path;

    [[nodiscard]] std::string text_of(const std::string& file) const
    {
        std::ifstream in(path + "/" + file);
        REQUIRE(in);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    [[nodiscard]] boost::json::value object_of(const std::string& file, std::string_view kind) const
    {
        const auto all = kubecoro::load_manifests(text_of(file), file).value();
        const auto at =
            std::find_if(all.begin(), all.end(), [kind](const auto& o) { return text(o.at("kind")) == kind; });
        REQUIRE(at != all.end());
        return *at;
    }
};

/// The manifest of the rights that a set-up declares, as --print-rbac prints it for the namespace `name`.
template<class Fill>
std::string printed_rights(const std::string& name, kubecoro::manager_options options, const Fill& fill)
{
    using namespace kubecoro;
    kubecoro::testing::runner run;
    apiserver::embedded_server server(run.executor(), {});
    std::string text;
    {
        options.name = name;
        options.leader_election.ns = name;
        manager m(client(run.executor(), std::make_shared<apiserver::in_process_transport>(server)),
                  std::move(options));
        fill(m);
        text = rbac_manifest(m.rights(), {.name = name, .ns = name});
    }
    CHECK(run.run(server.stop()));
    return text;
}

inline bool has_port(const boost::json::value& container, const boost::json::value& name)
{
    const auto& ports = container.at("ports").as_array();
    return std::any_of(ports.begin(), ports.end(), [&name](const auto& p) { return p.at("name") == name; });
}

/// The Deployment of operator.yaml: unprivileged, probed, bounded, spread, with time to stop, from the image of the Dockerfile.
inline void check_deployment(const folder& f, const std::string& name, int replicas)
{
    const auto deployment = f.object_of("manifests/operator.yaml", "Deployment");
    CHECK(text(deployment.at("metadata").at("namespace")) == name);
    CHECK(deployment.at("spec").at("replicas") == replicas);
    const auto& pod = deployment.at("spec").at("template").at("spec");
    CHECK(text(pod.at("serviceAccountName")) == name);
    CHECK(pod.at("terminationGracePeriodSeconds").as_int64() > 30); // 25 s for what runs, 5 s for events
    CHECK(pod.at("securityContext").at("runAsNonRoot") == true);
    CHECK(pod.at("securityContext").at("seccompProfile").at("type") == "RuntimeDefault");
    if (replicas > 1)
        CHECK(text(pod.at("topologySpreadConstraints").at(0).at("topologyKey")) == "kubernetes.io/hostname");
    const auto& c = pod.at("containers").at(0);
    const auto& limits = c.at("securityContext");
    CHECK(limits.at("allowPrivilegeEscalation") == false);
    CHECK(limits.at("readOnlyRootFilesystem") == true);
    CHECK(limits.at("capabilities").at("drop") == boost::json::array{"ALL"});
    CHECK(c.at("resources").at("limits").as_object().contains("memory"));
    CHECK(c.at("resources").at("requests").as_object().contains("cpu"));
    for (const auto& [probe, path] : {std::pair("livenessProbe", "/livez"), std::pair("readinessProbe", "/readyz")}) {
        CHECK(text(c.at(probe).at("httpGet").at("path")) == path);
        CHECK(has_port(c, c.at(probe).at("httpGet").at("port")));
    }
    const auto recipe = f.text_of("Dockerfile");
    CHECK(recipe.find("-t " + text(c.at("image")) + " ") != std::string::npos);
    CHECK(recipe.find("\nUSER " + std::to_string(pod.at("securityContext").at("runAsUser").as_int64()) + "\n") !=
          std::string::npos);
}

} // namespace manifest_test
