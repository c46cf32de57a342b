#pragma once

#include <kubecoro/controller/enqueue.hpp>

namespace kubecoro::detail {

/// The map of enqueue_object(), a type of its own so that others can be distinguished.
struct own_key
{
    void operator()(const notification<object>& n, key_sink out) const { out(object_of(n).key()); }
};

} // namespace kubecoro::detail
