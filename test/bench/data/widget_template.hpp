// Custom resources: objects of 5 to 11 KB like an operator's.
#pragma once

#include "pod_values.hpp"

#include <cstdint>
#include <string>

namespace kubecoro::bench {

/// "/namespace/name" parts of the widget with this number: distinct for distinct numbers.
struct widget_name
{
    std::string name_space;
    std::string name;
};
[[nodiscard]] widget_name make_widget_name(std::uint64_t seed, std::uint32_t number);

/// Appends the widget as JSON, members in alphabetical order as servers send custom resources.
void append_widget(std::string& out, std::uint64_t seed, std::uint32_t number, std::uint64_t version,
                   object_state state);

} // namespace kubecoro::bench
