#include "print/objects.hpp"

#include "print/escape.hpp"
#include "print/json_lines.hpp"

#include <kubecoro/api/yaml.hpp>
#include <kubecoro/base/printable.hpp>

namespace kubecoro::tool {

namespace json = boost::json;

std::string document_text(const json::value& document, const output_format& format, bool terminal)
{
    if (format.kind == output_kind::yaml) return to_yaml(document);
    if (format.kind != output_kind::jsonpath || !format.path) return to_json_text(document);
    auto text = format.path->evaluate(document);
    if (!terminal) return text;
    text = for_terminal(text);
    if (!text.empty() && text.back() != '\n') text += '\n';
    return text;
}

json::value list_of(json::array items)
{
    json::object list;
    list["apiVersion"] = "v1";
    list["kind"] = "List";
    list["items"] = std::move(items);
    list["metadata"] = json::object{{"resourceVersion", ""}};
    return list;
}

std::string object_name(std::string_view prefix, std::string_view name)
{
    return printable(std::string(prefix) + "/" + std::string(name));
}

} // namespace kubecoro::tool
