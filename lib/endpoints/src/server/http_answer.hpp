// An answer and its head. No I/O.
#pragma once

#include "dashboard/snapshot_feed.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/endpoints/endpoint_options.hpp>
#include <kubecoro/http/detail/http_service.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

struct http_answer
{
    int status = 200;
    /// As in kubecoro_endpoints_requests_total: which endpoint has answered.
    std::string_view endpoint = "none";
    std::string_view content_type = "text/plain; charset=utf-8";
    std::string body = {};
    /// Set: the body, in place of `body`, shared with other answers.
    std::shared_ptr<const std::string> shared_body = {};
    /// Set: the body is made while it is sent, in place of `body`.
    std::function<bool(std::string&)> parts = {};
    /// Whether `body` or `shared_body` is compressed.
    bool compressed = false;
    /// Names and values of further headers.
    std::vector<std::pair<std::string_view, std::string>> headers = {};
    /// With a seat, the body is followed by snapshots until the connection ends.
    std::shared_ptr<snapshot_feed::seat> stream = {};
    /// Its length is not known when it begins: it ends with the connection.
    bool endless = false;
    /// Its place among the answers of its kind, until it ends.
    std::shared_ptr<shared_turn> place = {};
};

/// An answer in plain text.
[[nodiscard]] http_answer plain_answer(int status, std::string text);
/// 503: the client asks again. @param endpoint  As in http_answer.
[[nodiscard]] http_answer later(std::string_view endpoint, std::string text);
/// 401.
[[nodiscard]] http_answer unauthenticated(std::string text);

/// The bytes of the body, if it is made before it is sent.
[[nodiscard]] inline std::string_view body_of(const http_answer& answer) noexcept
{
    return answer.shared_body ? std::string_view(*answer.shared_body) : std::string_view(answer.body);
}

/// The reply without its source. Every one forbids caching, framing and guessing of its type.
[[nodiscard]] http_reply reply_of(http_answer answer);

/// Says in the headers that the body is compressed.
void mark_compressed(http_answer& answer);
/// Compresses the body of a large answer, if the client accepts gzip and it is not compressed yet.
void compress(http_answer& answer, std::string_view accept_encoding);

/// A page that is made for each request, as far as its budget goes, and otherwise served as it was made last. Strand-confined.
class rendered_page
{
public:
    explicit rendered_page(double share) noexcept : budget_(share) {}

    struct copy
    {
        std::shared_ptr<const std::string> body;
        bool compressed = false;
        /// It was made for an earlier request.
        bool repeated = false;
        /// Time since it was begun.
        duration age = {};
    };
    /// An older page is made again, whatever the budget: a small share, or a throttled container, would serve it for long.
    static constexpr duration oldest = std::chrono::seconds{10};

    /// @param make        Called if there is time, or no copy yet.
    /// @param compressed  Whether the client accepts gzip. Compressing counts as making.
    [[nodiscard]] copy get(time_source& time, bool compressed, const std::function<std::string()>& make);

private:
    [[nodiscard]] copy current(time_source& time, bool compressed, const std::function<std::string()>& make);

    render_budget budget_;
    /// Kept only while the budget is used up.
    std::shared_ptr<const std::string> plain_, compressed_;
    time_point begun_ = {};
};

} // namespace kubecoro::detail
