// kubecoro: an embedded API server, a watcher and a demo, built with the library.
#include "commands.hpp"
#include "flags.hpp"
#include "log.hpp"
#include "output.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace {

using namespace kubecoro::tool;
using kubecoro::log_level;

struct flags
{
    serve_command serve;
    watch_command watch;
    demo_command demo;
    std::string format = "table";
    unsigned seconds = 0;
    bool no_colour = false;
};

void add_serve(CLI::App& app, flags& f)
{
    auto* serve = app.add_subcommand("serve", "Run the embedded API server until a signal");
    serve->add_option("--listen", f.serve.listen, "HOST:PORT to listen on; port 0 = any free port")
        ->capture_default_str();
    serve->add_option("--kubeconfig-out", f.serve.kubeconfig_out, "Write the admin's kubeconfig to this file");
    serve->add_option("--limited-kubeconfig-out", f.serve.limited_kubeconfig_out,
                      "Write the kubeconfig of a user who may only read config maps");
    serve
        ->add_option("--load", f.serve.load, "Manifests to load: a file, or a directory of .yaml, .yml and .json files")
        ->take_all()
        ->allow_extra_args(false);
    serve->add_option("--data", f.serve.data,
                      "Directory that keeps authority, tokens and state across restarts; created if missing");
    serve->add_option("--history", f.serve.history, "Changes kept for watches; older ones yield 410 Gone")
        ->check(whole_number_from_one());
}

void add_watch(CLI::App& app, flags& f)
{
    auto* watch = app.add_subcommand("watch", "Keep a live copy of a resource and print every change");
    watch->add_option("RESOURCE", f.watch.resource, "Plural, singular, short name or kind: pods, po, deployments.apps")
        ->required();
    auto* ns = watch->add_option("-n,--namespace", f.watch.namespaces, "Namespace; may be repeated")
                   ->take_all()
                   ->allow_extra_args(false);
    watch->add_flag("-A,--all-namespaces", f.watch.all_namespaces, "All namespaces")->excludes(ns);
    watch->add_option("-l,--selector", f.watch.label_selector, "Label selector, e.g. app=web,tier!=cache");
    watch->add_option("--field-selector", f.watch.field_selector, "Field selector, e.g. spec.nodeName=node-a1");
    watch->add_option("--kubeconfig", f.watch.kubeconfig,
                      "Kubeconfig file; default: KUBECONFIG, ~/.kube/config, in-cluster");
    watch->add_option("--context", f.watch.context, "Context of the kubeconfig; default: the current context");
    watch->add_option("-o,--output", f.format, "table, or json: one document per line")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
}

void add_demo(CLI::App& app, flags& f)
{
    auto* demo = app.add_subcommand("demo", "Show informers keeping a live copy of a busy cluster despite faults");
    demo->add_flag("--keep", f.demo.keep, "Continue until Ctrl-C, and print a kubeconfig for kubectl");
    demo->add_option("--kubeconfig", f.demo.kubeconfig, "Run the informers, read-only, against this cluster instead")
        ->check(CLI::ExistingFile);
    demo->add_option("--seconds", f.seconds, "Length of the workload, or of the whole run with --kubeconfig");
    demo->add_option("--seed", f.demo.seed, "Seed of the workload")->capture_default_str();
    demo->add_flag("--no-colour,--no-color", f.no_colour, "Plain text");
    demo->add_option("--manifests", f.demo.manifests, "Load this file or directory instead of the built-in manifests");
}

/// The demo itself causes the faults that are logged as warnings, and its feed reports them.
log_level threshold(const CLI::App& app, int verbosity)
{
    if (verbosity > 0) return verbosity > 1 ? log_level::debug : log_level::info;
    return app.got_subcommand("demo") ? log_level::error : log_level::warning;
}

int run(const CLI::App& app, flags& f, const kubecoro::logger& log)
{
    f.serve.log = f.watch.log = f.demo.log = log;
    command chosen;
    if (app.got_subcommand("serve")) {
        chosen = [&f](program_context c) { return serve(f.serve, std::move(c)); };
    } else if (app.got_subcommand("watch")) {
        f.watch.json = f.format == "json";
        chosen = [&f](program_context c) { return watch(f.watch, std::move(c)); };
    } else {
        if (f.seconds) f.demo.length = std::chrono::seconds(f.seconds);
        f.demo.colour = !f.no_colour && output::shows_colours();
        chosen = [&f](program_context c) { return demo(f.demo, std::move(c)); };
    }
    return run_program(std::move(chosen), "kubecoro");
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app{"kubecoro: live, local, consistent copies of Kubernetes objects"};
    app.require_subcommand(1);
    app.set_version_flag("--version", "kubecoro " KUBECORO_VERSION);
    app.fallthrough();
    flags f;
    int verbosity = 0;
    app.add_flag("-v,--verbose", verbosity, "Log more to stderr (serve: every request); -vv logs everything");
    add_serve(app, f);
    add_watch(app, f);
    add_demo(app, f);
    CLI11_PARSE(app, argc, argv);
    return run(app, f, make_logger(threshold(app, verbosity)));
}
