// HTTP requests and responses of the embedded API server as values, and open watches, whose output the front pulls.
#pragma once

#include <kubecoro/admission/detail/admission_ledger.hpp>
#include <kubecoro/admission/detail/conversion_ledger.hpp>
#include <kubecoro/apiserver/cluster_options.hpp>
#include <kubecoro/base/clock.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {

/// The output of a watch that is ready to be sent.
struct watch_output
{
    /// Complete events, in order: JSON lines with their newlines, or frames of protobuf; or parts of a log. Watchers
    /// share the bytes of an event.
    std::vector<std::shared_ptr<const std::string>> lines = {};
    /// More output is ready: send these lines, then call next() again without waiting.
    bool more = false;
    /// The watch has ended: send the lines, then the last chunk.
    bool ended = false;
    /// Not null: a webhook has to convert objects. Send the lines, perform() it, then call next() again.
    std::shared_ptr<kubecoro::detail::conversion_ledger> conversions = nullptr;
};

/** A watch in progress, or a log that is followed.

    The front's loop: `next(now)`; write the lines; when `ended`, close; when `more`, repeat; otherwise wait until
    `resource()` changes (cluster_state_core::on_change) or `wake_at()` passes. Destroying the stream ends the watch.
    Not thread safe: used on the cluster state's strand. May outlive the cluster state. */
class watch_body
{
public:
    virtual ~watch_body() = default;

    /// @param max_bytes  Takes at least one event, and no further ones once this many bytes are gathered.
    [[nodiscard]] virtual watch_output next(wall_time now, std::size_t max_bytes = 256 * 1024) = 0;

    /// When next() must be called even without a change: a bookmark or the end of the watch is due. Empty: never.
    [[nodiscard]] virtual std::optional<wall_time> wake_at() const = 0;

    /// The resource's name as passed to on_change: "pods", "deployments.apps", "pods/log".
    [[nodiscard]] virtual std::string_view resource() const noexcept = 0;
};

struct yaml_body;

/// One complete request. The front bounds the body beforehand: it need not read more than max_body_bytes.
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
    /// Set by a front that verified a client certificate; when empty, the Authorization header decides.
    std::optional<user_info> user = {};
    /// A body in YAML that a front has parsed, since that takes long; null: the handler parses it.
    std::shared_ptr<const yaml_body> yaml = nullptr;
    /// Set by a front that asks admission webhooks; null: they are not asked.
    std::shared_ptr<kubecoro::detail::admission_ledger> reviews = nullptr;
    /// Set by a front that asks conversion webhooks; null: they are not asked.
    std::shared_ptr<kubecoro::detail::conversion_ledger> conversions = nullptr;

    /// The first header with this (lower-case) name; empty when absent.
    [[nodiscard]] std::string_view header(std::string_view name) const noexcept;
};

/// A body longer than this is answered with 413.
inline constexpr std::size_t max_body_bytes = 3u << 20;

/// The part of a long body that is produced while it is sent. Independent of the server, which it may outlive.
class body_stream
{
public:
    virtual ~body_stream() = default;
    /// Appends the next part: whole items until `max_bytes` is reached. @return false when it was the last part.
    [[nodiscard]] virtual bool next(std::string& out, std::size_t max_bytes) = 0;
};

struct http_response;

/// The work of a request that is done in steps, so that other requests are answered in between. Used on the strand of
/// the state; the request and its handler must outlive it.
class pending_answer
{
public:
    virtual ~pending_answer() = default;
    /// Does some milliseconds of the work. @param now  The present time. @return the response, when all is done; empty:
    /// call it again.
    [[nodiscard]] virtual std::optional<http_response> step(wall_time now) = 0;
};

/** One response. When `watch` is set, `body` is empty: send the head with chunked encoding, then the stream's output.

    The front adds Content-Length, Transfer-Encoding, Date and Connection. */
struct http_response
{
    /// The HTTP status code.
    int status = 200;
    /// Names in the case in which they are sent.
    std::vector<std::pair<std::string, std::string>> headers = {};
    /// The body, unless the answer is a watch.
    std::string body = {};
    /// The rest of the body, after `body`; null when `body` is complete.
    std::unique_ptr<body_stream> rest = nullptr;
    /// The front delays the response by this: kube-apiserver waits 3 s for a resource version in the future.
    std::chrono::milliseconds delay{0};
    /// Set for a watch, which is the body.
    std::unique_ptr<watch_body> watch = nullptr;
    /// Name of the requesting user, for the request log; empty when unknown.
    std::string user = {};
    /// Set by request_handler::begin() when the response is not known yet: nothing else of it counts then.
    std::unique_ptr<pending_answer> pending = nullptr;

    /// The first header with this name (any case); empty when absent.
    [[nodiscard]] std::string_view header(std::string_view name) const noexcept;
    /// Appends `rest` to `body`, for callers that need the whole body at once.
    void complete_body();
};

} // namespace kubecoro::apiserver
