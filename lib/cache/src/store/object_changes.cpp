#include <kubecoro/cache/object_changes.hpp>

namespace kubecoro {
using namespace detail;
namespace {

bool says_nothing(const value_view& v) noexcept
{
    switch (v.kind()) {
    case value_kind::absent:
    case value_kind::null:
        return true;
    case value_kind::object:
    case value_kind::array:
        return v.empty();
    default:
        return false;
    }
}

bool differ(const value_view& before, const value_view& after) noexcept
{
    return !(before == after) && !(says_nothing(before) && says_nothing(after));
}

} // namespace

bool member_changed(const updated<object>& event, std::string_view member) noexcept
{
    return !event.resync() && differ(event.before[member], event.after[member]);
}

bool labels_changed(const updated<object>& event) noexcept
{
    return !event.resync() && differ(event.before.labels(), event.after.labels());
}

bool annotations_changed(const updated<object>& event) noexcept
{
    return !event.resync() && differ(event.before.annotations(), event.after.annotations());
}

} // namespace kubecoro
