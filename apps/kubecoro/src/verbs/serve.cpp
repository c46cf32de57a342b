// `kubecoro serve`: its flags.
#include "verbs/verbs.hpp"

#include "commands.hpp"
#include "embedded.hpp"
#include "flags.hpp"

#include <CLI/CLI.hpp>

namespace kubecoro::tool {

verb add_serve(CLI::App& app)
{
    auto f = std::make_shared<serve_command>();
    auto* serve_app = app.add_subcommand("serve", "Run the embedded API server until a signal");
    serve_app->add_option("--listen", f->listen, "HOST:PORT to listen on; port 0 = any free port")
        ->capture_default_str();
    serve_app->add_option("--kubeconfig-out", f->kubeconfig_out, "Write the admin's kubeconfig to this file");
    serve_app->add_option("--limited-kubeconfig-out", f->limited_kubeconfig_out,
                          "Write the kubeconfig of a user who may only read config maps");
    serve_app->add_option("--load", f->load, "Manifests to load: a file, or a directory of .yaml, .yml and .json files")
        ->take_all()
        ->allow_extra_args(false);
    serve_app->add_option("--data", f->data,
                          "Directory that keeps authority, tokens and state across restarts; created if missing");
    serve_app->add_option("--history", f->history, "Changes kept for watches; older ones yield 410 Gone")
        ->check(whole_number_from_one());
    serve_app->add_flag("--empty-namespaces", f->empty_namespaces,
                        "Namespaces begin without the service account default and the config map kube-root-ca.crt");
    serve_app->add_flag("--live", f->live,
                        "Pods run, Deployments roll and Jobs complete, on a node of the server's own");
    verb out;
    out.name = "serve";
    out.stops_itself = true;
    out.check = [f]() -> result<> {
        const auto address = parse_listen(f->listen);
        return address ? result<>() : address.error();
    };
    out.run = [f](verb_context context) {
        f->log = context.log;
        return serve(*f, context.program);
    };
    return out;
}

} // namespace kubecoro::tool
