#include "cli/cluster_flags.hpp"

#include "flags.hpp"

#include <kubecoro/api/selector.hpp>

#include <CLI/CLI.hpp>

namespace kubecoro::tool {

namespace {

failure refused(const std::string& flag, const std::string& text, const failure& why)
{
    return failure(cond::invalid, flag + ' ' + json_quoted(shortened(text)) + ": " + why.message());
}

} // namespace

list_options scope_flags::selected() const
{
    list_options out;
    out.label_selector = label_selector;
    out.field_selector = field_selector;
    return out;
}

void add_cluster_flags(CLI::App& app, cluster_flags& flags)
{
    app.add_option("--kubeconfig", flags.kubeconfig, "Kubeconfig file; default: KUBECONFIG, ~/.kube/config, in-cluster")
        ->group("Cluster");
    app.add_option("--context", flags.context, "Context of the kubeconfig; default: the current context")
        ->group("Cluster");
    app.add_option("--as", flags.as, "User to impersonate")->group("Cluster");
    app.add_option("--as-group", flags.as_groups, "Group to impersonate; may be repeated")
        ->take_all()
        ->allow_extra_args(false)
        ->group("Cluster");
}

void add_namespace_flag(CLI::App& app, cluster_flags& flags)
{
    app.add_option("-n,--namespace", flags.ns, "Namespace; default: the context's")->group("Cluster");
}

void add_scope_flags(CLI::App& app, scope_flags& flags)
{
    app.add_flag("-A,--all-namespaces", flags.all_namespaces, "All namespaces")->group("Selection");
    app.add_option("-l,--selector", flags.label_selector, "Label selector, e.g. app=web,tier!=cache")
        ->group("Selection");
    app.add_option("--field-selector", flags.field_selector, "Field selector, e.g. spec.nodeName=node-a1")
        ->group("Selection");
}

result<> check(const cluster_flags& flags)
{
    if (!flags.ns.empty() && !is_namespace(flags.ns))
        return failure(cond::invalid, "-n expects the name of a namespace, not " + json_quoted(shortened(flags.ns)));
    if (flags.as.empty() && !flags.as_groups.empty()) return failure(cond::invalid, "--as-group needs --as");
    return {};
}

result<> check(const scope_flags& flags)
{
    if (auto labels = label_selector::parse(flags.label_selector); !labels)
        return refused("-l", flags.label_selector, labels.error());
    if (auto fields = field_selector::parse(flags.field_selector); !fields)
        return refused("--field-selector", flags.field_selector, fields.error());
    return {};
}

result<client> connect(const cluster_flags& flags, const verb_context& context)
{
    auto config = load_kubeconfig({.path = flags.kubeconfig, .context = flags.context});
    if (!config) return config.error();
    if (!flags.as.empty()) {
        config->login.as = user_info();
        config->login.as.name = flags.as;
        config->login.as.groups = flags.as_groups;
    }
    client_options options;
    options.log = context.log;
    options.on_warning = [context](const server_warning& w) { context.note("Warning: " + w.text); };
    // Fields that this version does not know are shown and kept.
    options.decode.form = wire_form::json;
    return client::create(context.program.executor, std::move(*config), std::move(options));
}

} // namespace kubecoro::tool
