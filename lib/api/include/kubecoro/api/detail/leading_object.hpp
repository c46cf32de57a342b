#pragma once

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/base/result.hpp>

#include <memory>
#include <string_view>

namespace kubecoro::detail {

/// Reads the object with which a text begins, as object::parse() does, and takes it out of the text. @param encoding  The storage
/// that it shares; null = its own.
[[nodiscard]] result<object> parse_leading_object(std::string_view& text,
                                                  const std::shared_ptr<object_encoding>& encoding);

} // namespace kubecoro::detail
