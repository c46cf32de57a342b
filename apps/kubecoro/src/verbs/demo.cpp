// `kubecoro demo`: see demo_flags.hpp.
#include "verbs/verbs.hpp"

#include "demo_flags.hpp"

#include <CLI/CLI.hpp>

namespace kubecoro::tool {

verb add_demo(CLI::App& app)
{
    const auto f = add_demo_flags(
        *app.add_subcommand("demo", "Show informers keeping a live copy of a busy cluster despite faults"));
    verb out;
    out.name = "demo";
    out.stops_itself = true;
    // The demo itself causes the faults that are logged as warnings, and its feed reports them.
    out.quiet = true;
    out.run = [f](verb_context context) { return demo(f->parsed(context.colours, context.log), context.program); };
    return out;
}

} // namespace kubecoro::tool
