#include "direct_transport.hpp"

#include "output.hpp"

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

class whole_answer final : public answer
{
public:
    whole_answer(int status, std::string body) : body_(std::move(body))
    {
        head_.status = status;
        head_.headers.emplace_back("content-type", "application/json");
    }

    [[nodiscard]] const answer_head& head() const noexcept override { return head_; }

    [[nodiscard]] asio::awaitable<result<std::string_view>> read_some() override
    {
        const bool first = !std::exchange(taken_, true);
        co_return first ? std::string_view(body_) : std::string_view();
    }

private:
    answer_head head_;
    std::string body_;
    bool taken_ = false;
};

std::string status_text(const server_status& s)
{
    return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)" +
           json_quoted(s.message) + R"(,"reason":)" + json_quoted(s.reason) + R"(,"code":)" + std::to_string(s.code) +
           "}";
}

} // namespace

asio::awaitable<result<std::unique_ptr<answer>>> direct_transport::send(request r)
{
    auto body = co_await server_.execute(std::move(r.method), std::move(r.target), std::move(r.body));
    std::unique_ptr<answer> out;
    if (body) {
        out = std::make_unique<whole_answer>(200, std::move(*body));
    } else if (const auto* status = body.error().status()) {
        out = std::make_unique<whole_answer>(status->code, status_text(*status));
    } else {
        co_return body.error();
    }
    co_return result<std::unique_ptr<answer>>(std::move(out));
}

} // namespace kubecoro::tool
