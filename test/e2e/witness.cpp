#include "witness.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <charconv>
#include <cstdint>

namespace kubecoro::e2e {

namespace asio = boost::asio;

namespace {

std::uint64_t version_of(const object& o)
{
    std::uint64_t out = 0;
    const auto text = o.resource_version();
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

} // namespace

event_handler<object> witness::plain()
{
    event_handler<object> out;
    const auto listen = [this](const auto& e) { hear(e); };
    out.on_add = listen;
    out.on_update = listen;
    out.on_delete = listen;
    return out;
}

event_handler<object> witness::coroutines()
{
    event_handler<object> out;
    const auto listen = [this](const auto& e) { return hear_slowly(e); };
    out.on_add = listen;
    out.on_update = listen;
    out.on_delete = listen;
    return out;
}

event_handler<object> witness::asleep(latch until)
{
    event_handler<object> out;
    const auto listen = [this, until](const auto& e) { return hear_after(until, e); };
    out.on_add = listen;
    out.on_update = listen;
    out.on_delete = listen;
    return out;
}

asio::awaitable<result<>> witness::hear_after(latch until, notification<object> n)
{
    auto woken = co_await until.wait();
    if (woken) std::visit([this](const auto& e) { hear(e); }, n);
    co_return woken;
}

asio::awaitable<void> witness::hear_slowly(notification<object> n)
{
    co_await asio::post(asio::use_awaitable);
    std::visit([this](const auto& e) { hear(e); }, n);
}

asio::awaitable<result<>> witness::pull(subscription<object> events)
{
    for (;;) {
        const auto batch = co_await events.pop();
        if (!batch) co_return result<>{};
        for (const auto& n : *batch) std::visit([this](const auto& e) { hear(e); }, n);
    }
}

void witness::hear(const added<object>& e)
{
    {
        const std::lock_guard lock(mutex_);
        ++(e.initial ? counts_.initial : counts_.added);
        if (!picture_.emplace(object_key(e.obj.key()), e.obj).second) complain("added twice", e.obj);
    }
    cluster_->changed();
}

void witness::hear(const updated<object>& e)
{
    {
        const std::lock_guard lock(mutex_);
        ++counts_.updated;
        const auto known = picture_.find(object_key(e.after.key()));
        if (known == picture_.end()) {
            complain("updated before it was added", e.after);
        } else {
            if (!known->second.is_same(e.before)) complain("updated with a different previous object", e.after);
            if (known->second.uid() != e.after.uid()) complain("updated to another object", e.after);
            if (version_of(e.after) <= version_of(known->second))
                complain("updated to a version that is not newer", e.after);
            known->second = e.after;
        }
    }
    cluster_->changed();
}

void witness::hear(const deleted<object>& e)
{
    {
        const std::lock_guard lock(mutex_);
        ++counts_.deleted;
        counts_.unknown += e.final_state_unknown;
        const auto known = picture_.find(object_key(e.obj.key()));
        if (known == picture_.end()) {
            complain("deleted twice", e.obj);
        } else {
            if (known->second.uid() != e.obj.uid()) complain("deleted as another object", e.obj);
            if (version_of(e.obj) < version_of(known->second)) complain("deleted in an older version", e.obj);
            picture_.erase(known);
        }
    }
    cluster_->changed();
}

void witness::complain(std::string_view what, const object& o)
{
    if (complaint_.empty())
        complaint_ =
            to_string(o.key()) + " " + std::string(what) + " (version " + std::string(o.resource_version()) + ")";
}

picture witness::believes() const
{
    const std::lock_guard lock(mutex_);
    return picture_;
}

heard witness::counts() const
{
    const std::lock_guard lock(mutex_);
    return counts_;
}

std::string witness::complaint() const
{
    const std::lock_guard lock(mutex_);
    return complaint_;
}

std::string gap(cluster& c, const shared_informer<object>& informer, const std::vector<const witness*>& witnesses,
                const std::vector<std::string>& namespaces)
{
    const auto name = informer.resource().display_name();
    const auto read = c.read(informer.resource(), namespaces);
    if (!read) return "cannot read " + name + " from the server: " + read.error().describe();
    const picture& real = *read;
    if (auto d = difference(picture_of(informer.lister()), real); !d.empty()) return "the store of " + name + " " + d;
    for (std::size_t i = 0; i < witnesses.size(); ++i) {
        if (auto d = difference(witnesses[i]->believes(), real); !d.empty())
            return "witness " + std::to_string(i) + " of " + name + " " + d;
    }
    return {};
}

} // namespace kubecoro::e2e
