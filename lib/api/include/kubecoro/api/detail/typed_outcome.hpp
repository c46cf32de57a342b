// Typed outcomes of operations that give untyped objects.
#pragma once

#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <iterator>
#include <utility>
#include <vector>

namespace kubecoro::detail {

template<class T>
[[nodiscard]] std::vector<typed_object<T>> typed_all(std::vector<object> objects)
{
    return {std::make_move_iterator(objects.begin()), std::make_move_iterator(objects.end())};
}

/// Completes as the operation does.
template<class T>
[[nodiscard]] boost::asio::awaitable<result<typed_object<T>>>
typed_outcome(boost::asio::awaitable<result<object>> operation)
{
    auto o = co_await std::move(operation);
    if (!o) co_return o.error();
    co_return typed_object<T>(std::move(*o));
}

} // namespace kubecoro::detail
