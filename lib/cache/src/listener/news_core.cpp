#include "listener/news_core.hpp"

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
    if (told != told_.end() && now - told->second < told_again_after) return false;
    if (told == told_.end() && told_.size() >= most_kinds) told_.clear();
    told_.insert_or_assign(std::move(kind), now);
    return true;
}

} // namespace kubecoro::detail
