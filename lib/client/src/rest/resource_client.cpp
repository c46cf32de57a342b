#include <kubecoro/client/client.hpp>

#include <utility>

namespace kubecoro {

namespace asio = boost::asio;

resource_client<object>::resource_client(client c, resource_type type, kept_text ns)
    : client_(std::move(c)), type_(std::move(type)), ns_(std::move(ns))
{
}

asio::awaitable<result<object>> resource_client<object>::get(kept_text name, kept_text subresource) const
{
    return client_.get(type_, ns_, std::move(name), std::move(subresource));
}

asio::awaitable<result<object>> resource_client<object>::get(kept_text name, get_options options,
                                                             kept_text subresource) const
{
    return client_.get(type_, ns_, std::move(name), std::move(options), std::move(subresource));
}

asio::awaitable<result<list_page>> resource_client<object>::list(list_options options) const
{
    return client_.list(type_, ns_, std::move(options));
}

asio::awaitable<result<list_page>> resource_client<object>::list_all(list_options options) const
{
    return client_.list_all(type_, ns_, std::move(options));
}

asio::awaitable<result<std::unique_ptr<watch_stream>>> resource_client<object>::watch(watch_options options) const
{
    return client_.watch(type_, ns_, std::move(options));
}

asio::awaitable<result<object>> resource_client<object>::create(json_text body, write_options options) const
{
    return client_.create(type_, ns_, std::move(body), std::move(options));
}

asio::awaitable<result<object>> resource_client<object>::update(kept_text name, json_text body, write_options options,
                                                                kept_text subresource) const
{
    return client_.update(type_, ns_, std::move(name), std::move(body), std::move(options), std::move(subresource));
}

asio::awaitable<result<object>> resource_client<object>::create_struct(detail::struct_view body,
                                                                       write_options options) const
{
    return client_.create_struct(type_, ns_, body, std::move(options));
}

asio::awaitable<result<object>> resource_client<object>::update_struct(kept_text name, detail::struct_view body,
                                                                       write_options options,
                                                                       kept_text subresource) const
{
    return client_.update_struct(type_, ns_, std::move(name), body, std::move(options), std::move(subresource));
}

asio::awaitable<result<object>> resource_client<object>::patch(kept_text name, patch_kind kind, json_text body,
                                                               write_options options, kept_text subresource) const
{
    return client_.patch(type_, ns_, std::move(name), kind, std::move(body), std::move(options),
                         std::move(subresource));
}

asio::awaitable<result<object>> resource_client<object>::create_subresource(kept_text name, kept_text subresource,
                                                                            json_text body, write_options options) const
{
    return client_.create_subresource(type_, ns_, std::move(name), std::move(subresource), std::move(body),
                                      std::move(options));
}

asio::awaitable<result<object>> resource_client<object>::remove(kept_text name, delete_options options,
                                                                kept_text subresource) const
{
    return client_.remove(type_, ns_, std::move(name), std::move(options), std::move(subresource));
}

asio::awaitable<result<list_page>> resource_client<object>::remove_collection(list_options which,
                                                                              delete_options options) const
{
    return client_.remove_collection(type_, ns_, std::move(which), std::move(options));
}

} // namespace kubecoro
