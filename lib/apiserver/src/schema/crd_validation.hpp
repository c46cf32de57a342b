// Validates a CustomResourceDefinition before it is stored: names, group, versions with their schemas, conversion.
#pragma once

#include "objects/status_errors.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {

/// @param before  The definition that it replaces, whose schemas may stay as they are although a rule costs too much; null for none.
void validate_crd(const boost::json::value& crd, const boost::json::value* before, std::vector<status_cause>& causes);

/// Checks that the fields which determine how objects are stored did not change: scope, kind, group, plural.
void validate_crd_update(const boost::json::value& before, const boost::json::value& after,
                         std::vector<status_cause>& causes);

/// The place of a schema in a definition. A list on the stack: most places are never printed, and a long name may stand above many of them.
struct schema_place
{
    const schema_place* above = nullptr;
    /// ".items"; at the root the path of the schema.
    std::string_view step;
    std::optional<std::string_view> property = {};
    std::optional<std::size_t> index = {};

    [[nodiscard]] std::string text() const
    {
        std::string out = above ? above->text() : std::string();
        out += step;
        if (property) out += '[' + std::string(*property) + ']';
        if (index) out += '[' + std::to_string(*index) + ']';
        return out;
    }
    [[nodiscard]] std::string text(std::string_view member) const { return text() += member; }
};

/// Collects causes up to limits of number and size.
class schema_causes
{
public:
    void add(status_cause cause)
    {
        if (is_full()) return;
        bytes_ += cause.field.size() + cause.message.size();
        found_.push_back(std::move(cause));
    }
    [[nodiscard]] bool is_full() const { return errors::enough(found_) || bytes_ >= most_bytes; }
    [[nodiscard]] bool empty() const noexcept { return found_.empty(); }
    [[nodiscard]] std::vector<status_cause> take() && { return std::move(found_); }

private:
    static constexpr std::size_t most_bytes = std::size_t{1} << 20;

    std::vector<status_cause> found_;
    std::size_t bytes_ = 0;
};

/** Checks the rules of structural schemas: every value has a type, or an extension that permits its absence; what is below anyOf,
    allOf, oneOf and not only restricts values, and has its counterpart outside.

    @return the causes in the order of a kube-apiserver, which sorts them. */
[[nodiscard]] std::vector<status_cause> structural_problems(const boost::json::object& schema, const schema_place& at);

/// @param path        The place of the schema: "spec.validation.openAPIV3Schema".
/// @param has_status  Writes of the status have a path of their own, which restricts the root.
/// @param is_stored   The definition that is replaced has the same schema.
void validate_crd_schema(const boost::json::object& schema, const std::string& path, bool has_status, bool is_stored,
                         std::vector<status_cause>& causes);

/// Returns the formats in a definition that a cluster does not check, sorted. It warns of them.
[[nodiscard]] std::vector<std::string> unrecognized_formats(const boost::json::value& crd);

void validate_crd_conversion(const boost::json::value& crd, std::vector<status_cause>& causes);

/// Checks the JSON types of versions and schemas. @return a 400 with Go's wording, or empty.
[[nodiscard]] std::optional<status_error> check_crd_types(const boost::json::value& crd);

} // namespace kubecoro::apiserver
