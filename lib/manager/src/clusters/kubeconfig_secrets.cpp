// Clusters that Secrets register.
#include <kubecoro/manager/kubeconfig_secrets.hpp>

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/hash.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/kubeconfig.hpp>
#include <kubecoro/manager/manager.hpp>

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace asio = boost::asio;

namespace kubecoro {
namespace {

/// The content of the key as the Secret has it: base64. Empty without the key.
std::string_view content(const object& secret, const std::string& key) { return secret["data"][key].as_string(); }

/// Tells whether the content has changed, without keeping a second copy of it.
std::string revision_of(const object& secret, const std::string& key)
{
    const auto text = content(secret, key);
    return std::to_string(text.size()) + "/" + std::to_string(detail::text_hash()(text));
}

result<client> connect_by(const object& secret, const kubeconfig_secrets& where, asio::any_io_executor executor,
                          client_options how)
{
    const auto origin = "Secret " + std::string(secret.ns()) + "/" + std::string(secret.name());
    const auto encoded = content(secret, where.key);
    if (encoded.empty()) return failure(cond::misconfigured, origin + ": has no key " + where.key);
    if (encoded.size() / 4 > detail::max_untrusted_kubeconfig_bytes / 3 + 1)
        return failure(cond::misconfigured, origin + ": its kubeconfig is longer than " +
                                                std::to_string(detail::max_untrusted_kubeconfig_bytes) + " bytes");
    const auto text = bytes::from_base64(encoded);
    if (!text) return failure(cond::misconfigured, origin + ": is not base64");
    auto config = parse_untrusted_kubeconfig(text->data, origin, where.context, where.environment_proxy);
    if (!config) return config.error();
    if (where.accept)
        if (const auto accepted = where.accept(*config); !accepted)
            return accepted.error().because(origin + ": is not accepted");
    return client::create(std::move(executor), *std::move(config), std::move(how));
}

class secret_provider final : public cluster_provider
{
public:
    explicit secret_provider(kubeconfig_secrets where) : where_(std::move(where)) {}

    void attach(manager& home) override
    {
        if (where_.ns.empty()) where_.ns = home.client().default_namespace();
        informers_ = &home.informers();
        secrets_ = informers_->get(untyped::secret::resource(),
                                   {.namespaces = {where_.ns}, .label_selector = where_.labels, .label = "clusters"});
    }

    [[nodiscard]] asio::awaitable<result<>> run(cluster_sink sink) override
    {
        informers_->start(); // it may have been made after the manager's start
        auto events = secrets_->subscribe({.name = "clusters"});
        for (;;) {
            const auto batch = co_await events.pop();
            if (!batch) co_return events.end_reason();
            for (const auto& event : *batch) pass_on(event, sink);
        }
    }

private:
    void pass_on(const notification<object>& event, const cluster_sink& sink) const
    {
        const auto& secret = object_of(event);
        if (std::holds_alternative<deleted<object>>(event)) return sink.withdraw(secret.name());
        cluster_offer offer{.name = std::string(secret.name()), .revision = revision_of(secret, where_.key)};
        // The object is shared with the store.
        offer.connect = [secret, where = where_](asio::any_io_executor executor, client_options how) {
            return connect_by(secret, where, std::move(executor), std::move(how));
        };
        sink.offer(std::move(offer));
    }

    kubeconfig_secrets where_;
    informer_factory* informers_ = nullptr;
    std::optional<shared_informer<object>> secrets_;
};

} // namespace

std::shared_ptr<cluster_provider> make_provider(kubeconfig_secrets where)
{
    return std::make_shared<secret_provider>(std::move(where));
}

} // namespace kubecoro
