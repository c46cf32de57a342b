// Asks the webhooks about one write, one after the other. Sans-io.
#pragma once

#include <kubecoro/admission/detail/admission_webhook.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** Evaluates the conditions of a webhook.

    @param request  The member `request` of its review. @return whether none is false. Errors: why they cannot be evaluated. */
using match_conditions =
    std::function<result<bool>(const boost::json::array& conditions, const boost::json::object& request)>;

/// The object of a write as it will be and as it is, in one version. Without a value: there is none.
struct written_object
{
    std::optional<boost::json::value> now = {};
    std::optional<boost::json::value> before = {};
};

/** Mutating webhooks in their order, each of which sees the changes of those before; then, once, those again that want to be
    asked about changes of later ones. Or validating webhooks, all of them: the first refusal counts.

    For each: next(); review() of the object in its version; answered(); take() of the changed object. */
class admission_round
{
public:
    /// A webhook that may have to be asked.
    struct turn
    {
        const admission_webhook* of;
        /// The version in which it is asked.
        std::string version;
    };

    /// @param next_uid  Makes the uid of a review.
    admission_round(std::vector<admission_webhook> webhooks, admission_attributes about, written_object object,
                    match_conditions conditions, std::function<std::string()> next_uid);

    /// The next webhook. Nothing: the outcome is known.
    [[nodiscard]] std::optional<turn> next();
    /// The body of its review. Nothing: it is not asked. @param object  In the version of its turn.
    [[nodiscard]] std::optional<std::string> review(const written_object& object);
    /** Takes the answer. @param body  That of an answer with the status 200. The message of a failure is in the words of a
        kube-apiserver. @param now  The object that was reviewed. @return the object as the webhook wants it, in the same
        version; nothing: as it was. */
    [[nodiscard]] std::optional<boost::json::value> answered(const result<std::string>& body,
                                                             std::optional<boost::json::value> now);
    /// Takes what answered() has returned, in the version of the request.
    void take(boost::json::value changed);
    void refuse(server_status why);

    /// The object, with all changes, in the version of the request.
    [[nodiscard]] const written_object& object() const noexcept { return object_; }
    [[nodiscard]] const admission_attributes& about() const noexcept { return about_; }
    /// Why the write is refused.
    [[nodiscard]] const std::optional<server_status>& refusal() const noexcept { return refusal_; }
    [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }

private:
    struct state
    {
        admission_webhook webhook;
        /// Changes of the object up to its last turn.
        std::uint64_t seen = 0;
        bool asked = false;
    };
    [[nodiscard]] std::optional<std::string> wanted_version(const state& s) const;
    void fail(const admission_webhook& w, std::string_view why);
    [[nodiscard]] bool meets_conditions(const admission_webhook& w, const boost::json::object& request);
    [[nodiscard]] std::optional<boost::json::value>
    patched(const admission_webhook& w, const boost::json::array& operations, std::optional<boost::json::value> now);

    std::vector<state> webhooks_;
    const admission_attributes about_;
    written_object object_;
    const match_conditions conditions_;
    const std::function<std::string()> next_uid_;
    std::size_t at_ = 0;
    bool again_ = false;
    std::uint64_t changes_ = 0;
    std::string uid_;
    std::string version_;
    std::optional<server_status> refusal_;
    std::vector<std::string> warnings_;
};

} // namespace kubecoro::detail
