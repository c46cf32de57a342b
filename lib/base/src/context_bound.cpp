#include <kubecoro/base/detail/context_bound.hpp>

#include <kubecoro/base/detail/confinement.hpp>

#include <boost/asio/execution_context.hpp>
#include <boost/asio/strand.hpp>

#include <mutex>
#include <utility>
#include <vector>

namespace asio = boost::asio;

namespace kubecoro::detail {

kept_executor make_kept_strand(const kept_executor& on)
{
    const auto executor = on.get();
    return executor ? kept_executor(asio::make_strand(executor)) : kept_executor();
}

namespace {

/// The ties of one context; outlives the ties and the context.
struct tie_list
{
    /// Recursive, because a value may own other ties.
    std::recursive_mutex mutex;
    context_tie* first = nullptr;
};

/// Releases the values of its ties when the context ends.
class tie_service : public asio::execution_context::service
{
public:
    using key_type = tie_service;
    static asio::execution_context::id id;

    explicit tie_service(asio::execution_context& context) : service(context) {}
    [[nodiscard]] const std::shared_ptr<tie_list>& ties() const noexcept { return ties_; }

private:
    void shutdown() override;
    const std::shared_ptr<tie_list> ties_ = std::make_shared<tie_list>();
};
asio::execution_context::id tie_service::id;

} // namespace

class context_tie
{
public:
    context_tie(std::shared_ptr<tie_list> others, std::shared_ptr<void> value)
        : list_(std::move(others)), value_(std::move(value))
    {
        std::lock_guard lock(list_->mutex);
        next_ = std::exchange(list_->first, this);
        if (next_) next_->previous_ = this;
    }
    context_tie(const context_tie&) = delete;
    context_tie& operator=(const context_tie&) = delete;
    ~context_tie()
    {
        std::lock_guard lock(list_->mutex);
        (previous_ ? previous_->next_ : list_->first) = next_;
        if (next_) next_->previous_ = previous_;
        value_.reset(); // under the lock, so the context cannot end at the same time
    }

    [[nodiscard]] std::shared_ptr<void> value() const
    {
        std::lock_guard lock(list_->mutex);
        return value_;
    }
    /// Requires the lock of the list.
    [[nodiscard]] std::shared_ptr<void> give_up() noexcept { return std::exchange(value_, nullptr); }
    [[nodiscard]] context_tie* next() const noexcept { return next_; }

private:
    const std::shared_ptr<tie_list> list_;
    std::shared_ptr<void> value_;
    context_tie* previous_ = nullptr;
    context_tie* next_ = nullptr;
};

void tie_service::shutdown()
{
    // Destroyed without the lock, while the services that the values refer to still exist.
    std::vector<std::shared_ptr<void>> values;
    std::lock_guard lock(ties_->mutex);
    for (auto* tie = ties_->first; tie != nullptr; tie = tie->next()) values.push_back(tie->give_up());
}

std::shared_ptr<context_tie> tie_to_context(const asio::any_io_executor& executor, std::shared_ptr<void> value)
{
    auto& context = asio::query(executor, asio::execution::context);
    return std::make_shared<context_tie>(asio::use_service<tie_service>(context).ties(), std::move(value));
}

std::shared_ptr<void> value_of_tie(const context_tie& tie) { return tie.value(); }

bool runs_on(const kept_executor& executor)
{
    const auto running = executor.get();
    const auto* strand = running.target<asio::strand<asio::any_io_executor>>();
    return !strand || strand->running_in_this_thread();
}

} // namespace kubecoro::detail
