#pragma once

#include <kubecoro/controller/event_recorder.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// The arguments of event(), in the form that the API admits.
struct event_draft
{
    event_target regarding = {};
    event_target related = {};
    event_type type = event_type::normal;
    std::string reason = {};
    std::string action = {};
    std::string note = {};
};

/// Empty when there is no object, kind or reason: no server accepts such an event.
[[nodiscard]] std::optional<event_draft> make_draft(const event_target& regarding, event_type type,
                                                    std::string_view reason, std::string_view action,
                                                    std::string_view note, const event_target& related);

/// Equal for events that repeat each other, whatever their note and the version of their objects.
[[nodiscard]] std::string similarity_key(const event_draft& d);
/// Equal for events about one object.
[[nodiscard]] std::string target_key(const event_target& t);

/// The name of an event about an object: the object's name, if it leaves room for the stamp and may be part of a name.
[[nodiscard]] std::string event_name(std::string_view object_name, std::uint64_t stamp);
/// "example.com/name" as the API admits it for reportingController: other characters become '-'.
[[nodiscard]] std::string qualified_name(std::string_view text);
/// At most `most` bytes, cut between two characters; bytes that are not UTF-8 become '?'.
[[nodiscard]] std::string clean_text(std::string_view text, std::size_t most);

} // namespace kubecoro::detail
