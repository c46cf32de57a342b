#pragma once
// Asks for compressed responses and decodes them while they are read.

#include <kubecoro/base/metrics.hpp>
#include <kubecoro/client/transport.hpp>

#include <memory>

namespace kubecoro::detail {

/// Counts the bytes of compressed bodies as they were received, and after decoding.
struct gzip_counters
{
    std::shared_ptr<metrics::counter> received;
    std::shared_ptr<metrics::counter> decoded;
};

/// The encodings that a request accepts.
enum class accepted_encoding
{
    identity,
    gzip,
    /// The request has an Accept-Encoding header of its own: its caller decodes the body.
    decided_by_caller
};

/// Adds Accept-Encoding to a GET that is neither a watch nor follows a log. @param may_ask  Whether gzip is wanted.
[[nodiscard]] accepted_encoding accept_encoding(request& r, bool may_ask);

/** The response as read by its caller: decoded, without Content-Encoding and Content-Length, if it is gzip and was asked
    for. A body in any other encoding than `accepted` fails with cond::corrupt, naming it; the head stays readable. */
[[nodiscard]] std::unique_ptr<answer> decode_content(std::unique_ptr<answer> encoded, accepted_encoding accepted,
                                                     gzip_counters counters);

} // namespace kubecoro::detail
