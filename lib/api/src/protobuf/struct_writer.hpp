// Turns structs of the built-in kinds into the protobuf messages that Go writes for the same objects.
#pragma once

#include "protobuf/wire_builder.hpp"

#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/api/detail/struct_type.hpp>

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kubecoro::detail {

class struct_members;

/** Writes what message_writer writes for the JSON of a struct, without the JSON.

    It takes up what structs usually hold, and leaves the rest to loss_check and message_writer: unknown fields, values of
    another type, texts that are not UTF-8, free-form numbers with a fraction. The cost is linear. */
class struct_writer
{
public:
    /// Puts the content of a message before that of the builder. False: the JSON has to be looked at, and the content of
    /// the builder is meaningless.
    [[nodiscard]] bool write(std::uint16_t message, struct_view from, wire_builder& out);

    /// A value of some type. Null = absent, which Go writes as zero.
    struct typed_value
    {
        const value_type* type = nullptr;
        const void* value = nullptr;
    };

private:
    [[nodiscard]] bool object(std::uint16_t message, struct_view from);
    [[nodiscard]] bool members(std::uint16_t message, struct_members& from);
    [[nodiscard]] bool field(const schema_field& f, struct_members& from);
    [[nodiscard]] bool list(const schema_field& f, typed_value from);
    [[nodiscard]] bool map(const schema_field& f, typed_value from);
    /// Writes a value as the field `number`.
    [[nodiscard]] bool value(const schema_field& f, std::uint32_t number, typed_value from);
    [[nodiscard]] bool text(std::uint32_t number, std::string_view content);
    [[nodiscard]] bool integer(const schema_field& f, std::uint32_t number, typed_value from);
    [[nodiscard]] bool real(std::uint32_t number, typed_value from);
    [[nodiscard]] bool message_content(std::uint16_t message, typed_value from);
    [[nodiscard]] bool quantity(typed_value from);
    [[nodiscard]] bool int_or_string(typed_value from);
    [[nodiscard]] bool time(typed_value from);
    [[nodiscard]] bool micro_time(typed_value from);
    [[nodiscard]] bool point(std::int64_t seconds, std::int64_t nanos);
    [[nodiscard]] bool duration(typed_value from);
    [[nodiscard]] bool raw_json(typed_value from);

    wire_builder* out_ = nullptr;
    std::size_t depth_ = 0;
};

} // namespace kubecoro::detail
