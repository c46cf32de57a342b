#include <kubecoro/apiserver/container_logs.hpp>

#include <algorithm>

namespace kubecoro::apiserver {
namespace {

/// A line of one byte is not free.
constexpr std::size_t entry_cost = sizeof(log_entry);

} // namespace

void container_run::append(std::string_view text, wall_time now)
{
    while (!text.empty() && !ended_) {
        const auto line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
        entries_.push_back({now, std::string(line)});
        bytes_ += line.size() + entry_cost;
        text.remove_prefix(line.size());
    }
}

void container_run::forget_oldest()
{
    if (entries_.empty()) return;
    bytes_ -= entries_.front().text.size() + entry_cost;
    entries_.pop_front();
    ++first_;
}

container_logs::runs& container_logs::runs_of(const std::string& uid, const std::string& container)
{
    auto& found = runs_[{uid, container}];
    if (!found.present) found.present = std::make_shared<container_run>();
    return found;
}

void container_logs::shorten(container_run& run)
{
    const auto before = run.bytes();
    run.forget_oldest();
    bytes_ -= before - run.bytes();
}

void container_logs::bound(container_run& written)
{
    while (written.bytes() > limits_.run) shorten(written);
    while (bytes_ > limits_.total) {
        container_run* longest = &written;
        for (const auto& [key, each] : runs_)
            for (const auto& run : {each.present, each.previous})
                if (run && run->bytes() > longest->bytes()) longest = run.get();
        shorten(*longest);
    }
}

std::shared_ptr<const container_run> container_logs::open(const std::string& uid, const std::string& container)
{
    return runs_of(uid, container).present;
}

void container_logs::append(const std::string& uid, const std::string& container, std::string_view text, wall_time now)
{
    auto& run = *runs_of(uid, container).present;
    const auto before = run.bytes();
    run.append(text, now);
    bytes_ += run.bytes() - before;
    bound(run);
}

void container_logs::end(const std::string& uid, const std::string& container)
{
    runs_of(uid, container).present->end();
}

void container_logs::drop(const std::shared_ptr<container_run>& run)
{
    if (!run) return;
    run->end();
    bytes_ -= run->bytes();
}

void container_logs::restart(const std::string& uid, const std::string& container)
{
    auto& found = runs_of(uid, container);
    drop(found.previous);
    found.present->end();
    found.previous = std::exchange(found.present, std::make_shared<container_run>());
}

void container_logs::forget(const std::string& uid)
{
    auto it = runs_.lower_bound({uid, {}});
    while (it != runs_.end() && it->first.first == uid) {
        drop(it->second.present);
        drop(it->second.previous);
        it = runs_.erase(it);
    }
}

std::shared_ptr<const container_run> container_logs::previous(const std::string& uid,
                                                              const std::string& container) const
{
    const auto it = runs_.find({uid, container});
    return it == runs_.end() ? nullptr : it->second.previous;
}

} // namespace kubecoro::apiserver
