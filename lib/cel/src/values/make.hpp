// Makes and takes apart values.
#pragma once

#include "text/times.hpp"
#include "values/data.hpp"

#include <initializer_list>

namespace kubecoro::cel::detail {

[[nodiscard]] value make_error(std::string words);
[[nodiscard]] value no_such_overload();
/// A text that lives longer than the value.
[[nodiscard]] value make_static(std::string_view text);
/// A text that `held` keeps.
[[nodiscard]] value make_part(std::string_view text, std::shared_ptr<const payload> held);
[[nodiscard]] value make_bytes(std::string from);
[[nodiscard]] value make_map(std::vector<map_entry> entries);
[[nodiscard]] value make_timestamp(instant time);
[[nodiscard]] value make_duration(std::int64_t nanoseconds);
/// The name must live longer than the value.
[[nodiscard]] value make_type(std::string_view name);
[[nodiscard]] value make_none();
[[nodiscard]] value make_optional(value item);
[[nodiscard]] value make_opaque(std::shared_ptr<const opaque_data> held);
/// A part of an object. Without a schema, by the kinds of JSON.
[[nodiscard]] value make_from(source from, const schema_node* schema);

[[nodiscard]] inline bool is_error(const value& of) noexcept { return of.is(value_type::error); }
[[nodiscard]] inline const list_data& list_of(const value& of) { return static_cast<const list_data&>(*of.held()); }
[[nodiscard]] inline const map_data& map_of(const value& of) { return static_cast<const map_data&>(*of.held()); }
[[nodiscard]] inline instant instant_of(const value& of) noexcept { return {of.as_int(), of.nanoseconds()}; }
/// The value inside an optional; null if there is none.
[[nodiscard]] const value* inside(const value& optional) noexcept;
/// The contents of an opaque value of a kind; null for everything else.
[[nodiscard]] const opaque_data* opaque_of(const value& of, opaque_kind kind) noexcept;

/// The name of the type of a value.
[[nodiscard]] std::string_view type_name(const value& of) noexcept;

} // namespace kubecoro::cel::detail
