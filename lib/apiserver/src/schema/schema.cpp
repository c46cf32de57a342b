#include "schema/schema.hpp"

namespace kubecoro::apiserver {

namespace json = boost::json;

std::string_view go_kind(const json::value& v)
{
    switch (v.kind()) {
    case json::kind::null:
        return "null";
    case json::kind::bool_:
        return "bool";
    case json::kind::string:
        return "string";
    case json::kind::array:
        return "array";
    case json::kind::object:
        return "object";
    default:
        return "number";
    }
}

status_error wrong_type(const std::string& kind, std::string_view version, const json::value& found,
                        std::string_view field, std::string_view wanted)
{
    return errors::bad_request(kind + " in version \"" + std::string(version) + "\" cannot be handled as a " + kind +
                               ": json: cannot unmarshal " + std::string(go_kind(found)) + " into Go struct field " +
                               std::string(field) + " of type " + std::string(wanted));
}

void append_causes(std::vector<status_cause>& causes, const std::vector<field_error>& errors)
{
    for (const auto& e : errors) causes.push_back(e.cause());
}

} // namespace kubecoro::apiserver
