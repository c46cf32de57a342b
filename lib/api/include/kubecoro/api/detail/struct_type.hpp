// Describes structs to the one reader and the one writer of all of them: which member has which name and type.
//
// For generated code and described.hpp, which make the descriptions.
#pragma once

#include <kubecoro/api/value_view.hpp>
#include <kubecoro/base/result.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {
struct field_rule;
enum class struct_rules;
} // namespace kubecoro

namespace kubecoro::detail {

/// How a JSON value fits a member.
enum class fit : std::uint8_t
{
    /// Written back, it is equal.
    exact,
    /// The member has its meaning, but writes it in another way: `1.50` for `1.5`.
    another_form,
    /// The member cannot hold it.
    none
};

/// The course of reading one object.
class struct_reading
{
public:
    /// Reads leniently.
    struct_reading() noexcept = default;
    explicit struct_reading(struct_rules rules) noexcept : rules_(rules) {}

    /// Whether reading goes on, which it does not after a failure.
    [[nodiscard]] bool goes_on() const noexcept { return !problem_; }
    /// The first failure.
    [[nodiscard]] const std::optional<failure>& problem() const noexcept { return problem_; }
    /// Whether misfit() was called.
    [[nodiscard]] bool has_misfits() const noexcept { return has_misfits_; }

    /// Called for a member without a place in the struct.
    void unknown(std::string_view name);
    /// Called for a value that its member cannot hold. @param expected  Such as "a string".
    void misfit(std::string_view expected, value_view found);

    /// A step to the value that is read: its name, which outlives the step, or its index.
    class step
    {
    public:
        step(struct_reading& of, std::string_view name) noexcept : step(of, name, 0) {}
        step(struct_reading& of, std::size_t index) noexcept : step(of, {}, index) {}
        ~step() { of_.last_ = before_; }
        step(const step&) = delete;
        step& operator=(const step&) = delete;

    private:
        friend class struct_reading;
        step(struct_reading& of, std::string_view name, std::size_t index) noexcept
            : of_(of), before_(of.last_), name_(name), index_(index)
        {
            of.last_ = this;
        }

        struct_reading& of_;
        const step* before_;
        std::string_view name_;
        std::size_t index_;
    };

private:
    void fail(std::string words);
    /// Such as `spec.containers[0]`.
    [[nodiscard]] static std::string path_to(const step* last);

    struct_rules rules_ = {};
    bool has_misfits_ = false;
    const step* last_ = nullptr;
    std::optional<failure> problem_;
};

/// The JSON that values of a C++ type are written as.
enum class value_form : std::uint8_t
{
    text,
    boolean,
    int32,
    int64,
    number,
    bytes,
    quantity,
    timestamp,
    micro_timestamp,
    duration,
    int_or_string,
    /// Any JSON.
    any,
    /// The form of the item, or absent.
    optional,
    list,
    map,
    /// A struct.
    part
};

struct struct_type;

/// Is shown the values within an optional value, a list or a map.
class inner_values
{
public:
    /// @param key  Names an entry of a map; else empty. @return whether to go on.
    virtual bool see(std::string_view key, const void* value) = 0;

protected:
    ~inner_values() = default;
};

/// Reads, writes and compares values of one C++ type, which these functions alone know.
struct value_type
{
    value_form form;
    /// The type of the values within an optional value, a list or a map; null for other forms.
    const value_type* item;
    /// The struct, for value_form::part; null for other forms.
    const struct_type& (*part)() noexcept;
    /// Shows the values within, the last one first; null for forms without an item. Returns whether all were seen.
    bool (*visit)(const void* value, inner_values& to);
    /// Reads JSON into the value, which is replaced.
    fit (*read)(value_view from, void* into, struct_reading& course);
    /// Appends the value as JSON.
    void (*write)(const void* value, std::string& out);
    /// Whether the value is written at all.
    bool (*is_set)(const void* value) noexcept;
    bool (*equal)(const void* a, const void* b);
    /// Whether this JSON still stands for the value: reading it gives an equal value, or both are unset.
    bool (*stands_for)(value_view json, const void* value);
};

/// A struct whose type only its description knows. Borrowed.
struct struct_view
{
    const struct_type* type;
    const void* value;
};

/// A member of a struct.
struct struct_field
{
    /// In JSON.
    std::string_view name;
    const value_type* type;
    std::uint32_t offset;
    /// Whether the definition that it was generated from demands it.
    bool required = false;
};

/// A struct. Its fields are in the order of their declaration.
struct struct_type
{
    /// Such as "apps/v1" and "Deployment"; both empty for parts of objects.
    std::string_view api_version;
    std::string_view kind;
    std::span<const struct_field> fields;
    /// Indexes of the fields, by their names.
    std::span<const std::uint16_t> by_name;
    /// The place of its `other_fields`; no_others if it has none, and drops what it has no place for.
    std::uint32_t others;
    static constexpr std::uint32_t no_others = 0xffffffff;
    /// Returns the rules that the struct adds to the schemas of its fields; null if it adds none.
    std::vector<field_rule> (*rules)() = nullptr;
};

/// A struct that generated code describes: it has a friend `struct_type_of`.
template<class T>
concept generated_struct = requires {
    {
        struct_type_of(static_cast<const T*>(nullptr))
    } -> std::same_as<const struct_type&>;
};

/// Describes structs of other origin; specialised by described.hpp.
template<class T>
struct external_struct
{
};

template<class T>
concept external_struct_type = requires {
    {
        external_struct<T>::type()
    } -> std::same_as<const struct_type&>;
};

/// A struct that has a description.
template<class T>
concept known_struct = generated_struct<T> || external_struct_type<T>;

/// Returns the description of a struct.
template<known_struct T>
[[nodiscard]] const struct_type& struct_of() noexcept
{
    if constexpr (generated_struct<T>)
        return struct_type_of(static_cast<const T*>(nullptr));
    else
        return external_struct<T>::type();
}

/// Reads an object's members into a struct that holds its defaults.
[[nodiscard]] fit read_struct(const struct_type& type, value_view from, void* into, struct_reading& course);
/// The same for a whole object: its kind is checked, and not kept.
[[nodiscard]] std::optional<failure> read_root(const struct_type& type, value_view from, void* into,
                                               struct_rules rules);
/// Appends the struct as a JSON object.
void write_struct(const struct_type& type, const void* value, std::string& out);
/// The same for a whole object: with apiVersion and kind if it is of one.
void write_root(const struct_type& type, const void* value, std::string& out);
/// Whether any member is set.
[[nodiscard]] bool is_struct_set(const struct_type& type, const void* value) noexcept;
/// Marks a struct that was read from a partial object, if it has a place for that.
void mark_partial(const struct_type& type, void* value);
/// Whether it has that mark.
[[nodiscard]] bool is_partial(struct_view of) noexcept;
/// Whether all members are equal.
[[nodiscard]] bool equal_structs(const struct_type& type, const void* a, const void* b);

} // namespace kubecoro::detail
