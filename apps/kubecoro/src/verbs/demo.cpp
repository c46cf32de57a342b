// `kubecoro demo`: its flags.
#include "verbs/verbs.hpp"

#include "commands.hpp"

#include <CLI/CLI.hpp>

namespace kubecoro::tool {

namespace {

struct demo_flags
{
    demo_command command = {};
    unsigned seconds = 0;
    bool no_colour = false;
};

} // namespace

verb add_demo(CLI::App& app)
{
    auto f = std::make_shared<demo_flags>();
    auto* demo_app = app.add_subcommand("demo", "Show informers keeping a live copy of a busy cluster despite faults");
    demo_app->add_flag("--keep", f->command.keep, "Continue until Ctrl-C, and print a kubeconfig for kubectl");
    demo_app
        ->add_option("--kubeconfig", f->command.kubeconfig,
                     "Run the informers, read-only, against this cluster instead")
        ->check(CLI::ExistingFile);
    demo_app->add_option("--seconds", f->seconds, "Length of the workload, or of the whole run with --kubeconfig");
    demo_app->add_option("--seed", f->command.seed, "Seed of the workload")->capture_default_str();
    demo_app->add_flag("--no-colour,--no-color", f->no_colour, "Plain text");
    demo_app->add_option("--manifests", f->command.manifests,
                         "Load this file or directory instead of the built-in manifests");
    verb out;
    out.name = "demo";
    out.stops_itself = true;
    // The demo itself causes the faults that are logged as warnings, and its feed reports them.
    out.quiet = true;
    out.run = [f](verb_context context) {
        if (f->seconds) f->command.length = std::chrono::seconds(f->seconds);
        f->command.colour = !f->no_colour && context.colours;
        f->command.log = context.log;
        return demo(f->command, context.program);
    };
    return out;
}

} // namespace kubecoro::tool
