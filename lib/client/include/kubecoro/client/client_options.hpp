#pragma once

#include <kubecoro/api/decode.hpp>
#include <kubecoro/base/callback.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/client/transport.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro {

class object_schema;

namespace detail {

/// Schemas of kinds: `{schema}`. A value; copies share the schemas.
class schema_list
{
public:
    schema_list();
    /// Takes the schemas.
    schema_list(std::initializer_list<object_schema> all);
    /// Takes the schemas.
    schema_list(std::vector<object_schema> all);
    ~schema_list();
    /// Shares the schemas.
    schema_list(const schema_list&);
    schema_list(schema_list&&) noexcept;
    schema_list& operator=(const schema_list&);
    schema_list& operator=(schema_list&&) noexcept;

    /// The schemas.
    [[nodiscard]] const std::vector<object_schema>& all() const noexcept { return all_; }

private:
    std::vector<object_schema> all_;
};

} // namespace detail

/** How a client checks writes with field_validation::client before it sends them.

    Objects of custom kinds are checked for unknown and duplicate fields and all that object_schema finds, those of built-in
    kinds for unknown and duplicate fields and wrong types. The failure is cond::invalid, with the server's words in its status(). A patch is
    checked as far as it is sure that the patched object would be refused; a JSON patch is not checked, and neither is a
    subresource other than `status`.

    The schema of a custom kind is that of its CustomResourceDefinition; if the program may not read definitions, that of
    the server's OpenAPI document. It is read when it is first needed, and kept. A kind whose schema cannot be had is
    not checked: the first time of each kind is logged as a warning. */
struct write_checks
{
    /// Checks all writes, also those of helpers: those with field_validation::unset become field_validation::client.
    bool always = false;
    /// Sends objects that are created or replaced with the defaults of their schema filled in. Custom kinds only.
    bool fill_defaults = false;
    /// Used instead of the server's schemas, which are not read then.
    detail::schema_list schemas = {};
    /// A schema is read again when it is older. Before an object is refused by one that is older than ten seconds, it is
    /// read again as well.
    saturating_duration max_age = std::chrono::minutes{10};
};

/// Time limits of a client. 0 = no limit. A response as a whole has no limit, and neither has the body of a watch.
struct client_timeouts
{
    /// TCP connection, including name lookup and the response of a proxy. Several addresses are tried at intervals of
    /// 250 ms.
    saturating_duration connect = std::chrono::seconds{30};
    /// TLS handshake, after the connection was made.
    saturating_duration tls_handshake = std::chrono::seconds{10};
    /// From sending a request to receiving the head of its response.
    saturating_duration answer_head = std::chrono::seconds{60};
    /// The same for a watch.
    saturating_duration watch_head = std::chrono::seconds{30};
    /// Maximum silence within the body of a response other than a watch, and maximum time for the body of a refusal.
    saturating_duration body_idle = std::chrono::seconds{60};
    /// A run of a credential plugin, which may wait for its user. 0 = no limit.
    saturating_duration credential_plugin = std::chrono::minutes{5};
};

/// Limits on what the client holds in memory on behalf of a server. Beyond them: cond::corrupt.
struct client_limits
{
    /// Decoded bytes of a response that is held whole: get, create, update, patch, remove, raw, discovery.
    std::size_t max_answer_bytes = 64 * 1024 * 1024;
    /// Decoded bytes of one list page, which is decoded as it arrives.
    std::uint64_t max_list_bytes = std::uint64_t{4} * 1024 * 1024 * 1024;
};

/** Whether a client asks for responses compressed with gzip. Lists and objects of more than 128 KiB then take about a
    tenth of the bytes, and more CPU of both sides. Watches are never compressed. */
enum class compression
{
    /** On, unless the server is close by. An address is close by if it is private, shared, loopback or link-local (RFC
        1918, 100.64/10, 127/8, 169.254/16, fc00::/7, fe80::/10, ::1); a name, which is not resolved, if it has no dot or
        ends in .svc, .cluster.local or .localhost. Off with a custom transport. */
    automatic,
    on,
    off
};

/// A warning that came with a response: a deprecated API, an unknown field (field_validation::warn).
struct server_warning
{
    /// The server's words, as one printable line of at most 1,024 bytes.
    std::string text = {};
    /// The request that it came with.
    std::string method = {};
    /// Its path and query.
    std::string target = {};
};

/// Options of a client, see client::connect().
struct client_options
{
    /** Limits the rate of a client's requests, as client-go's flowcontrol does: a token bucket for all requests, retries and
        watches included. Off by default: the server has limits of its own (priority and fairness), which the client obeys. */
    struct request_rate
    {
        /// Requests per second; 0 = no limit.
        double qps = 0;
        /// Requests at once after a pause. At least 1.
        double burst = 10;
        /// A 429 halves the rate, once a second at most and down to a hundredth; half a minute without one restores it.
        bool adaptive = true;
    };

    /// For connect() only: the kubeconfig file and context. See load_kubeconfig.
    std::string kubeconfig = {};
    /// The context of that file; empty = its current one.
    std::string context = {};
    /// Sent with each request; empty = "kubecoro/<version>".
    std::string user_agent = {};
    /// Limits for the phases of a request.
    client_timeouts timeouts = {};
    /// Limits for the size of answers.
    client_limits limits = {};
    /// Decoding options for get, list, watch and writes.
    decode_options decode = {};
    /** The form of the bodies of create and update; patches are JSON. protobuf costs the server less to read, and is sent
        for built-in kinds where the server reads the same object from it: a body with a field that this version does not
        know stays JSON, as does one whose write_options::validation asks the server to check names. A server that is
        older than this version ignores the fields that it does not know, where it would warn about them in JSON. */
    wire_form body_form = wire_form::json;
    /// How writes with field_validation::client are checked before they are sent.
    write_checks checks = {};
    /// Whether to ask for compressed responses. cluster_config::disable_compression has precedence.
    kubecoro::compression compression = kubecoro::compression::automatic;
    /// Maximum retries of a request that the server refused with a Retry-After header (429, 5xx). 0 = never. The
    /// sources of informers do not retry: the reflector's backoff does.
    unsigned max_retries = 10;
    /// Off by default. A wait may be cancelled; client_timeouts do not count it.
    request_rate rate_limit = {};
    /** Maximum number of requests at a time, each with its connection; 0 = no limit. The others wait in order, up to
        client_timeouts::answer_head. Watches and followed logs do not count, because they last. A request ends when its
        response has been read, that of client::send() when it is destroyed. */
    std::size_t max_requests = 0;
    /// Added to each request that does not have them. Not for what the client sets itself, such as Authorization, Host,
    /// User-Agent and Impersonate-User: cond::misconfigured.
    std::vector<std::pair<std::string, std::string>> headers = {};
    /// Receives the transport and returns the one to use, which may hold it: to observe, delay or alter requests, with
    /// their credentials, one call for each attempt. Called once for each client. Empty = none.
    std::function<std::shared_ptr<transport>(std::shared_ptr<transport>)> wrap_transport = {};
    /// Seeds the jitter of retries; empty = from the system.
    std::optional<std::uint64_t> seed = {};
    /// Null = real_clock(). Its time must pass where sockets are real: reads of long lists, and of watches of a share,
    /// wait for bytes to gather.
    std::shared_ptr<time_source> time = {};
    /// Receives retries, warnings of the server and connection trouble.
    logger log = {};
    /** Receives warnings of the server, each text once per client (they are forgotten after 1,000 different ones). Called
        on the thread of the request, which waits for it; possibly on several threads at once. An exception is logged.
        Null: warnings are logged, each once as well. */
    callback<void(const server_warning&)> on_warning = {};
    /// Null = null_metrics().
    std::shared_ptr<kubecoro::metrics> metrics = {};
};

} // namespace kubecoro
