#pragma once

#include "shards/shard_core.hpp"

#include <kubecoro/controller/shard_options.hpp>

#include <string>

namespace kubecoro::detail {

/// Errors: cond::misconfigured, which names the option.
[[nodiscard]] result<> check_shards(const shard_options& o);
/// Settings of the core, from checked options.
/// @param holder  Unique to this process.
[[nodiscard]] shard_core::settings settings_of(const shard_options& o, std::string holder);

} // namespace kubecoro::detail
