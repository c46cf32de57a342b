// Rules of Go's types that writers of messages share.
#pragma once

#include <kubecoro/api/detail/schema.hpp>

namespace kubecoro::detail {

/// True if Go writes nothing for an absent value.
[[nodiscard]] inline bool may_be_absent(const schema_field& f) noexcept
{
    if (f.has(field_flag::pointer) || f.type == field_type::bytes) return true;
    return f.type == field_type::message && builtin_schemas::message(f.message).form == json_form::array;
}

} // namespace kubecoro::detail
