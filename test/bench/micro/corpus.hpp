#pragma once

#include "data/data_set.hpp"

#include <kubecoro/api/object.hpp>

#include <string>
#include <vector>

namespace kubecoro::bench {

/// The number of objects in the rotation: more than the processor's caches hold.
inline constexpr std::uint32_t corpus_size = 5000;

/// The JSON of `corpus_size` objects, generated at the first call and kept.
[[nodiscard]] const std::vector<std::string>& corpus(data_kind kind);
/// The same objects encoded, sharing one encoding.
[[nodiscard]] const std::vector<object>& encoded_corpus(data_kind kind);
/// A list answer, and a watch answer with the same number of MODIFIED events.
[[nodiscard]] const std::string& list_text(data_kind kind);
[[nodiscard]] const std::string& watch_text(data_kind kind);

} // namespace kubecoro::bench
