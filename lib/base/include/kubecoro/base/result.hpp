#pragma once

#include <kubecoro/base/failure.hpp>

#include <boost/system/result.hpp>

namespace kubecoro {

/** A value or the failure that prevented it.

    `if (!r)`, `*r`, `r->`, `r.error()`; `r.value()` throws kubecoro::error. Default-constructed `result<>` is success.
 */
template<class T = void>
using result = boost::system::result<T, failure>;

} // namespace kubecoro
