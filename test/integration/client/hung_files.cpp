// Certificates on a file system that hangs.
#include "certificates.hpp"
#include "client_fixture.hpp"

#include "connect/tls_source.hpp"

#include <kubecoro/testing/virtual_clock.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::test;
using namespace std::chrono_literals;

namespace {

/// A file whose readers wait while it is held.
class held_file
{
public:
    explicit held_file(std::string content) : content_(std::move(content)) {}

    std::string read()
    {
        std::unique_lock lock(mutex_);
        ++reads_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return !held_; });
        return content_;
    }
    void hold(std::string next)
    {
        const std::lock_guard lock(mutex_);
        held_ = true;
        content_ = std::move(next);
    }
    void release()
    {
        const std::lock_guard lock(mutex_);
        held_ = false;
        changed_.notify_all();
    }
    /// Returns when the file has been read this often.
    void wait_for_read(int number)
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return reads_ >= number; });
    }
    int reads()
    {
        const std::lock_guard lock(mutex_);
        return reads_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string content_;
    bool held_ = false;
    int reads_ = 0;
};

} // namespace

TEST_CASE("rotation: a file system that hangs holds up nobody for more than a second", "[client][rotation]")
{
    const auto file = std::make_shared<held_file>(authority("one").certificate());
    const auto time = std::make_shared<testing::virtual_clock>();
    cluster_config config;
    config.server = "https://127.0.0.1:1";
    config.ca_file = "ca";
    environment machine;
    machine.read_file = [file](const std::string&, std::size_t) { return result<std::string>(file->read()); };
    tls_source::settings with;
    with.config = config;
    with.machine = machine;
    with.time = time;
    with.numbers = null_metrics();
    const auto source = tls_source::make(std::move(with)).value();
    const auto before = source->current();
    REQUIRE(file->reads() == 1);

    client_fixture the;
    file->hold(authority("two").certificate());
    const auto first = the.start(source->newest());
    const auto second = the.start(source->newest());
    the.io.restart();
    the.io.poll();
    file->wait_for_read(2);
    CHECK_FALSE(*first);
    CHECK_FALSE(*second);
    time->advance(1s);
    while (!*first || !*second) the.io.run_one();
    CHECK((*first)->value() == before);
    CHECK((*second)->value() == before);
    // The read still hangs: nobody waits again, and there is no second read.
    CHECK(the.run(source->newest()).value() == before);
    time->advance(10s);
    CHECK(source->refresh().has_value());
    CHECK(the.run(source->newest()).value() == before);
    CHECK(file->reads() == 2);

    file->release();
    while (source->current() == before) CHECK(the.run(source->newest()));
    CHECK(before->is_retired());
}
