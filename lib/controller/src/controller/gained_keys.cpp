// Queues the keys that a change of the share brings.
#include "controller/source_mark.hpp"

#include <kubecoro/base/timeout.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

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
            co_await race(source.leaving.wait(), news->wait());
            continue;
        }
        // A share in between may have been without a key that both have: its events were ignored then.
        const share_gain keys{now.share, now.number == known.number + 1 ? known.share : nullptr};
        co_await self.take_in_all(source, keys);
        known = std::move(now);
    }
    co_return result<>{};
}

/// Events of the source are taken in between the batches. An object that comes meanwhile is among them.
asio::awaitable<result<>> controller_engine::take_in_all(controller_source& source, share_gain keys)
{
    if (!keys.possible()) co_return result<>{};
    const auto content = source.informer.lister();
    std::vector<object_key> all; // and not the objects: those of a compressed store would be expanded
    content.for_each([&all](const object& o) { all.emplace_back(o.key()); });
    std::vector<notification<object>> some;
    for (const auto& key : all) {
        if (auto o = content.get(key)) some.push_back(added<object>{.obj = std::move(o), .initial = true});
        if (some.size() < batch) continue;
        take_in(source, some, keys);
        some.clear();
        co_await asio::post(asio::use_awaitable);
        if (source.leaving.settled()) co_return result<>{};
    }
    take_in(source, some, keys);
    co_return result<>{};
}

} // namespace kubecoro::detail
