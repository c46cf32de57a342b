#pragma once
// The schemas of the built-in kinds, as tables: fields, their numbers on the wire, their JSON names and forms, rules of
// patches and of server-side apply, resources and scopes, names in OpenAPI documents. Generated at build time from
// lib/api/schemas/kubernetes.json.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kubecoro::detail {

/// The type of a field, or of the elements of a list or map.
enum class field_type : std::uint8_t
{
    string,
    /// base64 in JSON.
    bytes,
    int32,
    int64,
    boolean,
    real,
    message
};

/// How a message appears in JSON.
enum class json_form : std::uint8_t
{
    object,
    /// The list in field 1.
    array,
    quantity,
    int_or_string,
    time,
    micro_time,
    duration,
    /// The JSON text in field 1.
    raw_json,
    schema_or_array,
    schema_or_bool,
    schema_or_strings
};

/// Properties of a field; a set of bits.
struct field_flag
{
    /// Absent is different from zero.
    static constexpr std::uint16_t pointer = 1;
    static constexpr std::uint16_t omit_empty = 2;
    static constexpr std::uint16_t omit_zero = 4;
    static constexpr std::uint16_t repeated = 8;
    /// A map with text keys: on the wire a list of {1 key, 2 value}.
    static constexpr std::uint16_t map = 16;
    /// Its members belong to the surrounding JSON object.
    static constexpr std::uint16_t inlined = 32;
    /// Patch strategy "merge".
    static constexpr std::uint16_t patch_merge = 64;
    /// Patch strategy "retainKeys".
    static constexpr std::uint16_t patch_retain_keys = 128;
    /// Patch strategy "replace": an object that is replaced, not merged.
    static constexpr std::uint16_t patch_replace = 256;
    /// Null in JSON if it is absent on the wire. Follows from the other properties.
    static constexpr std::uint16_t null_if_absent = 512;
};

/// A member of a message.
struct schema_field
{
    /// On the wire; ascending within a message.
    std::uint16_t number;
    /// Index of the message of its values; 0 and meaningless for other types.
    std::uint16_t message;
    /// Index of its JSON name, see builtin_schemas::text().
    std::uint16_t name;
    /// Index of its patch merge key; 0 = none.
    std::uint16_t merge_key;
    field_type type;
    /// Bits of field_flag.
    std::uint16_t flags;

    [[nodiscard]] constexpr bool has(std::uint16_t flag) const noexcept { return (flags & flag) != 0; }
};

/// A Go struct, or a type with a JSON form of its own.
struct schema_message
{
    /// Its fields are the field_count ones from here on.
    std::uint32_t first_field;
    json_form form;
    std::uint8_t field_count;
    /// Some field is null_if_absent.
    bool has_nulls;
};

/// A kind of one group and version.
struct schema_kind
{
    /// Index of "v1" or "apps/v1".
    std::uint16_t api_version;
    /// Index of "Pod".
    std::uint16_t kind;
    /// Index of the plural; 0 if it is not a resource of its own.
    std::uint16_t resource;
    /// Index of its message.
    std::uint16_t message;
    /// Meaningless if it is not a resource of its own.
    bool namespaced;
};

/// The arrays behind builtin_schemas.
struct schema_tables
{
    std::string_view kubernetes_version;
    /// All texts, one after the other, in bytewise order; the first is empty.
    std::string_view texts;
    /// The offset of each text, and the end of the last.
    std::span<const std::uint16_t> text_offsets;
    std::span<const schema_field> fields;
    std::span<const schema_message> messages;
    /// By API version and kind.
    std::span<const schema_kind> kinds;
    /// Indexes of the kinds that are resources, by API version and plural.
    std::span<const std::uint16_t> resources;
};

/// Defined by the file that make_tables writes at build time.
extern const schema_tables builtin_schema_tables;

/// The tables. Constant and immutable; safe from any thread. The functions that decoders call for each field are inline.
namespace builtin_schemas {
/// Returns the version of Kubernetes that the tables describe, such as "1.37.2".
[[nodiscard]] inline std::string_view kubernetes_version() noexcept { return builtin_schema_tables.kubernetes_version; }
/// Returns all kinds, by API version and kind.
[[nodiscard]] inline std::span<const schema_kind> kinds() noexcept { return builtin_schema_tables.kinds; }
/// Returns the number of messages; their indexes are below it.
[[nodiscard]] inline std::uint16_t message_count() noexcept
{
    return static_cast<std::uint16_t>(builtin_schema_tables.messages.size());
}
/// Returns the message with this index, which must exist.
[[nodiscard]] inline const schema_message& message(std::uint16_t index) noexcept
{
    return builtin_schema_tables.messages[index];
}
/// Returns the fields of a message, by their numbers.
[[nodiscard]] inline std::span<const schema_field> fields(const schema_message& m) noexcept
{
    return {builtin_schema_tables.fields.data() + m.first_field, m.field_count};
}
/// Returns the fields of the message with this index, which must exist.
[[nodiscard]] inline std::span<const schema_field> fields(std::uint16_t index) noexcept
{
    return fields(message(index));
}
/// Returns the text with this index, which must exist; 0 is the empty one.
[[nodiscard]] inline std::string_view text(std::uint16_t index) noexcept
{
    const std::uint16_t* const offset = builtin_schema_tables.text_offsets.data() + index;
    return {builtin_schema_tables.texts.data() + offset[0], static_cast<std::size_t>(offset[1] - offset[0])};
}
/// Returns null if the kind has no schema.
[[nodiscard]] const schema_kind* find(std::string_view api_version, std::string_view kind) noexcept;
/// By plural, as in request paths. Returns null if there is none.
[[nodiscard]] const schema_kind* find_resource(std::string_view api_version, std::string_view plural) noexcept;
/// By JSON name, inlined messages included. Returns null if the message has no such field.
[[nodiscard]] const schema_field* find_field(std::uint16_t message, std::string_view json_name) noexcept;
} // namespace builtin_schemas

/// The message that describes an object. None: the members of maps and of free-form JSON, which have no patch rules.
using patch_shape = std::optional<std::uint16_t>;

/// The shape of a kind's objects; none for a kind without schema.
[[nodiscard]] inline patch_shape patch_shape_of_kind(std::string_view api_version, std::string_view kind) noexcept
{
    const auto* schema = builtin_schemas::find(api_version, kind);
    return schema ? patch_shape(schema->message) : std::nullopt;
}

/// Null if the object's shape has no such field.
[[nodiscard]] inline const schema_field* patch_field(patch_shape message, std::string_view name) noexcept
{
    return message ? builtin_schemas::find_field(*message, name) : nullptr;
}

/// The shape of a field's object, or of the items of its list.
[[nodiscard]] inline patch_shape patch_shape_of(const schema_field* field) noexcept
{
    const bool has_rules = field && field->type == field_type::message && !field->has(field_flag::map) &&
                           builtin_schemas::message(field->message).form == json_form::object;
    return has_rules ? patch_shape(field->message) : std::nullopt;
}

/// How a list is merged; a list without this is replaced.
struct patch_list_rule
{
    /// Empty: a set of scalars.
    std::string_view key;
    patch_shape items;
};

[[nodiscard]] inline std::optional<patch_list_rule> patch_list_rule_of(const schema_field* field) noexcept
{
    if (!field || !field->has(field_flag::patch_merge)) return std::nullopt;
    return patch_list_rule{builtin_schemas::text(field->merge_key), patch_shape_of(field)};
}

/// How a field is merged.
enum class merge_kind : std::uint8_t
{
    /// As a whole.
    atomic,
    /// A list by its items, which are scalars.
    set,
    /// A list by keys of its items.
    by_key
};

/// The rule of one field.
struct merge_rule
{
    /// Index of the field among all fields.
    std::uint32_t field;
    merge_kind kind;
    /// Names of the keys, separated by commas; `=VALUE` in JSON follows a key that has a default value.
    std::string_view keys;
};

/// The arrays behind find_merge_rule() and is_atomic().
struct merge_tables
{
    /// By field.
    std::span<const merge_rule> rules;
    /// Indexes of the messages that are merged as a whole, ascending.
    std::span<const std::uint16_t> atomic_messages;
};

/// Defined by the file that make_tables writes at build time.
extern const merge_tables builtin_merge_tables;

namespace builtin_schemas {
/// Returns the rule of a field of the tables. Null: a list is merged as a whole, a map or an object by its members.
[[nodiscard]] const merge_rule* find_merge_rule(const schema_field& field) noexcept;
/// Whether values of the message are merged as a whole, wherever they are.
[[nodiscard]] bool is_atomic(std::uint16_t message) noexcept;
} // namespace builtin_schemas

/// By the index of the message. Defined by the file that make_tables writes at build time.
extern const std::span<const std::string_view> builtin_message_names;

namespace builtin_schemas {
/// Returns the name of the message with this index, which must exist: "io.k8s.api.core.v1.Pod".
[[nodiscard]] inline std::string_view message_name(std::uint16_t message) noexcept
{
    return builtin_message_names[message];
}
} // namespace builtin_schemas

} // namespace kubecoro::detail
