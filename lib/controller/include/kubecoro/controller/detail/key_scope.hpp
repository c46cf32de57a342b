#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/controller/action.hpp>

#include <boost/asio/awaitable.hpp>

namespace kubecoro::detail {

/// The run of a key that has no object: done, as for an object that is gone. A key that no object of the kind can have, with a
/// namespace or without, is a mistake of a map function: terminal, so that it is counted and logged. `key` must outlive the run.
[[nodiscard]] boost::asio::awaitable<result<action>> run_without_object(const object_key& key, resource_type kind);

} // namespace kubecoro::detail
