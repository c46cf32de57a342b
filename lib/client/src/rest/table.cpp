#include <kubecoro/client/table.hpp>

#include "rest/client_state.hpp"
#include "rest/table_core.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/try.hpp>

#include <optional>
#include <utility>

namespace kubecoro {

namespace asio = boost::asio;

namespace {

asio::awaitable<result<table>> fetch_table(std::shared_ptr<client::state> s, result<request> r)
{
    if (!r) co_return r.error();
    KUBECORO_TRY(auto got, co_await s->accepted(*r, s->options.max_retries, s->options.timeouts.answer_head));
    auto body = co_await s->read_all(*got, s->options.limits.max_answer_bytes);
    if (!body) co_return body.error().with_request(r->method, r->target);
    auto read = detail::read_table(*body, s->options.decode);
    if (!read) co_return read.error().with_request(r->method, r->target);
    co_return read;
}

class rows_of_watch final : public table_watch
{
public:
    rows_of_watch(std::unique_ptr<watch_stream> events, decode_options options)
        : events_(std::move(events)), options_(std::move(options))
    {
    }

    asio::awaitable<result<std::vector<table_event>>> next() override { return catch_failure(next_rows()); }
    const std::vector<table::column>& columns() const noexcept override { return columns_; }

private:
    asio::awaitable<result<std::vector<table_event>>> next_rows()
    {
        std::vector<table_event> out;
        if (failed_) co_return *failed_;
        KUBECORO_TRY(const auto events, co_await events_->next());
        for (const auto& e : events) {
            auto read = detail::read_table_event(e, options_, columns_);
            if (!read) failed_ = read.error();
            if (!read) break;
            out.push_back(std::move(*read));
        }
        // The events before a failure are delivered first.
        if (out.empty() && failed_) co_return *failed_;
        co_return out;
    }

    std::unique_ptr<watch_stream> events_;
    decode_options options_;
    std::vector<table::column> columns_;
    std::optional<failure> failed_;
};

asio::awaitable<result<std::unique_ptr<table_watch>>> open_table_watch(std::shared_ptr<client::state> s,
                                                                       result<request> r, resource_type asked)
{
    source_scope scope;
    scope.decode.limits = s->options.decode.limits;
    KUBECORO_TRY(auto events,
                 co_await s->open_watch(std::move(r), std::move(asked), std::move(scope), s->options.max_retries));
    std::unique_ptr<table_watch> out = std::make_unique<rows_of_watch>(std::move(events), s->options.decode);
    co_return out;
}

} // namespace

asio::awaitable<result<std::unique_ptr<table_watch>>> watch_table(client c, resource_type resource, kept_text ns,
                                                                  watch_options options, table_object with)
{
    const request_builder builder(resource, std::move(ns));
    return catch_failure(
        open_table_watch(detail::client_access::state_of(c), builder.watch_table(options, with), std::move(resource)));
}

asio::awaitable<result<table>> get_table(client c, resource_type resource, kept_text ns, kept_text name,
                                         table_object with)
{
    const request_builder builder(std::move(resource), std::move(ns));
    return catch_failure(fetch_table(detail::client_access::state_of(c), builder.get_table(name, with)));
}

asio::awaitable<result<table>> list_table(client c, resource_type resource, kept_text ns, list_options options,
                                          table_object with)
{
    const request_builder builder(std::move(resource), std::move(ns));
    return catch_failure(fetch_table(detail::client_access::state_of(c), builder.list_table(options, with)));
}

} // namespace kubecoro
