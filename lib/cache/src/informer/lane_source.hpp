#pragma once

#include "informer/informer_settings.hpp"

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/api/list_watch_source.hpp>

#include <memory>
#include <string>

namespace kubecoro::detail {

/// Opens the source for the objects of one namespace (empty = all) with these options. Never null.
[[nodiscard]] std::shared_ptr<list_watch_source> open_source(const informer_settings& s, const std::string& ns,
                                                             std::shared_ptr<object_encoding> encoding,
                                                             std::shared_ptr<const known_objects> known);

} // namespace kubecoro::detail
