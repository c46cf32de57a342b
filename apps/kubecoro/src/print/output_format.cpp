#include "print/output_format.hpp"

#include <string>

namespace kubecoro::tool {

result<output_format> parse_output_format(std::string_view text)
{
    output_format out;
    constexpr std::string_view path_prefix = "jsonpath=";
    if (text.starts_with(path_prefix)) {
        auto path = json_path_template::parse(text.substr(path_prefix.size()));
        if (!path) return path.error();
        out.kind = output_kind::jsonpath;
        out.path = std::move(*path);
        return out;
    }
    if (text.empty() || text == "table") return out;
    if (text == "wide")
        out.kind = output_kind::wide;
    else if (text == "json")
        out.kind = output_kind::json;
    else if (text == "yaml")
        out.kind = output_kind::yaml;
    else if (text == "name")
        out.kind = output_kind::name;
    else
        return failure(cond::invalid, "-o expects table, wide, json, yaml, name or jsonpath=TEMPLATE, not \"" +
                                          std::string(text) + "\"");
    return out;
}

} // namespace kubecoro::tool
