#pragma once

#include <kubecoro/endpoints/endpoint_options.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/program/operator_options.hpp>

#include <string>

namespace kubecoro {

/** Options of an endpoint of the program's own, as safe as that of its metrics: with the certificate and the tokens that
    the command line asks for (--metrics-certificate, --metrics-secure), and the manager's metrics, clock and log. The caller
    adds what it serves:

        return kubecoro::run_operator(o, argc, argv, [](kubecoro::manager& m, const kubecoro::operator_options& o) {
            auto serving = kubecoro::guarded_endpoint(o, m, ":8090");
            serving.pages.push_back(report_of(m));
            ...
        });

    @param o        The options after the command line.
    @param address  As endpoint_options::address. Tokens without a certificate at an address that is not loopback are
                    logged as a warning. */
[[nodiscard]] endpoint_options guarded_endpoint(const operator_options& o, manager& m, std::string address);

} // namespace kubecoro
