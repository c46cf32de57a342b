#pragma once
// Asks for compressed responses and decodes them while they are read; the decoding itself is zlib's.

#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/transport.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace kubecoro::detail {

/// Bounds on streams whose cost has no relation to their content.
struct gunzip_limits
{
    /// Decoded bytes beyond `spare_decoded` may be at most `max_ratio` times the encoded ones. Lists reach 60, lists of
    /// constant texts 230; deflate itself ends at 1,032.
    std::uint64_t max_ratio = 500;
    std::uint64_t spare_decoded = 64 * 1024 * 1024;
    /// Encoded bytes beyond `spare_encoded` may be at most `max_framing` times the decoded ones: headers and empty blocks
    /// have no content.
    std::uint64_t max_framing = 16;
    std::uint64_t spare_encoded = 64 * 1024;
};

/** Supports streams of several members, as Go's gzip reader does; checksums and lengths are verified. An empty input is
    an empty stream.

    Feed the received bytes, and repeatedly those not consumed, until a call returns no decoded bytes: then all were
    consumed. One piece of fixed size is decoded at a time, so the memory does not depend on the stream. */
class gunzip
{
public:
    explicit gunzip(gunzip_limits limits = {});
    ~gunzip();
    gunzip(gunzip&&) noexcept;
    gunzip& operator=(gunzip&&) noexcept;

    struct progress
    {
        std::size_t consumed = 0;
        /// Decoded bytes, valid until the next call.
        std::string_view decoded = {};
    };
    /// Errors: cond::corrupt with the reason, once everything before it has been returned.
    [[nodiscard]] result<progress> feed(std::string_view bytes);
    /// Reports the end of the input. Errors: cond::unreachable in the middle of a stream.
    [[nodiscard]] result<> end_of_input();

private:
    class machine;
    [[nodiscard]] std::optional<failure> step(std::string_view& rest);
    [[nodiscard]] std::optional<failure> out_of_proportion() const;

    gunzip_limits limits_;
    std::unique_ptr<machine> machine_;
    std::uint64_t encoded_ = 0;
    std::uint64_t decoded_ = 0;
    std::optional<failure> failed_;
};

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
