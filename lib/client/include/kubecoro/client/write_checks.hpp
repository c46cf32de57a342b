#pragma once

#include <kubecoro/base/clock.hpp>

#include <chrono>
#include <initializer_list>
#include <vector>

namespace kubecoro {

class object_schema;

/// Schemas of kinds: `{schema}`. A value; copies share the schemas.
class schema_list
{
public:
    schema_list();
    /// Takes the schemas.
    schema_list(std::initializer_list<object_schema> all);
    /// Takes the schemas.
    schema_list(std::vector<object_schema> all);
    ~schema_list();
    /// Shares the schemas.
    schema_list(const schema_list&);
    schema_list(schema_list&&) noexcept;
    schema_list& operator=(const schema_list&);
    schema_list& operator=(schema_list&&) noexcept;

    /// The schemas.
    [[nodiscard]] const std::vector<object_schema>& all() const noexcept { return all_; }

private:
    std::vector<object_schema> all_;
};

/** How a client checks writes with field_validation::client before it sends them.

    Objects of custom kinds are checked for unknown and duplicate fields and all that object_schema finds, those of built-in
    kinds for unknown and duplicate fields and wrong types. The failure is cond::invalid, with the server's words in its status(). A patch is
    checked as far as it is sure that the patched object would be refused; a JSON patch is not checked, and neither is a
    subresource other than `status`.

    The schema of a custom kind is that of its CustomResourceDefinition; if the program may not read definitions, that of
    the server's OpenAPI document. It is read when it is first needed, and kept. A kind whose schema cannot be had is
    not checked: the first time of each kind is logged as a warning. */
struct write_checks
{
    /// Checks all writes, also those of helpers: those with field_validation::unset become field_validation::client.
    bool always = false;
    /// Sends objects that are created or replaced with the defaults of their schema filled in. Custom kinds only.
    bool fill_defaults = false;
    /// Used instead of the server's schemas, which are not read then.
    schema_list schemas = {};
    /// A schema is read again when it is older. Before an object is refused by one that is older than ten seconds, it is
    /// read again as well.
    saturating_duration max_age = std::chrono::minutes{10};
};

} // namespace kubecoro
