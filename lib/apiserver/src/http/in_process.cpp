#include <kubecoro/apiserver/in_process.hpp>

#include "http/server_engine.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/try.hpp>

#include <string>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::apiserver {
namespace {

answer_head head_of(http_response& response)
{
    answer_head head;
    head.status = response.status;
    head.headers = std::move(response.headers);
    for (auto& [name, value] : head.headers)
        for (char& c : name)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return head;
}

class whole_answer final : public kubecoro::answer
{
public:
    explicit whole_answer(http_response response)
        : head_(head_of(response)), body_(std::move(response.body)), rest_(std::move(response.rest))
    {
    }
    const answer_head& head() const noexcept override { return head_; }
    asio::awaitable<result<std::string_view>> read_some() override
    {
        given_ = std::exchange(body_, {});
        while (given_.empty() && rest_)
            if (!rest_->next(given_, part_of_answer)) rest_.reset();
        co_return given_;
    }

private:
    static constexpr std::size_t part_of_answer = 256 * 1024;

    answer_head head_;
    std::string body_;
    std::string given_;
    std::unique_ptr<body_stream> rest_;
};

class watch_answer final : public kubecoro::answer
{
public:
    explicit watch_answer(engine_answer opened) : head_(head_of(opened.response)), watch_(std::move(opened.watch)) {}
    const answer_head& head() const noexcept override { return head_; }

    asio::awaitable<result<std::string_view>> read_some() override
    {
        // A failed or cancelled read closes the watch, as it would close a socket.
        auto got = co_await catch_failure(next());
        if (!got) watch_.reset();
        co_return got;
    }

private:
    asio::awaitable<result<std::string_view>> next()
    {
        while (true) {
            if (ended_) co_return std::string_view();
            if (!watch_) co_return failure{cond::unreachable, "the connection was closed by a failed read"};
            auto piece = co_await watch_->next();
            if (piece.cut) co_return failure{cond::unreachable, "the embedded server broke the connection off"};
            ended_ = piece.ended;
            given_ = std::move(piece.bytes);
            if (!given_.empty()) co_return given_;
            if (!piece.more && !ended_) KUBECORO_TRY(co_await watch_->wake().wait());
        }
    }

    answer_head head_;
    std::unique_ptr<watch_handle> watch_;
    std::string given_;
    bool ended_ = false;
};

http_request to_http(request r, const user_info& user)
{
    http_request out{std::move(r.method), std::move(r.target), std::move(r.headers), std::move(r.body)};
    bool authorized = false;
    for (auto& [name, value] : out.headers) {
        for (char& c : name)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        authorized = authorized || name == "authorization";
    }
    if (!r.accept.empty()) out.headers.emplace_back("accept", std::move(r.accept));
    if (!r.content_type.empty()) out.headers.emplace_back("content-type", std::move(r.content_type));
    if (!authorized) out.user = user;
    return out;
}

asio::awaitable<result<std::unique_ptr<kubecoro::answer>>> exchange(std::shared_ptr<server_engine> engine,
                                                                    http_request request)
{
    KUBECORO_TRY(auto answered, co_await engine->perform(std::move(request), detail::wake_signal{}));
    std::unique_ptr<kubecoro::answer> out;
    if (answered.watch)
        out = std::make_unique<watch_answer>(std::move(answered));
    else
        out = std::make_unique<whole_answer>(std::move(answered.response));
    co_return out;
}

} // namespace

in_process_transport::in_process_transport(embedded_server& server, user_info user)
    : engine_(server.engine_), user_(std::move(user))
{
}

in_process_transport::~in_process_transport() = default;

asio::awaitable<result<std::unique_ptr<kubecoro::answer>>> in_process_transport::send(request r)
{
    std::string method = r.method;
    std::string target = r.target;
    if (engine_->refusing)
        co_return failure{cond::unreachable, "the embedded server refuses connections"}.with_request(std::move(method),
                                                                                                     std::move(target));
    http_request request = to_http(std::move(r), user_);
    auto sent = co_await catch_failure(exchange(engine_, std::move(request)));
    if (!sent) co_return sent.error().with_request(std::move(method), std::move(target));
    co_return sent;
}

} // namespace kubecoro::apiserver
