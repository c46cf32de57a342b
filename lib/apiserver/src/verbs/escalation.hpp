// Keeps users from granting more than they may do themselves.
#pragma once

#include "verbs/exchange.hpp"

namespace kubecoro::apiserver {

/** The check of a write of this exchange's resource. A role may grant the rights that its writer has, or any if the writer
    has the verb escalate for it; a binding needs the rights of its role, or the verb bind for that.

    @return empty for resources that grant nothing. Valid as long as the exchange. */
[[nodiscard]] write_admission escalation_check(exchange& x);

} // namespace kubecoro::apiserver
