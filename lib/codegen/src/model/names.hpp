// The C++ names of generated types and members.
#pragma once

#include <kubecoro/codegen/detail/model.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::codegen {

/// "HTTPGetAction" -> "http_get_action", "PodIPs" -> "pod_ips".
[[nodiscard]] std::string snake_case(std::string_view name);

/// A name that C++ accepts: other characters become underscores, keywords get one behind them, digits one before.
[[nodiscard]] std::string identifier(std::string_view name);

/// The namespace and the name of the C++ type of a message.
struct type_name
{
    /// "core_v1", from "io.k8s.api.core.v1.PodSpec".
    std::string space;
    /// "pod_spec".
    std::string name;

    /// "::kubecoro::core_v1::pod_spec".
    [[nodiscard]] std::string qualified() const { return "::kubecoro::" + space + "::" + name; }
};

/// Returns the C++ name of a message. One that would hide a namespace, such as std or meta_v1, gets an underscore.
[[nodiscard]] type_name type_name_of(std::string_view message);

/// Names the members of a message, in its order: identifiers, all different and different from the type's own and those
/// that every generated type has. Names without small letters, which could be macros, get an underscore.
[[nodiscard]] std::vector<std::string> member_names(const message& m);

/// The struct of constants for the values that a field may have.
struct constants
{
    /// "mode_values"; empty if the field may have any value.
    std::string name;
    /// The type of every constant.
    scalar type = scalar::string;
    /// A constant and its value: {"read_only", "ReadOnly"}, {"n2", "2"}.
    std::vector<std::pair<std::string, std::string>> values;
};

/// The constants of each member of a message, in its order. @param members  The names of its members.
[[nodiscard]] std::vector<constants> constants_of(const message& m, const std::vector<std::string>& members);

} // namespace kubecoro::codegen
