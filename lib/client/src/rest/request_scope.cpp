#include <kubecoro/client/detail/request_scope.hpp>

#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/strand.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Forwards everything to another executor, and carries the scope. Coroutines spawned on it, by an
/// operator or a timeout, carry it as well.
class scoped_executor
{
public:
    scoped_executor(asio::any_io_executor inner, std::shared_ptr<request_scope> scope) noexcept
        : inner_(std::move(inner)), scope_(std::move(scope))
    {
    }

    [[nodiscard]] const std::shared_ptr<request_scope>& scope() const noexcept { return scope_; }

    template<class Property>
        requires(asio::can_query<const asio::any_io_executor&, Property>::value)
    auto query(const Property& p) const -> decltype(asio::query(std::declval<const asio::any_io_executor&>(), p))
    {
        return asio::query(inner_, p);
    }
    template<class Property>
        requires(asio::can_require<const asio::any_io_executor&, Property>::value)
    scoped_executor require(const Property& p) const
    {
        return {asio::require(inner_, p), scope_};
    }
    template<class Property>
        requires(asio::can_prefer<const asio::any_io_executor&, Property>::value)
    scoped_executor prefer(const Property& p) const
    {
        return {asio::prefer(inner_, p), scope_};
    }
    template<class F>
    void execute(F&& f) const
    {
        inner_.execute(std::forward<F>(f));
    }

    friend bool operator==(const scoped_executor& a, const scoped_executor& b) noexcept
    {
        return a.scope_ == b.scope_ && a.inner_ == b.inner_;
    }

private:
    asio::any_io_executor inner_;
    std::shared_ptr<request_scope> scope_;
};

} // namespace

asio::any_io_executor in_scope(const asio::any_io_executor& on, std::shared_ptr<request_scope> scope)
{
    return on ? asio::any_io_executor(scoped_executor(on, std::move(scope))) : on;
}

std::shared_ptr<request_scope> scope_of(const asio::any_io_executor& executor)
{
    if (const auto* own = executor.target<scoped_executor>()) return own->scope();
    if (const auto* strand = executor.target<asio::strand<asio::any_io_executor>>())
        return scope_of(strand->get_inner_executor());
    return nullptr;
}

} // namespace kubecoro::detail
