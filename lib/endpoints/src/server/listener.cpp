#include "server/listener.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/printable.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <charconv>
#include <optional>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

using boost::asio::ip::address;
using boost::asio::ip::address_v4;
using boost::asio::ip::address_v6;

failure not_an_address(std::string_view text)
{
    return failure{cond::misconfigured, "listen on \"" + printable(text, 100) +
                                            "\": expected ADDRESS:PORT, PORT (of the loopback interface), :PORT "
                                            "(of every interface), or 0 for off"};
}

std::optional<std::uint16_t> port_of(std::string_view text)
{
    std::uint16_t port = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, port);
    if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return port;
}

} // namespace

result<listen_address> parse_listen_address(std::string_view text)
{
    listen_address out;
    if (text.empty() || text == "0") {
        out.off = true;
        return out;
    }
    const auto colon = text.rfind(':');
    const auto port = port_of(colon == text.npos ? text : text.substr(colon + 1));
    if (!port) return not_an_address(text);
    out.port = *port;
    std::string host(colon == text.npos ? "localhost" : text.substr(0, colon));
    out.everywhere = host.empty();
    if (out.everywhere) {
        out.address = address_v6::any();
        return out;
    }
    if (host == "localhost") {
        out.address = address_v4::loopback();
        return out;
    }
    const bool bracketed = host.starts_with('[') && host.ends_with(']');
    if (bracketed) host = host.substr(1, host.size() - 2);
    boost::system::error_code error;
    out.address = boost::asio::ip::make_address(host, error);
    if (error || out.address.is_v6() != bracketed) return not_an_address(text);
    return out;
}

std::string url_of(const address& at, std::uint16_t port, bool tls)
{
    const std::string host = at.is_v6() ? "[" + at.to_string() + "]" : at.to_string();
    return (tls ? "https://" : "http://") + host + ":" + std::to_string(port);
}

} // namespace kubecoro::detail

namespace asio = boost::asio;
using asio::ip::tcp;

namespace kubecoro::detail {
namespace {

constexpr int kernel_buffer = 128 * 1024;
/// One in a turn of the loop would leave a probe in the kernel's queue behind a flood.
constexpr int accepted_at_once = 32;
constexpr duration after_failure = std::chrono::milliseconds{100};

/// Null without TLS.
result<std::shared_ptr<server_certificate>> certificate_of(const endpoint_options& o)
{
    if (o.tls.certificate_file.empty() && o.tls.key_file.empty()) return std::shared_ptr<server_certificate>();
    server_certificate::settings with;
    with.certificate_file = o.tls.certificate_file;
    with.key_file = o.tls.key_file;
    with.machine = system_environment();
    with.time = o.time;
    with.numbers = o.metrics ? o.metrics : std::shared_ptr<metrics>(o.prometheus);
    with.log = o.log;
    return server_certificate::make(std::move(with));
}

} // namespace

listener::listener(const asio::any_io_executor& strand, std::shared_ptr<server_engine> engine)
    : strand_(strand), engine_(std::move(engine)), acceptor_(strand)
{
}

result<std::shared_ptr<listener>> listener::open(const asio::any_io_executor& strand, endpoint_options options,
                                                 std::shared_ptr<endpoint_meters> meters)
{
    const auto to = parse_listen_address(options.address);
    if (!to) return to.error();
    auto certificate = certificate_of(options);
    if (!certificate) return certificate.error();
    auto engine = std::make_shared<server_engine>(strand, std::move(options), std::move(meters));
    std::shared_ptr<listener> made{new listener(strand, std::move(engine))};
    made->certificate_ = std::move(*certificate);
    const auto bound = made->bind(*to);
    if (!bound) return bound.error();
    if (made->bound_.address().is_loopback()) made->engine_->expect_local_hosts();
    return made;
}

result<> listener::bind(const listen_address& to)
{
    boost::system::error_code error;
    tcp::endpoint at{to.address, to.port};
    acceptor_.open(at.protocol(), error);
    if (error && to.everywhere) { // a machine without IPv6
        at = tcp::endpoint{tcp::v4(), to.port};
        acceptor_.open(at.protocol(), error);
    } else if (to.everywhere) {
        acceptor_.set_option(asio::ip::v6_only(false), error);
    }
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(at, error);
    if (!error) acceptor_.non_blocking(true, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) bound_ = acceptor_.local_endpoint(error);
    if (!error) return {};
    return failure{cond::misconfigured,
                   "listen on " + url_of(at.address(), at.port(), bool(certificate_)) + ": " + error.message()};
}

bool listener::start(task_group& loops, task_group& connections)
{
    const auto self = shared_from_this();
    return loops.spawn("accept", strand_, accept(self, connections)) &&
           loops.spawn("deadlines", strand_, enforce(self, connections));
}

asio::awaitable<result<>> listener::enforce(std::shared_ptr<listener> self, task_group& connections)
{
    co_return co_await self->engine_->table().enforce([&connections] { connections.stop(); });
}

asio::awaitable<result<>> listener::accept(std::shared_ptr<listener> self, task_group& connections)
{
    auto& acceptor = self->acceptor_;
    while (acceptor.is_open()) {
        // Waits for a client before accepting: accept() reports exhausted descriptors even when no client waits.
        const auto [ended] =
            co_await acceptor.async_wait(asio::socket_base::wait_read, asio::as_tuple(asio::use_awaitable));
        if (ended || !acceptor.is_open()) continue;
        const auto error = self->accept_some(connections);
        if (error && error != asio::error::would_block && error != asio::error::try_again) {
            // Out of file descriptors, or the client has gone: keep accepting.
            const bool exhausted =
                error == asio::error::no_descriptors || error == boost::system::errc::too_many_files_open_in_system;
            const bool freed = exhausted && self->engine_->table().make_room();
            self->engine_->log().warning("cannot accept a connection",
                                         {{"error", error.message()}, {"closed_another", freed}});
            [[maybe_unused]] const auto slept = co_await sleep_for(self->engine_->time(), after_failure);
        }
    }
    co_return result<>{};
}

boost::system::error_code listener::accept_some(task_group& tasks)
{
    KUBECORO_EXPECT(runs_on(strand_));
    boost::system::error_code error;
    for (int i = 0; i < accepted_at_once; ++i) {
        tcp::socket socket{strand_};
        acceptor_.accept(socket, error);
        if (error) break;
        take(std::move(socket), tasks);
    }
    return error;
}

void listener::take(tcp::socket socket, task_group& tasks)
{
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    // The kernel's memory counts too, and a client that does not read is noticed.
    socket.set_option(asio::socket_base::send_buffer_size(kernel_buffer), ignored);
    const auto from = socket.remote_endpoint(ignored).address();
    auto stream = make_server_stream(std::move(socket), certificate_ ? certificate_->current() : nullptr);
    auto made = std::make_shared<connection>(std::move(stream), engine_, from, certificate_ != nullptr);
    const bool admitted = engine_->table().admit(made);
    engine_->on_accepted(admitted);
    if (admitted) tasks.spawn("endpoints: connection", strand_, connection::serve(made));
}

void listener::stop()
{
    KUBECORO_EXPECT(runs_on(strand_));
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    engine_->begin_stop();
    engine_->table().wind_up(time_after(engine_->now(), engine_->limits().grace));
}

} // namespace kubecoro::detail
