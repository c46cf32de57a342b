// Deletes collections.
#include "rest/answer_core.hpp"
#include "rest/client_state.hpp"

#include <kubecoro/api/status.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/try.hpp>

#include <utility>

namespace kubecoro {

namespace asio = boost::asio;

namespace {

// A Status is small.
constexpr std::size_t longest_status = 256 * 1024;

/// An empty page, if the text says that the deletion succeeded.
result<list_page> removed_without_list(std::string_view text, const failure& not_a_list)
{
    const auto status = decode_object(text, {});
    if (!status || status->kind() != "Status") return not_a_list;
    if ((*status)["status"].as_string() == "Failure") return failure_of_answer(500, text);
    return list_page{};
}

asio::awaitable<result<list_page>> removed(std::shared_ptr<client::state> s, result<request> r, resource_type asked,
                                           detail::write_target what)
{
    auto page = co_await s->fetch_removed(std::move(r), std::move(asked));
    if (!page) co_return page;
    const auto executor = co_await asio::this_coro::executor;
    for (const auto& o : page->items) detail::note_write(executor, *s, what, o);
    co_return page;
}

} // namespace

asio::awaitable<result<list_page>> client::state::fetch_removed(result<request> r, resource_type asked)
{
    if (!r) co_return r.error();
    KUBECORO_TRY(auto got, co_await accepted(*r, options.max_retries, options.timeouts.answer_head));
    auto page = co_await read_removed(*got);
    if (page && !page->kind.empty())
        if (auto right = detail::check_list(*page, asked, false); !right) page = right.error();
    if (!page) co_return page.error().with_request(r->method, r->target);
    co_return page;
}

asio::awaitable<result<list_page>> client::state::read_removed(answer& a)
{
    detail::list_decoder decoder(options.decode);
    std::string beginning;
    std::uint64_t total = 0;
    for (;;) {
        KUBECORO_TRY(auto piece, co_await read_some(a));
        const bool end = piece.empty();
        total += piece.size();
        if (total > options.limits.max_list_bytes) co_return failure(cond::corrupt, "the list is too long");
        if (beginning.size() + piece.size() <= longest_status) beginning.append(piece);
        auto fed = end ? result<>() : decoder.feed(piece);
        if (!fed) {
            KUBECORO_TRY(auto rest, co_await read_all(a, longest_status));
            co_return removed_without_list(beginning + rest, fed.error());
        }
        if (!end) continue;
        auto page = decoder.finish();
        co_return page ? std::move(page) : removed_without_list(beginning, page.error());
    }
}

asio::awaitable<result<list_page>> client::remove_collection(resource_type resource, kept_text ns, list_options which,
                                                             delete_options options) const
{
    auto what = detail::target_of(resource, ns, options.dry_run, true);
    const request_builder builder(resource, std::move(ns));
    return catch_failure(
        removed(state_, builder.remove_collection(which, options), std::move(resource), std::move(what)));
}

} // namespace kubecoro
