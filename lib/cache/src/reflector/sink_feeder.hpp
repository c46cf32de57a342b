#pragma once

#include "reflector/reflector_engine.hpp"

#include <deque>
#include <string>
#include <vector>

namespace kubecoro::detail {

/// Calls a user's sink with the output of a reflector, which waits for each call.
class sink_feeder final : public reflector_engine
{
public:
    sink_feeder(reflector_setup s, std::shared_ptr<reflector_sink> sink);

    /// Runs until the awaiting coroutine is cancelled.
    [[nodiscard]] static boost::asio::awaitable<result<>> run(std::shared_ptr<sink_feeder> self);
    /// The version that the sink has reached. Any thread.
    [[nodiscard]] std::string version() const;

    // delta_sink
    void replace(std::vector<object> items, std::string resource_version,
                 std::vector<left_out_object> left_out) override;
    void apply(std::vector<delta> changes, std::string resource_version) override;
    void vanished() override;
    [[nodiscard]] bool has_room() const override { return calls_.empty(); }
    [[nodiscard]] boost::asio::awaitable<result<>> room() override;

private:
    [[nodiscard]] static boost::asio::awaitable<result<>> run_to_the_end(std::shared_ptr<sink_feeder> self);
    /// A call that the sink is to receive.
    struct call
    {
        enum class kind
        {
            replace,
            apply,
            vanished
        };
        kind what = kind::vanished;
        std::vector<object> items = {};
        std::vector<left_out_object> left_out = {};
        std::vector<delta> changes = {};
        std::string resource_version = {};
    };
    [[nodiscard]] boost::asio::awaitable<result<>> make(call c);
    void set_version(std::string version);

    const std::shared_ptr<reflector_sink> sink_;
    std::deque<call> calls_;

    mutable std::mutex mutex_;
    // Guarded by mutex_:
    bool run_called_ = false;
    std::string version_;
};

} // namespace kubecoro::detail
