// The reviews of one request, which is begun again when they are known.
#pragma once

#include <kubecoro/admission/detail/admission_round.hpp>
#include <kubecoro/admission/detail/webhook_caller.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::detail {

/** A write is answered on one strand, without waiting. Where it has to wait for webhooks, it is given up with pending(), the
    webhooks are asked by perform(), and the request begins again: review() then gives the outcome, if the write is still the
    same. Another writer may have changed the object meanwhile, so that the webhooks are asked again. */
class admission_ledger
{
public:
    /// @param find  Outlives it.
    admission_ledger(const find_webhook& find, std::shared_ptr<time_source> time) : caller_(find, std::move(time)) {}

    /** Asks for the outcome of the mutating or the validating webhooks.

        @param now  Null for a deletion. Mutating webhooks change it.
        @return the refusal. Its code is 0 while it is pending(): the request must end without an effect. */
    [[nodiscard]] std::optional<server_status> review(bool mutating, const std::vector<admission_webhook>& webhooks,
                                                      admission_attributes about, const boost::json::value* before,
                                                      boost::json::value* now);
    [[nodiscard]] bool pending() const noexcept { return pending_ != nullptr; }
    /// Asks the webhooks, each within its time. Never fails.
    [[nodiscard]] boost::asio::awaitable<void> perform();
    /// The warnings of all webhooks that count.
    [[nodiscard]] std::vector<std::string> warnings() const;

private:
    struct entry
    {
        std::string key;
        admission_round round;
    };

    webhook_caller caller_;
    /// Those of mutating webhooks, and of validating ones.
    std::unique_ptr<entry> done_[2];
    std::unique_ptr<entry> pending_;
    bool pending_validates_ = false;
    std::uint32_t attempts_ = 0;
    std::uint64_t reviews_ = 0;
};

} // namespace kubecoro::detail
