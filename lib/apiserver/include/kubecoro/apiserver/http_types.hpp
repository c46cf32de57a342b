// Requests to and answers of the embedded API server as values, and the stream behind a watch.
#pragma once

#include <kubecoro/apiserver/watch_stream.hpp>
#include <kubecoro/base/name_first.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {

/// Who asks, as the server sees it.
struct user_info
{
    /// The user name.
    std::string name;
    /// The user's groups.
    std::vector<std::string> groups = {};
    /// The user's uid; empty = none.
    std::string uid = {};
    friend bool operator==(const user_info&, const user_info&) = default;
};

/// One request, whole. The front bounds the body before it builds one: more than max_body_bytes need not be read.
struct http_request
{
    /// The HTTP method.
    std::string method;
    /// Origin form, percent-encoded: "/api/v1/pods?limit=500".
    std::string target;
    /// Names in any case.
    std::vector<std::pair<std::string, std::string>> headers = {};
    /// The whole body.
    std::string body = {};
    /// Set by a front that verified a client certificate; otherwise the Authorization header decides.
    std::optional<user_info> user = {};
    KUBECORO_NAME_FIRST;

    /// The first header of that (lower-case) name, empty when absent.
    [[nodiscard]] std::string_view header(std::string_view name) const noexcept;
};

/// A body longer than this is answered with 413.
inline constexpr std::size_t max_body_bytes = 3u << 20;

/// The part of a long body that is made while it is sent. Needs no other part of the server, and may outlive it.
class body_stream
{
public:
    virtual ~body_stream() = default;
    /// Appends the next part: up to the end of what reaches `max_bytes`. @return false when it was the last.
    [[nodiscard]] virtual bool next(std::string& out, std::size_t max_bytes) = 0;
};

/** One answer. When `watch` is set, `body` is empty: send the head with chunked encoding, then what the stream gives.

    Content-Length, Transfer-Encoding, Date and Connection are the front's to add. */
struct http_response
{
    /// The HTTP status code.
    int status = 200;
    /// Names as they are written.
    std::vector<std::pair<std::string, std::string>> headers = {};
    /// The body, unless the answer is a watch.
    std::string body = {};
    /// What follows `body`; null: nothing does.
    std::unique_ptr<body_stream> rest = nullptr;
    /// Hold the answer back this long: kube-apiserver waits 3 s for a resource version of the future.
    std::chrono::milliseconds delay{0};
    /// Set for a watch, which is the body.
    std::unique_ptr<watch_stream> watch = nullptr;
    /// Who asked, for the request log; empty when that is not known.
    std::string user = {};

    /// The first header of that name (any case), empty when absent.
    [[nodiscard]] std::string_view header(std::string_view name) const noexcept;
    /// Appends `rest` to `body`, for callers that want the whole at once.
    void complete_body();
};

} // namespace kubecoro::apiserver
