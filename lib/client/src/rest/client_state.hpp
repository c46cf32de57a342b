#pragma once
// State shared by all copies of a client; applies credentials, deadlines and retries to a request.

#include "auth/exec_login.hpp"
#include "auth/token_source.hpp"
#include "http/content_encoding.hpp"
#include "rest/answer_core.hpp"
#include "rest/kinds_core.hpp"

#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/client/detail/request_scope.hpp>

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace kubecoro {

namespace detail {
class request_controls;
class tls_generation;
class tls_source;
class write_checker;
} // namespace detail

struct client::state
{
    state(boost::asio::any_io_executor e, std::shared_ptr<transport> t, client_options o, credentials c,
          environment machine, std::string host = {});
    ~state();

    /// Errors: cond::misconfigured if the options cannot be used; every request fails with it.
    [[nodiscard]] result<> usable() const;

    /** Sends with credentials, with at most `head_limit` per attempt, and again where the server or a new token
        calls for it.

        Completes with the head of the response, whatever its code. Failures carry the request. */
    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<answer>>> exchange(request r, unsigned retries,
                                                                                   duration head_limit);
    /** As exchange(), but a response other than 2xx is read and turned into a failure.

        A server that refuses protobuf for a kind is asked for JSON, now and for all later requests for that kind.

        @param kind  Names the kind; empty = the request accepts only JSON. */
    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<answer>>>
    accepted(request r, unsigned retries, duration head_limit, std::string kind = {});
    /// As exchange() for text that is not an API object, such as a log: a response other than 2xx is read and turned into
    /// a failure, and so is a web page.
    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<answer>>> accepted_text(request r);
    /// Reads the whole body. Errors: corrupt beyond `limit` bytes.
    [[nodiscard]] boost::asio::awaitable<result<std::string>> read_all(answer& a, std::size_t limit);
    /// Reads the next piece of the body under the idle limit.
    [[nodiscard]] boost::asio::awaitable<result<std::string_view>> read_some(answer& a);

    /// Expects a 2xx response with one object. @param kind  As for accepted(). The object is not partial if the server
    /// sends JSON on request.
    [[nodiscard]] boost::asio::awaitable<result<object>> fetch_object(result<request> r, std::string kind = {});
    /// The body of a struct as protobuf; nothing if its JSON has to be looked at, or sent.
    [[nodiscard]] std::optional<std::string> quick_body(const detail::body_kind& kind, detail::struct_view from);
    /** As fetch_object(), for a request whose body is an object in JSON, or one of quick_body(). The JSON is sent as
        protobuf if the options choose it and that says the same; a server that refuses protobuf gets JSON, now and from
        then on.

        @param kind  The kind of the body. Nothing: it stays JSON. */
    [[nodiscard]] boost::asio::awaitable<result<object>> write_object(result<request> r,
                                                                      std::optional<detail::body_kind> kind);
    /// Expects a 2xx response with a list of that resource, or a watch. Uses only the decoding settings of the scope.
    [[nodiscard]] boost::asio::awaitable<result<list_page>> fetch_page(result<request> r, resource_type asked,
                                                                       source_scope scope, unsigned retries);
    /// The deleted objects; none if the server sends a Status. Errors: corrupt for anything else.
    [[nodiscard]] boost::asio::awaitable<result<list_page>> fetch_removed(result<request> r, resource_type asked);
    /// @param begins_with_list  The stream begins with the existing objects: read in bulk until they end.
    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<watch_stream>>>
    open_watch(result<request> r, resource_type asked, source_scope scope, unsigned retries,
               bool begins_with_list = false);
    /// Checks a body before it is sent, see detail::write_checker.
    [[nodiscard]] detail::write_checker& checker() noexcept { return *checker_; }
    /// From now on, a program's own reads of this kind ask for JSON: its protobuf has unknown fields.
    void note_partial(const std::string& kind);
    [[nodiscard]] bool has_partial(const std::string& kind);
    /// The resource of a kind that discovery found before; nothing if discovery has to find it.
    [[nodiscard]] std::optional<resource_type> known_resource(const std::string& kind);
    /// Takes what discovery says of a kind.
    void note_resource(const std::string& kind, const result<resource_type>& found);

    /// The certificates of the connections.
    void use_tls(std::shared_ptr<detail::tls_source> source);
    /// The credential plugin of the login.
    void use_plugin(detail::exec_access plugin);
    /// Another seed for each call: of the jitter between the attempts of an edit.
    [[nodiscard]] std::uint64_t next_seed() noexcept;

    detail::kept_executor executor;
    std::shared_ptr<transport> carrier;
    client_options options;
    credentials login;
    environment machine;
    std::string ns = "default";
    std::string server;
    /// Responses are asked for as gzip.
    bool gzip = false;

private:
    boost::asio::awaitable<result<>> send_into(request r, std::unique_ptr<answer>& out);
    boost::asio::awaitable<result<list_page>> read_removed(answer& a);
    boost::asio::awaitable<result<>> read_into(answer& a, std::string_view& out);
    /// @param since  When the wait for the next piece began.
    boost::asio::awaitable<result<>> read_page(answer& a, detail::list_decoder& decoder, time_point& since);
    [[nodiscard]] boost::asio::awaitable<failure> refusal(answer& a, const request& r);
    /// A resource that the server does not have is looked for again.
    void note_missing(const failure& refused, const request& r);
    /// The failure for a 2xx response in a format that is not Kubernetes', such as a proxy's login page.
    [[nodiscard]] boost::asio::awaitable<failure> foreign(answer& a, const request& r);
    /// Reads the beginning of the body, for messages, for `body_idle` at most. Errors: only cancelled.
    /// @param damage  Receives why it is corrupt.
    [[nodiscard]] boost::asio::awaitable<result<std::string>> read_beginning(answer& a, std::size_t most,
                                                                             std::optional<failure>* damage = nullptr);
    [[nodiscard]] boost::asio::awaitable<result<>> append_beginning(answer& a, std::size_t most, std::string& body);
    /// The part of the login that changes.
    struct used_login
    {
        /// Null: there is no credential plugin, or the request has a login of its own.
        detail::held_credential plugin = {};
        std::shared_ptr<detail::tls_generation> tls = {};
        /// Empty if there is none. Nothing: the request has a login of its own.
        std::optional<std::string> token = {};
    };
    [[nodiscard]] boost::asio::awaitable<result<used_login>> choose_login(const request& r);
    void add_credentials(request& r, const used_login& used);
    void add_authorization(request& r, const used_login& used);
    /// Obtains other credentials after a 401. @return whether there are any.
    [[nodiscard]] boost::asio::awaitable<bool> renew_login(used_login refused);
    enum class token_read
    {
        when_stale,
        now
    };
    /// The token, after the token file has been read if there is one and it is time.
    [[nodiscard]] std::string current_token(token_read when);
    void pass_on_warnings(const answer_head& head, const request& r);
    void pass_on(const server_warning& w);

    /// The same request with its body as protobuf; nothing if it is to stay JSON.
    [[nodiscard]] std::optional<request> in_protobuf(const request& r, const detail::body_kind& kind);

    /// Bodies for which protobuf was chosen, by outcome.
    struct body_counters
    {
        std::shared_ptr<metrics::counter> sent;
        /// JSON, because protobuf would not say the same.
        std::shared_ptr<metrics::counter> unfit;
        /// By the server, which then got JSON.
        std::shared_ptr<metrics::counter> refused;
    };

    using kinds = std::set<std::string>;
    void note(kinds& in, const std::string& kind, std::string_view why);
    /// Adds a kind. False: it was there, or there is no room.
    bool remember(kinds& in, const std::string& kind);
    [[nodiscard]] bool is_in(const kinds& in, const std::string& kind);

    detail::exec_access plugin_;
    /// Null: no TLS, or a custom transport.
    std::shared_ptr<detail::tls_source> tls_;
    detail::token_source token_;
    std::atomic<std::uint64_t> next_seed_;

    std::mutex mutex_;
    /// The kinds whose protobuf the server refuses.
    kinds refused_;
    /// The kinds whose protobuf has unknown fields.
    kinds partial_;
    /// The kinds whose protobuf bodies the server refuses.
    kinds refused_bodies_;
    /// The kinds of which some body had no protobuf form.
    kinds unfit_bodies_;
    detail::seen_warnings warnings_;
    /// By "apps/v1 Deployment".
    detail::kept_kinds_core resources_;
    detail::gzip_counters gzip_counters_;
    body_counters bodies_;
    /// Refers to the options.
    std::unique_ptr<detail::request_controls> controls_;
    /// Refers to the options.
    std::unique_ptr<detail::write_checker> checker_;
};

namespace detail {

/// The state of a client, for operations that are functions of their own.
struct client_access
{
    [[nodiscard]] static const std::shared_ptr<client::state>& state_of(const client& c) noexcept { return c.state_; }
    [[nodiscard]] static client client_of(std::shared_ptr<client::state> s) noexcept { return client(std::move(s)); }
};

/// Describes a write of that kind for the notes of the coroutine that makes it.
[[nodiscard]] write_target target_of(const resource_type& resource, const std::string& ns, bool dry_run,
                                     bool removes = false);
/// Notes a success in the notes of the executor, if it has some for this client.
void note_write(const boost::asio::any_io_executor& executor, const client::state& s, const write_target& what,
                const result<object>& answer);
/// Reads a text that need not be an API object, whole.
/// @param target  Path and query. Errors: as client; corrupt beyond client_limits::max_answer_bytes.
[[nodiscard]] boost::asio::awaitable<result<std::string>> fetch_text(client c, std::string target);

} // namespace detail

} // namespace kubecoro
