#pragma once
// Turns protobuf messages into the tapes that the JSON of the same objects gives.

#include "protobuf/wire_cursor.hpp"
#include "storage/former_sections.hpp"
#include "tape/field_filter.hpp"
#include "text/go_text.hpp"

#include <kubecoro/api/detail/schema.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kubecoro::detail {

inline constexpr std::string_view claim_kind = "PersistentVolumeClaim";
inline constexpr std::string_view claim_api_version = "v1";

/// The JSON of a kube-apiserver has kind and apiVersion in these objects; the message has no place for them.
[[nodiscard]] inline bool is_claim_template(const schema_field& f) noexcept
{
    static const schema_kind* const claim = builtin_schemas::find(claim_api_version, claim_kind);
    return claim != nullptr && f.message == claim->message && f.has(field_flag::repeated) &&
           builtin_schemas::text(f.name) == "volumeClaimTemplates";
}

/** Writes messages of the built-in kinds as events of a tape.

    The rules follow from how Go writes the types as JSON: docs/decisions/0017-protobuf.md. Fields must come in the
    order of their numbers, as every API server writes them. */
class message_reader
{
public:
    /// @param tape       Outlives the reader.
    /// @param max_depth  The tape's limit.
    message_reader(pruned_tape& tape, std::size_t max_depth) noexcept : tape_(tape), max_depth_(max_depth) {}

    /// Prepares for the next object.
    void begin() noexcept
    {
        unknown_fields_ = 0;
        problem_ = {};
        former_ = nullptr;
        digests_ = {};
        reads_fields_ = false;
        if (scratch_.capacity() > kept_capacity) std::string().swap(scratch_);
    }
    /// After begin(): takes digests of the object's sections, and copies those that the former state has.
    /// @param former  Outlives the call of object().
    void compare_with(former_sections& former) noexcept { former_ = &former; }
    /// Writes a whole object. Empty type = its kind and apiVersion are left to the caller. False: problem() says why.
    [[nodiscard]] bool object(std::uint16_t message, std::string_view api_version, std::string_view kind,
                              std::string_view bytes);

    /// Fields that the schema does not have, passed over since begin().
    [[nodiscard]] std::size_t unknown_fields() const noexcept { return unknown_fields_; }
    /// Digests of the object's sections. None if it has unknown fields, which must be counted in the next state, too.
    [[nodiscard]] section_digests digests() const noexcept
    {
        return unknown_fields_ == 0 ? digests_ : section_digests{};
    }
    /// Empty if a limit of the tape was exceeded.
    [[nodiscard]] std::string_view problem() const noexcept { return problem_; }

private:
    /// A larger buffer is freed before the next object.
    static constexpr std::size_t kept_capacity = std::size_t{1} << 20;

    struct wire_time
    {
        std::int64_t seconds = 0;
        std::int32_t nanos = 0;
        /// Go's zero time, which is null in JSON.
        bool is_none = false;
    };

    [[nodiscard]] bool members(std::uint16_t message, std::string_view bytes);
    /// Counts a field that the schema does not have, and moves `in` behind its last occurrence.
    [[nodiscard]] bool pass_over(const wire_field& unknown, wire_cursor& in);
    /// Reads the fields 1 to N of a message without members of its own. Number 0 = it is absent.
    template<std::size_t N>
    [[nodiscard]] bool short_message(std::string_view content, const std::array<wire_type, N>& types,
                                     std::array<wire_field, N>& out);
    /// None: the message is damaged.
    [[nodiscard]] std::optional<wire_time> read_time(std::string_view content, bool micro);
    /// True if Go's `omitempty` or `omitzero` leaves the value out.
    [[nodiscard]] bool is_omitted(const schema_field& f, const wire_field& w);
    /// Writes a field that has one value.
    [[nodiscard]] bool single(const schema_field& f, const wire_field& w);
    /// Writes the values of fields without content on the wire.
    [[nodiscard]] bool absent(std::span<const schema_field> fields);
    /// Writes a list or map, whose first element is `first`, and moves `in` behind its last one.
    [[nodiscard]] bool run(const schema_field& f, const wire_field& first, const char* begin, wire_cursor& in);
    /// The same behind its key.
    [[nodiscard]] bool run_values(const schema_field& f, const wire_field& first, const char* begin, wire_cursor& in);
    /// Writes the elements from `first` on, and moves `in` behind the last one.
    [[nodiscard]] bool elements(const schema_field& f, const wire_field& first, wire_cursor& in);
    /// Writes a list whose elements are all of the text.
    [[nodiscard]] bool list(const schema_field& f, std::string_view all);
    [[nodiscard]] bool element(const schema_field& f, const wire_field& w);
    [[nodiscard]] bool entry(const schema_field& f, std::string_view content);
    [[nodiscard]] bool packed(const schema_field& f, std::string_view content);
    [[nodiscard]] bool value(const schema_field& f, const wire_field& w);
    [[nodiscard]] bool message_value(const schema_field& f, std::string_view content);
    [[nodiscard]] bool object_value(const schema_field& f, std::string_view content);
    [[nodiscard]] bool named_list(const schema_field& f, std::string_view content);
    [[nodiscard]] bool int_or_string(std::string_view content);
    [[nodiscard]] bool time(std::string_view content, bool micro);
    [[nodiscard]] bool raw_json(const schema_field& f, std::string_view content);
    /// Writes the value of a section that the former state has. False: its events must follow.
    [[nodiscard]] bool copy_spec(const schema_field& f, std::string_view content);
    [[nodiscard]] bool copy_fields();
    /// Called before metadata.managedFields, whose first entry is `first`.
    void compare_fields(const wire_field& first, wire_cursor in);
    /// @param before  The digest of the texts in front of this one, or the type of the section.
    [[nodiscard]] std::uint64_t digest_of(std::string_view text, std::uint64_t before) const noexcept;
    /// One of: a schema, or what the field `other` of the message holds.
    [[nodiscard]] bool schema_or(const schema_field& f, std::string_view content);
    [[nodiscard]] bool key(std::string_view name) { return tape_.key(name); }
    [[nodiscard]] bool key(const schema_field& f)
    {
        const auto index = &f - builtin_schema_tables.fields.data();
        return tape_.field(static_cast<std::uint16_t>(index + 1), builtin_schemas::text(f.name));
    }
    [[nodiscard]] bool text(std::string_view bytes);
    /// Writes a text that was not here before.
    [[nodiscard]] bool new_text(std::string_view bytes);
    [[nodiscard]] bool real(double value);
    bool fail(const char* why);

    pruned_tape& tape_;
    /// The items of the list that is being read: never null, unlike other lists. Null = it is not a list.
    const schema_field* items_ = nullptr;
    std::size_t unknown_fields_ = 0;
    std::string scratch_;
    time_texts times_;
    std::string_view problem_;
    std::size_t max_depth_;
    /// Null: sections are not compared.
    former_sections* former_ = nullptr;
    section_digests digests_;
    /// The object's managedFields are being read, and each fieldsV1 is that of the former state.
    bool reads_fields_ = false;
};

} // namespace kubecoro::detail
