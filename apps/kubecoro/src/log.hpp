// The tool's log: spdlog on stderr behind the library's logger.
#pragma once

#include <kubecoro/base/log.hpp>

namespace kubecoro::tool {

/// Lines of at least this level go to stderr, with the time.
[[nodiscard]] logger make_logger(log_level threshold);

} // namespace kubecoro::tool
