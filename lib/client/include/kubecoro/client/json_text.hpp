#pragma once

#include <boost/json/fwd.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace kubecoro {

class object;

/// The body of a write: JSON text, made from text (not validated), an object, or a JSON value.
struct json_text
{
    json_text(std::string json) : text(std::move(json)) {}
    json_text(std::string_view json) : text(json) {}
    json_text(const char* json) : text(json) {}
    json_text(const object& o);
    json_text(const boost::json::value& v);

    /// The JSON text.
    std::string text;
};

} // namespace kubecoro
