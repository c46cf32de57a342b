#include <kubecoro/http/detail/http_server.hpp>

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/expect.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace asio = boost::asio;
using asio::ip::tcp;

namespace kubecoro::detail {
namespace {

/// One in a turn of the loop would leave a probe in the kernel's queue behind a flood.
constexpr int accepted_at_once = 32;
constexpr duration after_failure = std::chrono::milliseconds{100};

} // namespace

/// Accepts the connections of one socket. Strand-confined after open().
class http_server::listener
{
public:
    listener(const settings& with, const asio::any_io_executor& strand, listen_options options)
        : with_(with), strand_(strand), options_(std::move(options)), acceptor_(strand)
    {
    }

    /// Binds the address. Errors: misconfigured.
    [[nodiscard]] result<> open();
    [[nodiscard]] const bound_address& bound() const noexcept { return bound_; }
    [[nodiscard]] static asio::awaitable<result<>> accept(std::shared_ptr<listener> self, task_group& connections);
    void close()
    {
        boost::system::error_code ignored;
        acceptor_.close(ignored);
    }

private:
    /// Accepts those that wait, some at a time. @return why none can be accepted.
    boost::system::error_code accept_some(task_group& connections);
    void take(tcp::socket socket, const asio::any_io_executor& strand, task_group& connections);

    const settings& with_;
    asio::any_io_executor strand_;
    listen_options options_;
    tcp::acceptor acceptor_;
    bound_address bound_;
};

result<> http_server::listener::open()
{
    const listen_address& to = options_.at;
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
    const auto bound = error ? at : acceptor_.local_endpoint(error);
    bound_ = {bound.address(), bound.port(), options_.tls != nullptr};
    if (!error) return {};
    return failure{cond::misconfigured, "listen on " + bound_.url() + ": " + error.message()};
}

asio::awaitable<result<>> http_server::listener::accept(std::shared_ptr<listener> self, task_group& connections)
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
            const bool freed = exhausted && self->with_.table->make_room();
            self->with_.log.warning("cannot accept a connection",
                                    {{"error", error.message()}, {"closed_another", freed}});
            [[maybe_unused]] const auto slept = co_await sleep_for(self->with_.table->time(), after_failure);
        }
    }
    co_return result<>{};
}

boost::system::error_code http_server::listener::accept_some(task_group& connections)
{
    KUBECORO_EXPECT(runs_on(strand_));
    boost::system::error_code error;
    for (int i = 0; i < accepted_at_once; ++i) {
        const auto base = with_.connections.get();
        const asio::any_io_executor strand = base ? asio::any_io_executor(asio::make_strand(base)) : strand_;
        tcp::socket socket{strand};
        acceptor_.accept(socket, error);
        // The queue may be empty after the first one: accept() then still reports exhausted descriptors.
        if (error) return i == 0 ? error : boost::system::error_code();
        take(std::move(socket), strand, connections);
    }
    return {};
}

void http_server::listener::take(tcp::socket socket, const asio::any_io_executor& strand, task_group& connections)
{
    if (with_.service->turns_away()) return;
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    // Lost clients of idle streams are noticed.
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    // The kernel's memory counts too, and a client that does not read is noticed.
    if (options_.send_buffer > 0) socket.set_option(asio::socket_base::send_buffer_size(options_.send_buffer), ignored);
    const auto from = socket.remote_endpoint(ignored).address();
    auto stream = make_server_stream(std::move(socket), options_.tls ? options_.tls() : nullptr);
    auto made = std::make_shared<connection>(strand, std::move(stream), with_.table, with_.service, options_.limits,
                                             from, options_.tls != nullptr);
    const bool admitted = with_.table->admit(made);
    with_.service->on_accepted(admitted);
    if (admitted) connections.spawn(with_.title + ": connection", strand, connection::serve(made, connections));
}

http_server::http_server(settings s)
    : with_(std::move(s)),
      connections_(with_.strand.get(), with_.log),
      loops_(with_.strand.get(), with_.log, with_.on_failure)
{
}

result<bound_address> http_server::listen(listen_options options)
{
    const auto strand = with_.strand.get();
    const failure stopped{cond::cancelled, "the server has stopped"};
    if (!strand) return stopped;
    const auto opened = std::make_shared<listener>(with_, strand, std::move(options));
    if (const auto bound = opened->open(); !bound) return bound.error();
    std::lock_guard lock(mutex_);
    if (stopped_ || !start(opened)) return stopped;
    return opened->bound();
}

/// With the mutex held.
bool http_server::start(const std::shared_ptr<listener>& opened)
{
    const auto strand = with_.strand.get();
    const bool is_first = listeners_.empty();
    listeners_.emplace_back(strand, opened);
    if (!loops_.spawn("accept", strand, listener::accept(opened, connections_))) return false;
    if (!is_first) return true;
    const auto pass_on = [service = with_.service] { return service->pass_on(); };
    const auto abandon = [this] { connections_.stop(); };
    return loops_.spawn("deadlines", strand, connection_table::enforce(with_.table, pass_on, abandon));
}

void http_server::request_stop()
{
    std::lock_guard lock(mutex_);
    if (std::exchange(stopped_, true) || listeners_.empty()) return;
    const auto strand = with_.strand.get();
    if (!strand) return;
    std::vector<std::shared_ptr<listener>> open;
    for (const auto& l : listeners_)
        if (const auto there = l.get()) open.push_back(*there);
    asio::post(strand, [open = std::move(open), table = with_.table, grace = with_.grace] {
        for (const auto& l : open) l->close();
        table->wind_up(time_after(table->time().now(), grace));
    });
}

void http_server::end()
{
    request_stop();
    connections_.stop(); // the loop that gives them time may have ended
    loops_.stop();
}

asio::awaitable<result<>> http_server::join()
{
    for (task_group* g : {&loops_, &connections_}) {
        if (const auto left = co_await g->join(); !left) co_return left;
    }
    co_return result<>{};
}

void http_server::keep_until_ended(const std::shared_ptr<void>& owner)
{
    for (task_group* g : {&loops_, &connections_}) g->keep_until_ended(owner);
}

} // namespace kubecoro::detail
