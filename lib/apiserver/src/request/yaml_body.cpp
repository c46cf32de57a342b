#include "request/yaml_body.hpp"

#include "text/json_text.hpp"

#include <exception>

namespace kubecoro::apiserver {
namespace {

/// Nodes of a YAML body: some tenths of a second.
constexpr std::size_t most_yaml_nodes = 200'000;

bool is_json(const http_request& request, std::size_t max_depth)
{
    // The handler refuses a body with too many members before anything is built of it.
    return key_comparisons(request.body, max_depth) > most_comparisons || parse_json(request.body, max_depth);
}

} // namespace

std::string media_type(std::string_view content_type)
{
    content_type = content_type.substr(0, content_type.find(';'));
    while (!content_type.empty() && content_type.back() == ' ') content_type.remove_suffix(1);
    std::string out(content_type);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

bool is_called_yaml(const http_request& request)
{
    return media_type(request.header("content-type")).ends_with("yaml");
}

bool is_plain_yaml(const http_request& request)
{
    if (!is_called_yaml(request)) return false;
    const auto first = request.body.find_first_not_of(" \t\r\n");
    return first == std::string::npos || request.body[first] != '{';
}

std::shared_ptr<const yaml_body> parse_yaml_body(const http_request& request)
{
    return std::make_shared<const yaml_body>(yaml_body{detail::parse_yaml(request.body, most_yaml_nodes)});
}

void parse_ahead(http_request& request, std::size_t max_depth) noexcept
{
    try {
        if (is_plain_yaml(request) || !is_json(request, max_depth)) request.yaml = parse_yaml_body(request);
    } catch (const std::exception&) { // left to the handler
    }
}

} // namespace kubecoro::apiserver
