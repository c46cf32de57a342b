// Objects and lists as YAML, in kube-apiserver's order: members by name.
#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace kubecoro::apiserver {

/// @param json  An object that the server has rendered.
[[nodiscard]] std::string yaml_object(std::string_view json);

/// A list or table whose items are appended one by one, so that it is never in memory as a whole.
class yaml_list
{
public:
    /// @param json   The list, without an item.
    /// @param items  The member that has the items.
    yaml_list(std::string_view json, std::string_view items);

    void append_head(std::string& out) const;
    /// @param json  The item.
    void append_item(std::string& out, std::string_view json);
    void append_tail(std::string& out) const;

private:
    std::string items_;
    /// The members whose names come before and after that of the items.
    boost::json::object before_;
    boost::json::object after_;
    bool empty_ = true;
};

} // namespace kubecoro::apiserver
