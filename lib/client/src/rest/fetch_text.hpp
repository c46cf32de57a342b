#pragma once
// Reads a text that need not be an API object, whole.

#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>

namespace kubecoro::detail {

/// @param target  Path and query. Errors: as client; corrupt beyond client_limits::max_answer_bytes.
[[nodiscard]] boost::asio::awaitable<result<std::string>> fetch_text(client c, std::string target);

} // namespace kubecoro::detail
