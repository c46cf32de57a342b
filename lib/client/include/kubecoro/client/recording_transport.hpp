#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/client/transport.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace kubecoro {

/// Options of a recording_transport.
struct recording_options
{
    /// The file, readable by its owner alone. One that is there becomes FILE.1.
    std::string file = {};
    /// Size of the file. At least 4,096.
    std::uint64_t max_bytes = std::uint64_t{64} * 1024 * 1024;
    /// At the limit: false = the recording ends; true = the file becomes FILE.1, and a new one begins. Only a recording with its
    /// beginning can be replayed into an operator.
    bool rotate = false;
    /// Null = real_clock(). That of the client, as its requests are timed by it.
    std::shared_ptr<time_source> time = {};
    /// Receives one line when the limit is reached, and one when the file cannot be written.
    logger log = {};
};

/// A snapshot of a recording.
struct recording_stats
{
    /// Bytes for the file and its predecessors. They are written within a fifth of a second.
    std::uint64_t bytes = 0;
    /// Records that are missing: the disk was full or too slow, or the limit was reached.
    std::uint64_t lost = 0;
    /// Whether the recording has ended at its limit.
    bool full = false;
    /// Whether the file could not be written. Nothing more is recorded.
    bool failed = false;
};

/** Records what a client sends and receives, for `kubecoro replay` and testing::replay().

        options.wrap_transport = [](auto over) {
            return std::make_shared<recording_transport>(over, recording_options{.file = "incident.rec"});
        };

    Credentials are never recorded. Tokens and the data of Secrets are replaced by words that are equal where the values were
    equal; answers with them are requested as JSON without compression. All else is recorded as it is, logs and proxied answers too.
    A thread writes the file: a slow or full disk costs records, which are counted, and no time. A megabyte of traffic costs about
    0.7 ms of CPU, more where it is masked. Thread safe if `inner` is. docs/guide/recordings.md describes the file. */
class recording_transport final : public transport
{
public:
    /// Begins the recording. A file that cannot be created is logged, and shows in stats().
    recording_transport(std::shared_ptr<transport> inner, recording_options options);
    /// Writes what waits, for at most five seconds, unless an answer is still read.
    ~recording_transport() override;

    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override;
    /// The state of the recording. Any thread.
    [[nodiscard]] recording_stats stats() const;

private:
    struct parts;
    std::shared_ptr<const parts> parts_;
};

} // namespace kubecoro
