#include "print/describe.hpp"

#include "print/json_lines.hpp"
#include "print/text_table.hpp"

#include <kubecoro/base/printable.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace kubecoro::tool {

namespace json = boost::json;

namespace {

constexpr std::size_t head_width = 15;

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

std::string key_of(const json::key_value_pair& member) { return {member.key().data(), member.key().size()}; }

bool is_plain(const json::value& v) { return !v.is_object() && !v.is_array(); }

/// Whether the members of a map are no fields, but names that users choose, which are shown as they are written.
bool has_chosen_names(std::string_view field, const json::object& map)
{
    constexpr std::array<std::string_view, 13> maps{"labels",     "annotations", "matchLabels", "nodeSelector", "data",
                                                    "binaryData", "limits",      "requests",    "hard",         "used",
                                                    "capacity",   "allocatable", "parameters"};
    // A selector of labels, or one that has fields for them.
    if (field == "selector")
        return std::all_of(map.begin(), map.end(), [](const auto& member) { return member.value().is_string(); });
    return std::find(maps.begin(), maps.end(), field) != maps.end();
}

enum class naming
{
    readable,
    as_written
};

/// The indent and name of a field.
std::string label(const std::string& indent, const std::string& name, naming how)
{
    return indent + printable(how == naming::readable ? readable_name(name) : name) + ":";
}

/// A list of objects that have a type and a status, such as status.conditions.
bool is_condition_list(const json::array& items)
{
    return !items.empty() && std::all_of(items.begin(), items.end(), [](const json::value& item) {
        return !text_member(item, {"type"}).empty() && !text_member(item, {"status"}).empty();
    });
}

void append_indented(std::string& out, const std::string& lines, const std::string& indent)
{
    for (std::size_t begin = 0; begin < lines.size();) {
        const auto end = std::min(lines.find('\n', begin), lines.size());
        out += indent + lines.substr(begin, end - begin) + "\n";
        begin = end + 1;
    }
}

std::string conditions_text(const json::array& items)
{
    text_table table;
    table.head = {"TYPE", "STATUS", "REASON", "LAST CHANGE", "MESSAGE"};
    for (const auto& c : items)
        table.rows.push_back({text_member(c, {"type"}), text_member(c, {"status"}), text_member(c, {"reason"}),
                              text_member(c, {"lastTransitionTime"}), text_member(c, {"message"})});
    return to_text(table);
}

class page
{
public:
    std::string out;

    void head(const std::string& name, const std::string& value)
    {
        std::string line = name + ":";
        line.append(line.size() < head_width ? head_width - line.size() : 1, ' ');
        out += line + printable(value.empty() ? "<none>" : value) + "\n";
    }

    /// "Labels:  a=b" with a line for each.
    void pairs(const std::string& name, const json::value* map, const std::string& between)
    {
        if (!map || !map->is_object() || map->get_object().empty()) return head(name, "");
        bool first = true;
        for (const auto& pair : map->get_object()) {
            const auto text = key_of(pair) + between + scalar_text(pair.value());
            if (first)
                head(name, text);
            else
                out += std::string(head_width, ' ') + printable(text) + "\n";
            first = false;
        }
    }

    // NOLINTNEXTLINE(misc-no-recursion): as deep as the document
    void members(const json::object& object, const std::string& indent, naming how)
    {
        for (const auto& member : object) field(key_of(member), member.value(), indent, how);
    }

    // NOLINTNEXTLINE(misc-no-recursion): as deep as the document
    void field(const std::string& name, const json::value& v, const std::string& indent, naming how = naming::readable)
    {
        const auto before = label(indent, name, how);
        if (const auto* object = v.if_object(); object && !object->empty()) {
            const bool chosen = how == naming::readable && has_chosen_names(name, *object);
            out += before + "\n";
            members(*object, indent + "  ", chosen ? naming::as_written : naming::readable);
        } else if (const auto* array = v.if_array(); array && !array->empty()) {
            out += before + "\n";
            items(*array, indent + "  ");
        } else {
            text(before, v, indent);
        }
    }

private:
    /// A value behind its label; one of several lines comes below it.
    void text(const std::string& before, const json::value& v, const std::string& indent)
    {
        std::string value = v.is_null() || v.is_structured() ? "<none>" : scalar_text(v);
        if (value.find('\n') == value.npos) {
            out += before + "  " + printable(value) + "\n";
            return;
        }
        out += before + "\n";
        for (std::size_t begin = 0; begin < value.size();) {
            const auto end = std::min(value.find('\n', begin), value.size());
            out += indent + "  " + printable(value.substr(begin, end - begin)) + "\n";
            begin = end + 1;
        }
    }

    // NOLINTNEXTLINE(misc-no-recursion): as deep as the document
    void items(const json::array& array, const std::string& indent)
    {
        if (is_condition_list(array)) return append_indented(out, conditions_text(array), indent);
        for (const auto& item : array) {
            if (is_plain(item)) {
                text(indent + "-", item, indent);
                continue;
            }
            const auto* object = item.if_object();
            std::string name = object ? text_member(item, {"name"}) : "";
            out += indent + (name.empty() ? "-" : printable(name) + ":") + "\n";
            if (!object) {
                items(item.get_array(), indent + "  ");
                continue;
            }
            for (const auto& member : *object)
                if (name.empty() || key_of(member) != "name") field(key_of(member), member.value(), indent + "  ");
        }
    }
};

/// The bytes that a value of a Secret encodes.
std::size_t decoded_size(std::string_view base64)
{
    std::size_t digits = 0;
    for (const char c : base64) digits += c != '=' && c != '\n' && c != '\r' ? 1 : 0;
    return digits * 3 / 4;
}

void append_secret_data(page& p, const json::value& object)
{
    const auto* data = find_member(object, {"data"});
    p.out += "Data:\n";
    if (!data || !data->is_object()) return;
    for (const auto& member : data->get_object()) {
        const auto size = member.value().is_string() ? decoded_size(scalar_text(member.value())) : 0;
        p.out += "  " + printable(key_of(member)) + ":  " + std::to_string(size) + " bytes\n";
    }
}

/// Without kubectl's copy of the whole object, which has the values of a Secret.
json::value shown_annotations(const json::value& object)
{
    const auto* all = find_member(object, {"metadata", "annotations"});
    if (!all || !all->is_object()) return {};
    auto out = all->get_object();
    out.erase("kubectl.kubernetes.io/last-applied-configuration");
    return out;
}

std::string controller_of(const json::value& object)
{
    const auto* owners = find_member(object, {"metadata", "ownerReferences"});
    if (!owners || !owners->is_array()) return {};
    for (const auto& owner : owners->get_array()) {
        const auto* controls = find_member(owner, {"controller"});
        if (controls && controls->is_bool() && controls->get_bool())
            return text_member(owner, {"kind"}) + "/" + text_member(owner, {"name"});
    }
    return {};
}

void append_head(page& p, const json::value& object)
{
    p.head("Name", text_member(object, {"metadata", "name"}));
    if (const auto ns = text_member(object, {"metadata", "namespace"}); !ns.empty()) p.head("Namespace", ns);
    p.head("Kind", text_member(object, {"kind"}) + " (" + text_member(object, {"apiVersion"}) + ")");
    p.pairs("Labels", find_member(object, {"metadata", "labels"}), "=");
    const auto annotations = shown_annotations(object);
    p.pairs("Annotations", &annotations, ": ");
    p.head("Created", text_member(object, {"metadata", "creationTimestamp"}));
    if (const auto owner = controller_of(object); !owner.empty()) p.head("Controlled By", owner);
    if (const auto when = text_member(object, {"metadata", "deletionTimestamp"}); !when.empty())
        p.head("Terminating", "since " + when);
    if (const auto* finalizers = find_member(object, {"metadata", "finalizers"}))
        p.head("Finalizers", to_json_line(*finalizers));
}

std::string first_of(std::initializer_list<std::string> texts)
{
    for (const auto& text : texts)
        if (!text.empty()) return text;
    return {};
}

std::string events_text(const json::array& events)
{
    if (events.empty()) return "Events:        <none>\n";
    text_table table;
    table.head = {"TYPE", "REASON", "LAST SEEN", "COUNT", "FROM", "MESSAGE"};
    for (const auto& e : events) {
        const auto* count = find_member(e, {"count"});
        table.rows.push_back(
            {text_member(e, {"type"}), text_member(e, {"reason"}),
             first_of({text_member(e, {"lastTimestamp"}), text_member(e, {"eventTime"}),
                       text_member(e, {"metadata", "creationTimestamp"})}),
             count ? scalar_text(*count) : "1",
             first_of({text_member(e, {"source", "component"}), text_member(e, {"reportingComponent"})}),
             text_member(e, {"message"})});
    }
    std::string out = "Events:\n";
    append_indented(out, to_text(table), "  ");
    return out;
}

} // namespace

std::string readable_name(const std::string& field)
{
    // Keys of a custom resource's maps, such as label names and file names, are no fields.
    if (field.find_first_of("./-_") != field.npos) return field;
    std::string out;
    for (std::size_t i = 0; i != field.size(); ++i) {
        const bool begins =
            is_upper(field[i]) && i != 0 &&
            (!is_upper(field[i - 1]) || (i + 1 < field.size() && !is_upper(field[i + 1]) && field[i + 1] != 's'));
        if (begins) out += ' ';
        out += i == 0 && field[i] >= 'a' && field[i] <= 'z' ? static_cast<char>(field[i] - 'a' + 'A') : field[i];
    }
    return out;
}

std::string describe_object(const json::value& object, const json::array& events)
{
    page p;
    append_head(p, object);
    const bool secret = text_member(object, {"kind"}) == "Secret" && text_member(object, {"apiVersion"}) == "v1";
    if (const auto* all = object.if_object())
        for (const auto& member : *all) {
            const auto name = key_of(member);
            if (name == "kind" || name == "apiVersion" || name == "metadata") continue;
            if (secret && name == "data") {
                append_secret_data(p, object);
            } else if (secret && name == "stringData") {
                continue;
            } else {
                p.field(name, member.value(), "");
            }
        }
    return p.out + events_text(events);
}

} // namespace kubecoro::tool
