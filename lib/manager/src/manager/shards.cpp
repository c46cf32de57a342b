// The membership of a manager in a group that divides keys.
#include "manager/manager_engine.hpp"

#include <kubecoro/base/detail/wait_for_news.hpp>
#include <kubecoro/base/try.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

asio::awaitable<result<>> leave_when_asked(shard_member& member, latch stop)
{
    KUBECORO_TRY(co_await stop.wait());
    co_return co_await member.stop();
}

} // namespace

/// A part like others: it joins when the informers have synced, and leaves with the controllers.
void manager_engine::join_group()
{
    member_.emplace(executor_.get(), cluster, options.shards);
    const patient_runnable body = [this](latch stop) { return be_member(*this, std::move(stop)); };
    (void)add_runnable("shards", body, true, {.needs_leadership = false});
}

/// Whether an informer may lack what is outside the share. Objects that are mapped must be divided like the keys.
bool manager_engine::divides(const resource_type& resource, const key_share& share, bool is_own) const
{
    const auto ours = this->share();
    if (!options.shards.divides_objects || !ours || share != *ours) return false;
    return is_own || (options.shards.by == shard_by::ns && resource.namespaced);
}

shared_informer<object> manager_engine::watched(const resource_type& resource, const key_share& share, bool is_own)
{
    const bool is_divided = divides(resource, share, is_own);
    const std::shared_ptr<object_share> kept = is_divided ? share : key_share();
    {
        declarations released; // destroyed without the mutex
        std::lock_guard lock(mutex_);
        released = take_released([&resource](const resource_type& r) { return r == resource; });
        for (const auto& i : declared_)
            if (i.resource() == resource && (!i.share() || i.share() == kept))
                return i; // one of all objects serves as well
    }
    return informer(resource, {.share = kept});
}

asio::awaitable<result<>> manager_engine::be_member(manager_engine& self, latch stop)
{
    co_return co_await unless(leave_when_asked(*self.member_, std::move(stop)), self.member_->run());
}

} // namespace kubecoro::detail
