// What a kube-apiserver answers beside lists and watches: versions, discovery, and that it does not know a path.
#pragma once

#include "channel.hpp"
#include "envelope.hpp"
#include "http_request.hpp"

namespace kubecoro::bench {

/// "/api/v1/pods" or "/apis/bench.example.com/v1/widgets".
[[nodiscard]] std::string_view collection_path(resource_kind kind);

/// Answers every request but those for the collection. False when the connection cannot go on.
[[nodiscard]] bool answer_elsewhere(channel& to, const http_request& request, resource_kind kind);

} // namespace kubecoro::bench
