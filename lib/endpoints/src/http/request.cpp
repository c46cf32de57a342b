#include "http/request.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <algorithm>

namespace kubecoro::detail {
namespace {

constexpr std::size_t most_parameters = 64;

} // namespace

bool request_target::has(std::string_view name) const
{
    return std::any_of(query.begin(), query.end(), [&](const auto& p) { return p.first == name; });
}

std::string_view request_target::value(std::string_view name) const
{
    const auto at = std::find_if(query.begin(), query.end(), [&](const auto& p) { return p.first == name; });
    return at == query.end() ? std::string_view() : std::string_view(at->second);
}

std::vector<std::string> request_target::values(std::string_view name) const
{
    std::vector<std::string> out;
    for (const auto& [key, value] : query)
        if (key == name) out.push_back(value);
    return out;
}

std::optional<request_target> parse_target(std::string_view text)
{
    const auto parsed = boost::urls::parse_origin_form(boost::core::string_view(text.data(), text.size()));
    if (!parsed) return std::nullopt;
    const auto path = parsed->encoded_path();
    request_target out{std::string(path.data(), path.size())};
    const auto parameters = parsed->params();
    if (parameters.size() > most_parameters) return std::nullopt;
    for (const auto p : parameters)
        out.query.emplace_back(std::string(p.key.begin(), p.key.end()), std::string(p.value.begin(), p.value.end()));
    return out;
}

bool prefers_json(std::string_view accept)
{
    while (!accept.empty()) {
        auto type = accept.substr(0, accept.find(','));
        accept.remove_prefix(std::min(accept.size(), type.size() + 1));
        type.remove_prefix(std::min(type.size(), type.find_first_not_of(' ')));
        type = type.substr(0, type.find_first_of("; "));
        if (type == "application/json") return true;
        if (type.starts_with("text/") || type == "*/*") return false;
    }
    return false;
}

bool is_local_host(std::string_view host)
{
    // Without the port; an IPv6 address has brackets.
    if (host.starts_with('['))
        host = host.substr(1, host.find(']') - 1);
    else
        host = host.substr(0, host.find(':'));
    if (host == "localhost") return true;
    boost::system::error_code error;
    boost::asio::ip::make_address(std::string(host), error);
    return !error;
}

} // namespace kubecoro::detail
