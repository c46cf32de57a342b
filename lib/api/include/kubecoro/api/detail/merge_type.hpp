#pragma once
// How a value is merged: by the schema of a built-in kind, by the structural schema of a custom resource, or by its own form.

#include <kubecoro/api/detail/schema.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// A key of the items of a list.
struct list_key
{
    std::string name;
    /// The value of items without the key.
    std::optional<boost::json::value> otherwise = {};
};

/// A view of the type of a value. The schema that it was made from must outlive it.
class merge_type
{
public:
    enum class form
    {
        /// Merged as a whole: a scalar, or an atomic list or object.
        leaf,
        /// An object, merged by its members.
        members,
        /// A list of scalars that are members of a set.
        set,
        /// A list of objects that keys tell apart.
        by_key
    };

    /// The form of JSON that a type wants, not looking at what is in it.
    enum class wanted
    {
        object,
        array,
        text,
        number,
        boolean,
        anything
    };

    /// The type of the objects of a built-in kind; empty if there is no such kind.
    [[nodiscard]] static std::optional<merge_type> of_kind(std::string_view api_version, std::string_view kind);
    /// The type of the objects of a custom kind. The schema is an `openAPIV3Schema`.
    [[nodiscard]] static merge_type of_custom(const boost::json::value& schema);
    /// The type of objects without a schema: objects are merged by their members, lists as a whole.
    [[nodiscard]] static merge_type of_any_object();

    /// How values of the type are merged. Absent and null values take every form.
    /// @param v  Decides where the type allows several forms.
    [[nodiscard]] form form_of(const boost::json::value& v) const;

    /// Whether the schema has this member itself, not as one key of a map.
    [[nodiscard]] bool declares(std::string_view name) const;
    /// Whether an object may have this member.
    [[nodiscard]] bool allows(std::string_view name) const;
    [[nodiscard]] merge_type member(std::string_view name) const;
    [[nodiscard]] merge_type item() const;
    /// The keys of the items of a list that is merged by keys.
    [[nodiscard]] std::vector<list_key> keys() const;
    [[nodiscard]] wanted wants() const;

private:
    enum class source
    {
        /// Anything, merged as a whole.
        untyped,
        /// Anything; objects are merged by their members.
        deduced,
        message,
        field,
        /// A scalar in a list or map.
        element,
        schema
    };

    explicit merge_type(source s) : source_(s) {}
    [[nodiscard]] static merge_type of_message(std::uint16_t message);
    [[nodiscard]] static merge_type of_field(const schema_field& field);
    [[nodiscard]] static merge_type of_elements(const schema_field& field);
    [[nodiscard]] static merge_type of_schema(const boost::json::value& schema, bool keeps_unknown);
    [[nodiscard]] form form_of_field(const boost::json::value& v) const;
    [[nodiscard]] form form_of_schema(const boost::json::value& v) const;

    source source_;
    std::uint16_t message_ = 0;
    const schema_field* field_ = nullptr;
    schema_field element_{};
    const boost::json::value* schema_ = nullptr;
    /// Members that the structural schema does not have are kept, here and below.
    bool keeps_unknown_ = false;
    /// The object has metadata, kind and apiVersion.
    bool is_object_ = false;
};

} // namespace kubecoro::detail
