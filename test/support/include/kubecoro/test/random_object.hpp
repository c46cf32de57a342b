// A random object of a kind, and how it was made.
#pragma once

#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/test/random_values.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubecoro::test {

/// The content of an object besides the fields of its schema.
enum class content
{
    /// Only fields of the schema, with values of their types.
    plain,
    /// The same, and each field is there once at least.
    full,
    /// Also null, unknown fields, and values of other types. Members of maps and items of lists stay right.
    odd
};

/// A random object.
struct random_object
{
    boost::json::object json;
    /// It has an unknown field or a value of another type, which strict reading refuses.
    bool spoiled = false;
};

/// Makes objects of built-in kinds from the tables of their schemas.
class built_in_objects
{
public:
    explicit built_in_objects(std::uint64_t seed) : values_(seed) {}

    [[nodiscard]] random_object make(const detail::schema_kind& kind, content how);

private:
    void fill(boost::json::object& out, std::uint16_t message);
    void add(boost::json::object& out, const detail::schema_field& field);
    [[nodiscard]] boost::json::value value_of(const detail::schema_field& field);
    [[nodiscard]] boost::json::value single(const detail::schema_field& field);
    [[nodiscard]] boost::json::value part(std::uint16_t message);
    [[nodiscard]] boost::json::value wrong(const detail::schema_field& field);
    [[nodiscard]] bool wants();

    random_values values_;
    content how_ = content::plain;
    bool spoiled_ = false;
    /// How many fields the object still gets.
    std::size_t left_ = 0;
    /// The messages around the one that is made.
    std::vector<std::uint16_t> within_;
};

} // namespace kubecoro::test
