#pragma once

#include "client_program.hpp"
#include "places.hpp"

#include "driver/process.hpp"
#include "driver/usage.hpp"

#include <kubecoro/base/result.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace kubecoro::bench::live {

/** A kube-apiserver with its etcd, of this bench's own, and the objects in it. One owner; stop() ends it.

    Both run detached. Unless they are to be kept, they are stopped as well when this program ends in another way, such as
    by Ctrl-C or a crash, also while they start.

    Errors of every member: misconfigured when a program fails, timed_out. */
class real_cluster
{
public:
    /// Starts it, or takes over one that an earlier run has kept.
    /// @param keep  It goes on running after this program.
    [[nodiscard]] static result<real_cluster> start(const places& where, bool keep);
    /// Stops both servers. Does nothing for a cluster that is kept.
    void stop();

    /// A client certificate and the server's authority.
    [[nodiscard]] std::string kubeconfig() const { return folder_ + "/kubeconfig-cert"; }

    /// Makes it hold exactly that many objects of a resource; minutes for tens of thousands. For config maps: those that
    /// requests name.
    result<> fill(const std::string& resource, std::uint64_t objects);
    /// The namespace with the most pods after fill().
    [[nodiscard]] const std::string& largest_namespace() const noexcept { return largest_; }

    /// Changes the pods of the largest namespace; start() and then succeed() or read_answer() of the returned program.
    /// @param answers  Written by it: the stamp and the time of each answer, a line each.
    /// @param past_server  Writes to etcd, as if another API server of the cluster had taken the request.
    result<child_process> update(unsigned rate, unsigned seconds, const std::string& answers, bool past_server) const;

    /** Changes pods of the largest namespace while kube-apiserver is away, and starts it again without a history: each
        watch ends, and the next one from its version is answered with 410.

        @param changes  At most the pods of that namespace. */
    result<> lose_history(unsigned changes) const;

    /// kubecoro's requests, for what the subjects do not do themselves: changing and deleting config maps.
    [[nodiscard]] result<client_program> helper() const;
    /// Deletes the config maps that subjects have created, and creates those that they name.
    result<> prepare_requests() const;

    /// The resource use of kube-apiserver.
    [[nodiscard]] result<usage> server_used() const;
    /// Leaves the server as after a pause: garbage collected, idle, and its peak reset. Drops old versions in etcd.
    result<> settle() const;
    /// Waits until the server has been idle for a second.
    result<> wait_until_idle() const;

private:
    explicit real_cluster(places where);
    [[nodiscard]] command_line script() const;
    [[nodiscard]] std::string log() const { return where_.work + "/cluster.log"; }
    result<> order(const std::string& verb) const;
    result<> stop_at_the_end();
    result<std::string> records(const std::string& resource, std::uint64_t objects) const;

    places where_;
    std::string folder_;
    std::string largest_;
    /// Stops the servers once its input ends, which this program's end does too; nullopt = they are kept.
    std::optional<child_process> stopper_;
};

} // namespace kubecoro::bench::live
