// Objects and lists as YAML, in kube-apiserver's order: members by name.
#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace kubecoro::apiserver {

/// @param json  An object that the server has rendered.
[[nodiscard]] std::string yaml_object(std::string_view json);

/// A document whose `items` are appended one by one, so that a long list is never in memory as a whole.
class yaml_list
{
public:
    /// @param json  The list with all its members but the items.
    explicit yaml_list(std::string_view json);

    void append_head(std::string& out) const;
    /// @param json  The item.
    void append_item(std::string& out, std::string_view json);
    void append_tail(std::string& out) const;

private:
    boost::json::object before_;
    boost::json::object after_;
    bool empty_ = true;
};

} // namespace kubecoro::apiserver
