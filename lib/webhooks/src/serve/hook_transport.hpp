// A transport whose requests webhooks answer, without sockets.
#pragma once

#include <kubecoro/base/try.hpp>
#include <kubecoro/client/transport.hpp>
#include <kubecoro/webhooks/webhooks.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <utility>

namespace kubecoro::detail {

class hook_transport final : public transport
{
public:
    explicit hook_transport(webhooks hooks) : hooks_(std::move(hooks)) {}

    boost::asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
    {
        webhook_call call{std::move(r.method), std::move(r.target), std::move(r.content_type), std::move(r.body)};
        auto reply = co_await hooks_.answer(std::move(call));
        std::unique_ptr<answer> out = std::make_unique<whole_answer>(std::move(reply));
        co_return out;
    }

private:
    class whole_answer final : public answer
    {
    public:
        explicit whole_answer(webhook_reply reply)
            : head_{reply.status, {{"content-type", std::move(reply.content_type)}}}, body_(std::move(reply.body))
        {
        }
        const answer_head& head() const noexcept override { return head_; }
        boost::asio::awaitable<result<std::string_view>> read_some() override
        {
            co_return std::exchange(given_, true) ? std::string_view() : std::string_view(body_);
        }

    private:
        answer_head head_;
        std::string body_;
        bool given_ = false;
    };

    webhooks hooks_;
};

} // namespace kubecoro::detail
