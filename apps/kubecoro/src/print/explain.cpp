#include "print/explain.hpp"

#include "print/json_lines.hpp"

#include <kubecoro/base/printable.hpp>

#include <algorithm>

namespace kubecoro::tool {

namespace json = boost::json;

namespace {

constexpr std::size_t line_width = 80;

/// References within references, and levels of --recursive: JSONSchemaProps refers to itself.
constexpr int max_depth = 12;

constexpr std::size_t most_lines = 20'000;

/// The schema that a value names, directly or as the only part of allOf; empty if it names none.
std::string reference_of(const json::value& schema)
{
    auto reference = text_member(schema, {"$ref"});
    const auto* parts = find_member(schema, {"allOf"});
    if (reference.empty() && parts && parts->is_array() && parts->get_array().size() == 1)
        reference = text_member(parts->get_array().front(), {"$ref"});
    return reference;
}

class schemas
{
public:
    explicit schemas(const json::value& document) : all_(find_member(document, {"components", "schemas"})) {}

    [[nodiscard]] const json::value* of_kind(const explained_kind& wanted) const
    {
        if (!all_ || !all_->is_object()) return nullptr;
        for (const auto& schema : all_->get_object()) {
            const auto* kinds = find_member(schema.value(), {"x-kubernetes-group-version-kind"});
            if (!kinds || !kinds->is_array()) continue;
            for (const auto& k : kinds->get_array())
                if (text_member(k, {"kind"}) == wanted.kind && text_member(k, {"group"}) == wanted.group &&
                    text_member(k, {"version"}) == wanted.version)
                    return &schema.value();
        }
        return nullptr;
    }

    /// The schema that a value refers to, directly or as the only part of allOf; else the value itself.
    [[nodiscard]] const json::value& resolved(const json::value& schema) const
    {
        const json::value* at = &schema;
        for (int hops = 0; hops != max_depth; ++hops) {
            const auto reference = reference_of(*at);
            if (reference.empty()) break;
            const auto* next = all_ ? find_member(*all_, {reference.substr(reference.rfind('/') + 1)}) : nullptr;
            if (!next) break;
            at = next;
        }
        return *at;
    }

    /// The schema whose members a path continues with: that of the items or of the values of a map.
    [[nodiscard]] const json::value& inner(const json::value& schema) const
    {
        const json::value* at = &resolved(schema);
        for (int hops = 0; hops != max_depth; ++hops) {
            const auto* items = find_member(*at, {"items"});
            if (!items) items = find_member(*at, {"additionalProperties"});
            if (!items || !items->is_object() || find_member(*at, {"properties"})) break;
            at = &resolved(*items);
        }
        return *at;
    }

private:
    const json::value* all_;
};

/// The type behind a reference: its name, or that of a plain value. Empty if it is none.
std::string referred_type(const json::value& schema, const schemas& all)
{
    const auto reference = reference_of(schema);
    if (reference.empty()) return {};
    const auto plain = text_member(all.resolved(schema), {"type"});
    return plain.empty() || plain == "object" ? reference.substr(reference.find_last_of("./") + 1) : plain;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by depth
std::string type_name(const json::value& schema, const schemas& all, int depth = 0)
{
    if (depth > max_depth) return "Object";
    if (const auto name = referred_type(schema, all); !name.empty()) return name;
    const auto type = text_member(schema, {"type"});
    if (type == "array") {
        const auto* items = find_member(schema, {"items"});
        return "[]" + (items ? type_name(*items, all, depth + 1) : "Object");
    }
    if (const auto* values = find_member(schema, {"additionalProperties"}); values && values->is_object())
        return "map[string]" + type_name(*values, all, depth + 1);
    if (type == "object" || type.empty()) return "Object";
    const auto* either = find_member(schema, {"x-kubernetes-int-or-string"});
    return either ? "IntOrString" : type;
}

bool is_required(const json::value& schema, const std::string& name)
{
    const auto* required = find_member(schema, {"required"});
    if (!required || !required->is_array()) return false;
    const auto& names = required->get_array();
    return std::any_of(names.begin(), names.end(), [&](const auto& n) { return scalar_text(n) == name; });
}

std::string description_of(const json::value& schema, const schemas& all)
{
    auto text = text_member(schema, {"description"});
    return text.empty() ? text_member(all.resolved(schema), {"description"}) : text;
}

void append_enum(std::string& out, const json::value& schema)
{
    const auto* values = find_member(schema, {"enum"});
    if (!values || !values->is_array()) return;
    std::string text;
    for (const auto& v : values->get_array()) text += (text.empty() ? "" : ", ") + scalar_text(v);
    out += "ENUM:        " + printable(text) + "\n";
}

class fields_text
{
public:
    fields_text(const schemas& all, bool recursive) : all_(all), recursive_(recursive) {}

    // NOLINTNEXTLINE(misc-no-recursion): bounded by depth and lines
    void append(std::string& out, const json::value& schema, const std::string& indent, int depth)
    {
        const auto& holder = all_.inner(schema);
        const auto* properties = find_member(holder, {"properties"});
        if (!properties || !properties->is_object() || depth > max_depth) return;
        for (const auto& property : properties->get_object()) {
            if (++lines_ > most_lines) return;
            const std::string name(property.key().data(), property.key().size());
            out += indent + printable(name) + "\t<" + printable(type_name(property.value(), all_)) + ">" +
                   (is_required(holder, name) ? " -required-" : "") + "\n";
            if (recursive_) {
                append(out, property.value(), indent + "  ", depth + 1);
                continue;
            }
            const auto description = description_of(property.value(), all_);
            if (!description.empty()) out += wrapped(description, indent + "  ", line_width);
            out += '\n';
        }
    }

private:
    const schemas& all_;
    bool recursive_;
    std::size_t lines_ = 0;
};

} // namespace

std::string wrapped(const std::string& text, const std::string& indent, std::size_t width)
{
    std::string out, line;
    const auto end_line = [&] {
        out += line.empty() ? "" : indent + line + "\n";
        line.clear();
    };
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find_first_of(" \n", begin), text.size());
        const auto word = printable(text.substr(begin, end - begin));
        if (!line.empty() && indent.size() + line.size() + 1 + word.size() > width) end_line();
        if (!word.empty()) line += (line.empty() ? "" : " ") + word;
        if (end < text.size() && text[end] == '\n') end_line();
        begin = end + 1;
    }
    end_line();
    return out;
}

result<std::string> explain(const json::value& document, const explained_kind& kind,
                            const std::vector<std::string>& field, bool recursive)
{
    const schemas all(document);
    const json::value* at = all.of_kind(kind);
    if (!at) return failure(cond::not_found, "the server publishes no schema of " + kind.kind);
    std::string path, type;
    const json::value* described = at;
    for (const auto& name : field) {
        const auto* next = find_member(all.inner(*described), {"properties", name});
        if (!next)
            return failure(cond::not_found, "there is no field " + name + " in " + (path.empty() ? kind.kind : path));
        described = next;
        path += (path.empty() ? "" : ".") + name;
        type = type_name(*next, all);
    }
    std::string out = "GROUP:       " + printable(kind.group) + "\n";
    if (kind.group.empty()) out.clear();
    out += "KIND:        " + printable(kind.kind) + "\nVERSION:     " + printable(kind.version) + "\n\n";
    if (!path.empty()) out += "FIELD:       " + printable(path) + " <" + printable(type) + ">\n";
    append_enum(out, *described);
    if (!path.empty()) out += '\n';
    const auto description = description_of(*described, all);
    out += "DESCRIPTION:\n" + (description.empty() ? "    <none>\n" : wrapped(description, "    ", line_width));
    std::string fields;
    fields_text(all, recursive).append(fields, *described, "  ", 0);
    if (!fields.empty()) out += "\nFIELDS:\n" + fields;
    return out;
}

} // namespace kubecoro::tool
