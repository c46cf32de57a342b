#pragma once

#include <cstdint>

namespace kubecoro {

/// The part of a key that decides which member works on it.
enum class shard_by : std::uint8_t
{
    /// Namespace and name: keys of one namespace are divided as well.
    object,
    /// The namespace alone: all keys of one have the same member.
    ns
};

} // namespace kubecoro
