#include "connect/tls_source.hpp"

#include "connect/tls_context.hpp"
#include "files/background_call.hpp"
#include "files/tls_pem.hpp"

#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>

#include <chrono>
#include <exception>
#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

constexpr std::size_t longest_file = 10 * 1024 * 1024;
constexpr std::chrono::seconds between_looks{10};
/// How long a read of the files may hold up a connection or a request.
constexpr std::chrono::seconds longest_wait{1};

/// Fills an empty text from its file. A text that is given does not follow a file.
result<> take_first(std::string& text, std::string& file, const char* what, const environment& machine)
{
    if (!text.empty()) file.clear();
    if (file.empty()) return {};
    auto content = bounded_read(machine, file, longest_file);
    if (!content) return failure(cond::misconfigured, std::string(what) + ": " + content.error().message());
    text = std::move(*content);
    if (text.empty()) return failure(cond::misconfigured, std::string(what) + ": " + file + " is empty");
    return {};
}

} // namespace

tls_source::tls_source(settings s)
    : with_(std::move(s)), core_({with_.config.ca, with_.config.client_certificate, with_.config.client_key})
{
    constexpr std::string_view reloads = "kubecoro_client_tls_reloads_total";
    counters_.updated = with_.numbers->make_counter(reloads, {{"outcome", "updated"}});
    counters_.unusable = with_.numbers->make_counter(reloads, {{"outcome", "unusable"}});
    if (with_.peer == tls_peer::server)
        counters_.expiry = with_.numbers->make_gauge("kubecoro_client_certificate_expiry_timestamp_seconds",
                                                     {{"server", with_.config.server}});
}

result<std::shared_ptr<tls_source>> tls_source::make(settings s)
{
    auto& c = s.config;
    if (auto taken = take_first(c.ca, c.ca_file, "certificate-authority", s.machine); !taken) return taken.error();
    if (auto taken = take_first(c.client_certificate, c.client_certificate_file, "client-certificate", s.machine);
        !taken)
        return taken.error();
    if (auto taken = take_first(c.client_key, c.client_key_file, "client-key", s.machine); !taken) return taken.error();
    std::shared_ptr<tls_source> made(new tls_source(std::move(s)));
    if (auto usable = made->renew(made->core_.current()); !usable) return usable.error();
    made->report_damage();
    return made;
}

bool tls_source::has_files() const noexcept
{
    const auto& c = with_.config;
    return !c.ca_file.empty() || !c.client_certificate_file.empty() || !c.client_key_file.empty();
}

tls_files tls_source::read(const cluster_config& config, const environment& machine)
{
    tls_files now;
    const auto take = [&](const std::string& file, std::optional<std::string>& into) {
        if (file.empty()) return;
        auto content = machine.read_file(file, longest_file);
        if (content)
            into = std::move(*content);
        else
            now.unreadable += (now.unreadable.empty() ? "" : "; ") + content.error().message();
    };
    try {
        take(config.ca_file, now.ca);
        take(config.client_certificate_file, now.certificate);
        take(config.client_key_file, now.key);
    } catch (const std::exception& e) {
        now.unreadable = e.what();
    }
    return now;
}

/// Uses these texts. Called with the lock, or before others know the source. Nothing has changed if it fails or throws.
result<> tls_source::renew(const tls_texts& texts)
{
    auto config = with_.config;
    config.ca = texts.ca;
    config.client_certificate = texts.certificate;
    config.client_key = texts.key;
    auto context = with_.peer == tls_peer::proxy ? make_proxy_tls_context(config) : make_tls_context(config);
    if (!context) return context.error();
    auto made = std::make_shared<tls_generation>(std::move(*context));
    const auto end = certificate_end(config.client_certificate);
    if (current_) current_->retire();
    current_ = std::move(made);
    if (end) counters_.expiry->set(static_cast<double>(*end));
    return {};
}

void tls_source::report_damage() const
{
    if (with_.peer == tls_peer::proxy) return; // those of a proxy are the server's
    std::string authorities;
    {
        const std::lock_guard lock(mutex_);
        authorities = core_.current().ca;
    }
    const auto damaged = read_certificates(authorities).damaged;
    if (damaged > 0)
        with_.log.warning("certificate authorities are damaged and not trusted; the others of the text are",
                          {{"damaged", damaged}, {"file", with_.config.ca_file}});
}

tls_source::reading tls_source::begin_reading()
{
    std::optional<failure> why;
    const auto begun = [&] {
        const std::lock_guard lock(mutex_);
        return begin_locked(why);
    }();
    if (why) with_.log.warning("TLS files cannot be read", {{"why", why->message()}});
    return begun;
}

tls_source::reading tls_source::begin_locked(std::optional<failure>& why)
{
    KUBECORO_EXPECT(mutex_.held_here());
    const auto now = with_.time->now();
    looked_at_.store(now, std::memory_order_relaxed);
    if (reading_.call) return reading_;
    auto begun = background_call<tls_files>::start(
        "read the TLS files", [config = with_.config, machine = with_.machine] { return read(config, machine); });
    if (begun)
        reading_ = {std::move(*begun), now};
    else
        why = begun.error();
    return reading_;
}

asio::awaitable<void> tls_source::look()
{
    take(reading_now());
    const auto begun = begin_reading();
    if (!begun.call) co_return;
    const auto left = begun.begun + longest_wait - with_.time->now();
    if (left <= duration::zero()) co_return;
    (void)co_await with_timeout(*with_.time, left, "read the TLS files", begun.call->wait());
    take(begun);
}

tls_source::reading tls_source::reading_now() const
{
    const std::lock_guard lock(mutex_);
    return reading_;
}

void tls_source::take(const reading& ended)
{
    const auto found = ended.call ? ended.call->outcome() : std::nullopt;
    if (!found) return;
    tls_files_core::outcome seen;
    {
        const std::lock_guard lock(mutex_);
        if (reading_.call != ended.call) return; // taken by another one
        reading_ = {};
        seen = take_locked(*found);
    }
    tell(seen);
}

tls_files_core::outcome tls_source::take_locked(const tls_files& now)
{
    KUBECORO_EXPECT(mutex_.held_here());
    auto next = core_;
    auto seen = next.on_read(now);
    const bool has_changed = seen.new_authorities || seen.new_pair;
    if (const auto renewed = has_changed ? renew(next.current()) : result<>(); !renewed) {
        seen.problems.push_back(renewed.error().message());
        seen.new_authorities = seen.new_pair = false;
        return seen;
    }
    core_ = std::move(next);
    return seen;
}

void tls_source::tell(const tls_files_core::outcome& seen) const
{
    for (const auto& problem : seen.problems) {
        counters_.unusable->add();
        with_.log.warning("TLS files cannot be used; continuing with those from before", {{"why", problem}});
    }
    if (!seen.new_authorities && !seen.new_pair) return;
    counters_.updated->add();
    if (seen.new_authorities) report_damage();
    with_.log.info("TLS files have changed: new connections use them",
                   {{"authorities", seen.new_authorities}, {"client_certificate", seen.new_pair}});
}

result<> tls_source::follow(const held_credential& credential)
{
    {
        const std::lock_guard lock(mutex_);
        if (credential == followed_) return {};
        auto next = core_;
        const bool is_other = next.use_pair(credential->certificate, credential->key);
        if (auto renewed = is_other ? renew(next.current()) : result<>(); !renewed) return renewed;
        followed_ = credential;
        if (!is_other) return {};
        core_ = std::move(next);
    }
    with_.log.debug("the credential plugin has another client certificate", {});
    return {};
}

asio::awaitable<result<std::shared_ptr<tls_generation>>> tls_source::newest()
{
    if (has_files()) co_await look();
    if (with_.plugin.login) {
        KUBECORO_TRY(const auto credential, co_await with_.plugin.login->credential(with_.plugin.caller));
        if (const auto used = follow(credential); !used) co_return used.error();
    }
    co_return current();
}

std::optional<asio::awaitable<void>> tls_source::refresh()
{
    // A certificate that cannot be used is reported by the next connection.
    if (with_.plugin.login)
        if (const auto credential = with_.plugin.login->last()) (void)follow(credential);
    if (!has_files() || with_.time->now() - looked_at_.load(std::memory_order_relaxed) < between_looks) return {};
    return look();
}

asio::awaitable<bool> tls_source::renewed_since(const tls_generation* used)
{
    if (has_files()) co_await look();
    co_return current().get() != used;
}

std::shared_ptr<tls_generation> tls_source::current() const
{
    const std::lock_guard lock(mutex_);
    return current_;
}

} // namespace kubecoro::detail
