// Turns the schemas of the built-in kinds into constant tables: make_tables kubernetes.json OUT.cpp. Runs at build time.
//
// The rows of kubernetes.json are described in README.md beside it. A mistake in them ends the build.
#include <kubecoro/api/detail/schema.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

namespace json = boost::json;
using kubecoro::detail::field_flag;

using names = std::map<std::string_view, std::string_view>;

const names scalar_types{{"string", "string"}, {"bytes", "bytes"},  {"int32", "int32"},
                         {"int64", "int64"},   {"bool", "boolean"}, {"double", "real"}};

const names json_forms{{"", "object"},
                       {"array", "array"},
                       {"quantity", "quantity"},
                       {"intOrString", "int_or_string"},
                       {"time", "time"},
                       {"microTime", "micro_time"},
                       {"duration", "duration"},
                       {"rawJSON", "raw_json"},
                       {"schemaOrArray", "schema_or_array"},
                       {"schemaOrBool", "schema_or_bool"},
                       {"schemaOrStrings", "schema_or_strings"}};

const std::map<std::string_view, std::uint16_t> option_flags{{"omitempty", field_flag::omit_empty},
                                                             {"omitzero", field_flag::omit_zero},
                                                             {"inline", field_flag::inlined},
                                                             {"merge", field_flag::patch_merge},
                                                             {"retainKeys", field_flag::patch_retain_keys},
                                                             {"replace", field_flag::patch_replace}};

void require(bool holds, const std::string& problem)
{
    if (!holds) throw std::runtime_error(problem);
}

template<class Map>
const auto& lookup(const Map& map, std::string_view key, const std::string& where)
{
    const auto it = map.find(key);
    require(it != map.end(), where + ": unknown: \"" + std::string(key) + '"');
    return it->second;
}

std::uint16_t narrow(std::size_t n)
{
    require(n <= std::numeric_limits<std::uint16_t>::max(), "the tables have outgrown 16-bit indexes");
    return static_cast<std::uint16_t>(n);
}

std::string_view text_or_empty(const json::object& o, std::string_view member)
{
    const auto* value = o.if_contains(member);
    return value ? std::string_view(value->as_string()) : std::string_view{};
}

bool take_prefix(std::string_view& text, std::string_view prefix)
{
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

struct field_row
{
    std::int64_t number;
    std::string_view name;
    std::string_view merge_key;
    std::string_view type;
    std::uint16_t message = 0;
    std::uint16_t flags = 0;
    /// "", "atomic", "set" or "map:KEYS".
    std::string_view merging = {};
};

struct message_row
{
    std::string_view name;
    std::string_view form;
    std::vector<field_row> fields;
    bool atomic = false;
};

struct kind_row
{
    std::string_view api_version;
    std::string_view kind;
    std::string_view resource;
    std::uint16_t message;
    bool namespaced;
};

/// The rows of the file, checked; texts are views into the parsed file.
class schemas
{
public:
    explicit schemas(const json::object& file) : version(file.at("kubernetes").as_string())
    {
        const auto& listed = file.at("messages").as_array();
        for (const auto& m : listed) {
            const std::string_view name = m.at("name").as_string();
            require(_indexes.emplace(name, narrow(_indexes.size())).second, std::string(name) + ": twice");
        }
        for (const auto& m : listed) messages.push_back(read_message(m.as_object()));
        for (auto& m : messages)
            for (auto& f : m.fields)
                if (is_null_if_absent(f)) f.flags |= field_flag::null_if_absent;
        for (std::uint16_t i = 0; i < messages.size(); ++i) require_finite(i, 0);
        for (const auto& k : file.at("kinds").as_array()) kinds.push_back(read_kind(k.as_object()));
        std::ranges::sort(kinds, {}, [](const kind_row& k) { return std::pair{k.api_version, k.kind}; });
    }

    std::string_view version;
    std::vector<message_row> messages;
    std::vector<kind_row> kinds;

private:
    message_row read_message(const json::object& m) const
    {
        message_row row{m.at("name").as_string(), {}, {}};
        const std::string where(row.name);
        row.form = lookup(json_forms, text_or_empty(m, "form"), where);
        for (const auto& f : m.at("fields").as_array()) {
            row.fields.push_back(read_field(f.as_array(), where));
            const auto n = row.fields.size();
            require(n == 1 || row.fields[n - 2].number < row.fields[n - 1].number, where + ": numbers must ascend");
        }
        require(row.fields.size() <= 255, where + ": more than 255 fields");
        row.atomic = m.contains("atomic") && m.at("atomic").as_bool();
        return row;
    }

    field_row read_field(const json::array& columns, const std::string& message) const
    {
        const auto column = [&](std::size_t i) {
            return i < columns.size() ? std::string_view(columns[i].as_string()) : std::string_view{};
        };
        field_row row{columns.at(0).as_int64(), column(1), column(5), column(2)};
        const std::string where = message + ", field " + std::to_string(row.number);
        require(row.number > 0 && narrow(static_cast<std::size_t>(row.number)) > 0, where + ": not a field number");
        if (take_prefix(row.type, "*")) row.flags |= field_flag::pointer;
        if (take_prefix(row.type, "[]")) row.flags |= field_flag::repeated;
        if (take_prefix(row.type, "map[string]")) row.flags |= field_flag::map;
        if (const auto it = _indexes.find(row.type); it != _indexes.end()) {
            row.message = it->second;
            row.type = "message";
        } else {
            row.type = lookup(scalar_types, row.type, where);
        }
        read_options(row, column(3), where);
        read_options(row, column(4), where);
        row.merging = column(6);
        const bool inlined = (row.flags & field_flag::inlined) != 0;
        require(row.name.empty() == inlined, where + ": either a name or inline");
        require(!inlined || (row.flags == field_flag::inlined && row.type == "message"), where + ": cannot be inline");
        return row;
    }

    static void read_options(field_row& row, std::string_view options, const std::string& where)
    {
        while (!options.empty()) {
            const auto option = options.substr(0, options.find(','));
            row.flags |= lookup(option_flags, option, where);
            options.remove_prefix(std::min(options.size(), option.size() + 1));
        }
    }

    /// A scalar or struct is always on the wire: an older server without the field has nothing in its JSON either.
    bool is_null_if_absent(const field_row& f) const
    {
        constexpr auto left_out = field_flag::omit_empty | field_flag::omit_zero | field_flag::inlined;
        constexpr auto nil = field_flag::pointer | field_flag::repeated | field_flag::map;
        if ((f.flags & left_out) != 0) return false;
        const bool is_list = f.type == "message" && messages[f.message].form == "array";
        return (f.flags & nil) != 0 || f.type == "bytes" || is_list;
    }

    /// Inlined messages must end: readers follow them without a limit.
    void require_finite(std::uint16_t message, int depth) const
    {
        require(depth < 8, std::string(messages[message].name) + ": inlined too deeply");
        for (const auto& field : messages[message].fields)
            if (field.flags & field_flag::inlined) require_finite(field.message, depth + 1);
    }

    kind_row read_kind(const json::object& k) const
    {
        kind_row row{k.at("apiVersion").as_string(), k.at("kind").as_string(), text_or_empty(k, "resource"), 0, false};
        const std::string where = std::string(row.api_version) + ' ' + std::string(row.kind);
        row.message = lookup(_indexes, k.at("message").as_string(), where);
        const auto scope = text_or_empty(k, "scope");
        row.namespaced = scope == "Namespaced";
        require(row.resource.empty() ? scope.empty() : row.namespaced || scope == "Cluster", where + ": wrong scope");
        return row;
    }

    std::map<std::string_view, std::uint16_t> _indexes;
};

/// Every text once, numbered in bytewise order.
class text_pool
{
public:
    explicit text_pool(const schemas& all)
    {
        _numbers[""];
        for (const auto& k : all.kinds)
            for (const auto t : {k.api_version, k.kind, k.resource}) _numbers[t];
        for (const auto& m : all.messages)
            for (const auto& f : m.fields)
                for (const auto t : {f.name, f.merge_key}) _numbers[t];
        std::size_t n = 0;
        for (auto& [text, number] : _numbers) number = narrow(n++);
    }

    std::uint16_t operator[](std::string_view text) const { return _numbers.at(text); }

    void write(std::ostream& out) const
    {
        out << "constexpr std::string_view texts =";
        std::size_t column = 0;
        for (const auto& [text, number] : _numbers) {
            out << (column++ % 8 == 0 ? "\n    " : " ") << json::serialize(text);
        }
        out << ";\n\nconstexpr std::uint16_t text_offsets[]{";
        std::size_t offset = 0;
        column = 0;
        for (const auto& [text, number] : _numbers) {
            out << (column++ % 16 == 0 ? "\n    " : " ") << narrow(offset) << ',';
            offset += text.size();
        }
        out << ' ' << narrow(offset) << "};\n";
    }

private:
    std::map<std::string_view, std::uint16_t> _numbers;
};

bool has_nulls(const message_row& m)
{
    return std::ranges::any_of(m.fields,
                               [](const field_row& f) { return (f.flags & field_flag::null_if_absent) != 0; });
}

void write_messages(std::ostream& out, const schemas& all, const text_pool& texts)
{
    out << "\nconstexpr schema_field fields[]{";
    for (const auto& m : all.messages) {
        out << "\n    // " << m.name;
        for (const auto& f : m.fields)
            out << "\n    {" << f.number << ", " << f.message << ", " << texts[f.name] << ", " << texts[f.merge_key]
                << ", field_type::" << f.type << ", " << f.flags << "},";
    }
    out << "};\n\nconstexpr schema_message messages[]{";
    std::size_t first = 0;
    for (const auto& m : all.messages) {
        out << "\n    {" << first << ", json_form::" << m.form << ", " << m.fields.size() << ", "
            << (has_nulls(m) ? "true" : "false") << "},";
        first += m.fields.size();
    }
    out << "};\n";
}

/// The rules for server-side apply: those of fields by the number of the field, then those of messages.
void write_merge_rules(std::ostream& out, const schemas& all)
{
    out << "\nconstexpr merge_rule field_rules[]{";
    std::size_t index = 0;
    for (const auto& m : all.messages)
        for (const auto& f : m.fields) {
            auto rule = f.merging;
            const auto number = index++;
            if (rule.empty()) continue;
            const bool by_key = take_prefix(rule, "map:");
            require(by_key || rule == "atomic" || rule == "set", std::string(m.name) + ": unknown merging");
            out << "\n    {" << number << ", merge_kind::" << (by_key ? "by_key" : rule) << ", "
                << json::serialize(by_key ? rule : "") << "},";
        }
    out << "};\n\nconstexpr std::uint16_t atomic_messages[]{";
    for (std::size_t i = 0; i < all.messages.size(); ++i)
        if (all.messages[i].atomic) out << ' ' << i << ',';
    out << "};\n";
}

void write_message_names(std::ostream& out, const schemas& all)
{
    out << "\nconstexpr std::string_view message_names[]{";
    for (const auto& m : all.messages) out << "\n    " << json::serialize(m.name) << ',';
    out << "};\n";
}

void write_kinds(std::ostream& out, const schemas& all, const text_pool& texts)
{
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> resources;
    out << "\nconstexpr schema_kind kinds[]{";
    for (std::size_t i = 0; i < all.kinds.size(); ++i) {
        const auto& k = all.kinds[i];
        out << "\n    {" << texts[k.api_version] << ", " << texts[k.kind] << ", " << texts[k.resource] << ", "
            << k.message << ", " << (k.namespaced ? "true" : "false") << "},";
        const std::string where = std::string(k.api_version) + ' ' + std::string(k.kind);
        require(i == 0 || all.kinds[i - 1].api_version != k.api_version || all.kinds[i - 1].kind != k.kind,
                where + ": twice");
        if (!k.resource.empty())
            require(resources.emplace(std::pair{k.api_version, k.resource}, i).second, where + ": resource twice");
    }
    out << "};\n\nconstexpr std::uint16_t resources[]{";
    std::size_t column = 0;
    for (const auto& [id, index] : resources) out << (column++ % 16 == 0 ? "\n    " : " ") << index << ',';
    out << "};\n";
}

void write(std::ostream& out, const schemas& all)
{
    const text_pool texts(all);
    out << "// Written by make_tables from lib/api/schemas/kubernetes.json.\n"
           "#include <kubecoro/api/detail/schema.hpp>\n\n"
           "namespace kubecoro::detail {\nnamespace {\n\n";
    texts.write(out);
    write_messages(out, all, texts);
    write_kinds(out, all, texts);
    write_merge_rules(out, all);
    write_message_names(out, all);
    out << "\n} // namespace\n\n"
           "constinit const schema_tables builtin_schema_tables{"
        << json::serialize(all.version)
        << ", texts, text_offsets, fields, messages, kinds, resources};\n"
           "constinit const merge_tables builtin_merge_tables{field_rules, atomic_messages};\n"
           "constinit const std::span<const std::string_view> builtin_message_names{message_names};\n\n"
           "} // namespace kubecoro::detail\n";
}

void run(const char* from, const char* to)
{
    std::ifstream in(from, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    require(in.good() || in.eof(), "cannot be read");
    const auto file = json::parse(text);
    std::ofstream out(to, std::ios::binary);
    write(out, schemas(file.as_object()));
    out.close();
    require(out.good(), std::string("cannot write ") + to);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3) {
        std::cerr << "usage: make_tables SCHEMAS.json OUT.cpp\n";
        return 2;
    }
    try {
        run(argv[1], argv[2]);
        return 0;
    } catch (const std::exception& e) {
        std::cerr << argv[1] << ": " << e.what() << '\n';
        return 1;
    }
}
