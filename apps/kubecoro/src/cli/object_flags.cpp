#include "cli/object_flags.hpp"

#include <CLI/CLI.hpp>

namespace kubecoro::tool {

namespace {

bool has_selectors(const object_flags& f)
{
    return f.all || !f.scope.label_selector.empty() || !f.scope.field_selector.empty();
}

result<> check_types(const object_flags& f, bare_type bare)
{
    for (const auto& w : f.wanted) {
        const bool named = !w.names.empty();
        if (named && (has_selectors(f) || f.scope.all_namespaces))
            return failure(cond::invalid, "-A, --all and selectors cannot be combined with names");
        if (!named && bare == bare_type::selected && !has_selectors(f))
            return failure(cond::invalid, "which " + w.type + "? Name them, or use -l, --field-selector or --all");
    }
    return {};
}

} // namespace

void add_file_flags(CLI::App& app, detail::file_flags& flags)
{
    app.add_option("-f,--filename", flags.names, "File or directory with YAML or JSON; - is standard input")
        ->take_all()
        ->allow_extra_args(false);
    app.add_flag("-R,--recursive", flags.recursive, "Directories within directories of -f");
}

void add_object_flags(CLI::App& app, object_flags& flags, bare_type bare)
{
    app.add_option("RESOURCE", flags.arguments,
                   bare == bare_type::all ? "TYPE, TYPE,TYPE, TYPE NAME..., or TYPE/NAME..."
                                          : "TYPE NAME..., TYPE/NAME..., or TYPE with -l or --all");
    add_file_flags(app, flags.files);
    if (bare == bare_type::selected) app.add_flag("--all", flags.all, "All objects of the types in the namespace");
    add_namespace_flag(app, flags.cluster);
    add_scope_flags(app, flags.scope);
    add_cluster_flags(app, flags.cluster);
}

void add_ignore_flag(CLI::App& app, object_flags& flags)
{
    app.add_flag("--ignore-not-found", flags.ignore_not_found, "Objects that do not exist are no failure");
}

result<> check(object_flags& flags, bare_type bare)
{
    if (auto sound = check(flags.cluster); !sound) return sound;
    if (auto sound = check(flags.scope); !sound) return sound;
    if (!flags.files.names.empty()) {
        if (!flags.arguments.empty() || has_selectors(flags) || flags.scope.all_namespaces)
            return failure(cond::invalid, "-f cannot be combined with types, names, -A, --all or selectors");
        return {};
    }
    auto wanted = parse_selection(flags.arguments);
    if (!wanted) return wanted.error();
    flags.wanted = std::move(*wanted);
    return check_types(flags, bare);
}

} // namespace kubecoro::tool
