// `kubecoro generate`: C++ types of custom resources.
#include "verbs/verbs.hpp"

#include "files/generated_files.hpp"
#include "files/manifest_files.hpp"

#include <kubecoro/codegen/crd.hpp>
#include <kubecoro/codegen/generate.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

struct generate_flags
{
    std::vector<std::string> definitions = {};
    std::vector<std::string> kinds = {};
    std::string out = {};
    std::string folder = "kubecoro";
    std::string target = {};
    bool check = false;
};

/// The names of the files without their folders, so that the text does not depend on where they are.
std::string source_of(const std::vector<std::string>& paths)
{
    std::string out;
    for (const auto& path : paths) {
        const std::filesystem::path full(path);
        const auto name = full.has_filename() ? full.filename() : full.parent_path().filename();
        out += (out.empty() ? "" : ", ") + name.string();
    }
    return out;
}

result<codegen::model> read_model(const generate_flags& f)
{
    auto documents = read_manifests({.names = f.definitions});
    if (!documents) return documents.error();
    // A folder of manifests has other objects as well.
    std::erase_if(*documents, [](const auto& document) { return !codegen::is_crd(document); });
    if (documents->empty())
        return failure(cond::misconfigured, source_of(f.definitions) + ": no CustomResourceDefinition");
    return codegen::read_crds(*documents, source_of(f.definitions));
}

result<std::vector<codegen::generated_file>> generate_files(const generate_flags& f)
{
    const auto model = read_model(f);
    if (!model) return model.error();
    for (const auto& name : f.kinds)
        if (std::ranges::find(model->kinds, name, &codegen::kind::name) == model->kinds.end())
            return failure(cond::not_found, "no version of kind " + name + " is served");
    codegen::generate_options options;
    options.folder = f.folder;
    options.target = f.target;
    options.exists = codegen::is_built_in;
    if (!f.kinds.empty())
        options.wanted = [&f](const codegen::kind& k) { return std::ranges::find(f.kinds, k.name) != f.kinds.end(); };
    return codegen::generate(*model, options);
}

result<> run(const generate_flags& f, const verb_context& context)
{
    const auto files = generate_files(f);
    if (!files) return files.error();
    if (!f.check) return write_generated(f.out, *files);
    const auto differing = differing_files(f.out, *files);
    for (const auto& path : differing) context.line(path);
    if (differing.empty()) return {};
    return failure(cond::invalid, "generated code and definitions differ; run kubecoro generate again");
}

} // namespace

verb add_generate(CLI::App& app)
{
    auto f = std::make_shared<generate_flags>();
    auto* sub = app.add_subcommand("generate", "Write C++ types of custom resources");
    sub->add_option("--crd", f->definitions, "CustomResourceDefinitions: YAML or JSON files, or folders of them")
        ->required()
        ->type_name("FILE");
    sub->add_option("--kind", f->kinds, "Only these kinds")->type_name("KIND");
    sub->add_option("--out", f->out, "The folder that gets include/ and src/")->required()->type_name("FOLDER");
    sub->add_option("--folder", f->folder, "The folder of the headers in #include lines")->capture_default_str();
    sub->add_option("--target", f->target, "For build systems: one source NAME.cpp, and NAME_marker.hpp in all headers")
        ->type_name("NAME");
    sub->add_flag("--check", f->check, "Write nothing; print the files that differ, and fail if there are any");
    verb out;
    out.name = "generate";
    out.run = [f](verb_context context) -> asio::awaitable<result<>> { co_return run(*f, context); };
    return out;
}

} // namespace kubecoro::tool
