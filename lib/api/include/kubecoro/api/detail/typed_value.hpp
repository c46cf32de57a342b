#pragma once
// Structured merging of JSON values by their types: which fields a value has, how two values differ, how they merge.

#include <kubecoro/api/detail/field_set.hpp>
#include <kubecoro/api/detail/merge_type.hpp>

#include <boost/json/value.hpp>

#include <optional>

namespace kubecoro::detail {

/// The fields by which a value differs from an earlier one.
struct field_changes
{
    field_set added;
    field_set modified;
    field_set removed;
};

/// Returns the fields that a value states.
[[nodiscard]] field_set fields_of(const boost::json::value& v, const merge_type& type);

[[nodiscard]] field_changes compare_fields(const boost::json::value& before, const boost::json::value& after,
                                           const merge_type& type);

/// Returns `live` with everything that `config` states. Items keep the order of `config`, between those of `live`.
[[nodiscard]] boost::json::value merge_values(const boost::json::value& live, const boost::json::value& config,
                                              const merge_type& type);

/// Returns a value without these fields. Objects and lists that became empty are null, as a kube-apiserver leaves them.
[[nodiscard]] boost::json::value without_fields(const boost::json::value& v, const field_set& fields,
                                                const merge_type& type);

/// Adds the members that are steps of longer paths, if the schema has them itself.
[[nodiscard]] field_set with_named_steps(const field_set& fields, const merge_type& type);

} // namespace kubecoro::detail
