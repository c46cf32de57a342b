#include <kubecoro/admission/detail/admission_ledger.hpp>

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
                                                      json::value* now, version_change versions)
{
    const bool asks = std::ranges::any_of(webhooks, [&](const admission_webhook& w) {
        return w.mutates == mutating && version_for(w, about, now, before);
    });
    if (!asks) return {};
    auto key = key_of(about, before, now);
    if (const auto& known = done_[mutating ? 0 : 1]; known && known->key == key) {
        if (known->round.refusal()) return known->round.refusal();
        if (const auto& made = known->round.object().now; now != nullptr && mutating && made) *now = *made;
        return {};
    }
    if (attempts_ >= most_attempts) return gave_up();
    std::vector<admission_webhook> those;
    std::ranges::copy_if(webhooks, std::back_inserter(those), [&](const auto& w) { return w.mutates == mutating; });
    const auto next_uid = [this] { return review_uid(++reviews_); };
    pending_ = std::make_unique<entry>(
        entry{std::move(key),
              admission_round(std::move(those), std::move(about), {copied(now), copied(before)}, conditions_, next_uid),
              std::move(versions), mutating});
    return server_status{};
}

asio::awaitable<result<json::value>> admission_ledger::in_version(entry& of, json::value object, std::string version)
{
    const auto slash = text_in(object, "apiVersion").rfind('/');
    const auto own = std::string(text_in(object, "apiVersion").substr(slash + 1));
    if (own == version || !of.round.about().kind_api_version.empty()) co_return object;
    if (!of.versions) co_return failure(cond::misconfigured, "objects are not converted");
    co_return co_await of.versions(std::move(object), std::move(version));
}

asio::awaitable<void> admission_ledger::ask(entry& of, admission_round::turn turn)
{
    auto& round = of.round;
    written_object shown = round.object();
    for (auto* each : {&shown.now, &shown.before}) {
        if (!*each) continue;
        auto made = co_await in_version(of, **each, turn.version);
        if (!made) co_return round.refuse(internal_error(made.error().message()));
        *each = *std::move(made);
    }
    auto body = round.review(shown);
    if (!body) co_return;
    auto answer = co_await caller_.ask(turn.of->place, turn.of->timeout, *std::move(body));
    if (!answer) answer = answer.error().because("failed to call webhook: " + answer.error().message());
    auto changed = round.answered(answer, std::move(shown.now));
    if (!changed) co_return;
    auto back = co_await in_version(of, *std::move(changed), round.about().version);
    if (!back) co_return round.refuse(internal_error(back.error().message()));
    round.take(*std::move(back));
}

asio::awaitable<void> admission_ledger::perform()
{
    ++attempts_;
    while (auto turn = pending_->round.next()) co_await ask(*pending_, *std::move(turn));
    done_[pending_->mutating ? 0 : 1] = std::move(pending_);
}

void admission_ledger::next_object()
{
    constexpr std::size_t most_warnings = 100;
    auto all = warnings();
    if (all.size() > most_warnings) all.resize(most_warnings);
    earlier_warnings_ = std::move(all);
    for (auto& each : done_) each.reset();
    attempts_ = 0;
}

std::vector<std::string> admission_ledger::warnings() const
{
    auto out = earlier_warnings_;
    for (const auto& each : done_)
        if (each) out.insert(out.end(), each->round.warnings().begin(), each->round.warnings().end());
    return out;
}

} // namespace kubecoro::detail
