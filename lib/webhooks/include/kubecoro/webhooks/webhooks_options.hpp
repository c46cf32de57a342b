#pragma once

#include <kubecoro/api/selector.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/webhooks/admission.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace kubecoro {

/// Options of one admission webhook: the requests that the server asks about, and what a failure means.
struct admission_options
{
    /// Distinguishes several webhooks of one kind: a word of its path and name. Empty for the only one.
    std::string name = {};
    /// The operations.
    std::vector<admission_operation> operations = {admission_operation::create, admission_operation::update};
    /// Such as "status"; empty = the objects themselves.
    std::string subresource = {};
    /// Labels of the namespaces whose objects are reviewed. Empty = all.
    label_selector namespaces = {};
    /// Labels of the objects that are reviewed, before or after the change. Empty = all.
    label_selector objects = {};
    /// Whether a request goes on when the webhook fails or cannot be reached. False: it is refused.
    bool ignore_failures = false;
    /// How long the server waits, in whole seconds from 1 to 30. Handlers are cancelled then.
    std::chrono::seconds timeout{10};
    /// Whether a mutating webhook is asked again when another one has changed the object after it.
    bool reinvoke = false;
    /// Whether it changes anything but the object. It then must not do so when dry_run is set.
    bool has_side_effects = false;
};

/// Options of the webhooks of a program.
struct webhooks_options
{
    /// Where they are served: ":9443" is every interface. "0" = nowhere: answer() is called by the program itself.
    std::string address = ":9443";
    /// Prefix of the configurations' names, and the default of the two names below. Empty = the manager's name.
    std::string name = {};
    /// The Service that leads to the address, whose port is 443. Empty = the name with "-webhooks".
    std::string service = {};
    /// Prefix of the URLs by which servers reach the webhooks, in place of the Service: "https://10.0.0.7:9443", for a program
    /// outside of the cluster. Its certificate is for that host as well. Empty = the Service.
    std::string url = {};
    /// The namespace of Service and Secret. Empty = that of the client: of the pod, of the kubeconfig, or of what is printed.
    std::string ns = {};
    /// The Secret with the authority and the serving certificate. Empty = the name with "-webhooks".
    std::string secret = {};
    /** PEM files with a certificate and its key, as cert-manager mounts them. Empty = the program makes both, keeps them in
        the Secret, and writes the authority into the configurations and definitions. */
    std::string certificate_file = {};
    /// The private key of that certificate.
    std::string key_file = {};
    /// Whether the program creates and updates its webhook configurations. False: it only writes the authority into those that
    /// are there, by their names.
    bool install = true;
};

} // namespace kubecoro
