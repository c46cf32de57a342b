#include <kubecoro/webhooks/detail/hook_functions.hpp>

#include "review/json_diff_core.hpp"
#include "review/struct_change_core.hpp"

#include <kubecoro/api/detail/written_json.hpp>
#include <kubecoro/cel/object_validator.hpp>
#include <kubecoro/client/struct_edit.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace kubecoro::detail {

bool is_refusal(const failure& why) noexcept
{
    if (!why.method().empty()) return false;
    if (const auto* status = why.status()) return status->code >= 400 && status->code < 500;
    return why == cond::invalid || why == cond::forbidden;
}

result<std::string> patch_of_edit(const struct_type& type, const object& before, const void* unedited,
                                  const void* edited)
{
    const auto change = change_between(type, before.root(), unedited, edited);
    if (!change.unwritable.empty()) return failure(cond::internal, "the edited " + change.unwritable + " is no JSON");
    if (change.empty()) return std::string();
    // Members of the whole object are never replaced because of their size, so that the others are not needed.
    boost::json::object had;
    for (const auto* each : {&change.was, &change.is})
        for (const auto& m : *each)
            if (const auto present = before[m.key()]) had[m.key()] = present.to_json();
    auto has = had;
    bring_over(change.was, change.is, has);
    const auto patch = json_patch(had, has);
    return patch.empty() ? std::string() : written_json(patch);
}

admission_handler schema_validator(object_schema schema)
{
    auto valid = cel::object_validator::of(std::move(schema));
    if (!valid) throw error(valid.error());
    const auto check = [valid = *std::move(valid)](const admission_request& r) -> result<> {
        if (!r.now) return {};
        const auto now = r.now.to_json();
        return r.before ? valid.check(now, r.before.to_json()) : valid.check(now);
    };
    return {[check](const admission_request& r) -> boost::asio::awaitable<result<admission_outcome>> {
                admission_outcome out;
                KUBECORO_TRY(out.answer, as_verdict(check(r)));
                co_return out;
            },
            false};
}

} // namespace kubecoro::detail
