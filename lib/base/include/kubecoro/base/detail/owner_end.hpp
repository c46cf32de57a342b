#pragma once

#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/result.hpp>

#include <string>
#include <string_view>

namespace kubecoro::detail {

/** Shows that a failed loop has ended its owner: one error line, and one in `kubecoro_ended_owners_total`.

    @param owner    The kind of the owner: "informer". @param name  Its name in logs and metrics.
    @param task     The loop. @param numbers  Null = none. Its exceptions are ignored: the owner has ended already. */
void show_end(const logger& log, metrics* numbers, std::string_view owner, const std::string& name,
              const std::string& task, const failure& why) noexcept;

} // namespace kubecoro::detail
