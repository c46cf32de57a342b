// The embedded server, and the tools for tests.
#include "callers.hpp"

#include <kubecoro/client/recording_transport.hpp>
#include <kubecoro/testing/faulty_transport.hpp>
#include <kubecoro/testing/scripted_source.hpp>

namespace callers_test {
namespace {

const apiserver::container_address container{"default", "web", "main"};

request asked() { return {.method = "GET", .target = "/version"}; }

kt::scripted_source& script(world& w) { return w.keep(std::make_shared<kt::scripted_source>(w.run.shared_clock())); }

} // namespace

rows of_server()
{
    return {
        {"apiserver/in_process.hpp send",
         [](world& w) {
             auto made = std::make_shared<apiserver::in_process_transport>(w.server);
             return w.keep(std::move(made)).send(asked());
         }},
        {"apiserver/server.hpp listen",
         [](world& w) {
             apiserver::listener_options nowhere;
             nowhere.address = "no address";
             return w.server.listen(std::move(nowhere));
         }},
        {"apiserver/server.hpp stop", [](world& w) { return w.server.stop(); }},
        {"apiserver/server.hpp execute", [](world& w) { return w.server.execute("GET", "/version"); }},
        {"apiserver/server.hpp load", [](world& w) { return w.server.load("", "nothing"); }},
        {"apiserver/server.hpp compact", [](world& w) { return w.server.compact(); }},
        {"apiserver/server.hpp snapshot", [](world& w) { return w.server.snapshot(); }},
        {"apiserver/server.hpp restore", [](world& w) { return w.server.restore("nothing"); }},
        {"apiserver/server.hpp objects", [](world& w) { return w.server.objects("configmaps"); }},
        {"apiserver/server.hpp resource_version", [](world& w) { return w.server.resource_version(); }},
        {"apiserver/server.hpp append_log", [](world& w) { return w.server.append_log(container, "a line\n"); }},
        {"apiserver/server.hpp end_log", [](world& w) { return w.server.end_log(container); }},
        {"apiserver/server.hpp restart_log", [](world& w) { return w.server.restart_log(container); }},
        {"apiserver/server.hpp add_token",
         [](world& w) {
             return w.server.add_token(apiserver::server_options::token_user{.token = "a token", .user = {}});
         }},
        {"apiserver/server.hpp remove_token", [](world& w) { return w.server.remove_token("a token"); }},
        {"apiserver/server.hpp set_rules", [](world& w) { return w.server.set_rules({}); }},
        {"client/recording_transport.hpp send",
         [](world& w) {
             auto direct = std::make_shared<apiserver::in_process_transport>(w.server);
             const recording_options nowhere{.file = "/nowhere/it.rec", .log = logger::silent()};
             return w.keep(std::make_shared<recording_transport>(std::move(direct), nowhere)).send(asked());
         }},
        {"testing/faulty_transport.hpp send",
         [](world& w) {
             auto direct = std::make_shared<apiserver::in_process_transport>(w.server);
             auto made = std::make_shared<kt::faulty_transport>(std::move(direct), std::make_shared<kt::fault_plan>(),
                                                                w.run.shared_clock());
             return w.keep(std::move(made)).send(asked());
         }},
        {"testing/scripted_source.hpp list", [](world& w) { return script(w).list(list_options{}); }},
        {"testing/scripted_source.hpp watch", [](world& w) { return script(w).watch(watch_options{}); }},
    };
}

} // namespace callers_test
