// `kubecoro config`: shows kubeconfig files and changes the current context.
#include "verbs/verbs.hpp"

#include "cli/cluster_flags.hpp"
#include "files/kubeconfig_files.hpp"
#include "files/kubeconfig_text.hpp"
#include "files/manifest_files.hpp"
#include "files/replace_file.hpp"
#include "print/json_lines.hpp"
#include "print/objects.hpp"
#include "print/text_table.hpp"

#include <kubecoro/base/printable.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>

namespace kubecoro::tool {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

struct config_flags
{
    std::string action = {};
    std::string kubeconfig = {};
    std::string context = {};
    std::string format_text = "yaml";
    std::string new_context = {};
    bool raw = false;
    bool minify = false;
    bool names_only = false;
    output_format format = {};
};

std::string current_context(const json::object& config)
{
    const auto* found = config.if_contains("current-context");
    return found ? scalar_text(*found) : "";
}

result<> view(const config_flags& f, const verb_context& context)
{
    auto config = merged_kubeconfigs(f.kubeconfig, system_environment());
    if (!config) return config.error();
    if (!f.raw) redact(*config);
    if (f.minify || !f.context.empty()) {
        auto kept = keep_only(*config, f.context.empty() ? current_context(*config) : f.context);
        if (!kept) return kept;
    }
    context.print(document_text(*config, f.format, context.terminal));
    return {};
}

result<> show_current_context(const config_flags& f, const verb_context& context)
{
    auto config = merged_kubeconfigs(f.kubeconfig, system_environment());
    if (!config) return config.error();
    const auto current = current_context(*config);
    if (current.empty()) return failure(cond::not_found, "no current context is set");
    context.line(printable(current));
    return {};
}

result<> get_contexts(const config_flags& f, const verb_context& context)
{
    auto config = merged_kubeconfigs(f.kubeconfig, system_environment());
    if (!config) return config.error();
    const auto current = current_context(*config);
    text_table table;
    table.head = {"CURRENT", "NAME", "CLUSTER", "USER", "NAMESPACE"};
    if (const auto* contexts = config->if_contains("contexts"); contexts && contexts->is_array())
        for (const auto& entry : contexts->get_array()) {
            const auto name = text_member(entry, {"name"});
            if (f.names_only)
                table.rows.push_back({name});
            else
                table.rows.push_back({name == current ? "*" : "", name, text_member(entry, {"context", "cluster"}),
                                      text_member(entry, {"context", "user"}),
                                      text_member(entry, {"context", "namespace"})});
        }
    table_style style;
    style.with_head = !f.names_only;
    style.colours = context.colours;
    context.print(to_text(table, style));
    return {};
}

/// The file that kubectl changes: the one named, else the first that exists.
std::string file_to_change(const config_flags& f, const environment& env)
{
    const auto paths = kubeconfig_paths(f.kubeconfig, env);
    for (const auto& path : paths) {
        const auto there = env.read_file(path, max_file_bytes);
        if (there || there.error() != cond::not_found) return path;
    }
    return paths.back();
}

result<> use_context(const config_flags& f, const verb_context& context)
{
    const auto env = system_environment();
    auto config = merged_kubeconfigs(f.kubeconfig, env);
    if (!config) return config.error();
    const auto names = context_names(*config);
    if (std::find(names.begin(), names.end(), f.new_context) == names.end())
        return failure(cond::not_found, "there is no context \"" + f.new_context + "\"");
    if (current_context(*config) != f.new_context) {
        auto changed = replace_file(file_to_change(f, env),
                                    [&](const std::string& text) { return with_current_context(text, f.new_context); });
        if (!changed) return changed;
    }
    context.line("current context: " + printable(f.new_context));
    return {};
}

asio::awaitable<result<>> config(std::shared_ptr<config_flags> f, verb_context context)
{
    if (f->action == "view") co_return view(*f, context);
    if (f->action == "use-context") co_return use_context(*f, context);
    if (f->action == "get-contexts") co_return get_contexts(*f, context);
    co_return show_current_context(*f, context);
}

void add_view(CLI::App& parent, const std::shared_ptr<config_flags>& f)
{
    auto* sub = parent.add_subcommand("view", "Show the merged configuration, without its secrets");
    sub->add_flag("--raw", f->raw, "With secrets");
    sub->add_flag("--minify", f->minify, "Only the current context");
    sub->add_option("--context", f->context, "Only this context");
    sub->add_option("-o,--output", f->format_text, "yaml, json or jsonpath=TEMPLATE")->capture_default_str();
}

} // namespace

verb add_config(CLI::App& app)
{
    auto f = std::make_shared<config_flags>();
    auto* parent = app.add_subcommand("config", "Show kubeconfig files, or change the current context");
    parent->require_subcommand(1);
    parent->add_option("--kubeconfig", f->kubeconfig, "Kubeconfig file; default: KUBECONFIG, ~/.kube/config");
    add_view(*parent, f);
    auto* use = parent->add_subcommand("use-context", "Make a context the current one");
    use->add_option("NAME", f->new_context, "The context")->required();
    auto* contexts = parent->add_subcommand("get-contexts", "Show the contexts");
    contexts
        ->add_option_function<std::string>(
            "-o,--output", [f](const std::string&) { f->names_only = true; }, "name: names only")
        ->check(CLI::IsMember({"name"}));
    parent->add_subcommand("current-context", "Show the name of the current context");
    for (auto* sub : parent->get_subcommands({})) sub->callback([f, name = sub->get_name()] { f->action = name; });
    verb out;
    out.name = "config";
    out.check = [f]() -> result<> {
        auto format = parse_output_format(f->format_text);
        if (!format) return format.error();
        if (format->is_table() || format->kind == output_kind::name)
            return failure(cond::invalid, "-o expects yaml, json or jsonpath=TEMPLATE");
        f->format = std::move(*format);
        return {};
    };
    out.run = [f](verb_context context) { return config(f, std::move(context)); };
    return out;
}

} // namespace kubecoro::tool
