// The set-up of most cases: one informer with one witness as its handler.
#pragma once

#include "witness.hpp"

#include <kubecoro/cache/informer_factory.hpp>

#include <memory>
#include <string>
#include <utility>

namespace kubecoro::e2e {

/// An informer of one resource with a witness, in a factory that stops before the witness is destroyed. Checks each
/// stored list against the server.
class followed
{
public:
    /// @param who  The client that the informer uses. @param ns  The namespace that the informer covers.
    followed(cluster& c, std::shared_ptr<source_provider> who, const resource_type& type, const std::string& ns,
             factory_options options = {})
        : witnessed(c),
          all(c, std::move(who), std::move(options)),
          informer(all->get(type, only(ns))),
          cluster_(&c),
          ns_(ns)
    {
        registered = informer.add_event_handler(witnessed.plain());
    }

    /// Starts the informer, if not started, and waits for its sync.
    [[nodiscard]] result<> sync()
    {
        all->start();
        return cluster_->run(informer.has_synced());
    }

    /// Waits until store and witness equal the server. @return the remaining difference, or else the last difference of
    /// the consistency check; empty when there is none.
    [[nodiscard]] std::string converge()
    {
        std::string missing;
        cluster_->eventually([&] { return (missing = gap_now()).empty(); });
        return missing.empty() ? informer.stats().consistency.last_difference : missing;
    }
    [[nodiscard]] std::string gap_now() { return gap(*cluster_, informer, {&witnessed}, {ns_}); }

    [[nodiscard]] reflector_stats stats() const { return informer.stats().reflector; }

    witness witnessed;
    informers all;
    shared_informer<object> informer;
    registration registered;

private:
    static informer_options only(const std::string& ns)
    {
        informer_options scope;
        scope.namespaces = {ns};
        scope.check_consistency = true;
        return scope;
    }

    cluster* cluster_;
    std::string ns_;
};

} // namespace kubecoro::e2e
