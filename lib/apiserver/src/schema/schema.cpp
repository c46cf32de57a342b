#include "schema/schema.hpp"

namespace kubecoro::apiserver {

namespace json = boost::json;

std::string_view json_type(const json::value& v)
{
    switch (v.kind()) {
    case json::kind::null:
        return "null";
    case json::kind::bool_:
        return "boolean";
    case json::kind::string:
        return "string";
    case json::kind::array:
        return "array";
    case json::kind::object:
        return "object";
    case json::kind::double_:
        return "number";
    default:
        return "integer";
    }
}

void append_causes(std::vector<status_cause>& causes, const std::vector<field_error>& errors)
{
    for (const auto& e : errors) causes.push_back(e.cause());
}

} // namespace kubecoro::apiserver
