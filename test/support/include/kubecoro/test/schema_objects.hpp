// Random objects of custom resources.
#pragma once

#include <kubecoro/api/validation.hpp>
#include <kubecoro/test/random_object.hpp>
#include <kubecoro/test/random_values.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kubecoro::test {

/** Makes objects that a structural schema accepts, from the schema.

    Values with bounds, patterns and the like are chosen from candidates by object_schema, part by part; CEL rules
    are ignored, and metadata is small. No member has a name that the schema does not know. */
class schema_objects
{
public:
    /// @param schema  The content of `openAPIV3Schema`. Must outlive this.
    schema_objects(const boost::json::object& schema, std::uint64_t seed) : schema_(schema), values_(seed) {}

    /// @param how  plain, or full: each field is there if it can be. Empty if none was found.
    [[nodiscard]] std::optional<boost::json::object> make(const resource_type& type, content how);

    /// The paths of the properties that no object has had so far, such as "spec.rules[].host".
    [[nodiscard]] std::vector<std::string> missing() const;

private:
    using found = std::optional<boost::json::value>;

    [[nodiscard]] found value_of(const boost::json::object& schema);
    [[nodiscard]] found any_try(const boost::json::object& schema);
    [[nodiscard]] found candidate(const boost::json::object& schema);
    [[nodiscard]] found list_of(const boost::json::object& schema);
    [[nodiscard]] found object_of(const boost::json::object& schema);
    bool add_properties(boost::json::object& out, const boost::json::object& schema);
    bool add_entries(boost::json::object& out, const boost::json::object& schema);
    [[nodiscard]] boost::json::value free_value(const boost::json::object& schema);
    [[nodiscard]] std::vector<boost::json::value> make_candidates(const boost::json::object& schema);
    [[nodiscard]] bool accepts(const boost::json::object& schema, const boost::json::value& value);
    [[nodiscard]] bool wants();

    const boost::json::object& schema_;
    random_values values_;
    content how_ = content::plain;
    /// How many optional fields the object still gets.
    std::size_t left_ = 0;
    std::size_t depth_ = 0;
    std::map<const boost::json::object*, object_schema> compiled_;
    std::map<const boost::json::object*, std::vector<boost::json::value>> candidates_;
    std::set<const boost::json::object*> made_;
};

} // namespace kubecoro::test
