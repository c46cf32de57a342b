#include <kubecoro/base/detail/wait_for_news.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/testing/faulty_transport.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::testing {
namespace {

failure broken() { return failure(cond::unreachable, "the connection was cut by the fault plan"); }

/// Runs the operation; fails as soon as the connection is cut.
template<class T>
asio::awaitable<result<T>> unless_cut(asio::awaitable<result<T>> operation, latch cut)
{
    if (cut.settled()) co_return broken();
    auto outcome = co_await kubecoro::detail::unless(cut.wait(), std::move(operation));
    if (!outcome && cut.settled()) co_return broken();
    co_return outcome;
}

/// Waits until the connection is cut or the wait is cancelled. @return the failure of either.
asio::awaitable<failure> silence(latch cut)
{
    const auto ended = co_await cut.wait();
    co_return ended ? broken() : ended.error();
}

/// The answer of fault::what::answer.
class canned_answer final : public answer
{
public:
    explicit canned_answer(fault f) : body_(std::move(f.body))
    {
        head_.status = f.status;
        head_.headers = std::move(f.headers);
    }
    [[nodiscard]] const answer_head& head() const noexcept override { return head_; }
    asio::awaitable<result<std::string_view>> read_some() override
    {
        const std::string_view rest = std::exchange(done_, true) ? std::string_view{} : std::string_view(body_);
        co_return rest;
    }

private:
    answer_head head_;
    std::string body_;
    bool done_ = false;
};

class faulty_answer final : public answer
{
public:
    faulty_answer(std::unique_ptr<answer> inner, std::shared_ptr<fault_plan> plan, latch cut, std::optional<fault> f)
        : inner_(std::move(inner)), plan_(std::move(plan)), cut_(std::move(cut)), head_(inner_->head())
    {
        if (f && (f->kind == fault::what::cut || f->kind == fault::what::stall)) {
            left_ = f->after_bytes;
            stalls_ = f->kind == fault::what::stall;
        }
    }
    [[nodiscard]] const answer_head& head() const noexcept override { return head_; }

    asio::awaitable<result<std::string_view>> read_some() override
    {
        if (end_) co_return *end_;
        if (left_ == 0) {
            auto f = co_await last_word();
            co_return finish(std::move(f));
        }
        if (cut_.settled()) co_return finish(broken());
        if (rest_.empty()) {
            auto more = co_await unless_cut(inner_->read_some(), cut_);
            if (!more) co_return finish(more.error());
            if (more->empty()) co_return *more; // the body ended before the fault
            rest_ = *more;
        }
        const auto n = plan_->piece(std::min(rest_.size(), left_));
        const std::string_view piece = rest_.substr(0, n);
        rest_.remove_prefix(n);
        if (left_ != unlimited) left_ -= n;
        co_return piece;
    }

private:
    static constexpr auto unlimited = std::numeric_limits<std::size_t>::max();

    asio::awaitable<failure> last_word()
    {
        if (!stalls_) co_return broken();
        co_return co_await silence(cut_);
    }
    failure finish(failure f)
    {
        inner_.reset();
        end_ = f;
        return f;
    }

    std::unique_ptr<answer> inner_;
    std::shared_ptr<fault_plan> plan_;
    latch cut_;
    answer_head head_;
    std::string_view rest_;
    std::size_t left_ = unlimited;
    bool stalls_ = false;
    std::optional<failure> end_;
};

} // namespace

struct faulty_transport::parts
{
    std::shared_ptr<transport> inner;
    std::shared_ptr<fault_plan> plan;
    std::shared_ptr<kubecoro::time_source> clock;
};

faulty_transport::faulty_transport(std::shared_ptr<transport> inner, std::shared_ptr<fault_plan> plan,
                                   std::shared_ptr<kubecoro::time_source> c)
    : parts_(std::make_shared<const parts>(parts{std::move(inner), std::move(plan), std::move(c)}))
{
}
faulty_transport::~faulty_transport() = default;

asio::awaitable<result<std::unique_ptr<answer>>> faulty_transport::send(request r)
{
    const auto p = parts_;
    const latch cut = p->plan->next_cut();
    auto f = p->plan->decide(r);
    if (f && f->kind == fault::what::refuse)
        co_return failure(cond::unreachable, "the connection was refused by the fault plan");
    if (f && f->kind == fault::what::no_answer) co_return co_await silence(cut);
    if (f && f->kind == fault::what::answer) {
        std::unique_ptr<answer> canned = std::make_unique<canned_answer>(*std::move(f));
        co_return canned;
    }
    if (f && f->kind == fault::what::delay) {
        KUBECORO_TRY(co_await unless_cut(sleep_for(*p->clock, f->wait), cut));
    }
    KUBECORO_TRY(auto got, co_await unless_cut(p->inner->send(std::move(r)), cut));
    std::unique_ptr<answer> wrapped = std::make_unique<faulty_answer>(std::move(got), p->plan, cut, std::move(f));
    co_return wrapped;
}

} // namespace kubecoro::testing
