#include "informer/informer_engine.hpp"

#include <kubecoro/cache/detail/change_stream.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {

change_stream::change_stream(const shared_informer<object>& from, std::string name)
    : listener_(engine_of(from)->add_stream(std::move(name)))
{
}

change_stream::~change_stream() { close(); }

asio::awaitable<std::optional<whole_changes>> change_stream::next() { return listener_->pop_whole(); }
result<> change_stream::end_reason() const { return listener_->last_pop(); }
std::uint64_t change_stream::distributed() const { return listener_->changes(); }

void change_stream::close()
{
    if (listener_) listener_->remove();
}

std::optional<std::vector<std::string>> index_values_of(const shared_informer<object>& informer, std::string_view index,
                                                        const object& o)
{
    return engine_of(informer)->content()->values_in(index, o);
}

const void* identity_of(const shared_informer<object>& informer) noexcept { return engine_of(informer).get(); }

} // namespace kubecoro::detail
