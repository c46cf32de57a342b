#include "churn.hpp"

#include <kubecoro/base/try.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <numeric>

namespace kubecoro::e2e {

namespace asio = boost::asio;

namespace {

constexpr std::size_t names = 15;

std::string quote(const std::string& text) { return boost::json::serialize(boost::json::value(text)); }

bool part_of_the_game(const failure& f)
{
    return f == cond::not_found || f == cond::already_exists || f == cond::conflict;
}

std::string merge_patch(const resource_type& type, const std::string& value)
{
    std::string out = R"({"metadata":{"annotations":{"value":)" + quote(value) + "}}";
    if (type.kind == "ConfigMap") out += R"(,"data":{"value":)" + quote(value) + "}";
    if (type.kind == "Widget") out += R"(,"spec":{"note":)" + quote(value) + "}";
    return out + "}";
}

} // namespace

std::string manifest(const resource_type& type, const std::string& name, const std::string& value,
                     const std::string& more)
{
    std::string out = R"({"apiVersion":")" + type.api_version() + R"(","kind":")" + type.kind +
                      R"(","metadata":{"name":")" + name + '"' + more + "}";
    if (type.kind == "Pod")
        out += R"(,"spec":{"automountServiceAccountToken":false,"containers":[{"name":"c","image":"none"}]})";
    if (type.kind == "ConfigMap") out += R"(,"data":{"value":)" + quote(value) + "}";
    if (type.kind == "Widget") out += R"(,"spec":{"size":1,"note":)" + quote(value) + "}";
    return out + "}";
}

churn::churn(client api, std::uint64_t seed, std::vector<resource_type> types, std::vector<std::string> namespaces)
    : api_(std::move(api)), random_(seed), types_(std::move(types)), namespaces_(std::move(namespaces))
{
}

std::size_t churn::changes() const noexcept
{
    return std::accumulate(done_.begin(), done_.end(), std::size_t{0},
                           [](std::size_t sum, const auto& entry) { return sum + entry.second; });
}

// Mostly short; sometimes long enough to arrive in several pieces, sometimes not ASCII.
std::string churn::value()
{
    const auto number = std::to_string(below(1000000));
    if (below(20) == 0) return std::string(20000, 'x') + number;
    if (below(10) == 0) return "\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xb3 \"\\\n" + number;
    return number;
}

asio::awaitable<result<>> churn::run(std::size_t operations)
{
    for (std::size_t i = 0; i < operations; ++i) {
        KUBECORO_TRY(co_await step());
    }
    co_return result<>{};
}

asio::awaitable<result<>> churn::step()
{
    const resource_type type = types_[below(types_.size())];
    const std::string ns = namespaces_[below(namespaces_.size())];
    const std::string name = "object-" + std::to_string(below(names));
    const auto dice = below(100);
    std::string verb;
    result<object> r;
    if (dice < 30) {
        verb = "create";
        r = co_await api_.create(type, ns, manifest(type, name, value()));
    } else if (dice < 60) {
        verb = "patch";
        r = co_await api_.patch(type, ns, name, patch_kind::merge, merge_patch(type, value()));
    } else if (dice < 75) {
        verb = "replace";
        r = co_await replace(type, ns, name);
    } else {
        verb = "delete";
        delete_options options;
        options.grace_period = std::chrono::seconds{0};
        r = co_await api_.remove(type, ns, name, options);
    }
    if (r)
        ++done_[verb];
    else if (!part_of_the_game(r.error()))
        co_return r.error();
    co_return result<>{};
}

asio::awaitable<result<object>> churn::replace(resource_type type, std::string ns, std::string name)
{
    KUBECORO_TRY(auto found, co_await api_.get(type, ns, name));
    auto body = found.to_json();
    auto& metadata = body.as_object()["metadata"].as_object();
    metadata.insert_or_assign("labels", boost::json::object{{"replaced", std::to_string(below(1000))}});
    if (below(4) == 0) metadata.insert_or_assign("resourceVersion", "1");
    const std::string text = boost::json::serialize(body);
    co_return co_await api_.update(type, ns, name, text);
}

} // namespace kubecoro::e2e
