// The certificate of one of the library's own servers, from files that are replaced. For the library itself.
#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/client/detail/server_stream.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <memory>
#include <string>

namespace kubecoro::detail {

/** TLS settings of new connections from two PEM files, which are looked at when connections arrive, once in ten seconds.

    They are read on a thread of their own, since a network file system may hang, and used from the next connection on.
    The last certificate and key that belong together stay in use until there are others. Strand-confined. */
class server_certificate
{
public:
    /// The files, and the surroundings.
    struct settings
    {
        /// The certificate, followed by those of intermediate authorities.
        std::string certificate_file = {};
        /// Its private key.
        std::string key_file = {};
        /// Reads the files.
        environment machine = {};
        /// How long the first read of a file may take.
        std::chrono::steady_clock::duration patience = std::chrono::seconds{5};
        /// Never null.
        std::shared_ptr<time_source> time = {};
        /// Null = none.
        std::shared_ptr<metrics> numbers = {};
        /// Receives a line for each change and each problem.
        logger log = {};
    };

    /// Reads the files for the first time, within `patience` each. Errors: misconfigured, naming the file.
    [[nodiscard]] static result<std::shared_ptr<server_certificate>> make(settings s);
    /// Waits for nothing: a read in progress outlives it.
    ~server_certificate();
    server_certificate(const server_certificate&) = delete;
    server_certificate& operator=(const server_certificate&) = delete;

    /// The settings of a connection that arrives now. Never null.
    [[nodiscard]] std::shared_ptr<server_tls> current();

private:
    struct state;
    explicit server_certificate(std::unique_ptr<state> s);
    std::unique_ptr<state> state_;
};

} // namespace kubecoro::detail
