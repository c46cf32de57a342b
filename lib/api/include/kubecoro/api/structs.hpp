#pragma once

#include <kubecoro/api/detail/struct_type.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/base/result.hpp>

#include <optional>
#include <string>
#include <utility>

namespace kubecoro {

/// How strictly JSON is read into a struct.
enum class struct_rules
{
    /// Fields that the struct does not know, and values that do not fit, are kept in `other_fields` and written back.
    lenient,
    /// Values that do not fit are failures that name the path.
    fitting,
    /// Both are.
    strict
};

namespace detail {

/// As read_root() for a whole object: the struct of a partial one is marked, and refused by strict rules.
[[nodiscard]] std::optional<failure> read_object(const struct_type& type, const object& from, void* into,
                                                 struct_rules rules);
/// Returns the struct as an object, which is partial if the struct is.
[[nodiscard]] result<object> object_of(struct_view of);

} // namespace detail

/** Reads JSON into a struct of generated code, or a described one. Nothing is lost: to_text() gives equal JSON.

        auto pod = read_struct<core_v1::pod>(object);

    Errors: cond::invalid if it is an object of another kind or no object; and by the rules. */
template<class T>
[[nodiscard]] result<T> read_struct(value_view json, struct_rules rules = struct_rules::lenient)
{
    T out = T();
    const auto problem = detail::read_root(detail::struct_of<T>(), json, &out, rules);
    if (problem) return *problem;
    return out;
}

/// The same for a whole object. The struct of a partial one, see object::is_partial(), has a mark in its `other_fields`:
/// writing it back fails. Strict rules refuse it, as they refuse unknown fields in JSON.
template<class T>
[[nodiscard]] result<T> read_struct(const object& o, struct_rules rules = struct_rules::lenient)
{
    T out = T();
    const auto problem = detail::read_object(detail::struct_of<T>(), o, &out, rules);
    if (problem) return *problem;
    return out;
}

/// The same; the kind is known.
template<class T>
[[nodiscard]] result<T> read_struct(const typed_object<T>& o, struct_rules rules = struct_rules::lenient)
{
    return read_struct<T>(o.untyped(), rules);
}

/// Returns the struct as JSON text: the members that are set, in the order of the struct, then other_fields; for a kind
/// with apiVersion and kind.
template<detail::known_struct T>
[[nodiscard]] std::string to_text(const T& value)
{
    std::string out;
    detail::write_root(detail::struct_of<T>(), &value, out);
    return out;
}

/// Returns the struct of a kind as an object; that of a partial one is partial. Errors: as object::parse, such as too deep
/// a nesting.
template<class T>
[[nodiscard]] result<typed_object<T>> to_object(const T& value)
{
    auto made = detail::object_of({&detail::struct_of<T>(), &value});
    if (!made) return made.error();
    return typed_object<T>(std::move(*made));
}

} // namespace kubecoro
