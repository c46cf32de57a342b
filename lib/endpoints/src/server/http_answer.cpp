#include "server/http_answer.hpp"

#include "http/gzip.hpp"

#include <algorithm>

namespace kubecoro::detail {
http_answer plain_answer(int status, std::string text)
{
    http_answer out;
    out.status = status;
    out.body = std::move(text);
    return out;
}

http_answer later(std::string_view endpoint, std::string text)
{
    auto out = plain_answer(503, std::move(text));
    out.headers.emplace_back("Retry-After", "1");
    out.endpoint = endpoint;
    return out;
}

http_answer unauthenticated(std::string text)
{
    auto out = plain_answer(401, std::move(text));
    out.headers.emplace_back("WWW-Authenticate", "Bearer");
    return out;
}

http_reply reply_of(http_answer answer)
{
    http_reply out;
    out.status = answer.status;
    out.headers = {{"Content-Type", std::string(answer.content_type)},
                   {"Cache-Control", "no-store"},
                   {"X-Content-Type-Options", "nosniff"},
                   {"Referrer-Policy", "no-referrer"}};
    const bool has_policy = std::any_of(answer.headers.begin(), answer.headers.end(),
                                        [](const auto& h) { return h.first == "Content-Security-Policy"; });
    if (!has_policy) out.headers.emplace_back("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    for (auto& [name, value] : answer.headers) out.headers.emplace_back(name, std::move(value));
    out.body = {std::move(answer.body), std::move(answer.shared_body)};
    out.live = out.until_close = answer.endless;
    if (answer.place) out.held.push_back(std::move(answer.place));
    return out;
}

void mark_compressed(http_answer& answer)
{
    answer.compressed = true;
    answer.headers.emplace_back("Content-Encoding", "gzip");
    answer.headers.emplace_back("Vary", "Accept-Encoding");
}

void compress(http_answer& answer, std::string_view accept_encoding)
{
    if (answer.compressed || !is_worth_compressing(answer.body) || !accepts_gzip(accept_encoding)) return;
    answer.body = gzip(answer.body);
    mark_compressed(answer);
}

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
