// The reviews of one request, which is begun again when they are known.
#pragma once

#include <kubecoro/admission/detail/admission_round.hpp>
#include <kubecoro/admission/detail/webhook_caller.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// Brings an object with kind and apiVersion into another version of its kind. Errors: in the words of a kube-apiserver.
using version_change =
    std::function<boost::asio::awaitable<result<boost::json::value>>(boost::json::value object, std::string version)>;

/** A write is answered on one strand, without waiting. Where it has to wait for webhooks, it is given up with pending(), the
    webhooks are asked by perform(), and the request begins again: review() then gives the outcome, if the write is still the
    same. Another writer may have changed the object meanwhile, so that the webhooks are asked again. */
class admission_ledger
{
public:
    /// @param find  Outlives it. @param conditions  Empty: webhooks with conditions fail.
    admission_ledger(const find_webhook& find, std::shared_ptr<time_source> time, match_conditions conditions = {})
        : caller_(find, std::move(time)), conditions_(std::move(conditions))
    {
    }

    /** Asks for the outcome of the mutating or the validating webhooks.

        @param now  Null for a deletion. Mutating webhooks change it. @param versions  Called for webhooks that are asked in
        another version than that of the request; it may wait.
        @return the refusal. Its code is 0 while it is pending(): the request must end without an effect. */
    [[nodiscard]] std::optional<server_status> review(bool mutating, const std::vector<admission_webhook>& webhooks,
                                                      admission_attributes about, const boost::json::value* before,
                                                      boost::json::value* now, version_change versions = {});
    [[nodiscard]] bool pending() const noexcept { return pending_ != nullptr; }
    /// Asks the webhooks, each within its time. Never fails.
    [[nodiscard]] boost::asio::awaitable<void> perform();
    /// Begins with the next object of a request about several; warnings stay.
    void next_object();
    /// The warnings of all webhooks that count.
    [[nodiscard]] std::vector<std::string> warnings() const;

private:
    struct entry
    {
        std::string key;
        admission_round round;
        version_change versions;
        bool mutating;
    };
    /// Has the webhook of a turn asked, and its changes taken.
    [[nodiscard]] boost::asio::awaitable<void> ask(entry& of, admission_round::turn turn);
    [[nodiscard]] static boost::asio::awaitable<result<boost::json::value>>
    in_version(entry& of, boost::json::value object, std::string version);

    webhook_caller caller_;
    match_conditions conditions_;
    /// Those of mutating webhooks, and of validating ones.
    std::unique_ptr<entry> done_[2];
    std::unique_ptr<entry> pending_;
    std::vector<std::string> earlier_warnings_;
    std::uint32_t attempts_ = 0;
    std::uint64_t reviews_ = 0;
};

} // namespace kubecoro::detail
