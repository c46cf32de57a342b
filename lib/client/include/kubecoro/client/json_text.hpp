#pragma once

#include <boost/json/fwd.hpp>
#include <boost/json/value.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro {

class object;
template<class T>
class typed_object;

/// The body of a write: JSON text, made from text (not validated), an object, or a JSON value.
struct json_text
{
    /// Takes JSON text over.
    json_text(std::string json) : text(std::move(json)) {}
    /// Copies JSON text.
    json_text(std::string_view json) : text(json) {}
    /// Copies JSON text that ends with a zero byte. Not null.
    json_text(const char* json) : text(json) {}
    /// The text of the whole object. Expands it, as object::to_text() does. Writing a partial object, see
    /// object::is_partial(), fails.
    json_text(const object& o);
    /// The same for an object of a kind.
    template<class T>
    json_text(const typed_object<T>& o) : json_text(o.untyped())
    {
    }
    /// The value in JSON without white space.
    json_text(const boost::json::value& v);
    /// The same for an object.
    json_text(const boost::json::object& o);
    /// The same for an array, such as a JSON patch.
    json_text(const boost::json::array& a);
    /// Deleted for a kind's struct: a typed client writes it.
    template<class T>
        requires requires { T::resource(); }
    json_text(const T&) = delete; // client.resource<T>(ns).create(body)

    /// The JSON text.
    std::string text;
    /// Fields of the object are missing, and the server would delete them.
    bool partial = false;
};

/// Members of a JSON object as an argument: `{{"ready", 3}, {"phase", "Running"}}`, or a boost::json::object.
class json_members
{
public:
    /// Takes an object's members.
    json_members(boost::json::object members) : members_(std::move(members)) {}
    /// Copies members: names and anything that makes a JSON value.
    json_members(std::initializer_list<std::pair<boost::json::string_view, boost::json::value_ref>> members)
        : members_(members)
    {
    }
    /// Moves the members out.
    [[nodiscard]] boost::json::object take() noexcept { return std::move(members_); }

private:
    boost::json::object members_;
};

} // namespace kubecoro
