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
                                 std::optional<json::value> now, std::optional<json::value> before,
                                 std::function<std::string()> next_uid)
    : about_(std::move(about)), now_(std::move(now)), before_(std::move(before)), next_uid_(std::move(next_uid))
{
    for (auto& w : webhooks) webhooks_.push_back({std::move(w)});
}

bool admission_round::wants(const state& s) const
{
    if (again_ && !(s.webhook.reinvoked && s.asked && s.seen != changes_)) return false;
    return is_asked(s.webhook, about_, pointer(now_), pointer(before_));
}

void admission_round::refuse(server_status why)
{
    if (!refusal_) refusal_ = std::move(why);
}

void admission_round::fail(const admission_webhook& w, std::string_view why)
{
    if (!w.ignores_failures) refuse(failed_call(w, why));
}

std::optional<admission_round::question> admission_round::next()
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
        if (!wants(s)) continue;
        if (about_.dry_run && !s.webhook.without_effects) {
            refuse(no_dry_run(s.webhook));
            continue;
        }
        const auto* conditions = array_in(s.webhook.text, "matchConditions");
        if (conditions != nullptr && !conditions->empty()) {
            fail(s.webhook, "this embedded API server does not evaluate matchConditions");
            continue;
        }
        uid_ = next_uid_();
        return question{&s.webhook, review_of(uid_, about_, pointer(now_), pointer(before_))};
    }
}

void admission_round::answered(const result<std::string>& body)
{
    auto& s = webhooks_[at_++];
    s.asked = true;
    if (!body) return fail(s.webhook, body.error().message());
    const auto read = read_answer(*body, uid_);
    if (!read) return fail(s.webhook, read.error().message());
    warnings_.insert(warnings_.end(), read->warnings.begin(), read->warnings.end());
    if (!read->allowed) return refuse(denied_by(s.webhook, read->status));
    if (s.webhook.mutates && now_) change(s.webhook, read->patch);
    s.seen = changes_;
}

void admission_round::change(const admission_webhook& w, const json::array& operations)
{
    if (operations.empty()) return;
    auto changed = *now_;
    if (!apply_json_patch(changed, operations)) return fail(w, "its JSON patch cannot be applied");
    if (changed == *now_) return;
    now_ = std::move(changed);
    ++changes_;
    patch_.insert(patch_.end(), operations.begin(), operations.end());
}

} // namespace kubecoro::detail
