#pragma once

#include <boost/json/value.hpp>

#include <initializer_list>
#include <utility>

namespace kubecoro {

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
