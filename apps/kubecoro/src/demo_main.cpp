// The demo as a program, which `./dev demo` builds and runs: `kubecoro demo` without the rest of the tool.
#include "demo_flags.hpp"
#include "output.hpp"

#include <CLI/CLI.hpp>

int main(int argc, char** argv)
{
    using namespace kubecoro::tool;
    CLI::App app{"kubecoro-demo: informers keep a live copy of a busy cluster despite faults", "kubecoro-demo"};
    const auto f = add_demo_flags(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    }
    const auto whole = [f](kubecoro::program_context context) {
        // The demo causes the faults that would be logged, and its feed reports them.
        return demo(f->parsed(output::shows_colours(), kubecoro::logger::silent()), std::move(context));
    };
    return kubecoro::run_program(whole, "kubecoro-demo");
}
