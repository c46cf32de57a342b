#pragma once
// False events and lists in protobuf.

#include "event_lies.hpp"

#include <kubecoro/base/detail/random.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::simulation {

[[nodiscard]] std::unique_ptr<event_lies> make_protobuf_lies();

/// True for a list in its envelope.
[[nodiscard]] bool is_protobuf_list(std::string_view body);

/// A list that must be refused.
struct false_list
{
    std::string words;
    std::string body;
    std::string content_type;
};
[[nodiscard]] false_list falsified_list(detail::random_source& random, std::string body);

} // namespace kubecoro::simulation
