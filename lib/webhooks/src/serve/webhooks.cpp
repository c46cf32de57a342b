#include <kubecoro/webhooks/webhooks.hpp>

#include "serve/hook_transport.hpp"
#include "serve/webhooks_state.hpp"

#include <kubecoro/api/edit.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <charconv>
#include <string_view>

namespace kubecoro {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

std::string or_else(const std::string& text, const std::string& otherwise) { return text.empty() ? otherwise : text; }

std::uint16_t port_of(std::string_view address)
{
    constexpr std::uint16_t usual = 9443;
    const auto digits = address.substr(address.rfind(':') + 1);
    std::uint16_t port = 0;
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    return ec == std::errc() && end == digits.data() + digits.size() && port != 0 ? port : usual;
}

void must(const result<>& done)
{
    if (!done) throw error(done.error());
}

std::shared_ptr<detail::webhooks_state> make_state(manager& m, webhooks_options o)
{
    o.name = or_else(o.name, or_else(m.name(), "webhooks"));
    o.service = or_else(o.service, o.name + "-webhooks");
    o.secret = or_else(o.secret, o.name + "-webhooks");
    detail::hook_place place{
        o.name, o.service, or_else(o.ns, m.client().default_namespace()), port_of(o.address), or_else(m.name(), o.name),
        o.url};
    return std::make_shared<detail::webhooks_state>(m, std::move(o), std::move(place));
}

} // namespace

webhooks::webhooks(manager& m, webhooks_options options) : state_(make_state(m, std::move(options)))
{
    if (state_->options.address == "0") return;
    state_->declare_rights();
    m.declare_manifest([s = state_] { return detail::manifest_text(s->manifests()); });
    m.declare_server([hooks = *this] { return !hooks.url().empty(); },
                     [s = state_] { return !s->table.converted().empty(); });
    const runnable_options first{.needs_leadership = false, .needs_informers = false};
    (void)m.run(
        "webhooks", [s = state_](latch stop) { return detail::webhooks_state::serve(s, std::move(stop)); }, first);
    if (state_->own_certificates())
        (void)m.run(
            "certificates of webhooks", [s = state_] { return detail::webhooks_state::keep_certificates(s); }, first);
}

std::string webhooks::url() const
{
    const std::lock_guard lock(state_->mutex);
    return state_->url;
}

void webhooks::add(const resource_type& type, bool mutates, detail::admission_handler handler,
                   admission_options options)
{
    must(state_->table.add({type, mutates, std::move(options)}, std::move(handler)));
    if (state_->options.address != "0")
        state_->declare_rights_to(detail::configuration_type(mutates), state_->place.name, state_->options.install);
}

void webhooks::add(const resource_type& spoke, const resource_type& hub, detail::version_step up,
                   detail::version_step down)
{
    must(state_->table.add(spoke, hub, std::move(up), std::move(down)));
    if (state_->options.address != "0")
        state_->declare_rights_to(detail::definition_type(), detail::definition_name(hub), false);
}

asio::awaitable<webhook_reply> webhooks::answer(webhook_call call) const
{
    return state_->table.answer(std::move(call));
}

client webhooks::in_process() const
{
    client_options how;
    how.time = state_->home.time();
    how.log = state_->home.log();
    return client(state_->executor.get(), std::make_shared<detail::hook_transport>(*this), how);
}

result<json::object> webhooks::convert(const json::object& from, std::string_view version) const
{
    const auto* has = from.if_contains("apiVersion");
    const std::string_view group =
        has != nullptr && has->is_string() ? std::string_view(has->get_string()) : std::string_view();
    const auto slash = group.find('/');
    const auto prefix = slash == std::string_view::npos ? std::string() : std::string(group.substr(0, slash + 1));
    return state_->table.convert(from, prefix + std::string(version));
}

std::vector<json::object> webhooks::manifests() const { return state_->manifests(); }

} // namespace kubecoro
