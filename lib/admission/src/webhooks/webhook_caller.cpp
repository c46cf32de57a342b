#include <kubecoro/admission/detail/webhook_caller.hpp>

#include <kubecoro/base/timeout.hpp>

#include <array>
#include <cstdio>
#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

std::string target_of(const webhook_place& at, std::chrono::seconds within)
{
    std::string path = at.path;
    if (!at.url.empty()) {
        const auto begin = at.url.find('/', at.url.find("//") + 2);
        path = begin == std::string::npos ? "" : at.url.substr(begin);
    }
    return (path.empty() ? "/" : path) + "?timeout=" + std::to_string(within.count()) + "s";
}

} // namespace

std::string review_uid(std::uint64_t number)
{
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "00000000-0000-4000-8000-%012llx", static_cast<unsigned long long>(number));
    return text.data();
}

asio::awaitable<result<std::string>> webhook_caller::ask(webhook_place at, std::chrono::seconds within,
                                                         std::string review) const
{
    const auto failed = [&](const std::string& why) {
        return failure(cond::unreachable,
                       "Post \"" + at.shown() + "?timeout=" + std::to_string(within.count()) + "s\": " + why);
    };
    if (!find_) co_return failed("this embedded API server does not know how to reach it");
    const auto by = find_({at.url, at.service, at.ns, at.port, at.bundle});
    if (!by) co_return failed(by.error().describe());
    request r{.method = "POST",
              .target = target_of(at, within),
              .content_type = "application/json",
              .body = std::move(review)};
    auto answer = co_await with_timeout(*time_, within, "the webhook", by->raw(std::move(r)));
    if (!answer && answer.error() == cond::timed_out) co_return failed("context deadline exceeded");
    if (!answer) co_return failed(answer.error().describe());
    if (answer->head.status != 200)
        co_return failure(cond::internal, "the server responded with the status code " +
                                              std::to_string(answer->head.status) +
                                              " but did not return more information");
    co_return std::move(answer->body);
}

} // namespace kubecoro::detail
