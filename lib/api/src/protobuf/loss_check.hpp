// Finds the parts of a JSON object that its protobuf form would lose.
#pragma once

#include "protobuf/field_problem.hpp"

#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/api/value_view.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** Compares a JSON object with the schema of its kind, for everything that message_writer passes over: members that the
    schema does not have, members that occur twice, and values that a server reads from JSON in another way, or refuses.
    Values of the wrong type are left to message_writer. */
class loss_check
{
public:
    /// True: nothing is lost. False: problem() says which field has which problem.
    [[nodiscard]] bool passes(const schema_kind& kind, value_view object);
    [[nodiscard]] std::string problem() const { return problem_.text(); }

private:
    /// The kind and apiVersion that an object may state, although they are no fields of its message. Empty = none.
    struct stated_type
    {
        std::string_view api_version;
        std::string_view kind;
    };

    [[nodiscard]] bool members(std::uint16_t message, value_view object, const stated_type& type);
    [[nodiscard]] bool member(std::uint16_t message, std::string_view name, value_view v, const stated_type& type);
    [[nodiscard]] bool field(const schema_field& f, value_view v);
    [[nodiscard]] bool items(const schema_field& f, value_view array);
    [[nodiscard]] bool value(const schema_field& f, value_view v);
    [[nodiscard]] bool message(const schema_field& f, value_view v);
    [[nodiscard]] bool quantity(value_view v);
    [[nodiscard]] bool schema_or(std::uint16_t message, value_view v);
    [[nodiscard]] bool raw_json(value_view v);
    [[nodiscard]] bool distinct(value_view object);

    field_problem problem_;
    /// The names of one object, while they are compared.
    std::vector<std::string_view> names_;
};

} // namespace kubecoro::detail
