// The floor of the bench: reads the bytes off the socket and finds the stamps in them, nothing else. Its cost is the
// cost of server, kernel and machine; no informer can be faster.
#include "latencies.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <charconv>
#include <cstring>
#include <ctime>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace asio = boost::asio;
using kubecoro::bench::latencies;

constexpr std::string_view before_stamp = "bench.example.com/stamp\":\"";
constexpr std::size_t stamp_digits = 19;
constexpr std::string_view end_of_list = "k8s.io/initial-events-end";

std::int64_t monotonic_ns() noexcept
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// A streamed list and the events after it, as bytes.
class stamp_stream
{
public:
    stamp_stream(asio::io_context& io, const std::string& host, const std::string& port) : socket_(io)
    {
        asio::connect(socket_, asio::ip::tcp::resolver(io).resolve(host, port));
        socket_.set_option(asio::ip::tcp::no_delay(true));
        const std::string ask = "GET /api/v1/pods?watch=1&sendInitialEvents=true&allowWatchBookmarks=true"
                                "&resourceVersionMatch=NotOlderThan&resourceVersion=0 HTTP/1.1\r\nHost: " +
                                host + "\r\nAccept: application/json\r\n\r\n";
        asio::write(socket_, asio::buffer(ask));
    }

    /// Reads once; calls `seen` with each stamp. false = the end of the stream.
    template<class Seen>
    bool read(Seen seen)
    {
        boost::system::error_code ec;
        const auto n = socket_.read_some(asio::buffer(buffer_.data() + kept_, buffer_.size() - kept_), ec);
        if (ec) return false;
        const std::string_view text(buffer_.data(), kept_ + n);
        if (!list_over_) list_over_ = text.find(end_of_list) != std::string_view::npos;
        std::size_t at = 0;
        std::size_t done = text.size() - std::min(text.size(), before_stamp.size() + stamp_digits);
        while ((at = text.find(before_stamp, at)) != std::string_view::npos) {
            const auto digits = text.substr(at + before_stamp.size(), stamp_digits);
            done = std::max(done, at);
            if (digits.size() < stamp_digits) break;
            std::int64_t stamp = 0;
            std::from_chars(digits.data(), digits.data() + digits.size(), stamp);
            seen(stamp);
            done = at += before_stamp.size() + stamp_digits;
        }
        kept_ = text.size() - done;
        std::memmove(buffer_.data(), buffer_.data() + done, kept_);
        return true;
    }

    [[nodiscard]] bool list_over() const noexcept { return list_over_; }

private:
    asio::ip::tcp::socket socket_;
    std::vector<char> buffer_ = std::vector<char>(128 * 1024);
    /// The number of bytes at the front of the buffer that may begin a stamp.
    std::size_t kept_ = 0;
    bool list_over_ = false;
};

bool sync(stamp_stream& stream)
{
    std::uint64_t objects = 0;
    while (!stream.list_over())
        if (!stream.read([&](std::int64_t) { ++objects; })) return false;
    std::cout << "{\"synced\":" << objects << "}\n" << std::flush;
    return true;
}

bool expect(stamp_stream& stream, std::uint64_t events)
{
    std::cout << "{\"armed\":" << events << "}\n" << std::flush;
    latencies times;
    while (times.count() < events) {
        std::int64_t arrived = 0;
        const bool open = stream.read([&](std::int64_t stamp) {
            if (arrived == 0) arrived = monotonic_ns();
            times.record(arrived - stamp);
        });
        if (!open) return false;
    }
    std::cout << "{\"done\":" << events << ",\"p50_us\":" << times.microseconds(0.5)
              << ",\"p90_us\":" << times.microseconds(0.9) << ",\"p99_us\":" << times.microseconds(0.99)
              << ",\"p999_us\":" << times.microseconds(0.999) << ",\"max_us\":" << times.microseconds(1) << "}\n"
              << std::flush;
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    // `--server http://HOST:PORT --resource pods`, like every subject.
    const std::string url = argc > 2 ? argv[2] : "";
    const auto colon = url.rfind(':');
    if (!url.starts_with("http://") || colon < 7) {
        std::cerr << "usage: kubecoro_bench_floor --server http://HOST:PORT\n";
        return 2;
    }
    asio::io_context io;
    stamp_stream stream(io, url.substr(7, colon - 7), url.substr(colon + 1));
    std::string line;
    while (std::getline(std::cin, line) && line != "quit") {
        const bool answered = line == "sync"                ? sync(stream)
                              : line.starts_with("expect ") ? expect(stream, std::stoull(line.substr(7)))
                                                            : (std::cout << "{\"error\":\"not supported\"}\n"
                                                                         << std::flush,
                                                               true);
        if (!answered) return 1;
    }
    return 0;
}
