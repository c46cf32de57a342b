#include "running_endpoints.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

namespace asio = boost::asio;

namespace kubecoro {

running_endpoints::running_endpoints(endpoint_options options)
{
    if (options.address == endpoint_options().address) options.address = "127.0.0.1:0";
    options.log = log_.handle();
    tls_ = !options.tls.certificate_file.empty();
    server_ = std::make_unique<endpoint_server>(io_.get_executor(), std::move(options));
    const auto started = server_->start();
    REQUIRE(started);
    thread_ = std::thread([this] { io_.run(); });
}

running_endpoints::~running_endpoints()
{
    if (!stopped_) CHECK(stop());
    work_.reset();
    thread_.join();
}

result<> running_endpoints::stop()
{
    stopped_ = true;
    return asio::co_spawn(io_, server_->stop(), asio::use_future).get();
}

} // namespace kubecoro
