#pragma once

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/base/result.hpp>

#include <memory>
#include <string_view>

namespace kubecoro::detail {

/** Reads the JSON of an object that was made of another one, a transform's or a struct, as object::parse() does.

    @param partial   See object::is_partial(): members that its maker did not see are missing in it, too.
    @param encoding  The storage that it shares; null = its own. */
[[nodiscard]] result<object> parse_object(std::string_view json, bool partial,
                                          const std::shared_ptr<object_encoding>& encoding = nullptr);

} // namespace kubecoro::detail
