// Probes while a thousand connections of another address flood the server at once.
#include "running_endpoints.hpp"

#include "certificates.hpp"
#include "folder.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;
using apiserver::raw_client;
using apiserver::raw_tls;
using asio::ip::tcp;

namespace {

constexpr std::string_view scrape = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr std::string_view watch_events = "GET /dashboard/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
/// The begin of a ClientHello.
constexpr std::string_view hello("\x16\x03\x01\x02\x00\x01\x00", 7);
/// Sorts behind the address of the crowd, so that the order of addresses alone favours the crowd.
const std::string probe_address = "127.0.0.3";

/// Connections of one address, on a thread of their own: each sends its bytes, again after each answer, and connects again when it
/// is closed.
class crowd
{
public:
    explicit crowd(const running_endpoints& program) : at_(asio::ip::address_v4::loopback(), program.at().port) {}
    ~crowd()
    {
        io_.stop();
        if (thread_.joinable()) thread_.join();
    }
    crowd(const crowd&) = delete;
    crowd& operator=(const crowd&) = delete;

    void add(int connections, std::string_view bytes)
    {
        for (int i = 0; i < connections; ++i) asio::co_spawn(io_, flood(bytes), asio::detached);
    }
    void start()
    {
        thread_ = std::thread([this] { io_.run(); });
    }
    /// Pieces of answers that have arrived, and connections that were made.
    [[nodiscard]] std::size_t answers() const noexcept { return answers_; }
    [[nodiscard]] std::size_t connects() const noexcept { return connects_; }

private:
    asio::awaitable<void> flood(std::string_view bytes)
    {
        constexpr auto quietly = asio::as_tuple(asio::use_awaitable);
        std::array<char, 4096> buffer;
        for (;;) {
            tcp::socket s(io_);
            boost::system::error_code error;
            s.open(tcp::v4());
            s.bind({asio::ip::make_address("127.0.0.2"), 0}, error);
            std::tie(error) = co_await s.async_connect(at_, quietly);
            ++connects_;
            for (std::size_t n = 0; !error;) {
                std::tie(error, n) = co_await asio::async_write(s, asio::buffer(bytes.data(), bytes.size()), quietly);
                if (!error) std::tie(error, n) = co_await s.async_read_some(asio::buffer(buffer), quietly);
                answers_ += n != 0 ? 1 : 0;
            }
        }
    }

    tcp::endpoint at_;
    std::atomic<std::size_t> answers_ = 0;
    std::atomic<std::size_t> connects_ = 0;
    asio::io_context io_{1};
    std::thread thread_;
};

raw_tls from_probe()
{
    raw_tls out;
    out.from = probe_address;
    return out;
}

} // namespace

TEST_CASE("endpoints: probes are answered within few answers to a thousand connections that ask for metrics and events",
          "[endpoints][integration]")
{
    const debug_pages pages;
    REQUIRE(pages.add("tasks", tasks_page([] { return std::vector<std::string>{"task"}; })));
    running_endpoints program(
        {.health = health_checks(), .prometheus = std::make_shared<prometheus_metrics>(), .debug = pages});
    raw_client kept(program.at(), from_probe());
    REQUIRE(kept.get("/livez").status == 200);
    crowd others(program);
    others.add(500, scrape);
    others.add(500, watch_events);
    others.start();
    // Most of its requests wait for their turns.
    const bool crowded = test::eventually([&] { return others.connects() >= 500 && others.answers() >= 200; });
    CAPTURE(others.connects(), others.answers());
    REQUIRE(crowded);

    std::vector<std::size_t> meanwhile;
    for (int i = 0; i < 100; ++i) {
        const auto before = others.answers();
        REQUIRE(kept.get("/livez").status == 200);
        meanwhile.push_back(others.answers() - before);
        if (i % 10 == 0) CHECK(raw_client(program.at(), from_probe()).get("/readyz").status == 200);
    }
    CHECK(program.server().stats().open_connections <= endpoint_limits().max_connections);
    std::sort(meanwhile.begin(), meanwhile.end());
    CAPTURE(meanwhile.front(), meanwhile.back());
    // A probe waits for the answers that are due when it comes: one for each connection, and those of a few turns more.
    CHECK(meanwhile[meanwhile.size() / 2] <= 10 * endpoint_limits().max_connections);
}

TEST_CASE("endpoints: a probe has its TLS handshake among a thousand connections that want one",
          "[endpoints][integration][tls]")
{
    const test::authority root("root");
    test::folder files;
    files.write(root.issue("operator", {"IP:127.0.0.1"}));
    running_endpoints program({.tls = {files.at("tls.crt"), files.at("tls.key")}, .health = health_checks()});
    crowd others(program);
    others.add(1000, hello);
    others.start();
    REQUIRE(test::eventually([&] { return others.connects() >= 1000; }));
    raw_tls tls = from_probe();
    tls.ca = root.certificate();
    for (int i = 0; i < 10; ++i) CHECK(raw_client(program.at(), tls).get("/livez").status == 200);
}
