// What most cases begin with: one informer, heard by one witness.
#pragma once

#include "witness.hpp"

#include <kubecoro/cache/informer_factory.hpp>

#include <memory>
#include <string>
#include <utility>

namespace kubecoro::e2e {

/// An informer of one resource with a witness, of a factory of its own, which stops before the witness goes. It checks each
/// list that it has stored against the server.
class followed
{
public:
    /// @param who  The client that the informer uses. @param ns  The one namespace it covers.
    followed(cluster& c, std::shared_ptr<source_provider> who, const resource_type& type, const std::string& ns,
             factory_options options = factory_options())
        : witnessed(c),
          all(c, std::move(who), std::move(options)),
          informer(all->get(type, only(ns))),
          cluster_(&c),
          ns_(ns)
    {
        registered = informer.add_event_handler(witnessed.plain());
    }

    /// Starts, if it has not, and waits for the sync.
    [[nodiscard]] result<> sync()
    {
        all->start();
        return cluster_->run(informer.has_synced());
    }

    /// Waits until store and witness are what the server has. @return what is missing to that, or what one list had in
    /// another way than the server; empty when nothing is.
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
    shared_informer informer;
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
