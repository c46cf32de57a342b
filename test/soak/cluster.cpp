#include "cluster.hpp"

#include "contents.hpp"

#include <kubecoro/apiserver/server.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace soak {

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;
using asio::local::stream_protocol;

namespace {

/// Where an object of a kind is, and what it is made of.
struct kind_of_object
{
    std::string plural;
    std::string (*text)(dice&, const std::string& name);
    std::vector<std::string> names = {};
};

/// The program hung up in the middle, or something is wrong: it sees the end of the line.
void end_with(std::exception_ptr e)
{
    if (!e) return;
    try {
        std::rethrow_exception(e);
    } catch (const std::exception& what) {
        std::fprintf(stderr, "the cluster's process: %s\n", what.what());
        std::_Exit(1);
    }
}

class world
{
public:
    world(asio::io_context& context, cluster_settings settings, apiserver::server_options options)
        : settings_(settings),
          dice_(settings.seed),
          server_(context.get_executor(), std::move(options)),
          kinds_{{"pods", pod_text}, {"configmaps", config_map_text}}
    {
    }

    asio::awaitable<void> live(stream_protocol::socket line, apiserver::tls_identity identity);

private:
    [[nodiscard]] static std::string path(const kind_of_object& kind, std::size_t slot)
    {
        return "/api/v1/namespaces/" + namespace_name(slot % namespaces) + "/" + kind.plural;
    }
    asio::awaitable<void> must(std::string method, std::string target, std::string body);
    asio::awaitable<void> create(kind_of_object& kind, std::size_t slot);
    asio::awaitable<void> found();
    asio::awaitable<void> change();
    asio::awaitable<void> disturb(std::size_t twelfth);
    asio::awaitable<void> go_on();
    asio::awaitable<void> pause(duration d) { static_cast<void>(co_await sleep_for(*real_clock(), d)); }

    cluster_settings settings_;
    dice dice_;
    apiserver::embedded_server server_;
    std::vector<kind_of_object> kinds_;
    std::size_t changes_ = 0;
    std::size_t lives_ = 0;
    bool resting_ = false;
    bool gone_on_ = false;
};

asio::awaitable<void> world::must(std::string method, std::string target, std::string body)
{
    const std::string what = method + " " + target;
    auto done = co_await server_.execute(std::move(method), std::move(target), std::move(body));
    if (!done) throw std::runtime_error(what + ": " + done.error().describe());
}

/// Under a name that nothing had before.
asio::awaitable<void> world::create(kind_of_object& kind, std::size_t slot)
{
    kind.names[slot] = dice_.word(5) + "-" + std::to_string(++lives_);
    co_await must("POST", path(kind, slot), kind.text(dice_, kind.names[slot]));
}

asio::awaitable<void> world::found()
{
    for (std::size_t i = 0; i < namespaces; ++i)
        co_await must("POST", "/api/v1/namespaces",
                      R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + namespace_name(i) + "\"}}");
    for (auto& kind : kinds_) {
        kind.names.resize(settings_.objects);
        for (std::size_t slot = 0; slot < settings_.objects; ++slot) co_await create(kind, slot);
    }
}

asio::awaitable<void> world::change()
{
    auto& kind = kinds_[dice_.below(kinds_.size())];
    const auto slot = dice_.below(settings_.objects);
    const std::string target = path(kind, slot) + "/" + kind.names[slot];
    if (dice_.below(10) < 7) {
        co_await must("PUT", target, kind.text(dice_, kind.names[slot]));
    } else {
        co_await must("DELETE", target, R"({"gracePeriodSeconds":0})");
        co_await create(kind, slot);
    }
    ++changes_;
}

/// The fault of each twelfth of a cycle: connections break; the server is away; it is away, and has forgotten.
asio::awaitable<void> world::disturb(std::size_t twelfth)
{
    switch (twelfth) {
    case 3:
        server_.cut_connections();
        break;
    case 6:
    case 9:
        server_.refuse_connections(true);
        server_.cut_connections();
        break;
    case 10:
        static_cast<void>(co_await server_.compact());
        [[fallthrough]];
    case 7:
        server_.refuse_connections(false);
        break;
    default:
        break;
    }
}

/// Changes and faults alternate, since after a cut the result of a change is unknown. A change that a slow machine does not
/// manage in time is not made up for.
asio::awaitable<void> world::go_on()
{
    constexpr auto beat = 20ms;
    const std::size_t changes = settings_.changes_per_second * beat.count() / 1000;
    const duration twelfth = std::chrono::milliseconds(settings_.cycle_seconds * 1000 / 12);
    const auto begin = real_clock()->now();
    std::size_t disturbed = 0;
    while (!resting_) {
        const auto next = real_clock()->now() + beat;
        for (std::size_t i = 0; i < changes && !resting_; ++i) co_await change();
        if (const auto step = static_cast<std::size_t>((real_clock()->now() - begin) / twelfth); step > disturbed) {
            ++disturbed;
            co_await disturb(disturbed % 12);
        }
        co_await pause(next - real_clock()->now());
    }
    server_.refuse_connections(false);
    gone_on_ = true;
}

asio::awaitable<void> world::live(stream_protocol::socket line, apiserver::tls_identity identity)
{
    const auto executor = co_await asio::this_coro::executor;
    apiserver::listener_options where;
    where.tls = std::move(identity);
    auto bound = co_await server_.listen(std::move(where));
    if (!bound) throw std::runtime_error(bound.error().describe());
    co_await found();
    std::string said = bound->url() + "\n";
    co_await asio::async_write(line, asio::buffer(said), asio::use_awaitable);

    asio::co_spawn(executor, go_on(), end_with);
    // The line ends when the program does, which may be before it has asked for rest.
    std::string heard;
    boost::system::error_code gone;
    co_await asio::async_read_until(line, asio::dynamic_buffer(heard), '\n',
                                    asio::redirect_error(asio::use_awaitable, gone));
    resting_ = true;
    while (!gone_on_) co_await pause(10ms);
    if (!gone) {
        said = std::to_string(changes_) + "\n";
        co_await asio::async_write(line, asio::buffer(said), asio::use_awaitable);
        co_await line.async_wait(stream_protocol::socket::wait_read, asio::redirect_error(asio::use_awaitable, gone));
    }
    static_cast<void>(co_await server_.stop());
}

int run_cluster(int line, const cluster_settings& settings, apiserver::tls_identity identity, const std::string& token)
{
    asio::io_context context(1);
    apiserver::server_options options;
    options.tokens.push_back({token, {"soak", {"system:masters", "system:authenticated"}}});
    world w(context, settings, std::move(options));
    stream_protocol::socket socket(context, stream_protocol(), line);
    asio::co_spawn(context, w.live(std::move(socket), std::move(identity)), end_with);
    context.run();
    return 0;
}

} // namespace

cluster_process::cluster_process(const cluster_settings& settings)
{
    apiserver::tls_identity_options about;
    about.now = real_clock()->wall_now();
    auto identity = apiserver::tls_identity::generate(about).value();
    config_.ca = identity.ca_certificate;
    config_.login.token = apiserver::random_token().value();
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("no socket pair");
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("no process");
    if (pid_ == 0) {
        ::close(ends[0]);
        std::_Exit(run_cluster(ends[1], settings, std::move(identity), config_.login.token));
    }
    ::close(ends[1]);
    line_ = ends[0];
}

cluster_process::~cluster_process()
{
    ::close(line_);
    int status = 0;
    ::waitpid(pid_, &status, 0);
}

cluster_config cluster_process::connection()
{
    config_.server = answer();
    return config_;
}

std::size_t cluster_process::rest()
{
    if (::send(line_, "rest\n", 5, MSG_NOSIGNAL) != 5) throw std::runtime_error("the cluster's process has ended");
    return std::stoul(answer());
}

std::string cluster_process::answer()
{
    std::string text;
    char c = 0;
    while (::read(line_, &c, 1) == 1) {
        if (c == '\n') return text;
        text += c;
    }
    throw std::runtime_error("the cluster's process has ended");
}

} // namespace soak
