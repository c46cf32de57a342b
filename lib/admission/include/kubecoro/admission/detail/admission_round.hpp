// Asks the webhooks about one write, one after the other. Sans-io.
#pragma once

#include <kubecoro/admission/detail/admission_webhook.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::detail {

/** Mutating webhooks in their order, each of which sees the changes of those before; then, once, those again that want to be
    asked about changes of later ones. Or validating webhooks, all of them: the first refusal counts. */
class admission_round
{
public:
    struct question
    {
        const admission_webhook* to;
        std::string body;
    };

    /// @param now, before  Without a value: there is none. @param next_uid  Makes the uid of a review.
    admission_round(std::vector<admission_webhook> webhooks, admission_attributes about,
                    std::optional<boost::json::value> now, std::optional<boost::json::value> before,
                    std::function<std::string()> next_uid);

    /// The next webhook to ask; then answered(). Nothing: the outcome is known.
    [[nodiscard]] std::optional<question> next();
    /// @param body  That of an answer with the status 200. The message of a failure is in the words of a kube-apiserver.
    void answered(const result<std::string>& body);

    /// Why the write is refused.
    [[nodiscard]] const std::optional<server_status>& refusal() const noexcept { return refusal_; }
    /// All operations that changed the object.
    [[nodiscard]] const boost::json::array& patch() const noexcept { return patch_; }
    [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }

private:
    struct state
    {
        admission_webhook webhook;
        /// Changes of the object up to the time at which it was asked.
        std::uint64_t seen = 0;
        bool asked = false;
    };
    [[nodiscard]] bool wants(const state& s) const;
    void refuse(server_status why);
    void fail(const admission_webhook& w, std::string_view why);
    void change(const admission_webhook& w, const boost::json::array& operations);

    std::vector<state> webhooks_;
    const admission_attributes about_;
    std::optional<boost::json::value> now_;
    const std::optional<boost::json::value> before_;
    const std::function<std::string()> next_uid_;
    std::size_t at_ = 0;
    bool again_ = false;
    std::uint64_t changes_ = 0;
    std::string uid_;
    std::optional<server_status> refusal_;
    boost::json::array patch_;
    std::vector<std::string> warnings_;
};

} // namespace kubecoro::detail
