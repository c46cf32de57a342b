#pragma once

#include "reflector/reflector_engine.hpp"

#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/cache/watcher.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::detail {

/** A reflector whose sink is one place for a batch: it waits while that is taken. */
class watcher_engine final : public reflector_engine
{
public:
    explicit watcher_engine(reflector_setup s) : reflector_engine(std::move(s)) {}
    /// Makes one that is closed with its context, if that ends first.
    [[nodiscard]] static std::shared_ptr<watcher_engine> make(reflector_setup s);

    // Any thread. See watcher.
    [[nodiscard]] static boost::asio::awaitable<result<watcher_batch<>>> next(std::shared_ptr<watcher_engine> self);
    void close();
    [[nodiscard]] static boost::asio::awaitable<result<>> stop(std::shared_ptr<watcher_engine> self);

    // delta_sink
    void replace(std::vector<object> items, std::string resource_version,
                 std::vector<left_out_object> left_out) override;
    void page(reflector_core::do_page part) override;
    void apply(std::vector<delta> changes, std::string resource_version) override;
    void vanished() override;
    [[nodiscard]] bool has_room() const override;
    [[nodiscard]] boost::asio::awaitable<result<>> room() override;

private:
    class end_of_context;

    void note_end() override;
    void put(watcher_batch<> batch);
    /// The batch, if there is one. Fails when closed.
    [[nodiscard]] result<std::optional<watcher_batch<>>> take();

    context_bound<end_of_context> context_end_;
    const wake_signal arrived_;
    const wake_signal taken_;
    mutable std::mutex mutex_;
    // Guarded by mutex_:
    std::optional<watcher_batch<>> ready_;
    bool closed_ = false;
};

} // namespace kubecoro::detail
