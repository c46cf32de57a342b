// The snippets of docs/guide/proving.md and recordings.md.
#include <kubecoro/client/client_options.hpp>
#include <kubecoro/client/recording_transport.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/proof/check_operator.hpp>
#include <kubecoro/proof/replay.hpp>

#include <iostream>
#include <memory>

namespace testing = kubecoro::testing;

namespace {

/// Stands for the operator of the page.
void add_operator(kubecoro::manager& m) { m.needs({.resource = "configmaps", .verbs = {"get"}}); }

//[check
testing::operator_report prove()
{
    return testing::check_operator(add_operator, {.definitions = "crd.yaml", .objects = "example.yaml", .seeds = 500});
}
//]

//[record
void record(kubecoro::client_options& connection) // operator_options::connection
{
    connection.wrap_transport = [](std::shared_ptr<kubecoro::transport> over) -> std::shared_ptr<kubecoro::transport> {
        return std::make_shared<kubecoro::recording_transport>(
            over, kubecoro::recording_options{.file = "operator.rec", .rotate = true});
    };
}
//]

//[replay
testing::replay_report replay_incident()
{
    return testing::replay(add_operator, "incident.rec", {.ignored = {"status.checkedAt"}});
}
//]

} // namespace

int main()
{
    kubecoro::client_options connection;
    record(connection);
    if (!replay_incident()) return 1;
    const auto report = prove();
    std::cout << report;
    return report ? 0 : 1;
}
