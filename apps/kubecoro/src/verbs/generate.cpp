// `kubecoro generate`: C++ types of custom resources.
#include "verbs/verbs.hpp"

#include "cli/cluster_flags.hpp"
#include "files/generated_files.hpp"
#include "print/json_lines.hpp"
#include "select/schemas.hpp"

#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/detail/manifest_files.hpp>
#include <kubecoro/client/discovery.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/codegen/detail/crd.hpp>
#include <kubecoro/codegen/detail/generate.hpp>
#include <kubecoro/codegen/detail/openapi.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

struct generate_flags
{
    std::vector<std::string> definitions = {};
    std::vector<std::string> openapi = {};
    bool from_cluster = false;
    cluster_flags cluster = {};
    std::vector<std::string> kinds = {};
    std::string out = {};
    std::string folder = "kubecoro";
    std::string target = {};
    bool check = false;
    bool prune = false;
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

/// Whether a kind has this name: KIND or KIND.GROUP.
bool is_named(const std::string& kind, const std::string& group, const std::string& name)
{
    return name == kind || name == kind + '.' + group;
}

bool is_wanted(const generate_flags& f, const std::string& kind, const std::string& group)
{
    return f.kinds.empty() || std::ranges::any_of(f.kinds, [&](const auto& n) { return is_named(kind, group, n); });
}

/// The kind of a document, for a line of the log.
std::string kind_of(const boost::json::value& document)
{
    const auto kind = text_member(document, {"kind"});
    return kind.empty() ? "none" : printable(kind);
}

/// The definitions in a file, or those in a folder, whose other documents are passed over.
result<std::vector<boost::json::value>> read_source(const std::string& path, const verb_context& context)
{
    std::error_code ec;
    const bool is_folder = path != "-" && std::filesystem::is_directory(path, ec);
    auto files = detail::read_files({.names = {path}});
    if (!files) return files.error();
    std::vector<boost::json::value> out;
    for (const auto& file : *files) {
        auto documents = parse_documents(file.text, file.name);
        if (!documents) return documents.error();
        for (auto& document : unfold_lists(std::move(*documents))) {
            if (codegen::is_crd(document))
                out.push_back(std::move(document));
            else
                context.log.info("a document is passed over: it is no CustomResourceDefinition",
                                 {{"file", printable(file.name)}, {"kind", kind_of(document)}});
        }
    }
    if (!out.empty()) return out;
    return failure(cond::misconfigured,
                   (is_folder ? "folder " : "") + printable(path) + ": no CustomResourceDefinition");
}

result<codegen::model> read_definitions(const generate_flags& f, const verb_context& context)
{
    std::vector<boost::json::value> all;
    for (const auto& path : f.definitions) {
        auto some = read_source(path, context);
        if (!some) return some.error();
        all.insert(all.end(), std::make_move_iterator(some->begin()), std::make_move_iterator(some->end()));
    }
    return codegen::read_crds(all, source_of(f.definitions));
}

result<codegen::model> read_schemas(const generate_flags& f, const std::vector<boost::json::value>& documents,
                                    const std::string& source)
{
    return codegen::read_openapi(documents, source,
                                 [&f](const codegen::kind& k) { return is_wanted(f, k.name, k.group); });
}

result<codegen::model> read_openapi_files(const generate_flags& f)
{
    auto documents = detail::read_documents({.names = f.openapi});
    if (!documents) return documents.error();
    std::erase_if(*documents, [](const auto& document) { return !codegen::is_openapi(document); });
    if (documents->empty()) return failure(cond::misconfigured, source_of(f.openapi) + ": no OpenAPI document");
    return read_schemas(f, *documents, source_of(f.openapi));
}

/// The groups and versions that have wanted kinds, each by one of its resources. All names must be found.
asio::awaitable<result<std::vector<resource_type>>> find_groups(const generate_flags& f, const client& api)
{
    KUBECORO_TRY(auto all, co_await discover(api));
    std::vector<resource_type> out;
    std::set<std::string> names(f.kinds.begin(), f.kinds.end());
    for (const auto& r : all.resources) {
        if (!is_wanted(f, r.type.kind, r.type.group)) continue;
        std::erase_if(names, [&](const auto& name) { return is_named(r.type.kind, r.type.group, name); });
        const auto same = [&](const resource_type& t) { return t.api_version() == r.type.api_version(); };
        if (std::ranges::none_of(out, same)) out.push_back(r.type);
    }
    if (names.empty()) co_return out;
    if (!all.missing.empty())
        co_return all.missing.front().why.because("the server's kinds are not all known, and none is " +
                                                  *names.begin());
    co_return failure(cond::not_found, "the server has no kind " + *names.begin());
}

asio::awaitable<result<codegen::model>> read_cluster(const generate_flags& f, const verb_context& context)
{
    KUBECORO_TRY(auto api, connect(f.cluster, context));
    context.doing("asking the server for its resources");
    KUBECORO_TRY(auto groups, co_await find_groups(f, api));
    std::vector<boost::json::value> documents;
    std::string source;
    for (const auto& type : groups) {
        context.doing("asking the server for its schemas");
        KUBECORO_TRY(auto document, co_await fetch_schemas(api, type));
        documents.push_back(std::move(document));
        source += (source.empty() ? "the schemas of " : ", ") + printable(type.api_version());
    }
    co_return read_schemas(f, documents, source);
}

asio::awaitable<result<codegen::model>> read_model(const generate_flags& f, const verb_context& context)
{
    if (f.from_cluster) co_return co_await read_cluster(f, context);
    co_return f.openapi.empty() ? read_definitions(f, context) : read_openapi_files(f);
}

result<std::vector<codegen::generated_file>> generate_files(const generate_flags& f, const codegen::model& model)
{
    for (const auto& name : f.kinds) {
        const auto is_it = [&](const codegen::kind& k) { return is_named(k.name, k.group, name); };
        if (std::ranges::none_of(model.kinds, is_it))
            return failure(cond::not_found,
                           "no version of kind " + name + " is served, or the library has its types already");
    }
    if (model.kinds.empty())
        return failure(cond::not_found, model.source + ": the library has the types of all kinds already");
    codegen::generate_options options;
    options.folder = f.folder;
    options.target = f.target;
    options.exists = codegen::is_built_in;
    options.header_of = codegen::built_in_header;
    options.wanted = [&f](const codegen::kind& k) { return is_wanted(f, k.name, k.group); };
    return codegen::generate(model, options);
}

result<> check_files(const generate_flags& f, const std::vector<codegen::generated_file>& files,
                     const verb_context& context)
{
    auto wrong = differing_files(f.out, files);
    const auto stale = stale_files(f.out, files);
    wrong.insert(wrong.end(), stale.begin(), stale.end());
    for (const auto& path : wrong) context.line(path);
    if (wrong.empty()) return {};
    return failure(cond::invalid, stale.empty()
                                      ? "generated code and definitions differ; run kubecoro generate again"
                                      : "generated code and definitions differ; run kubecoro generate again, with "
                                        "--prune for files that are no longer generated");
}

/// Removes files that are no longer generated, or names them.
result<> treat_stale(const generate_flags& f, const std::vector<codegen::generated_file>& files,
                     const verb_context& context)
{
    for (const auto& path : stale_files(f.out, files)) {
        std::error_code ec;
        if (!f.prune)
            context.note("kubecoro: " + path + " is no longer generated; --prune removes it");
        else if (!std::filesystem::remove(path, ec) && ec)
            return failure(cond::misconfigured, "cannot remove " + path + ": " + ec.message());
    }
    return {};
}

result<> check_generate(generate_flags& f)
{
    const int sources = (f.definitions.empty() ? 0 : 1) + (f.openapi.empty() ? 0 : 1) + (f.from_cluster ? 1 : 0);
    if (sources != 1) return failure(cond::invalid, "expected one of --crd, --openapi and --cluster");
    const auto& c = f.cluster;
    const bool names_cluster = !c.kubeconfig.empty() || !c.context.empty() || !c.as.empty() || !c.as_groups.empty();
    if (!f.from_cluster && names_cluster) return failure(cond::invalid, "flags of clusters need --cluster");
    if (f.from_cluster && f.kinds.empty()) return failure(cond::invalid, "--cluster needs --kind");
    return check(f.cluster);
}

asio::awaitable<result<>> run_generate(std::shared_ptr<generate_flags> f, verb_context context)
{
    KUBECORO_TRY(const auto model, co_await read_model(*f, context));
    KUBECORO_TRY(const auto files, generate_files(*f, model));
    if (f->check) co_return check_files(*f, files, context);
    if (auto written = write_generated(f->out, files); !written) co_return written;
    co_return treat_stale(*f, files, context);
}

} // namespace

verb add_generate(CLI::App& app)
{
    auto f = std::make_shared<generate_flags>();
    auto* sub = app.add_subcommand("generate", "Write C++ types of custom resources");
    sub->add_option("--crd", f->definitions, "CustomResourceDefinitions: YAML or JSON files, or folders of them")
        ->type_name("FILE");
    sub->add_option("--openapi", f->openapi, "OpenAPI v3 documents, as servers publish them: files, or folders of them")
        ->type_name("FILE");
    sub->add_flag("--cluster", f->from_cluster, "The schemas that a server publishes; needs --kind");
    sub->add_option("--kind", f->kinds, "Only these kinds: Gadget, or Gadget.shop.example.com")->type_name("KIND");
    sub->add_option("--out", f->out, "The folder that gets include/ and src/")->required()->type_name("FOLDER");
    sub->add_option("--folder", f->folder, "The folder of the headers in #include lines")->capture_default_str();
    sub->add_option("--target", f->target, "For build systems: one source NAME.cpp, and NAME_marker.hpp in all headers")
        ->type_name("NAME");
    sub->add_flag("--check", f->check, "Write nothing; print the files that differ, and fail if there are any");
    sub->add_flag("--prune", f->prune, "Remove files of earlier runs that are no longer generated from this source");
    add_cluster_flags(*sub, f->cluster);
    return make_verb("generate", f, check_generate, run_generate);
}

} // namespace kubecoro::tool
