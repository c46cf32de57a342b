#include <kubecoro/webhooks/detail/hook_functions.hpp>

#include "review/json_diff_core.hpp"

#include <kubecoro/api/detail/written_json.hpp>
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

result<std::string> patch_of_edit(const struct_type& type, const object& before, void* scratch,
                                  const std::function<void()>& take)
{
    const auto had = before.to_json();
    boost::json::object has = had.get_object();
    const auto change = [&]() -> result<> {
        take();
        return {};
    };
    if (const auto done = edit_as_struct(type, scratch, change, has); !done) return done.error();
    const auto patch = json_patch(had.get_object(), has);
    return patch.empty() ? std::string() : written_json(patch);
}

admission_handler schema_validator(object_schema schema)
{
    const auto check = [schema = std::move(schema)](const admission_request& r) -> result<> {
        if (!r.now) return {};
        const auto now = r.now.to_json();
        return r.before ? schema.check(now, r.before.to_json()) : schema.check(now);
    };
    return [check](const admission_request& r) -> boost::asio::awaitable<result<admission_outcome>> {
        admission_outcome out;
        KUBECORO_TRY(out.answer, as_verdict(check(r)));
        co_return out;
    };
}

} // namespace kubecoro::detail
