// A server's certificate from files: when they are read, and what is used while they are replaced.
#include "certificates.hpp"

#include <kubecoro/client/detail/server_stream.hpp>
#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>
#include <kubecoro/testing/recording.hpp>
#include <kubecoro/testing/virtual_clock.hpp>

#include <atomic>
#include <future>
#include <map>
#include <mutex>

using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

const test::authority& root()
{
    static const test::authority out("root");
    return out;
}

/// Files in memory, and a server's certificate in them.
struct files
{
    files() : before(root().issue("before", {"IP:127.0.0.1"})), after(root().issue("after", {"IP:127.0.0.1"}))
    {
        put(before.certificate, before.key);
    }
    void put(std::string certificate, std::string key)
    {
        const std::lock_guard lock(mutex);
        texts = {{"tls.crt", std::move(certificate)}, {"tls.key", std::move(key)}};
    }
    void forget()
    {
        const std::lock_guard lock(mutex);
        texts.clear();
    }
    detail::server_certificate::settings settings()
    {
        detail::server_certificate::settings out;
        out.certificate_file = "tls.crt";
        out.key_file = "tls.key";
        out.machine.read_file = [this](const std::string& path, std::size_t) -> result<std::string> {
            const std::lock_guard lock(mutex);
            ++reads;
            const auto at = texts.find(path);
            if (at == texts.end()) return failure(cond::not_found, path + " is not there");
            return at->second;
        };
        out.time = clock;
        out.log = log.handle();
        return out;
    }
    result<std::shared_ptr<detail::server_certificate>> open() { return detail::server_certificate::make(settings()); }

    test::identity before, after;
    std::shared_ptr<testing::virtual_clock> clock = std::make_shared<testing::virtual_clock>();
    testing::recording_logger log;
    std::mutex mutex;
    std::map<std::string, std::string> texts;
    std::atomic<int> reads{0};
};

} // namespace

TEST_CASE("server_certificate: what cannot be used at the start is an error that names the file", "[client][tls]")
{
    files f;
    f.forget();
    CHECK(f.open().error().message().find("tls.crt is not there") != std::string::npos);
    f.put(f.before.certificate, f.after.key);
    const auto foreign = f.open();
    REQUIRE_FALSE(foreign);
    CHECK(foreign.error() == cond::misconfigured);
    CHECK(foreign.error().message() ==
          "certificate and key of the server: the key does not belong to the certificate (tls.crt, tls.key)");
    f.put("", "");
    CHECK_FALSE(f.open());
    auto one = f.settings();
    one.key_file.clear();
    CHECK(detail::server_certificate::make(one).error() == cond::misconfigured);
}

TEST_CASE("server_certificate: a file that hangs at the start is an error that names it", "[client][tls]")
{
    /// Kept by the reads that are left behind.
    struct volume
    {
        std::promise<void> mounted;
        std::shared_future<void> comes = mounted.get_future().share();
    };
    files f;
    const auto network = std::make_shared<volume>();
    auto settings = f.settings();
    settings.patience = 1ms;
    settings.machine.read_file = [network](const std::string&, std::size_t) -> result<std::string> {
        network->comes.wait();
        return failure(cond::not_found, "too late");
    };
    const auto made = detail::server_certificate::make(settings);
    REQUIRE_FALSE(made);
    CHECK(made.error() == cond::misconfigured);
    CHECK(made.error().message().find("tls.crt: could not be read in time") != std::string::npos);
    network->mounted.set_value();
}

TEST_CASE("server_certificate: the files are read once in ten seconds at most, when connections arrive",
          "[client][tls]")
{
    files f;
    const auto opened = f.open();
    REQUIRE(opened);
    auto& certificate = **opened;
    CHECK(f.reads == 2);
    const auto first = certificate.current();
    f.clock->advance(9999ms);
    for (int i = 0; i < 100; ++i) CHECK(certificate.current() == first);
    CHECK(f.reads == 2);
    f.put(f.after.certificate, f.after.key);
    f.clock->advance(1ms);
    CHECK(test::eventually([&] { return certificate.current() != first; }));
    CHECK(f.reads == 4);
    CHECK(f.log.count("TLS files have changed: new connections use them certificate=tls.crt") == 1);
}

TEST_CASE("server_certificate: a pair that lacks memory is used after the next reading", "[client][tls]")
{
    bool failed = true;
    for (std::uint64_t nth = 1; failed; ++nth) {
        CAPTURE(nth);
        files f;
        const auto opened = f.open();
        REQUIRE(opened);
        auto& certificate = **opened;
        const auto first = certificate.current();
        f.put(f.after.certificate, f.after.key);
        f.clock->advance(10s);
        CHECK(certificate.current() == first); // begins the reading
        failed = false;
        CHECK(test::eventually([&] {
            test::fail_allocation(nth);
            try {
                (void)certificate.current();
            } catch (const std::bad_alloc&) {
                failed = true;
            }
            test::fail_allocation(0);
            return failed || certificate.current() != first;
        }));
        // The outcome of the reading may be at hand still.
        if (certificate.current() == first) f.clock->advance(10s);
        CHECK(test::eventually([&] { return certificate.current() != first; }));
    }
}

TEST_CASE("server_certificate: while the files are half-written or gone, the last pair stays in use", "[client][tls]")
{
    files f;
    const auto opened = f.open();
    REQUIRE(opened);
    auto& certificate = **opened;
    const auto first = certificate.current();
    f.put(f.after.certificate, f.before.key); // the key follows later
    f.clock->advance(10s);
    const auto warned = [&](const char* why) {
        return test::eventually([&] {
            CHECK(certificate.current() == first);
            return f.log.count(why) == 1;
        });
    };
    CHECK(warned("the key does not belong to the certificate"));
    f.forget();
    f.clock->advance(10s);
    CHECK(warned("tls.key is not there"));
    f.put(f.after.certificate, f.after.key);
    f.clock->advance(10s);
    CHECK(test::eventually([&] { return certificate.current() != first; }));
}
