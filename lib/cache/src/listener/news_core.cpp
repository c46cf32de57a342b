#include "listener/news_core.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro::detail {
namespace {

std::string kind_of(std::string_view what, const failure& why)
{
    std::string kind(what);
    for (const failure* f = &why; f; f = f->cause()) {
        kind += '\n';
        kind += to_string(f->condition());
        kind += '\n';
        kind += f->message();
    }
    if (const auto* status = why.status()) kind += '\n' + status->message;
    return kind;
}

} // namespace

bool news_core::is_news(std::string_view what, const failure& why, time_point now)
{
    auto kind = kind_of(what, why);
    const auto told = told_.find(kind);
    auto pause = why == cond::unreachable ? unreachable_again_after : told_again_after;
    if (told != told_.end()) {
        const auto since = now - told->second.at;
        if (since < told->second.pause) return false;
        if (since < 2 * told_again_after) pause = std::min(2 * told->second.pause, told_again_after);
        told_.erase(told);
    }
    if (told_.size() >= most_kinds) told_.clear();
    told_.insert_or_assign(std::move(kind), report{now, pause});
    return true;
}

} // namespace kubecoro::detail
