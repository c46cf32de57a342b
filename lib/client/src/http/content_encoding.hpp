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

/** Adds Accept-Encoding to a GET that is neither a watch nor follows a log, and has no such header of its caller.

    @param may_ask  Whether gzip is wanted.
    @return whether it was asked for. */
[[nodiscard]] bool ask_for_gzip(request& r, bool may_ask);

/// Returns the response decoded, without Content-Encoding and Content-Length, if it is gzip and was asked for; unchanged
/// otherwise.
[[nodiscard]] std::unique_ptr<answer> decode_content(std::unique_ptr<answer> encoded, bool asked,
                                                     gzip_counters counters);
/// For responses that the client reads itself: a body that is still encoded fails with cond::corrupt, naming the
/// encoding; the head stays readable.
[[nodiscard]] std::unique_ptr<answer> expect_plain(std::unique_ptr<answer> response);

} // namespace kubecoro::detail
