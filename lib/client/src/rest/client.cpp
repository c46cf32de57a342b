#include <kubecoro/client/client.hpp>

#include "address/server_address.hpp"
#include "auth/exec_login.hpp"
#include "connect/socket_connector.hpp"
#include "connect/tls_source.hpp"
#include "files/background_call.hpp"
#include "http/http_transport.hpp"
#include "http/request_text.hpp"
#include "rest/client_state.hpp"
#include "rest/write_checker.hpp"

#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/api/detail/written_json.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/json/value.hpp>

#include <utility>

namespace kubecoro {

namespace asio = boost::asio;

namespace {

// The operations are plain functions that hand their state to a coroutine, because a client may be destroyed before its
// operation is awaited. catch_failure() is outermost, so that a cancellation between two steps becomes a value as well.
asio::awaitable<result<object>> fetch(std::shared_ptr<client::state> s, result<request> r, std::string kind)
{
    co_return co_await s->fetch_object(std::move(r), std::move(kind));
}

/// A write whose body stays as it is.
asio::awaitable<result<object>> send(std::shared_ptr<client::state> s, result<request> r, detail::write_target what)
{
    auto written = co_await s->fetch_object(std::move(r));
    detail::note_write(co_await asio::this_coro::executor, *s, what, written);
    co_return written;
}

asio::awaitable<result<object>> guarded_send(std::shared_ptr<client::state> s, result<request> r,
                                             detail::write_target what)
{
    return catch_failure(send(std::move(s), std::move(r), std::move(what)));
}

asio::awaitable<result<object>> guarded_fetch(std::shared_ptr<client::state> s, result<request> r,
                                              std::string kind = {})
{
    return catch_failure(fetch(std::move(s), std::move(r), std::move(kind)));
}

/// A write, and how its body goes.
struct outgoing
{
    result<request> r;
    /// Nothing: it stays JSON.
    std::optional<detail::body_kind> form = {};
    /// Nothing: it is not checked.
    std::optional<detail::checked_body> check = {};
    detail::write_target what = {};
};

asio::awaitable<result<object>> write(std::shared_ptr<client::state> s, outgoing out)
{
    if (out.r && out.check) {
        if (auto sound =
                co_await s->checker().check(detail::client_access::client_of(s), *out.r, *std::move(out.check));
            !sound)
            co_return sound.error();
    }
    auto written = co_await s->write_object(std::move(out.r), std::move(out.form));
    detail::note_write(co_await asio::this_coro::executor, *s, out.what, written);
    co_return written;
}

asio::awaitable<result<object>> guarded_write(std::shared_ptr<client::state> s, outgoing out)
{
    return catch_failure(write(std::move(s), std::move(out)));
}

json_text json_of(detail::struct_view body)
{
    std::string text;
    detail::write_root(*body.type, body.value, text);
    return text;
}

result<request> as_protobuf(result<request> r)
{
    if (r) r->content_type = detail::protobuf_type;
    return r;
}

/// The check of a body that is sent in this way; nothing if there is none.
std::optional<detail::checked_body> when_asked(field_validation chosen, std::optional<detail::checked_body> check)
{
    return chosen == field_validation::client ? std::move(check) : std::nullopt;
}

/// Checks the body of a write: nothing if it is sound.
result<> check_body(bool partial)
{
    if (!partial) return {};
    return failure(cond::invalid, "the object came as protobuf with fields that this version does not know: writing it "
                                  "would delete them; read it with client::get(), or with decode_options::form json");
}

asio::awaitable<result<client::raw_answer>> fetch_raw(std::shared_ptr<client::state> s, request r)
{
    const auto method = r.method, target = r.target;
    KUBECORO_TRY(auto got, co_await s->exchange(std::move(r), s->options.max_retries, s->options.timeouts.answer_head));
    auto body = co_await s->read_all(*got, s->options.limits.max_answer_bytes);
    if (!body) co_return body.error().with_request(method, target);
    client::raw_answer whole;
    whole.head = got->head();
    whole.body = std::move(*body);
    co_return whole;
}

asio::awaitable<result<std::unique_ptr<answer>>> start(std::shared_ptr<client::state> s, request r)
{
    co_return co_await s->exchange(std::move(r), s->options.max_retries, s->options.timeouts.answer_head);
}

/// An address without a scheme is one of TLS if there are settings for it; without them no credentials are sent there.
result<detail::server_address> find_server(const cluster_config& config)
{
    const bool has_tls_settings = !config.ca.empty() || !config.ca_file.empty() || config.insecure ||
                                  !config.server_name.empty() || !config.client_certificate.empty() ||
                                  !config.client_certificate_file.empty();
    const auto url = detail::with_scheme(config.server, has_tls_settings);
    auto address = detail::server_address::parse(url);
    const auto& login = config.login;
    const bool has_login =
        !login.token.empty() || !login.token_file.empty() || !login.username.empty() || login.exec.has_value();
    if (!address || address->tls || url == config.server || !has_login) return address;
    return failure(cond::misconfigured, "the server address has no scheme, and credentials are not sent to plain http "
                                        "without being asked to: expected https://host[:port]");
}

void complete(client_options& options)
{
    if (!options.time) options.time = real_clock();
    if (!options.metrics) options.metrics = null_metrics();
}

/// A plugin gets the authorities themselves. A file that cannot be read is reported by make_tls().
cluster_config with_authorities(cluster_config config)
{
    if (!config.login.exec || !config.ca.empty() || config.ca_file.empty()) return config;
    constexpr std::size_t longest_file = 10 * 1024 * 1024;
    if (auto text = detail::bounded_read(system_environment(), config.ca_file, longest_file))
        config.ca = std::move(*text);
    return config;
}

detail::exec_access find_plugin(const asio::any_io_executor& executor, const cluster_config& config,
                                const client_options& options)
{
    if (!config.login.exec) return {};
    detail::exec_caller caller(*options.metrics, options.log, options.timeouts.credential_plugin);
    return detail::find_exec_login(detail::kept_executor(executor), config, options.time, std::move(caller));
}

detail::tls_source::settings tls_settings(const cluster_config& config, const client_options& options,
                                          const detail::exec_access& plugin)
{
    return {.config = config,
            .machine = system_environment(),
            .time = options.time,
            .numbers = options.metrics,
            .log = options.log,
            .plugin = plugin};
}

result<std::shared_ptr<detail::tls_source>> make_tls(const cluster_config& config, const client_options& options,
                                                     const detail::exec_access& plugin)
{
    auto made = detail::tls_source::make(tls_settings(config, options, plugin));
    if (made || config.origin.empty()) return made;
    return failure(made.error().condition(), config.origin + ": " + made.error().message());
}

} // namespace

json_text::json_text(const object& o) : text(o.to_text()), partial(o.is_partial()) {}
json_text::json_text(const boost::json::value& v) : text(detail::written_json(v)) {}
json_text::json_text(const boost::json::object& o) : text(detail::written_json(o)) {}
json_text::json_text(const boost::json::array& a) : text(detail::written_json(a)) {}

result<client> client::connect(asio::any_io_executor executor, client_options options)
{
    auto config = load_kubeconfig({.path = options.kubeconfig, .context = options.context});
    if (!config) return config.error();
    return create(std::move(executor), std::move(*config), std::move(options));
}

result<client> client::create(asio::any_io_executor executor, cluster_config config, client_options options)
{
    auto address = find_server(config);
    if (!address) return address.error();
    if (!config.server_name.empty() && !detail::is_host(config.server_name))
        return failure(cond::misconfigured, "tls-server-name: neither a host name nor an address");
    if (auto sound = detail::check_impersonation(config.login.as); !sound) return sound.error();
    if (config.login.exec)
        if (auto sound = detail::check_exec(*config.login.exec); !sound)
            return failure(cond::misconfigured, "exec: " + sound.error().message());
    complete(options);
    auto proxy = detail::find_proxy_route(*address, tls_settings(config, options, {}));
    if (!proxy) return config.origin.empty() ? proxy.error() : proxy.error().because(config.origin);
    const auto plugin = find_plugin(executor, with_authorities(config), options);
    detail::socket_options socket{.executor = executor,
                                  .time = options.time,
                                  .address = *address,
                                  .proxy = *proxy,
                                  .connect_timeout = options.timeouts.connect,
                                  .handshake_timeout = options.timeouts.tls_handshake,
                                  .meters = detail::connection_meters(options.metrics, address->endpoint())};
    if (address->tls) {
        auto tls = make_tls(config, options, plugin);
        if (!tls) return tls.error();
        socket.tls = *tls;
        socket.server_name = config.server_name.empty() ? address->host : config.server_name;
    }
    detail::http_options http{.host = address->authority(), .prefix = address->prefix, .tls = address->tls};
    if (*proxy && !(*proxy)->tunnel) {
        http.prefix = "http://" + address->authority() + address->prefix;
        http.proxy_authorization = (*proxy)->address.authorization();
    }
    auto carrier = detail::make_http_transport(detail::make_socket_connector(socket), options.time, std::move(http));
    auto made = std::make_shared<state>(std::move(executor), std::move(carrier), std::move(options),
                                        std::move(config.login), system_environment(), address->endpoint());
    if (auto sound = made->usable(); !sound) return sound.error();
    made->server = (address->tls ? "https://" : "http://") + address->authority() + address->prefix;
    made->gzip = detail::wants_gzip(made->options.compression, config.disable_compression, address->host);
    made->use_tls(std::move(socket.tls));
    made->use_plugin(plugin);
    if (!config.ns.empty()) made->ns = std::move(config.ns);
    return client(std::move(made));
}

client::client(asio::any_io_executor executor, std::shared_ptr<transport> carrier, client_options options,
               credentials login)
{
    cluster_config alone;
    alone.login = login;
    complete(options);
    auto plugin = find_plugin(executor, alone, options);
    state_ = std::make_shared<state>(std::move(executor), std::move(carrier), std::move(options), std::move(login),
                                     system_environment());
    state_->use_plugin(std::move(plugin));
}

asio::awaitable<result<object>> client::get(resource_type resource, kept_text ns, kept_text name,
                                            kept_text subresource) const
{
    return get(std::move(resource), std::move(ns), std::move(name), get_options(), std::move(subresource));
}

asio::awaitable<result<object>> client::get(resource_type resource, kept_text ns, kept_text name, get_options options,
                                            kept_text subresource) const
{
    auto kind = resource.display_name() + " " + resource.version;
    const request_builder builder(std::move(resource), std::move(ns), state_->options.decode.form);
    return guarded_fetch(state_, builder.get(name, options, subresource), std::move(kind));
}

asio::awaitable<result<object>> client::create(resource_type resource, kept_text ns, json_text body,
                                               write_options options) const
{
    if (auto sound = check_body(body.partial); !sound) return guarded_fetch(state_, sound.error());
    options.validation = state_->checker().chosen(options.validation);
    auto form = detail::protobuf_body_kind(state_->options.body_form, resource, {}, options.validation);
    auto check = when_asked(options.validation, detail::body_to_check(resource, {}, detail::body_role::object));
    if (check) check->is_new = true;
    auto what = detail::target_of(resource, ns, options.dry_run);
    const request_builder builder(std::move(resource), std::move(ns));
    auto sent = builder.create(std::move(body.text), options);
    return guarded_write(state_, {std::move(sent), std::move(form), std::move(check), std::move(what)});
}

asio::awaitable<result<object>> client::create_struct(resource_type resource, kept_text ns, detail::struct_view body,
                                                      write_options options) const
{
    if (auto sound = check_body(detail::is_partial(body)); !sound) return guarded_fetch(state_, sound.error());
    const auto validation = state_->checker().chosen(options.validation);
    auto form = detail::protobuf_body_kind(state_->options.body_form, resource, {}, validation);
    auto encoded = form ? state_->quick_body(*form, body) : std::nullopt;
    if (!encoded) return create(std::move(resource), std::move(ns), json_of(body), std::move(options));
    auto what = detail::target_of(resource, ns, options.dry_run);
    const request_builder builder(std::move(resource), std::move(ns));
    auto sent = as_protobuf(builder.create(std::move(*encoded), options));
    return guarded_write(state_, {.r = std::move(sent), .form = std::move(form), .what = std::move(what)});
}

asio::awaitable<result<object>> client::update_struct(resource_type resource, kept_text ns, kept_text name,
                                                      detail::struct_view body, write_options options,
                                                      kept_text subresource) const
{
    if (auto sound = check_body(detail::is_partial(body)); !sound) return guarded_fetch(state_, sound.error());
    const auto validation = state_->checker().chosen(options.validation);
    auto form = detail::protobuf_body_kind(state_->options.body_form, resource, subresource, validation);
    auto encoded = form ? state_->quick_body(*form, body) : std::nullopt;
    if (!encoded)
        return update(std::move(resource), std::move(ns), std::move(name), json_of(body), std::move(options),
                      std::move(subresource));
    auto what = detail::target_of(resource, ns, options.dry_run);
    const request_builder builder(std::move(resource), std::move(ns));
    auto sent = as_protobuf(builder.update(name, std::move(*encoded), options, subresource));
    return guarded_write(state_, {.r = std::move(sent), .form = std::move(form), .what = std::move(what)});
}

asio::awaitable<result<object>> client::create_subresource(resource_type resource, kept_text ns, kept_text name,
                                                           kept_text subresource, json_text body,
                                                           write_options options) const
{
    if (auto sound = check_body(body.partial); !sound) return guarded_fetch(state_, sound.error());
    auto what = detail::target_of(resource, ns, options.dry_run);
    const request_builder builder(std::move(resource), std::move(ns));
    return guarded_send(state_, builder.create_subresource(name, subresource, std::move(body.text), options),
                        std::move(what));
}

asio::awaitable<result<object>> client::update(resource_type resource, kept_text ns, kept_text name, json_text body,
                                               write_options options, kept_text subresource) const
{
    if (auto sound = check_body(body.partial); !sound) return guarded_fetch(state_, sound.error());
    options.validation = state_->checker().chosen(options.validation);
    auto form = detail::protobuf_body_kind(state_->options.body_form, resource, subresource, options.validation);
    auto check =
        when_asked(options.validation, detail::body_to_check(resource, subresource, detail::body_role::object));
    auto what = detail::target_of(resource, ns, options.dry_run);
    const request_builder builder(std::move(resource), std::move(ns));
    auto sent = builder.update(name, std::move(body.text), options, subresource);
    return guarded_write(state_, {std::move(sent), std::move(form), std::move(check), std::move(what)});
}

asio::awaitable<result<object>> client::patch(resource_type resource, kept_text ns, kept_text name, patch_kind kind,
                                              json_text body, write_options options, kept_text subresource) const
{
    if (auto sound = check_body(body.partial); !sound) return guarded_fetch(state_, sound.error());
    options.validation = state_->checker().chosen(options.validation);
    auto check = when_asked(options.validation, detail::patch_to_check(resource, subresource, kind));
    auto what = detail::target_of(resource, ns, options.dry_run);
    const request_builder builder(std::move(resource), std::move(ns));
    auto sent = builder.patch(name, kind, std::move(body.text), options, subresource);
    return guarded_write(state_, {std::move(sent), {}, std::move(check), std::move(what)});
}

asio::awaitable<result<object>> client::remove(resource_type resource, kept_text ns, kept_text name,
                                               delete_options options, kept_text subresource) const
{
    auto what = detail::target_of(resource, ns, options.dry_run, subresource.empty());
    const request_builder builder(std::move(resource), std::move(ns));
    return guarded_send(state_, builder.remove(name, options, subresource), std::move(what));
}

asio::awaitable<result<client::raw_answer>> client::raw(request r) const
{
    return catch_failure(fetch_raw(state_, std::move(r)));
}

asio::awaitable<result<std::unique_ptr<answer>>> client::send(request r) const
{
    return catch_failure(start(state_, std::move(r)));
}

resource_client<object> client::resource(resource_type type, kept_text ns) const
{
    return resource_client<object>(*this, std::move(type), std::move(ns));
}

asio::any_io_executor client::executor() const { return state_->executor.get(); }
time_source& client::time() const noexcept { return *state_->options.time; }
const std::string& client::default_namespace() const noexcept { return state_->ns; }
const std::string& client::server() const noexcept { return state_->server; }

} // namespace kubecoro
