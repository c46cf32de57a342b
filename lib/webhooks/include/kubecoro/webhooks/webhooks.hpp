#pragma once

#include <kubecoro/api/validation.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/webhooks/admission.hpp>
#include <kubecoro/webhooks/detail/hook_functions.hpp>
#include <kubecoro/webhooks/detail/version_pair.hpp>
#include <kubecoro/webhooks/webhooks_options.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/json/fwd.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro {

namespace detail {
struct webhooks_state;
}

/// A request to webhooks, as a server posts it.
struct webhook_call
{
    /// The HTTP method.
    std::string method = "POST";
    /// Path and query: "/validate-example-com-v1-site?timeout=10s".
    std::string target = {};
    /// The Content-Type.
    std::string content_type = "application/json";
    /// The whole body.
    std::string body = {};
};

/// The answer to a webhook_call.
struct webhook_reply
{
    /// The HTTP status.
    int status = 200;
    /// The Content-Type.
    std::string content_type = "application/json";
    /// The whole body.
    std::string body = {};
};

/** The admission and conversion webhooks of a program, beside the controllers of its manager.

        webhooks hooks(m);
        hooks.validates<site>([](const site& s) {
            return s.spec.host.empty() ? verdict::denied("spec.host is empty") : verdict::allowed();
        });
        hooks.mutates<site>([](site& s) { if (!s.spec.replicas) s.spec.replicas = 1; });
        hooks.converts<site_v1, site>(to_hub, from_hub);

    They are served over HTTPS in all replicas, one function at a time, from before the informers have synced until the manager has stopped. A function may be a
    coroutine; it is cancelled when the server no longer waits. One that fails or throws is answered with a refusal of code
    500, or, with `ignore_failures`, with a warning; that is counted and logged.

    A handle: copies refer to the same webhooks, and the manager keeps them. Thread safe. Add webhooks before the manager
    starts. A webhook that is there already, or whose options the server would refuse, throws error with
    cond::misconfigured, as manager::lister() does. */
class webhooks
{
public:
    /// @param m  Must outlive every call.
    explicit webhooks(manager& m, webhooks_options options = {});

    /** Reviews objects of kind T: a function of `const T&`, of `const T&` and `const admission<T>&`, or of the latter alone. The
        struct is the object as it will be, or for a deletion as it is.

        It returns verdict, result<>, result<verdict>, nothing, or an awaitable of these. A failure with cond::invalid,
        cond::forbidden or a status that is about no other request refuses the object; any other is one of the webhook. */
    template<class T, detail::validates_kind<T> F>
    webhooks& validates(F f, admission_options options = {})
    {
        add(T::resource(), false, detail::validator_of<T>(std::move(f)), std::move(options));
        return *this;
    }
    /// Checks objects with a schema and its CEL rules, such as object_schema::of<site>(), which has those of the struct's
    /// fields. Rules that cel::object_validator::of() refuses throw error with its failure.
    template<class T>
    webhooks& validates(object_schema schema, admission_options options = {})
    {
        add(T::resource(), false, detail::schema_validator(std::move(schema)), std::move(options));
        return *this;
    }
    /** Changes objects of kind T: a function of `T&`, or of `T&` and `const admission<T>&`, which returns the same. The object
        gets the changes, and keeps what the struct does not know, but of a list that changed it keeps the struct's items only. */
    template<class T, detail::mutates_kind<T> F>
    webhooks& mutates(F f, admission_options options = {})
    {
        add(T::resource(), true, detail::mutator_of<T>(std::move(f)), std::move(options));
        return *this;
    }
    /** Converts objects of a kind between a version and the one that all others are converted to and from, the hub.

        Each function gets the struct to read and the one to fill, and returns nothing or result<>. The second one already has
        the fields that both versions have with the same name and type. Fields that neither struct knows are kept. Must not wait
        for anything, and need not fill metadata, of which a server lets labels and annotations change only. */
    template<class Spoke, class Hub, detail::converts_structs<Spoke, Hub> Up, detail::converts_structs<Hub, Spoke> Down>
    webhooks& converts(Up up, Down down)
    {
        add(Spoke::resource(), Hub::resource(), detail::make_version_step<Spoke, Hub>(std::move(up)),
            detail::make_version_step<Hub, Spoke>(std::move(down)));
        return *this;
    }

    /** Answers a request of a server. For tests and servers of one's own; the manager's server calls it as well.

        Every failure is an answer. @par Cancellation  reaches the function, and ends with an answer. */
    [[nodiscard]] boost::asio::awaitable<webhook_reply> answer(webhook_call call) const;
    /** A client whose requests these webhooks answer, for tests of an operator with the embedded server:

            server.call_webhooks([hooks](const webhook_server&) { return hooks.in_process(); }); */
    [[nodiscard]] client in_process() const;
    /// Converts one object to a version of its kind, as the server would ask for it. Errors: those of the functions;
    /// cond::not_found for a version without webhook.
    [[nodiscard]] result<boost::json::object> convert(const boost::json::object& from, std::string_view version) const;

    /// Such as "https://0.0.0.0:9443"; empty while they are not served. Any thread.
    [[nodiscard]] std::string url() const;
    /// The objects that lead a server here, without the authority: a Service, if there is an address, and the webhook
    /// configurations. For definitions with conversions, patches of them. manager::manifests() has their YAML.
    [[nodiscard]] std::vector<boost::json::object> manifests() const;

private:
    void add(const resource_type& type, bool mutates, detail::admission_handler handler, admission_options options);
    void add(const resource_type& spoke, const resource_type& hub, detail::version_step up, detail::version_step down);

    std::shared_ptr<detail::webhooks_state> state_;
};

} // namespace kubecoro
