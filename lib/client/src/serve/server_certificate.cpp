#include <kubecoro/client/detail/server_certificate.hpp>

#include "files/background_call.hpp"
#include "files/tls_files_core.hpp"
#include "files/tls_pem.hpp"

#include <chrono>
#include <exception>
#include <functional>
#include <utility>

namespace kubecoro::detail {

namespace {

constexpr std::size_t longest_file = 1024 * 1024;
constexpr std::chrono::seconds between_looks{10};

using reader = std::function<result<std::string>(const std::string& file)>;

tls_files read_pair(const reader& read, const std::string& certificate_file, const std::string& key_file)
{
    tls_files out;
    const auto take = [&](const std::string& file, std::optional<std::string>& into) {
        auto content = read(file);
        if (content)
            into = std::move(*content);
        else
            out.unreadable += (out.unreadable.empty() ? "" : "; ") + content.error().message();
    };
    try {
        take(certificate_file, out.certificate);
        take(key_file, out.key);
    } catch (const std::exception& e) {
        out.unreadable = e.what();
    }
    return out;
}

} // namespace

struct server_certificate::state
{
    explicit state(settings s) : with(std::move(s)), files({}, "certificate and key of the server")
    {
        if (!with.numbers) return;
        constexpr std::string_view reloads = "kubecoro_endpoints_tls_reloads_total";
        updated = with.numbers->make_counter(reloads, {{"outcome", "updated"}});
        unusable = with.numbers->make_counter(reloads, {{"outcome", "unusable"}});
        expiry = with.numbers->make_gauge("kubecoro_endpoints_certificate_expiry_timestamp_seconds", {});
    }

    /// Uses these texts. Nothing has changed if it fails or throws.
    result<> renew(const tls_texts& texts)
    {
        auto made = make_server_tls({texts.certificate, texts.key});
        if (!made) return made.error();
        const auto end = certificate_end(texts.certificate);
        tls = std::move(*made);
        if (end && expiry) expiry->set(static_cast<double>(*end));
        return {};
    }

    void report(const std::string& problem)
    {
        if (unusable) unusable->add();
        with.log.warning("TLS files cannot be used; continuing with those from before", {{"why", problem}});
    }

    void take(const tls_files& now)
    {
        auto next = files;
        const auto seen = next.on_read(now);
        for (const auto& problem : seen.problems) report(problem);
        if (const auto renewed = seen.new_pair ? renew(next.current()) : result<>(); !renewed)
            return report(renewed.error().message());
        files = std::move(next);
        if (!seen.new_pair) return;
        if (updated) updated->add();
        with.log.info("TLS files have changed: new connections use them", {{"certificate", with.certificate_file}});
    }

    void begin_reading(time_point now)
    {
        looked_at = now;
        auto begun = background_call<tls_files>::start(
            "read the TLS files", [machine = with.machine, certificate = with.certificate_file, key = with.key_file] {
                const auto read = [&machine](const std::string& file) { return machine.read_file(file, longest_file); };
                return read_pair(read, certificate, key);
            });
        if (begun)
            reading = std::move(*begun);
        else
            report(begun.error().message());
    }

    settings with;
    tls_files_core files;
    std::shared_ptr<server_tls> tls;
    /// Null: none runs.
    std::shared_ptr<background_call<tls_files>> reading;
    time_point looked_at;
    std::shared_ptr<metrics::counter> updated, unusable;
    std::shared_ptr<metrics::gauge> expiry;
};

server_certificate::server_certificate(std::unique_ptr<state> s) : state_(std::move(s)) {}
server_certificate::~server_certificate() = default;

result<std::shared_ptr<server_certificate>> server_certificate::make(settings s)
{
    if (s.certificate_file.empty() || s.key_file.empty())
        return failure{cond::misconfigured, "TLS of a server needs two files: certificate and key"};
    auto made = std::make_unique<state>(std::move(s));
    const auto bounded = [&with = made->with](const std::string& file) {
        return bounded_read(with.machine, file, longest_file, with.patience);
    };
    const auto first = read_pair(bounded, made->with.certificate_file, made->with.key_file);
    if (!first.unreadable.empty()) return failure{cond::misconfigured, first.unreadable};
    const auto seen = made->files.on_read(first);
    if (!seen.problems.empty())
        return failure{cond::misconfigured,
                       seen.problems.front() + " (" + made->with.certificate_file + ", " + made->with.key_file + ")"};
    if (const auto usable = made->renew(made->files.current()); !usable) return usable.error();
    made->looked_at = made->with.time->now();
    return std::shared_ptr<server_certificate>(new server_certificate(std::move(made)));
}

std::shared_ptr<server_tls> server_certificate::current()
{
    state& s = *state_;
    if (const auto found = s.reading ? s.reading->outcome() : std::nullopt) {
        s.reading.reset();
        s.take(*found);
    }
    const auto now = s.with.time->now();
    if (!s.reading && now - s.looked_at >= between_looks) s.begin_reading(now);
    return s.tls;
}

} // namespace kubecoro::detail
