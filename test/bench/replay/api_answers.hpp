// The answers of a kube-apiserver other than lists and watches: versions, discovery, and errors for unknown paths.
#pragma once

#include "channel.hpp"
#include "envelope.hpp"
#include "http_request.hpp"

#include <optional>
#include <string_view>

namespace kubecoro::bench {

/** The namespace of a list or a watch; empty for all.

    @param path  "/api/v1/pods" or "/api/v1/namespaces/NAME/pods"; of widgets below "/apis/bench.example.com/v1".
    @return none for any other path. */
[[nodiscard]] std::optional<std::string_view> namespace_of(std::string_view path, resource_kind kind);

/// Answers every request except lists and watches. false = the connection cannot continue.
[[nodiscard]] bool answer_elsewhere(channel& to, const http_request& request, resource_kind kind);

} // namespace kubecoro::bench
