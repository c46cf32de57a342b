#pragma once
// What all copies of a client share, and one request's way through credentials, deadlines and retries.

#include "auth/token_core.hpp"

#include <kubecoro/base/context_bound.hpp>
#include <kubecoro/client/client.hpp>

#include <array>
#include <mutex>
#include <string>
#include <string_view>

namespace kubecoro {

struct client::state
{
    state(boost::asio::any_io_executor e, std::shared_ptr<transport> t, client_options o, credentials c,
          environment machine);

    /** Sends with credentials, at most `head_limit` per attempt, and again where the server or a new token asks for it.

        Completes with the head of the answer, whatever its code. Failures carry the request. */
    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<answer>>> exchange(request r, unsigned retries,
                                                                                   duration head_limit);
    /// As exchange, but an answer other than 2xx is read and becomes its failure.
    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<answer>>> accepted(request r, unsigned retries,
                                                                                   duration head_limit);
    /// The whole body. Errors: corrupt beyond `limit` bytes.
    [[nodiscard]] boost::asio::awaitable<result<std::string>> read_all(answer& a, std::size_t limit);
    /// The next piece of the body with the idle limit on it.
    [[nodiscard]] boost::asio::awaitable<result<std::string_view>> read_some(answer& a);

    /// A 2xx answer that is one object.
    [[nodiscard]] boost::asio::awaitable<result<object>> fetch_object(result<request> r);
    /// A 2xx answer that is a list of that resource, or a watch. Of the scope only what says how to decode.
    [[nodiscard]] boost::asio::awaitable<result<list_page>> fetch_page(result<request> r, resource_type asked,
                                                                       source_scope scope, unsigned retries);
    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<watch_stream>>>
    open_watch(result<request> r, source_scope scope, unsigned retries);

    kept_executor executor;
    std::shared_ptr<transport> carrier;
    client_options options;
    credentials login;
    environment machine;
    std::string ns = "default";
    std::string server;

private:
    boost::asio::awaitable<result<>> send_into(request r, std::unique_ptr<answer>& out);
    boost::asio::awaitable<result<>> read_into(answer& a, std::string_view& out);
    /// @param since  When the wait for the next piece has begun.
    boost::asio::awaitable<result<>> read_page(answer& a, list_decoder& decoder, time_point& since);
    [[nodiscard]] boost::asio::awaitable<failure> refusal(answer& a, const request& r);
    /// The failure of a good answer in a format that is not Kubernetes', such as a proxy's login page.
    [[nodiscard]] boost::asio::awaitable<failure> foreign(answer& a, const request& r);
    /// The beginning of the body, for messages. Errors: cancelled alone.
    [[nodiscard]] boost::asio::awaitable<result<std::string>> read_beginning(answer& a, std::size_t most);
    void add_credentials(request& r);
    /// Reads the token file when it is due, or `now_or_never`. @return whether the token changed.
    bool refresh_token(bool now_or_never);
    void count(const request& r, int status);
    void pass_on_warnings(const answer_head& head, const request& r);

    std::mutex mutex_;
    detail::token_core token_;
    // By method, then by class of the status code; the last is for requests without an answer.
    std::array<std::array<std::shared_ptr<metrics::counter>, 6>, 6> counters_;
};

} // namespace kubecoro
