#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/endpoints/access_filter.hpp>
#include <kubecoro/endpoints/debug_pages.hpp>
#include <kubecoro/endpoints/health_checks.hpp>
#include <kubecoro/endpoints/prometheus_metrics.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro {

/** A large page of an endpoint_server, which is made while its client reads it: the server holds one part of it, however
    large it is and however slow the client. Parts count as endpoint_limits::max_answer_bytes; without room for the next one
    the answer breaks off.

        options.pages.push_back({.path = "/series", .begin = [&] { return parts_of(take_snapshot()); }});

    Sent in chunks, uncompressed, within endpoint_limits::answer_timeout. */
struct streamed_page
{
    /// Such as "/metrics", exactly.
    std::string path = {};
    /// The Content-Type of its answers.
    std::string content_type = "text/plain; charset=utf-8";
    /// Begins an answer: returns a function that appends the next part to its argument, and returns whether another one follows.
    /// Both are called on the server's strand as the client reads, and must be quick. Parts of about 64 KiB are good.
    /// An exception breaks the answer off, visibly for the client, and is logged.
    std::function<std::function<bool(std::string&)>()> begin = {};
    /// Answers in progress at once. At the limit, requests wait, within half of endpoint_limits::answer_timeout (503 after that),
    /// and the addresses of clients take turns. For the next one an answer breaks off whose client has read nothing for a
    /// second, or the oldest one, of three seconds at least, of an address that has two places more.
    std::size_t max_answers = 4;
};

/** A page whose whole text a function returns, for what is small, such as a report of some lines:

        options.pages.push_back(text_page("/images", [&] { return report_of(images); }));

    @param path  As streamed_page::path.
    @param make  Called for each answer on the server's strand: it must be quick. An exception breaks the answer off. */
[[nodiscard]] streamed_page text_page(std::string path, std::function<std::string()> make);

/// Bounds of what clients can make an endpoint_server hold, and for how long.
struct endpoint_limits
{
    /** Open connections. At the limit, a new connection replaces one that waits for its client, for a request or to
        read an answer: the one that has waited longest, of the addresses with the most connections. When the server
        works for all of them, the new one is closed. Similarly when the process runs out of file descriptors. */
    std::size_t max_connections = 128;
    /// TLS handshakes that begin in a second, and a fifth of that at once; others wait within `read_timeout`. The
    /// addresses of clients take turns, so that one that floods the server delays itself. 0 = no limit.
    std::size_t max_handshakes_per_second = 50;
    /// Requests that are answered in a second, and a fifth of that at once; others wait within `answer_timeout`, by turns as
    /// handshakes do. 0 = no limit.
    std::size_t max_requests_per_second = 1000;
    /// Bytes of a request's line and headers, of which there are 100 at most: 431 beyond. Requests have no body: 413.
    std::size_t max_head_bytes = 16 * 1024;
    /// Bytes of answers that wait for their clients, over all connections. Beyond it, answers of more than 4 KiB wait for their
    /// turn, within half of `answer_timeout`: 503 after that.
    std::size_t max_answer_bytes = 32 * 1024 * 1024;
    /** Share of its thread's time that the server spends on making /metrics, and as much on debug pages and details of
        health, after 100 ms at once. Beyond it, /metrics is served as it was made last, at most 10 seconds ago, and
        the others wait for their turn, as answers do that have no room. The program's work, such as the renewal of its
        Lease, has the rest. At least 0.01; 1 = no limit. */
    double render_share = 0.1;
    /// Share of its thread's time that the server spends on making parts of `pages`, after 3 seconds at once. Beyond it,
    /// parts wait, within `answer_timeout`. At least 0.01; 1 = no limit.
    double page_share = 0.5;
    /// The TLS handshake, and a request from its first to its last byte.
    saturating_duration read_timeout = std::chrono::seconds{10};
    /// From the end of a request until the client has received the answer.
    saturating_duration answer_timeout = std::chrono::seconds{30};
    /// A connection without a request.
    saturating_duration idle_timeout = std::chrono::seconds{90};
    /// Dashboards that are open at once. Another one waits for its turn, as answers do that have no room; an address that has
    /// several makes way for it. Each holds a connection.
    std::size_t max_streams = 8;
    /// How often a dashboard receives a snapshot of the debug pages, ten times a second at most. Made once for all of them, and
    /// only while there is one.
    saturating_duration snapshot_period = std::chrono::seconds{2};
    /// A dashboard's stream is ended after this time, and begins again with another review of its token.
    saturating_duration stream_time = std::chrono::minutes{5};
    /// Time that stop() gives requests in progress.
    saturating_duration grace = std::chrono::seconds{2};
};

/// Options of an endpoint_server. Empty parts are not served: 404.
struct endpoint_options
{
    /// PEM files of a server's certificate and key. They are followed: when they are replaced, new connections use them.
    struct tls_files
    {
        /// The certificate, followed by those of intermediate authorities.
        std::string certificate_file = {};
        /// Its private key.
        std::string key_file = {};
    };

    /** Where it listens: "127.0.0.1:8080", "[::1]:8080" or "localhost:8080"; "8080" is a port of the loopback interface,
        and ":8080" one of every interface, which exposes the server to the network. Port 0: any free one. "0" or empty:
        it serves nothing. */
    std::string address = "127.0.0.1:8080";
    /// Empty = plain HTTP. With files: TLS 1.2 or later, nothing else. Clients are not asked for certificates.
    tls_files tls = {};
    /// Served at /livez, /healthz and /readyz, and each check at a path below. Answers `?verbose` and `?exclude=NAME`.
    std::optional<health_checks> health = {};
    /// Served at /metrics.
    std::shared_ptr<prometheus_metrics> prometheus = {};
    /// Served at /debug/NAME, as text, or as JSON with `?format=json` or `Accept: application/json`; /debug lists them.
    /// /dashboard shows them in a browser, and follows their changes. They name objects: serve them to those who may read these.
    std::optional<debug_pages> debug = {};
    /// Further pages of the program's own, which come before the others.
    std::vector<streamed_page> pages = {};
    /// With a filter: /metrics, `pages`, /debug and the data of /dashboard are for bearers of tokens that the API server lets `get` these paths. Health is for all.
    std::optional<access_filter> protect = {};
    /// Limits on what clients can make it hold.
    endpoint_limits limits = {};
    /// Receives kubecoro_endpoints_*. Empty = `prometheus`.
    std::shared_ptr<kubecoro::metrics> metrics = {};
    /// Empty = real_clock().
    std::shared_ptr<time_source> time = {};
    /// Receives a line for refused requests and connections, of each kind once in ten seconds.
    logger log = {};
};

} // namespace kubecoro
