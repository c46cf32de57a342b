// Answers requests of servers: finds the webhook, calls its function within the time, and counts.
#pragma once

#include "table/conversion_table_core.hpp"
#include "table/hook_names_core.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/line_limit.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/webhooks/webhooks.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// Thread safe; the functions of different reviews may run at the same time, where its callers do.
class hook_table
{
public:
    struct surroundings
    {
        std::shared_ptr<time_source> time;
        logger log;
        std::shared_ptr<metrics> numbers;
    };
    explicit hook_table(surroundings with);

    /// Errors: cond::misconfigured.
    [[nodiscard]] result<> add(hook_entry hook, admission_handler handler);
    [[nodiscard]] result<> add(const resource_type& spoke, const resource_type& hub, version_step up,
                               version_step down);

    [[nodiscard]] boost::asio::awaitable<webhook_reply> answer(webhook_call call);
    [[nodiscard]] result<boost::json::object> convert(const boost::json::object& from, std::string_view wanted) const;

    /// The refusal of a request by its head, as answer() would refuse it. @param head  Without its body.
    [[nodiscard]] std::optional<webhook_reply> refuse_early(const webhook_call& head);
    /// The most bytes that the body of a request to this target may have.
    [[nodiscard]] std::size_t most_bytes(std::string_view target) const noexcept;
    /// Counts and logs a request, or a connection, that the server of the table has refused. @param why  A label.
    void note_refusal(std::string_view why, std::string_view words);

    /// In the order of their paths.
    [[nodiscard]] std::vector<hook_entry> hooks() const;
    /// The kinds with conversions.
    [[nodiscard]] std::vector<resource_type> converted() const;

private:
    struct hook;
    [[nodiscard]] std::shared_ptr<hook> find(std::string_view path) const;
    [[nodiscard]] boost::asio::awaitable<webhook_reply> review(std::shared_ptr<hook> h, webhook_call call);
    [[nodiscard]] webhook_reply convert(const webhook_call& call);
    [[nodiscard]] webhook_reply refuse(int status, std::string_view why, std::string words);
    void note_failure(hook& h, const admission_request& r, const failure& why);

    const surroundings with_;
    mutable std::mutex mutex_;
    std::map<std::string, std::shared_ptr<hook>, std::less<>> hooks_;
    conversion_table conversions_;
    std::uint32_t reviews_ = 0;
    line_limit lines_;
};

} // namespace kubecoro::detail
