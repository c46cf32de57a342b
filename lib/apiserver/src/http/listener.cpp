#include "http/listener.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace kubecoro::apiserver {

void connection_table::forget_ended()
{
    connections_.remove_if([](const auto& c) { return c.expired(); });
}

bool connection_table::admit(const std::shared_ptr<connection>& made)
{
    std::lock_guard lock(mutex_);
    if (closed_) return false;
    if (connections_.size() >= limit_) forget_ended();
    if (connections_.size() >= limit_ && !close_longest_waiting()) return false;
    connections_.push_back(made);
    ++admitted_;
    return true;
}

bool connection_table::make_room()
{
    std::lock_guard lock(mutex_);
    return close_longest_waiting();
}

bool connection_table::close_longest_waiting()
{
    std::shared_ptr<connection> longest;
    auto place = connections_.end();
    std::optional<time_point> since;
    for (auto at = connections_.begin(); at != connections_.end(); ++at) {
        auto held = at->lock();
        const auto waits = held ? held->waits_since() : std::nullopt;
        if (!waits || (since && *since <= *waits)) continue;
        since = waits;
        longest = std::move(held);
        place = at;
    }
    if (!longest) return false;
    connections_.erase(place);
    longest->close();
    return true;
}

void connection_table::close()
{
    std::lock_guard lock(mutex_);
    closed_ = true;
}

bool connection_table::closed() const
{
    std::lock_guard lock(mutex_);
    return closed_;
}

std::vector<std::shared_ptr<connection>> connection_table::living()
{
    std::vector<std::shared_ptr<connection>> out;
    std::lock_guard lock(mutex_);
    forget_ended();
    for (const auto& c : connections_)
        if (auto held = c.lock()) out.push_back(std::move(held));
    return out;
}

void connection_table::count(server_counters& into) const
{
    std::lock_guard lock(mutex_);
    into.connections += admitted_;
    for (const auto& c : connections_) into.open_connections += c.expired() ? 0 : 1;
}

} // namespace kubecoro::apiserver

namespace asio = boost::asio;
using asio::ip::tcp;

namespace kubecoro::apiserver {
namespace {

constexpr duration sweep_interval = std::chrono::milliseconds{250};
constexpr duration stopping_sweep_interval = std::chrono::milliseconds{10};
constexpr duration grace = std::chrono::seconds{2};
constexpr duration after_accept_error = std::chrono::milliseconds{100};

failure cannot_listen(const endpoint_options& o, const std::string& why)
{
    return failure{cond::misconfigured, "listen on " + o.address + ":" + std::to_string(o.port) + ": " + why};
}

} // namespace

std::string bound_endpoint::url() const
{
    const bool v6 = address.find(':') != std::string::npos;
    return (tls ? "https://" : "http://") + (v6 ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

listener::listener(std::shared_ptr<server_engine> engine, std::shared_ptr<connection_table> table,
                   const endpoint_options& o)
    : engine_(std::move(engine)),
      strand_(asio::make_strand(engine_->executor())),
      acceptor_(strand_),
      limits_{{}, o.request_timeout, o.idle_timeout, o.write_timeout},
      table_(std::move(table)),
      sweep_timer_(engine_->time().make_timer(strand_))
{
}

result<std::shared_ptr<listener>> listener::open(const endpoint_options& options, std::shared_ptr<server_engine> engine,
                                                 std::shared_ptr<connection_table> table)
{
    boost::system::error_code error;
    const auto address = asio::ip::make_address(options.address, error);
    if (error) return cannot_listen(options, "not an IP address");
    std::shared_ptr<listener> made{new listener(std::move(engine), std::move(table), options)};
    if (options.tls) {
        auto tls = detail::make_server_tls(
            {options.tls->server_certificate, options.tls->server_key, options.tls->ca_certificate});
        if (!tls) return tls.error();
        made->tls_ = std::move(*tls);
    }
    tcp::acceptor& acceptor = made->acceptor_;
    const tcp::endpoint endpoint{address, options.port};
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.non_blocking(true, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) return cannot_listen(options, error.message());
    const tcp::endpoint bound = acceptor.local_endpoint(error);
    if (error) return cannot_listen(options, error.message());
    made->bound_ = bound_endpoint{bound.address().to_string(), bound.port(), options.tls.has_value()};
    return made;
}

bool listener::start(task_group& tasks)
{
    return tasks.spawn("embedded server: accept", strand_, accept(shared_from_this(), tasks)) &&
           tasks.spawn("embedded server: deadlines", strand_, sweep(shared_from_this()));
}

asio::awaitable<result<>> listener::accept(std::shared_ptr<listener> self, task_group& tasks)
{
    while (self->acceptor_.is_open()) {
        // Waits for a client before accepting: accept() reports exhausted descriptors even when no client waits.
        const auto [ended] =
            co_await self->acceptor_.async_wait(asio::socket_base::wait_read, asio::as_tuple(asio::use_awaitable));
        if (ended || !self->acceptor_.is_open()) continue;
        asio::any_io_executor strand = asio::make_strand(self->engine_->executor());
        tcp::socket socket{strand};
        boost::system::error_code error;
        self->acceptor_.accept(socket, error);
        if (!error) {
            if (!self->take(std::move(socket), strand, tasks)) continue;
        } else if (error != asio::error::would_block && error != asio::error::try_again) {
            // Out of file descriptors, or the client has disconnected: keep accepting.
            const bool exhausted =
                error == asio::error::no_descriptors || error == boost::system::errc::too_many_files_open_in_system;
            const bool freed = exhausted && self->table_->make_room();
            self->engine_->log().warning("cannot accept a connection",
                                         {{"error", error.message()}, {"closed_a_waiting_one", freed}});
            [[maybe_unused]] const auto slept = co_await sleep_for(self->engine_->time(), after_accept_error);
        }
    }
    co_return result<>{};
}

bool listener::take(tcp::socket socket, asio::any_io_executor strand, task_group& tasks)
{
    if (engine_->refusing) return false;
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    socket.set_option(asio::socket_base::keep_alive(true), ignored); // detects lost clients of idle watches
    auto stream = detail::make_server_stream(std::move(socket), tls_);
    auto made = std::make_shared<connection>(strand, std::move(stream), engine_, limits_);
    if (!table_->admit(made)) return false;
    return tasks.spawn("embedded server: connection", strand, connection::serve(made, tasks));
}

asio::awaitable<result<>> listener::sweep(std::shared_ptr<listener> self)
{
    while (true) {
        self->sweep_timer_->expires_at(self->engine_->time().now() + self->interval());
        // stop() ends the wait early.
        [[maybe_unused]] const auto rung = co_await self->sweep_timer_->wait();
        bool any = false;
        {
            const auto now = self->engine_->time().now();
            for (const auto& c : self->table_->living()) {
                c->sweep(now);
                any = true;
            }
        }
        if (self->table_->closed() && !any) break;
    }
    co_return result<>{};
}

duration listener::interval() const { return table_->closed() ? stopping_sweep_interval : sweep_interval; }

void listener::stop()
{
    table_->close();
    const time_point last = engine_->time().now() + grace;
    for (const auto& c : table_->living()) c->wind_up(last);
    asio::post(strand_, [self = shared_from_this()] {
        boost::system::error_code ignored;
        self->acceptor_.close(ignored);
        self->sweep_timer_->cancel();
    });
}

} // namespace kubecoro::apiserver
