#pragma once

#include <boost/json/value.hpp>

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro {

/// A name and a value: `{"replicas", 3}`.
struct json_member
{
    /// An absent member.
    json_member() = default;
    /// @param content  Anything that makes a JSON value.
    template<class T>
        requires std::constructible_from<boost::json::value, T&&>
    json_member(std::string_view member, T&& content) : name(member), value(std::forward<T>(content))
    {
    }

    /// Empty = absent.
    std::string name;
    /// The value.
    boost::json::value value;
};

/** Members of a JSON object as an argument: `{{"ready", 3}, {"phase", "Running"}}`, or a boost::json::object.

    Its constructors take members one by one, as gcc 12 refuses lists in braces in an expression with a co_await. */
class json_members
{
public:
    /// Takes an object's members.
    json_members(boost::json::object members) : members_(std::move(members)) {}
    /// Up to eight members; with more make a boost::json::object.
    json_members(json_member a, json_member b = json_member(), json_member c = json_member(),
                 json_member d = json_member(), json_member e = json_member(), json_member f = json_member(),
                 json_member g = json_member(), json_member h = json_member())
    {
        for (json_member* m : {&a, &b, &c, &d, &e, &f, &g, &h})
            if (!m->name.empty()) members_[m->name] = std::move(m->value);
    }
    /// Moves the members out.
    [[nodiscard]] boost::json::object take() noexcept { return std::move(members_); }

private:
    boost::json::object members_;
};

} // namespace kubecoro
