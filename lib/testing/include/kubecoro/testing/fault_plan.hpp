#pragma once

#include <kubecoro/api/request.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/latch.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::testing {

/// A fault in one request and its answer. Created by the functions below.
struct fault
{
    /// The kinds of faults.
    enum class what
    {
        /// The connection is refused.
        refuse,
        /// No answer arrives until the connection is cut or the wait is cancelled. The server does not get the request.
        no_answer,
        /// The request is sent after a delay of `wait`.
        delay,
        /// The plan answers with `status` and `body`. The server does not get the request.
        answer,
        /// The body breaks off after `after_bytes`.
        cut,
        /// No data arrives after `after_bytes` of the body, until the connection is cut or the wait is cancelled.
        stall
    };
    /// The kind of fault.
    what kind = what::refuse;
    /// For cut and stall: bytes of the body that arrive.
    std::size_t after_bytes = 0;
    /// For delay.
    saturating_duration wait = {};
    /// For answer: the HTTP status code.
    int status = 0;
    /// For answer.
    std::string body = {};
    /// For answer.
    std::vector<std::pair<std::string, std::string>> headers = {};

    /// Refuses the connection.
    [[nodiscard]] static fault refuse();
    /// Never answers.
    [[nodiscard]] static fault no_answer();
    /// Delays the answer.
    [[nodiscard]] static fault delay(duration d);
    /// Answers in the server's place.
    [[nodiscard]] static fault answer(int status, std::string body,
                                      std::vector<std::pair<std::string, std::string>> headers = {});
    /// An answer with a Status body in the server's format. A `retry_after` of 0 s omits the header.
    [[nodiscard]] static fault status_answer(int status, std::string_view reason,
                                             std::chrono::seconds retry_after = std::chrono::seconds{0});
    /// Breaks the body off.
    [[nodiscard]] static fault cut(std::size_t after_bytes);
    /// Goes silent inside the body.
    [[nodiscard]] static fault stall(std::size_t after_bytes);
};

/** Injects faults between a client and its server: by rule, at random, or on the test's request. Shared by the test and
    any number of faulty_transports. Thread safe. The same seed and requests give the same faults. */
class fault_plan
{
public:
    /// Selects the requests that a fault affects.
    struct rule
    {
        /// The fault.
        fault what = {};
        /// Empty: any.
        std::string method = {};
        /// A substring of path and query; empty: any.
        std::string target = {};
        /// The first matching request affected, counted from 1 since the rule was added.
        std::size_t nth = 1;
        /// Number of matching requests affected from there on; 0: all.
        std::size_t times = 1;
    };

    /// Random faults: probabilities per request, in [0, 1]. At most one fault is drawn per request.
    struct chances
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
        /// cut and stall occur after 0 to this many bytes of the body.
        std::size_t max_bytes = 4096;
        /// The longest delay.
        saturating_duration max_delay = std::chrono::seconds{5};
        /// Bodies arrive in pieces of 1 to this many bytes; 0: unchanged.
        std::size_t max_piece = 0;
    };

    /// A plan without rules and chances, so without faults. @param seed  Seeds the random faults.
    explicit fault_plan(std::uint64_t seed = 1);
    ~fault_plan();

    /// Rules are tried in the order in which they were added, before random faults.
    void add(rule r);
    /// Replaces the chances; rules stay.
    void set_chances(const chances& c);
    /// Removes rules and chances.
    void clear();
    /// While off, no faults occur and rules do not count requests.
    void enable(bool on);
    /// While down, every connection is refused. Going down cuts the open connections.
    void set_down(bool down);
    /// Cuts every open answer and every request that waits for an answer.
    void cut_open();

    /// Counts of requests and of faults so far.
    struct counts
    {
        /// Requests that were seen.
        std::size_t requests = 0;
        /// Requests affected by a fault.
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

    /// For transports: decides the fault of this request.
    [[nodiscard]] std::optional<fault> decide(const request& r);
    /// For transports: a latch that the next cut_open() settles.
    [[nodiscard]] latch next_cut() const;
    /// For transports: the size of the next piece when `available` bytes of the body are available.
    [[nodiscard]] std::size_t piece(std::size_t available);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace kubecoro::testing
