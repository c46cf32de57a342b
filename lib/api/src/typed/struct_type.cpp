#include <kubecoro/api/detail/struct_type.hpp>

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/api/detail/value_types.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/other_fields.hpp>
#include <kubecoro/api/structs.hpp>
#include <kubecoro/base/printable.hpp>

#include "text/json_text.hpp"
#include "typed/struct_members.hpp"

#include <algorithm>

namespace kubecoro::detail {

namespace {

/// The longest part of a name from outside in a failure.
constexpr std::size_t longest_name = 100;

bool names_kind(const struct_type& type, std::string_view member) noexcept
{
    return !type.kind.empty() && (member == "apiVersion" || member == "kind");
}

/// Reads a member into its field. Returns whether the value has to be kept beside it.
bool read_field(const struct_field& field, value_view from, void* into, struct_reading& course)
{
    // As in Go, null is absent.
    if (from.kind() == value_kind::null) return true;
    const struct_reading::step at(course, field.name);
    void* const member = member_of(into, field.offset);
    return field.type->read(from, member, course) != fit::exact || !field.type->is_set(member);
}

/// Whether the text that was kept for a field is to be written in its place.
bool still_stands(const struct_field& field, std::string_view text, const void* member)
{
    // As reading leaves them most often, and quick to tell.
    if (text == "null" || (text == "{}" && field.type->form == value_form::part)) return !field.type->is_set(member);
    const auto holder = object::parse("{\"value\":" + std::string(text) + '}');
    return holder && field.type->stands_for(holder->root()["value"], member);
}

/// Writes the members of one JSON object.
class member_writer
{
public:
    explicit member_writer(std::string& out) : out_(out) { out_ += '{'; }
    ~member_writer() { out_ += '}'; }
    member_writer(const member_writer&) = delete;
    member_writer& operator=(const member_writer&) = delete;

    std::string& name(std::string_view name)
    {
        if (!first_) out_ += ',';
        first_ = false;
        append_quoted(out_, name);
        out_ += ':';
        return out_;
    }

private:
    std::string& out_;
    bool first_ = true;
};

enum class empty_texts
{
    left_out,
    written_if_required
};

void write_members(const struct_type& type, const void* value, empty_texts empty, member_writer& to)
{
    const auto is_needed = [empty](const struct_field& field) {
        return empty == empty_texts::written_if_required && field.required && field.type->form == value_form::text;
    };
    const other_fields& others = others_of(type, value);
    for (const struct_field& field : type.fields) {
        const void* const member = member_of(value, field.offset);
        const auto kept = others.empty() ? std::string_view{} : others.text(field.name);
        if (!kept.empty() && still_stands(field, kept, member))
            to.name(field.name) += kept;
        else if (field.type->is_set(member) || is_needed(field))
            field.type->write(member, to.name(field.name));
    }
    for (const auto& [name, text] : others.members())
        if (!find_field(type, name)) to.name(name) += text;
}

} // namespace

void struct_reading::fail(std::string words)
{
    if (!problem_) problem_ = failure(cond::invalid, std::move(words));
}

void struct_reading::unknown(std::string_view name)
{
    if (rules_ != struct_rules::strict) return;
    const step at(*this, name);
    fail("unknown field \"" + path_to(last_) + '"');
}

void struct_reading::misfit(std::string_view expected, value_view found)
{
    has_misfits_ = true;
    if (rules_ == struct_rules::lenient) return;
    constexpr std::size_t longest_value = 60;
    fail(path_to(last_) + ": expected " + std::string(expected) + ", not " + printable(found.to_text(), longest_value));
}

std::string struct_reading::path_to(const step* last)
{
    if (last == nullptr) return {};
    auto out = path_to(last->before_);
    if (last->name_.data() == nullptr) return out + '[' + std::to_string(last->index_) + ']';
    if (!out.empty()) out += '.';
    return out + printable(last->name_, longest_name);
}

fit read_struct(const struct_type& type, value_view from, void* into, struct_reading& course)
{
    if (!from.is_object()) {
        course.misfit("an object", from);
        return fit::none;
    }
    other_fields* const others = others_of(type, into);
    field_search fields(type);
    for (const auto& [name, value] : from.members()) {
        const struct_field* const field = fields.find(name);
        if (!field && !names_kind(type, name)) course.unknown(name);
        const bool keep = !field || read_field(*field, value, into, course);
        if (!course.goes_on()) return fit::none;
        if (!others) continue;
        // A name may come twice; the last one counts.
        if (keep)
            others->set_text(name, value.to_text());
        else if (!others->empty())
            others->erase(name);
    }
    return fit::exact;
}

std::optional<failure> read_root(const struct_type& type, value_view from, void* into, struct_rules rules)
{
    const auto kind = from["kind"].as_string();
    const auto version = from["apiVersion"].as_string();
    if (!type.kind.empty() &&
        ((!kind.empty() && kind != type.kind) || (!version.empty() && version != type.api_version)))
        return failure(cond::invalid, "expected " + std::string(type.api_version) + ' ' + std::string(type.kind) +
                                          ", not " + printable(version, longest_name) + ' ' +
                                          printable(kind, longest_name));
    struct_reading course(rules == struct_rules::strict ? rules : struct_rules::lenient);
    const fit fits = read_struct(type, from, into, course);
    if (rules == struct_rules::fitting && course.has_misfits()) { // once more, for the path
        course = struct_reading(rules);
        (void)read_struct(type, from, into, course);
    }
    if (course.problem()) return course.problem();
    if (fits == fit::none) return failure(cond::invalid, "expected an object");
    if (auto* const others = others_of(type, into); others && !type.kind.empty())
        for (const auto* name : {"apiVersion", "kind"}) others->erase(name);
    return {};
}

void write_struct(const struct_type& type, const void* value, std::string& out)
{
    member_writer to(out);
    write_members(type, value, empty_texts::left_out, to);
}

void write_item(const struct_type& type, const void* value, std::string& out)
{
    member_writer to(out);
    write_members(type, value, empty_texts::written_if_required, to);
}

void write_root(const struct_type& type, const void* value, std::string& out)
{
    member_writer to(out);
    if (!type.kind.empty()) {
        append_quoted(to.name("apiVersion"), type.api_version);
        append_quoted(to.name("kind"), type.kind);
    }
    write_members(type, value, empty_texts::left_out, to);
}

bool is_struct_set(const struct_type& type, const void* value) noexcept
{
    return !others_of(type, value).empty() || std::ranges::any_of(type.fields, [&](const struct_field& field) {
        return field.type->is_set(member_of(value, field.offset));
    });
}

void mark_partial(const struct_type& type, void* value)
{
    if (auto* const others = others_of(type, value)) others->set_partial(true);
}

bool is_partial(struct_view of) noexcept { return others_of(*of.type, of.value).is_partial(); }

std::optional<failure> read_object(const struct_type& type, const object& from, void* into, struct_rules rules)
{
    if (auto problem = read_root(type, from.root(), into, rules)) return problem;
    if (!from.is_partial()) return {};
    if (rules == struct_rules::strict)
        return failure(cond::invalid, "the object came as protobuf with fields that this version does not know");
    mark_partial(type, into);
    return {};
}

result<object> object_of(struct_view of)
{
    std::string text;
    write_root(*of.type, of.value, text);
    return parse_object(text, is_partial(of));
}

bool equal_structs(const struct_type& type, const void* a, const void* b)
{
    const auto equal = [&](const struct_field& field) {
        return field.type->equal(member_of(a, field.offset), member_of(b, field.offset));
    };
    return std::ranges::all_of(type.fields, equal) && others_of(type, a) == others_of(type, b);
}

} // namespace kubecoro::detail
