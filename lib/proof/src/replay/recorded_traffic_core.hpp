// Answers for the requests of a replay, and how these differ from the recorded ones.
#pragma once

#include <kubecoro/client/detail/recording.hpp>
#include <kubecoro/client/detail/request_route.hpp>
#include <kubecoro/proof/replay.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kubecoro::testing::detail {

using kubecoro::detail::recorded_exchange;

class recorded_traffic_core
{
public:
    /// @param ignored  Paths of fields that do not count.
    recorded_traffic_core(std::vector<recorded_exchange> all, std::vector<std::string> ignored);

    /// The answer to the operator's next request. A read that the recording does not have gets what was last seen.
    [[nodiscard]] recorded_exchange answer(const request& r, std::chrono::microseconds now);
    /// The number of the recorded write that the event follows from; 0 = it follows from none.
    [[nodiscard]] std::uint64_t cause_of(const recorded_exchange& watch,
                                         const kubecoro::detail::recorded_event& e) const;
    /// Whether the operator has sent that write.
    [[nodiscard]] bool was_sent(std::uint64_t cause) const { return cause == 0 || sent_.contains(cause); }
    /// An event was delivered.
    void saw_event(const recorded_exchange& watch, const std::string& text);
    /// Adds the requests that are missing. @return the report.
    [[nodiscard]] replay_report finish();
    /// The time of the last record.
    [[nodiscard]] std::chrono::microseconds length() const noexcept { return length_; }

private:
    void compare(const kubecoro::detail::request_route& route, const recorded_exchange* recorded, const request& r,
                 std::chrono::microseconds now);
    [[nodiscard]] recorded_exchange made_up(const kubecoro::detail::request_route& route, const request& r) const;
    void keep(const kubecoro::detail::request_route& route, const std::string& body);
    [[nodiscard]] std::string comparable(const std::string& body) const;

    std::map<std::string, std::deque<recorded_exchange>> left_;
    /// The last answer to each read.
    std::map<std::string, recorded_exchange> last_;
    /// Objects as the operator has seen them, by resource, namespace and name.
    std::map<std::string, std::string> seen_;
    /// Writes by the object and the version that they have made; those that delete, by the object alone.
    std::map<std::string, std::uint64_t> causes_;
    std::set<std::uint64_t> sent_;
    std::vector<std::string> ignored_;
    std::chrono::microseconds length_{0};
    replay_report report_;
};

} // namespace kubecoro::testing::detail
