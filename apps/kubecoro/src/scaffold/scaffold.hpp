// The project that `kubecoro new operator` writes.
#pragma once

#include <kubecoro/base/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::tool {

/// The names of the project and of the kind that it operates.
struct scaffold_names
{
    /// Names program, image and namespace: `gadget-operator`.
    std::string project = {};
    /// `Gadget`.
    std::string kind = {};
    /// `shop.example.com`.
    std::string group = {};
    /// `v1`.
    std::string version = {};
    /// `gadgets`; empty = by the rules of English.
    std::string plural = {};
    /// Whether it has webhooks.
    bool webhooks = false;
};

/// Checks the names by the rules of Kubernetes, and fills in the plural. Errors: cond::misconfigured with the name.
[[nodiscard]] result<scaffold_names> checked(scaffold_names names);

/// A file of the project.
struct scaffold_file
{
    /// Below the project's folder.
    std::string path;
    /// The whole file.
    std::string text;
};

/** A file with placeholders such as @KIND@. A line that begins with @IF_WEBHOOKS@ is for projects with webhooks, @IF_PLAIN@ for those without; the files
    of the folder `webhooks` are for the former, and are written beside the others. */
struct scaffold_template
{
    /// `src/main.cpp.in`.
    std::string path;
    std::string_view text;
};

/// Fills in the templates that the project needs. Errors: those of reading the definition, such as a kind that cannot be a name in C++.
[[nodiscard]] result<std::vector<scaffold_file>> scaffold(const scaffold_names& names,
                                                          const std::vector<scaffold_template>& templates);

} // namespace kubecoro::tool
