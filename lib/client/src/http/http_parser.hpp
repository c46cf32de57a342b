#pragma once
// Parses one HTTP/1.1 response from bytes passed in. Sans-io; the parsing itself is Beast's.

#include <kubecoro/base/result.hpp>
#include <kubecoro/client/transport.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

struct http_limits
{
    /// Start line and headers together, including trailers.
    std::size_t max_head_bytes = 64 * 1024;
    /// Interim responses (1xx) before the final one.
    unsigned max_interim = 8;
};

/** Supports Content-Length, chunked and close-delimited bodies; interim responses are skipped.

    Feed the received bytes, and repeatedly those not consumed, until a call consumes nothing; then keep the rest and
    add more. After a failure or done() nothing more is consumed. */
class http_parser
{
public:
    explicit http_parser(bool answer_to_head = false, http_limits limits = {});
    ~http_parser();
    http_parser(http_parser&&) noexcept;
    http_parser& operator=(http_parser&&) noexcept;

    struct progress
    {
        std::size_t consumed = 0;
        /// The next piece of the body, as a view into the bytes passed in. More may follow.
        std::string_view body = {};
    };
    /// Errors: cond::corrupt with the reason, once everything before it has been returned.
    [[nodiscard]] result<progress> feed(std::string_view bytes);
    /// Reports the end of the connection. Errors: cond::unreachable unless this body ends that way.
    [[nodiscard]] result<> end_of_input();

    /// Whether any byte of a response has arrived.
    [[nodiscard]] bool got_some() const noexcept;
    [[nodiscard]] bool head_done() const noexcept;
    [[nodiscard]] bool done() const noexcept;
    /// After done(): whether the connection may carry another request.
    [[nodiscard]] bool keep_alive() const;
    [[nodiscard]] const answer_head& head() const noexcept;
    /// The words after the status code; they are the peer's and may hold anything but line ends.
    [[nodiscard]] const std::string& reason() const noexcept;

private:
    class machine;
    void restart();

    bool answer_to_head_;
    http_limits limits_;
    unsigned interim_ = 0;
    bool got_some_ = false;
    std::optional<failure> failed_;
    std::unique_ptr<machine> machine_;
};

} // namespace kubecoro::detail
