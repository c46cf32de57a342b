#include "select/resolve.hpp"

#include <kubecoro/base/try.hpp>
#include <kubecoro/client/discovery.hpp>

#include <algorithm>
#include <iterator>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

asio::awaitable<result<std::vector<resource_type>>> types_for(const discovery& known, const std::string& word)
{
    auto one = co_await known.resource_for(word);
    if (one) co_return std::vector<resource_type>{std::move(*one)};
    if (one.error() != cond::not_found || word.find('.') != word.npos) co_return one.error();
    auto members = co_await known.in_category(word);
    if (!members) co_return members.error();
    if (members->empty()) co_return one.error();
    co_return members;
}

} // namespace

asio::awaitable<result<std::vector<target>>> resolve(client api, std::vector<wanted_objects> wanted, std::string ns)
{
    // The resources are read once for all types.
    const discovery known(std::move(api));
    std::vector<target> out;
    for (const auto& w : wanted) {
        KUBECORO_TRY(auto types, co_await types_for(known, w.type));
        if (types.size() > 1 && !w.names.empty())
            co_return failure(cond::invalid, "\"" + w.type + "\" is a category: objects of it have no names");
        for (auto& type : types) {
            target one;
            one.ns = type.namespaced ? ns : "";
            one.type = std::move(type);
            one.names = w.names;
            out.push_back(std::move(one));
        }
    }
    co_return out;
}

std::string type_prefix(const resource_type& type)
{
    std::string name = type.singular;
    // Built-in kinds that no discovery has named.
    if (name.empty())
        std::transform(type.kind.begin(), type.kind.end(), std::back_inserter(name),
                       [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return type.group.empty() ? name : name + "." + type.group;
}

} // namespace kubecoro::tool
