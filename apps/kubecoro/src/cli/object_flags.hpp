// The flags of verbs that work on objects: in which cluster, and on which.
#pragma once

#include "cli/cluster_flags.hpp"
#include "select/selection.hpp"

#include <kubecoro/client/detail/manifest_files.hpp>

#include <string>
#include <vector>

namespace kubecoro::tool {

/// -f and -R.
void add_file_flags(CLI::App& app, detail::file_flags& flags);

/// How a type without names is understood.
enum class bare_type
{
    /// As all of its objects.
    all,
    /// It needs a selector or --all.
    selected
};

struct object_flags
{
    cluster_flags cluster = {};
    scope_flags scope = {};
    std::vector<std::string> arguments = {};
    detail::file_flags files = {};
    bool all = false;
    bool ignore_not_found = false;
    /// Parsed by check(). Empty with -f.
    std::vector<wanted_objects> wanted = {};
};

/// RESOURCE, -f, -R, -n, -A, selectors and those of the cluster; and --all if it is needed.
void add_object_flags(CLI::App& app, object_flags& flags, bare_type bare);
/// --ignore-not-found.
void add_ignore_flag(CLI::App& app, object_flags& flags);

/// Parses the arguments. Errors: cond::invalid for flags that exclude each other, and as parse_selection().
[[nodiscard]] result<> check(object_flags& flags, bare_type bare);

} // namespace kubecoro::tool
