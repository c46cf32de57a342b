#include "demo_flags.hpp"

#include <CLI/CLI.hpp>

namespace kubecoro::tool {

demo_command demo_flags::parsed(bool colours, logger log) const
{
    demo_command out = command;
    if (seconds) out.length = std::chrono::seconds(seconds);
    out.colour = !no_colour && colours;
    out.log = std::move(log);
    return out;
}

std::shared_ptr<demo_flags> add_demo_flags(CLI::App& app)
{
    auto f = std::make_shared<demo_flags>();
    app.add_flag("--keep", f->command.keep, "Continue until Ctrl-C, and print a kubeconfig for kubectl");
    app.add_option("--kubeconfig", f->command.kubeconfig, "Run the informers, read-only, against this cluster instead")
        ->check(CLI::ExistingFile);
    app.add_option("--seconds", f->seconds, "Length of the workload, or of the whole run with --kubeconfig");
    app.add_option("--seed", f->command.seed, "Seed of the workload")->capture_default_str();
    app.add_flag("--no-colour,--no-color", f->no_colour, "Plain text");
    app.add_option("--manifests", f->command.manifests,
                   "Load this file or directory instead of the built-in manifests");
    return f;
}

} // namespace kubecoro::tool
