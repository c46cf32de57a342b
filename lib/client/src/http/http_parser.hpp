#pragma once
// Reads one HTTP/1.1 answer from bytes fed by hand. Sans-io; the parsing itself is Beast's.

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
    /// Start line and headers together, trailers included.
    std::size_t max_head_bytes = 64 * 1024;
    /// Interim answers (1xx) before the real one.
    unsigned max_interim = 8;
};

/** Content-Length, chunked and close-delimited bodies; interim answers are passed over.

    Feed whatever has arrived, and what was not consumed again, until a call consumes nothing; keep the rest and come back
    with more. After a failure or done() it takes nothing more. */
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
        /// The next piece of the body, where it lies in the bytes that were fed. Another one may follow it.
        std::string_view body = {};
    };
    /// Errors: cond::corrupt with what is wrong, after everything before it has been handed out.
    [[nodiscard]] result<progress> feed(std::string_view bytes);
    /// The connection has ended. Errors: cond::unreachable unless that is how this body ends.
    [[nodiscard]] result<> end_of_input();

    /// Any byte of an answer has come.
    [[nodiscard]] bool got_some() const noexcept;
    [[nodiscard]] bool head_done() const noexcept;
    [[nodiscard]] bool done() const noexcept;
    /// After done(): the connection may carry another request.
    [[nodiscard]] bool keep_alive() const;
    [[nodiscard]] const answer_head& head() const noexcept;

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
