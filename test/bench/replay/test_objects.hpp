// Objects and answers for the replay server's tests.
#pragma once

#include "data/data_set.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::bench {

[[nodiscard]] std::string text_of(data_set& data, std::uint32_t object, object_state state = object_state::first);

/// A Pod as protobuf with the fields that the server looks for, and a phase.
[[nodiscard]] std::string pod_message(std::string_view name, std::uint64_t version, std::string_view phase);

struct framed_event
{
    std::string type;
    std::string kind;
    std::string message;
};

/// The events of a protobuf watch, every length checked; throws when one is wrong.
[[nodiscard]] std::vector<framed_event> read_frames(std::string_view bytes);

/// The content of the "k8s\0" envelope, checked; the TypeMeta's kind is stored in `kind`.
[[nodiscard]] std::string_view open_envelope(std::string_view bytes, std::string& kind);

} // namespace kubecoro::bench
