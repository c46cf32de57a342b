// The answers of a kube-apiserver other than lists and watches: versions, discovery, and errors for unknown paths.
#pragma once

#include "channel.hpp"
#include "envelope.hpp"
#include "http_request.hpp"

namespace kubecoro::bench {

/// "/api/v1/pods" or "/apis/bench.example.com/v1/widgets".
[[nodiscard]] std::string_view collection_path(resource_kind kind);

/// Answers every request except those for the collection. false = the connection cannot continue.
[[nodiscard]] bool answer_elsewhere(channel& to, const http_request& request, resource_kind kind);

} // namespace kubecoro::bench
