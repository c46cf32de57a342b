// Queues the keys that a change of the share brings.
#include "controller/source_mark.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/timeout.hpp>

#include <utility>
#include <vector>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Objects that are mapped to keys at a time.
constexpr std::size_t batch = 256;

} // namespace

/// On the strand of the source's events, because the functions of its user are not called by two at once.
asio::awaitable<result<>> controller_engine::follow_share(std::shared_ptr<source_mark> mark, run_gate::picture known)
{
    auto& self = mark->engine();
    auto& source = mark->source();
    const auto news = std::make_shared<wake_signal>();
    self.gate_->subscribe(news);
    while (!source.leaving.settled()) {
        auto now = self.gate_->current();
        if (now.number == known.number) {
            auto waiting = race(source.leaving.wait(), news->wait());
            co_await std::move(waiting);
            continue;
        }
        // A share in between may have been without a key that both have: its events were ignored then.
        const share_gain keys{now.share, now.number == known.number + 1 ? known.share : nullptr};
        const auto taken = self.try_take_in_all(source, keys);
        if (taken) {
            known = std::move(now);
            continue;
        }
        auto recovering = self.recover("share", taken.error());
        co_await std::move(recovering);
    }
    co_return result<>{};
}

result<> controller_engine::try_take_in_all(controller_source& source, const share_gain& keys) noexcept
{
    try {
        if (!keys.possible()) return {};
        std::vector<notification<object>> some;
        source.informer.lister().for_each([&](const object& o) {
            some.push_back(added<object>{.obj = o, .initial = true});
            if (some.size() < batch) return;
            take_in(source, some, keys);
            some.clear();
        });
        take_in(source, some, keys);
        return {};
    } catch (...) {
        return to_failure(std::current_exception());
    }
}

} // namespace kubecoro::detail
