#include <kubecoro/admission/detail/admission_round.hpp>

#include <kubecoro/admission/detail/json_patch.hpp>
#include <kubecoro/api/detail/json_access.hpp>

#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

const json::value* pointer(const std::optional<json::value>& v) { return v ? &*v : nullptr; }

server_status no_dry_run(const admission_webhook& w)
{
    server_status out;
    out.code = 400;
    out.reason = "BadRequest";
    out.message = "admission webhook \"" + w.name + "\" does not support dry run";
    return out;
}

} // namespace

admission_round::admission_round(std::vector<admission_webhook> webhooks, admission_attributes about,
                                 written_object object, match_conditions conditions,
                                 std::function<std::string()> next_uid)
    : about_(std::move(about)),
      object_(std::move(object)),
      conditions_(std::move(conditions)),
      next_uid_(std::move(next_uid))
{
    for (auto& w : webhooks) webhooks_.push_back({std::move(w)});
}

std::optional<std::string> admission_round::wanted_version(const state& s) const
{
    if (again_ && !(s.webhook.reinvoked && s.asked && s.seen != changes_)) return {};
    return version_for(s.webhook, about_, pointer(object_.now), pointer(object_.before));
}

void admission_round::refuse(server_status why)
{
    if (!refusal_) refusal_ = std::move(why);
}

void admission_round::fail(const admission_webhook& w, std::string_view why)
{
    if (!w.ignores_failures) refuse(failed_call(w, why));
}

std::optional<admission_round::turn> admission_round::next()
{
    for (;; ++at_) {
        if (at_ == webhooks_.size()) {
            const bool may_repeat = !again_ && changes_ > 0;
            if (!may_repeat) return {};
            again_ = true;
            at_ = 0;
        }
        auto& s = webhooks_[at_];
        // A write that is refused already is not changed further.
        if (refusal_ && s.webhook.mutates) return {};
        auto version = wanted_version(s);
        if (!version) continue;
        version_ = *version;
        ++at_;
        return turn{&s.webhook, *std::move(version)};
    }
}

bool admission_round::meets_conditions(const admission_webhook& w, const json::object& request)
{
    const auto* all = array_in(w.text, "matchConditions");
    if (all == nullptr || all->empty()) return true;
    const auto met = conditions_ ? conditions_(*all, request) : failure(cond::misconfigured, "they are not evaluated");
    if (!met && !w.ignores_failures) refuse(forbidden_by(about_, met.error().message()));
    return met && *met;
}

std::optional<std::string> admission_round::review(const written_object& object)
{
    auto& s = webhooks_[at_ - 1];
    uid_ = next_uid_();
    auto request = review_request(uid_, about_, version_, pointer(object.now), pointer(object.before));
    if (!meets_conditions(s.webhook, request)) return {};
    if (about_.dry_run && !s.webhook.without_effects) {
        refuse(no_dry_run(s.webhook));
        return {};
    }
    if (s.webhook.review_version.empty()) {
        fail(s.webhook, "could not create admission objects: webhook does not accept known AdmissionReview versions "
                        "(v1, v1beta1)");
        return {};
    }
    s.asked = true;
    s.seen = changes_;
    return review_of(s.webhook, std::move(request));
}

std::optional<json::value> admission_round::answered(const result<std::string>& body, std::optional<json::value> now)
{
    const auto& w = webhooks_[at_ - 1].webhook;
    const auto read = body ? read_answer(w, *body, uid_) : body.error();
    if (!read) {
        fail(w, read.error().message());
        return {};
    }
    warnings_.insert(warnings_.end(), read->warnings.begin(), read->warnings.end());
    if (!read->allowed) {
        refuse(denied_by(w, read->status));
        return {};
    }
    return patched(w, read->patch, std::move(now));
}

std::optional<json::value> admission_round::patched(const admission_webhook& w, const json::array& operations,
                                                    std::optional<json::value> now)
{
    if (operations.empty()) return {};
    if (!now) {
        refuse(internal_error("admission webhook \"" + w.name +
                              "\" attempted to modify the object, which is not supported for this operation"));
        return {};
    }
    auto changed = *now;
    if (!apply_json_patch(changed, operations) || !changed.is_object()) {
        refuse(internal_error("the JSON patch of the webhook \"" + w.name + "\" cannot be applied"));
        return {};
    }
    return changed == *now ? std::nullopt : std::optional(std::move(changed));
}

void admission_round::take(json::value changed)
{
    object_.now = std::move(changed);
    webhooks_[at_ - 1].seen = ++changes_;
}

} // namespace kubecoro::detail
