// A kubeconfig as JSON, for programs that show or change it.
#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace kubecoro::detail {

/** Reads a kubeconfig as a client does, with all that it has; empty for an empty text.
    @param file  Path, for messages. Errors: cond::misconfigured for a text that a client refuses, naming file and field. */
[[nodiscard]] result<boost::json::object> read_kubeconfig_document(std::string_view text, const std::string& file);

} // namespace kubecoro::detail
