#include "server/rendered_page.hpp"

#include "http/gzip.hpp"
#include "server/http_answer.hpp"

namespace kubecoro::detail {

rendered_page::copy rendered_page::get(time_source& time, bool compressed, const std::function<std::string()>& make)
{
    auto out = current(time, compressed, make);
    if (budget_.has_time(time.now())) {
        plain_.reset();
        compressed_.reset();
    }
    return out;
}

rendered_page::copy rendered_page::current(time_source& time, bool compressed, const std::function<std::string()>& make)
{
    const time_point begin = time.now();
    const bool repeated = plain_ && !budget_.has_time(begin) && begin - begun_ < oldest;
    const render_budget::cost counted(budget_, time, begin);
    if (!repeated) {
        plain_ = std::make_shared<const std::string>(make());
        begun_ = begin;
        compressed_.reset();
    }
    if (compressed && !compressed_ && is_worth_compressing(*plain_))
        compressed_ = std::make_shared<const std::string>(gzip(*plain_));
    copy out{.body = compressed && compressed_ ? compressed_ : plain_, .repeated = repeated};
    out.age = begin - begun_;
    out.compressed = out.body == compressed_;
    return out;
}

} // namespace kubecoro::detail
