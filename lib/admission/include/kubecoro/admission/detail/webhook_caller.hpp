// Sends reviews to webhooks.
#pragma once

#include <kubecoro/admission/detail/admission_webhook.hpp>
#include <kubecoro/admission/webhook_calls.hpp>
#include <kubecoro/base/clock.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace kubecoro::detail {

/// A uid for a review, in the form that a kube-apiserver's have. Each is compared with that of one answer, so that it need not be
/// unpredictable. @param number  That of the review in its request.
[[nodiscard]] std::string review_uid(std::uint64_t number);

/// Thread safe, as far as the function that finds webhooks is.
class webhook_caller
{
public:
    /// @param find  Outlives it. Empty: no webhook can be reached.
    webhook_caller(const find_webhook& find, std::shared_ptr<time_source> time) : find_(find), time_(std::move(time)) {}

    /** Posts a review. @param within  The time that the webhook has.

        @return the body of an answer with the status 200. Errors: the message is in the words of a kube-apiserver. */
    [[nodiscard]] boost::asio::awaitable<result<std::string>> ask(webhook_place at, std::chrono::seconds within,
                                                                  std::string review) const;

private:
    const find_webhook& find_;
    std::shared_ptr<time_source> time_;
};

} // namespace kubecoro::detail
