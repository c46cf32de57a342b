#pragma once

#include <kubecoro/api/request.hpp>
#include <kubecoro/base/async_event.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/name_first.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::testing {

/// What happens to one request and its answer. Made by the functions below.
struct fault
{
    /// The kinds of faults.
    enum class what
    {
        /// No connection.
        refuse,
        /// The request goes out, nothing ever comes back, until the connection is cut or the wait cancelled.
        no_answer,
        /// The answer comes, later by `wait`.
        delay,
        /// The server does not see the request; it is answered with `status` and `body`.
        answer,
        /// The body breaks off after `after_bytes`.
        cut,
        /// The body goes silent after `after_bytes`, until the connection is cut or the wait cancelled.
        stall
    };
    /// The kind of fault.
    what kind = what::refuse;
    /// For cut and stall: bytes of the body that arrive.
    std::size_t after_bytes = 0;
    /// For delay.
    duration wait = {};
    /// For answer: the HTTP status code.
    int status = 0;
    /// For answer.
    std::string body = {};
    /// For answer.
    std::vector<std::pair<std::string, std::string>> headers = {};
    KUBECORO_NAME_FIRST;

    /// Refuses the connection.
    [[nodiscard]] static fault refuse();
    /// Never answers.
    [[nodiscard]] static fault no_answer();
    /// Delays the answer.
    [[nodiscard]] static fault delay(duration d);
    /// Answers in the server's place.
    [[nodiscard]] static fault answer(int status, std::string body,
                                      std::vector<std::pair<std::string, std::string>> headers = {});
    /// An answer with a Status body such as the server writes it; `retry_after` of 0 seconds: no such header.
    [[nodiscard]] static fault status_answer(int status, std::string_view reason,
                                             std::chrono::seconds retry_after = std::chrono::seconds{0});
    /// Breaks the body off.
    [[nodiscard]] static fault cut(std::size_t after_bytes);
    /// Goes silent inside the body.
    [[nodiscard]] static fault stall(std::size_t after_bytes);
};

/// Which requests a fault befalls.
struct fault_rule
{
    /// The fault.
    fault what = {};
    /// Empty: any.
    std::string method = {};
    /// A part of path and query; empty: any.
    std::string target = {};
    /// The first matching request that it befalls, counted from 1 since the rule was added.
    std::size_t nth = 1;
    /// How many matching requests from there on; 0 = all.
    std::size_t times = 1;
    KUBECORO_NAME_FIRST;
};

/// Faults by chance. Probabilities of each request, in [0, 1]; the first that hits counts, in this order.
struct fault_chances
{
    /// Refused connections.
    double refuse = 0;
    /// Requests without an answer.
    double no_answer = 0;
    /// 500 InternalError.
    double server_error = 0;
    /// 429 with Retry-After of 1 s.
    double too_many = 0;
    /// 410 Expired; only for GET of collections (targets with a query).
    double expired = 0;
    /// Bodies that break off.
    double cut = 0;
    /// Bodies that go silent.
    double stall = 0;
    /// Answers that come late.
    double delay = 0;
    /// cut and stall come after 0 to this many bytes of the body.
    std::size_t max_bytes = 4096;
    /// The longest delay.
    duration max_delay = std::chrono::seconds{5};
    /// Bodies arrive in pieces of 1 to this many bytes; 0 = as they come.
    std::size_t max_piece = 0;
};

/** What goes wrong between a client and its server: by rule, by chance, or at the test's command. Shared by the test and
    any number of faulty_transports. Thread safe; the same seed and requests give the same faults. */
class fault_plan
{
public:
    explicit fault_plan(std::uint64_t seed = 1);
    ~fault_plan();

    /// Rules are tried in the order in which they were added, before chance.
    void add(fault_rule rule);
    /// Replaces the chances; rules stay.
    void set_chances(const fault_chances& chances);
    /// Removes rules and chances.
    void clear();
    /// While off, nothing goes wrong and no rule counts.
    void enable(bool on);
    /// While down, every connection is refused; those open when it begins are cut.
    void set_down(bool down);
    /// Breaks every answer that is open and every request that waits for one.
    void cut_open();

    /// Counts of requests and of faults so far.
    struct counts
    {
        /// Requests that were seen.
        std::size_t requests = 0;
        /// Requests that something befell.
        std::size_t faults = 0;
        /// Connections that were refused.
        std::size_t refused = 0;
        /// Requests without an answer.
        std::size_t unanswered = 0;
        /// Answers that came late.
        std::size_t delayed = 0;
        /// Requests that were answered in the server's place.
        std::size_t answered = 0;
        /// Bodies that broke off.
        std::size_t cut = 0;
        /// Bodies that went silent.
        std::size_t stalled = 0;
    };
    /// Counts since the beginning.
    [[nodiscard]] counts so_far() const;

    /// For transports: what befalls this request.
    [[nodiscard]] std::optional<fault> decide(const request& r);
    /// For transports: settled by the next cut_open().
    [[nodiscard]] latch next_cut() const;
    /// For transports: the size of the next piece of a body of `available` bytes.
    [[nodiscard]] std::size_t piece(std::size_t available);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace kubecoro::testing
