// The TLS settings of a client while the files that they come from are replaced.
#include "connect/tls_source.hpp"
#include "certificates.hpp"
#include "failing_allocations.hpp"

#include <kubecoro/testing/recording.hpp>
#include <kubecoro/testing/virtual_clock.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <future>
#include <map>
#include <mutex>

using namespace kubecoro;
using namespace kubecoro::test;
namespace asio = boost::asio;

namespace {

using settings = std::shared_ptr<detail::tls_generation>;

const authority& one()
{
    static const authority out("one");
    return out;
}
const authority& two()
{
    static const authority out("two");
    return out;
}

/// Files in memory, which a source follows.
struct followed
{
    /// @param sink  Receives the lines of the log.
    explicit followed(logger::sink sink = {})
    {
        put("ca", one().certificate());
        put(one().issue("before", {}));
        detail::tls_source::settings with;
        with.config.ca_file = "ca";
        with.config.client_certificate_file = "certificate";
        with.config.client_key_file = "key";
        with.machine.read_file = [this](const std::string& path, std::size_t) -> result<std::string> {
            const std::lock_guard lock(mutex);
            return texts.at(path);
        };
        with.time = std::make_shared<testing::virtual_clock>();
        with.numbers = null_metrics();
        with.log = sink ? logger(std::move(sink), log_level::info) : log.handle();
        source = detail::tls_source::make(std::move(with)).value();
    }
    void put(const std::string& path, const std::string& text)
    {
        const std::lock_guard lock(mutex);
        texts[path] = text;
    }
    void put(const identity& pair)
    {
        put("certificate", pair.certificate);
        put("key", pair.key);
    }
    /// In a context of its own: files are read on a thread, whose end is awaited through a pipe.
    result<settings> newest(std::uint64_t failing_allocation = 0)
    {
        asio::io_context io;
        const std::function<asio::awaitable<result<settings>>()> looking = [&] { return source->newest(); };
        auto done = asio::co_spawn(io, failing(failing_allocation, looking), asio::use_future);
        io.run();
        return done.get();
    }

    testing::recording_logger log;
    std::mutex mutex;
    std::map<std::string, std::string> texts;
    std::shared_ptr<detail::tls_source> source;
};

} // namespace

TEST_CASE("tls source: a pair that TLS refuses is reported once, and does not hold up the authorities", "[client][tls]")
{
    followed the;
    const auto first = the.newest().value();
    the.put(one().issue_weak("weak"));
    CHECK(the.newest().value() == first);
    CHECK(the.newest().value() == first);
    the.put("ca", two().certificate());
    const auto second = the.newest().value();
    CHECK(second != first);
    CHECK(the.log.count("client certificate and key: the certificate cannot be used") == 1);
    the.put(one().issue("after", {}));
    CHECK(the.newest().value() != second);
}

TEST_CASE("tls source: a change that lacks memory is used by the next look", "[client][tls]")
{
    const auto after = one().issue("after", {});
    for_each_allocation([&](std::uint64_t nth) {
        followed the;
        const auto first = the.newest().value();
        the.put("ca", two().certificate());
        the.put(after);
        (void)the.newest(nth);
        const auto second = the.newest().value();
        CHECK(second != first);
        CHECK(the.newest().value() == second);
    });
}

TEST_CASE("tls source: the sink of its log may use the source", "[client][tls]")
{
    std::shared_ptr<detail::tls_source> source;
    int lines = 0;
    followed the([&](const log_record&) {
        if (!source) return;
        ++lines;
        // On a thread, so that a lock that is held shows.
        const auto used = std::async(std::launch::async, [&] { return source->current(); });
        CHECK(used.wait_for(std::chrono::seconds(10)) == std::future_status::ready);
    });
    source = the.source;
    the.put(one().issue_weak("weak"));
    CHECK(the.newest());
    CHECK(lines == 1); // the weak certificate
    const std::string damaged = "-----BEGIN CERTIFICATE-----\nMDEyMw==\n-----END CERTIFICATE-----\n";
    the.put("ca", damaged + two().certificate());
    CHECK(the.newest());
    CHECK(lines == 3); // the change, and the damaged authority
}

TEST_CASE("tls source: damaged authorities are passed over with a warning", "[client][tls]")
{
    followed the;
    const std::string damaged = "-----BEGIN CERTIFICATE-----\nMDEyMw==\n-----END CERTIFICATE-----\n";
    const auto first = the.newest().value();
    the.put("ca", one().certificate() + damaged + two().certificate());
    CHECK(the.newest().value() != first);
    CHECK(the.newest());
    CHECK(the.log.count("certificate authorities are damaged and not trusted") == 1);
    CHECK(the.log.count("damaged=1 file=ca") == 1);
}
