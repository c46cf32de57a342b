// `kubecoro new operator`: writes a project that builds, passes its tests and runs.
#include "verbs/verbs.hpp"

#include "embedded_files.hpp"
#include "scaffold/scaffold.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>

namespace kubecoro::tool {

namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

struct new_flags
{
    scaffold_names names = {.version = "v1"};
    std::string out = {};
};

result<> write(const fs::path& path, const std::string& text)
{
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    std::ofstream out(path, std::ios::binary);
    out << text;
    if (!out.flush()) return failure(cond::misconfigured, "cannot write " + path.string());
    return {};
}

result<> run(const new_flags& f, const verb_context& context)
{
    const auto names = checked(f.names);
    if (!names) return names.error();
    const fs::path folder = f.out.empty() ? names->project : f.out;
    std::error_code unreadable;
    if (fs::exists(folder, unreadable) && !fs::is_empty(folder, unreadable))
        return failure(cond::misconfigured, folder.string() + " is there already and not empty");
    const auto files = scaffold(*names, operator_templates());
    if (!files) return files.error();
    for (const auto& file : *files) {
        if (const auto written = write(folder / file.path, file.text); !written) return written;
        context.line((folder / file.path).string());
    }
    context.line("Next: cd " + folder.string() +
                 " && cmake -S . -B build -G Ninja && cmake --build build && ctest --test-dir build");
    return {};
}

} // namespace

verb add_new(CLI::App& app)
{
    auto f = std::make_shared<new_flags>();
    auto* sub = app.add_subcommand("new", "Write a project to start from");
    sub->require_subcommand(1);
    auto* project = sub->add_subcommand("operator", "An operator of a custom resource, with tests, image and rights");
    project->add_option("name", f->names.project, "Name of program, image and folder")->required();
    project->add_option("--kind", f->names.kind, "The kind that it operates, such as Gadget")->required();
    project->add_option("--group", f->names.group, "The group of the kind, such as shop.example.com")->required();
    project->add_option("--version", f->names.version, "The version of the kind")->capture_default_str();
    project->add_option("--plural", f->names.plural, "The kind's name in URLs; default: by the rules of English");
    project->add_flag("--webhooks", f->names.webhooks, "With webhooks that check and complete its objects");
    project->add_option("--out", f->out, "The folder, new or empty; default: the name")->type_name("FOLDER");
    verb out;
    out.name = "new";
    out.run = [f](verb_context context) -> asio::awaitable<result<>> { co_return run(*f, context); };
    return out;
}

} // namespace kubecoro::tool
