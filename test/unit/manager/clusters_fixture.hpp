#pragma once
// A manager with clusters of its own: each an embedded server, all in virtual time.

#include "manager_fixture.hpp"

#include <kubecoro/core_v1/secret.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace manager_test {

/// A cluster that may join: a server, and the faults between it and the manager.
struct far_cluster
{
    kt::runner& run;
    apiserver::embedded_server server;
    std::shared_ptr<kt::fault_plan> faults = std::make_shared<kt::fault_plan>();

    explicit far_cluster(world& w) : run(w.run), server(w.run.executor(), options(w.run)) {}
    ~far_cluster() { CHECK(run.run(server.stop()).has_value()); }
    far_cluster(const far_cluster&) = delete;
    far_cluster& operator=(const far_cluster&) = delete;

    [[nodiscard]] client connect(client_options how = {})
    {
        how.time = run.shared_clock();
        auto direct = std::make_shared<apiserver::in_process_transport>(server);
        auto carrier = std::make_shared<kt::faulty_transport>(std::move(direct), faults, run.shared_clock());
        return client(run.executor(), std::move(carrier), how);
    }
    void put(const std::string& name, const std::string& value = "1")
    {
        const config_map wanted{.metadata = {.name = name}, .data = {{"a", value}}};
        REQUIRE(run.run(connect().resource<config_map>("default").create(wanted)));
    }

private:
    static apiserver::server_options options(kt::runner& run)
    {
        apiserver::server_options o;
        o.time = run.shared_clock();
        return o;
    }
};

/// Notes runs as "cluster/name".
[[nodiscard]] inline auto noting(lines& seen)
{
    return [&seen](manager& m) {
        m.control<config_map>(
            [&seen, name = m.cluster()](const typed_object<config_map>& o, reconcile_context&) -> reconciled {
                seen.push_back(name + "/" + std::string(o.name()));
                co_return action::done();
            });
    };
}

[[nodiscard]] inline std::string states(const std::vector<cluster_stats>& all)
{
    std::string out;
    for (const auto& c : all) out += (out.empty() ? "" : ", ") + c.name + " " + std::string(to_string(c.state));
    return out;
}

} // namespace manager_test
