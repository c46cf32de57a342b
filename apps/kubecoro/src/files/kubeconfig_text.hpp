// Kubeconfig files as documents: merged for display, and changed without losing anything. Sans-io.
#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::tool {

/// Reads one file. An empty file is an empty configuration. Errors: cond::misconfigured, naming the file.
[[nodiscard]] result<boost::json::object> read_kubeconfig(std::string_view text, const std::string& name);

/// Merges files: the first one that defines a cluster, context, user or current-context wins.
[[nodiscard]] boost::json::object merge_kubeconfigs(const std::vector<boost::json::object>& files);

/// Replaces secrets by REDACTED, and certificates by DATA+OMITTED.
void redact(boost::json::object& config);

/// Keeps only one context with its cluster and user. Errors: cond::not_found.
[[nodiscard]] result<> keep_only(boost::json::object& config, const std::string& context);

/// Names of the contexts, in order.
[[nodiscard]] std::vector<std::string> context_names(const boost::json::object& config);

/** The text with another current-context and everything else as it is, comments included.

    Errors: cond::misconfigured when the text is laid out in a way that cannot be changed safely. */
[[nodiscard]] result<std::string> with_current_context(const std::string& text, const std::string& context);

} // namespace kubecoro::tool
