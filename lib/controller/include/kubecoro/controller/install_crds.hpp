#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/json/fwd.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace kubecoro {

/// Options of install_crds().
struct install_options
{
    /// The manager of the fields that are applied. Empty = "kubecoro".
    std::string field_manager = {};
    /// Whether a definition may stop serving a version, or store objects in an older one than now.
    bool allow_downgrade = false;
};

/** Applies CustomResourceDefinitions and waits until the server serves them, for 30 s each at most.

        KUBECORO_TRY(auto definition, definition_of<shop>());
        std::vector<boost::json::value> all{definition};
        KUBECORO_TRY(auto ready, co_await install_crds(cluster, std::move(all)));

    Fields of other managers that the definitions name are taken over. All definitions are compared with those on the
    server before the first one is applied, so that an older program does not take a version away from a newer one.

    @param definitions  Objects of kind CustomResourceDefinition, as of definition_of() or load_manifests().
    @return     The definitions as the server has them, in their order.
    @par Errors  cond::invalid for another kind, a downgrade, and names that the server does not accept, with its reason;
                 cond::timed_out, naming the condition that is missing; else as client::apply(). Definitions that were
                 applied before stay.
    @par Cancellation  terminal, partial, total.
    @par Executor  as client operations: one that runs one handler at a time. */
[[nodiscard]] boost::asio::awaitable<result<std::vector<object>>>
install_crds(client cluster, std::vector<boost::json::value> definitions, install_options how = {});

} // namespace kubecoro
