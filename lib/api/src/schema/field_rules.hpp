#pragma once

#include "schema/schema_path.hpp"

#include <kubecoro/api/detail/struct_type.hpp>
#include <kubecoro/api/field_rule.hpp>

#include <vector>

namespace kubecoro::detail {

/// The rules of one struct.
class field_rules
{
public:
    /// Collects them; fails for those that name no field.
    field_rules(const struct_type& type, schema_path& path);

    /// Adds the rules of a field to its schema. Fails for those that do not suit it.
    void apply(const struct_field& field, boost::json::object& schema) const;
    /// Whether objects must have the field.
    [[nodiscard]] bool requires_field(const struct_field& field) const;

private:
    schema_path& path_;
    std::vector<field_rule> rules_;
};

} // namespace kubecoro::detail
