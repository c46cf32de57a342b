// Legal changes of objects by users: of a custom resource by its schema, and of an object by the fields that the operator has sent.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::testing::detail {

/// A change of one property of a spec, and the change back, as merge patches.
struct spec_edit
{
    /// "spec.colour to \"blue\"".
    std::string words;
    std::string patch;
    std::string back;
};

/** The changes of an object that its schema allows: other values of an enum, numbers within their bounds, longer texts and lists, a
    further member of a map, an optional property taken away or added. Texts with a pattern or a format stay.

    @param schema  The schema of the whole object, as a definition has it. */
[[nodiscard]] std::vector<spec_edit> edits_of(const boost::json::value& schema, const boost::json::value& object);

/** A merge patch that gives another value to a field of an object that the operator has sent: a text, a number or a truth value outside
    of metadata and status, and of no list. Nothing if there is none.

    @param sent  The body of the request that created it. */
[[nodiscard]] std::optional<std::string> other_value(const boost::json::value& sent, std::uint64_t draw);

} // namespace kubecoro::testing::detail
