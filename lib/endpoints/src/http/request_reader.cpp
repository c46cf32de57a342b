#include "http/request_reader.hpp"

namespace kubecoro::detail {
namespace {

request_reader::state state_of(const incoming_head& head)
{
    using state = request_reader::state;
    switch (head.where()) {
    case incoming_head::state::idle:
        return state::idle;
    case incoming_head::state::partial:
        return state::head;
    case incoming_head::state::complete:
        return head.chunked() || head.content_length() > 0 ? state::has_body : state::complete;
    case incoming_head::state::too_large:
        return state::head_too_large;
    case incoming_head::state::unknown_coding:
        return state::has_body;
    default:
        return state::malformed;
    }
}

} // namespace

request_reader::request_reader(std::size_t max_head_bytes) : limit_(max_head_bytes) {}

std::size_t request_reader::feed(std::string_view bytes)
{
    if (where_ != state::idle && where_ != state::head) return 0;
    if (bytes.empty()) return 0;
    if (!head_) head_ = std::make_unique<incoming_head>(limit_, most_headers);
    const auto used = head_->feed(bytes);
    where_ = state_of(*head_);
    return used;
}

request_head request_reader::take()
{
    const auto field = [this](std::string_view name) { return std::string(head_->value(name)); };
    request_head out{std::string(head_->method()), head_->target()};
    out.host = head_->host();
    out.accept = field("Accept");
    out.accept_encoding = field("Accept-Encoding");
    out.authorization = field("Authorization");
    out.fetch_site = field("Sec-Fetch-Site");
    out.keep_alive = head_->keep_alive();
    out.reads_chunks = head_->reads_chunks();
    head_.reset(); // an idle connection costs no reader
    where_ = state::idle;
    return out;
}

} // namespace kubecoro::detail
