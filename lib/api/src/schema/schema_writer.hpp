#pragma once

#include "schema/field_rules.hpp"
#include "schema/schema_path.hpp"

#include <boost/json/value.hpp>

#include <vector>

namespace kubecoro::detail {

/// Writes the structural schema of a struct.
class schema_writer
{
public:
    explicit schema_writer(schema_path& path) : path_(path) {}

    /// The schema of a kind. Without meaning if the path has a problem then.
    [[nodiscard]] boost::json::object root(const struct_type& type);

private:
    [[nodiscard]] boost::json::object schema_of(const value_type& type);
    [[nodiscard]] boost::json::object part(const struct_type& type);
    void add_fields(const struct_type& type, boost::json::object& schema);

    schema_path& path_;
    /// The structs that the place is within.
    std::vector<const struct_type*> within_;
};

} // namespace kubecoro::detail
