#include <kubecoro/admission/detail/admission_ledger.hpp>

#include <kubecoro/admission/detail/json_patch.hpp>
#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/detail/written_json.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

/// Times that a write is begun again because others change its object while the webhooks are asked.
constexpr std::uint32_t most_attempts = 10;

/// The object without what differs in each attempt at a write.
json::value comparable(const json::value& object)
{
    json::value out = object;
    auto* metadata = out.is_object() ? out.get_object().if_contains("metadata") : nullptr;
    if (metadata == nullptr || !metadata->is_object()) return out;
    auto& m = metadata->get_object();
    if (m.contains("generateName")) m.erase("name");
    for (const std::string_view name : {"uid", "creationTimestamp", "managedFields"}) m.erase(name);
    return out;
}

std::string key_of(const admission_attributes& about, const json::value* before, const json::value* now)
{
    std::string out(about.operation);
    if (before != nullptr) out += "\n" + written_json(*before);
    if (now != nullptr) out += "\n" + written_json(comparable(*now));
    return out;
}

std::optional<json::value> copied(const json::value* v) { return v != nullptr ? std::optional(*v) : std::nullopt; }

server_status gave_up()
{
    server_status out;
    out.code = 409;
    out.reason = "Conflict";
    out.message = "the object has changed each time while admission webhooks were asked";
    return out;
}

} // namespace

std::optional<server_status> admission_ledger::review(bool mutating, const std::vector<admission_webhook>& webhooks,
                                                      admission_attributes about, const json::value* before,
                                                      json::value* now)
{
    const bool asks = std::ranges::any_of(
        webhooks, [&](const admission_webhook& w) { return w.mutates == mutating && is_asked(w, about, now, before); });
    if (!asks) return {};
    auto key = key_of(about, before, now);
    if (auto& known = done_[mutating ? 0 : 1]; known && known->key == key) {
        if (known->round.refusal()) return known->round.refusal();
        if (now != nullptr && mutating && !apply_json_patch(*now, known->round.patch())) return gave_up();
        return {};
    }
    if (attempts_ >= most_attempts) return gave_up();
    std::vector<admission_webhook> those;
    std::ranges::copy_if(webhooks, std::back_inserter(those), [&](const auto& w) { return w.mutates == mutating; });
    const auto next_uid = [this] { return review_uid(++reviews_); };
    pending_ = std::make_unique<entry>(entry{
        std::move(key), admission_round(std::move(those), std::move(about), copied(now), copied(before), next_uid)});
    pending_validates_ = !mutating;
    return server_status{};
}

asio::awaitable<void> admission_ledger::perform()
{
    ++attempts_;
    while (auto asked = pending_->round.next()) {
        auto answer = co_await caller_.ask(asked->to->place, asked->to->timeout, std::move(asked->body));
        if (answer)
            pending_->round.answered(answer);
        else
            pending_->round.answered(answer.error().because("failed to call webhook: " + answer.error().message()));
    }
    done_[pending_validates_ ? 1 : 0] = std::move(pending_);
}

std::vector<std::string> admission_ledger::warnings() const
{
    std::vector<std::string> out;
    for (const auto& each : done_)
        if (each) out.insert(out.end(), each->round.warnings().begin(), each->round.warnings().end());
    return out;
}

} // namespace kubecoro::detail
