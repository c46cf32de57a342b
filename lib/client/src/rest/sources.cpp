// Exposes the client to informers as a source: one page or one watch at a time, without retries.
#include "rest/answer_core.hpp"
#include "rest/client_state.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <utility>

namespace kubecoro {

namespace asio = boost::asio;

namespace {

class client_source final : public list_watch_source
{
public:
    client_source(std::shared_ptr<client::state> s, resource_type resource, source_scope scope)
        : state_(std::move(s)),
          builder_(resource, scope.ns, scope.decode.form),
          scope_(std::move(scope)),
          resource_(std::move(resource))
    {
        watch_options options;
        options.metadata_only = scope_.metadata_only;
        const auto r = builder_.watch(options);
        asks_for_protobuf_ = r && accepts_protobuf(*r);
    }

    asio::awaitable<result<list_page>> list(list_options options) override
    {
        options.label_selector = scope_.label_selector;
        options.field_selector = scope_.field_selector;
        options.shard_selector = scope_.shard_selector;
        options.metadata_only = scope_.metadata_only;
        return catch_failure(one_page(state_, builder_.list(options), resource_, scope_));
    }

    asio::awaitable<result<std::unique_ptr<watch_stream>>> watch(watch_options options) override
    {
        options.label_selector = scope_.label_selector;
        options.field_selector = scope_.field_selector;
        options.shard_selector = scope_.shard_selector;
        options.metadata_only = scope_.metadata_only;
        auto scope = scope_;
        if (!options.send_initial_events.value_or(false)) scope.known = detail::selection_of(std::move(scope.known));
        return catch_failure(one_watch(state_, builder_.watch(options), resource_, std::move(scope),
                                       options.send_initial_events.value_or(false)));
    }

    /// A stream does not tell whether the server applied the shard selector; a list does.
    bool streams_lists() const noexcept override { return scope_.shard_selector.empty(); }
    bool streams_cheaply() const noexcept override { return asks_for_protobuf_; }

    std::string describe() const override
    {
        auto text = resource_.display_name();
        if (!scope_.ns.empty()) text += " in namespace " + scope_.ns;
        if (!scope_.label_selector.empty()) text += " with labels " + scope_.label_selector;
        if (!scope_.field_selector.empty()) text += " with fields " + scope_.field_selector;
        if (!scope_.shard_selector.empty()) text += " in shard " + scope_.shard_selector;
        return text;
    }

private:
    static asio::awaitable<result<list_page>> one_page(std::shared_ptr<client::state> s, result<request> r,
                                                       resource_type asked, source_scope scope)
    {
        const auto shard = scope.shard_selector;
        auto page = co_await s->fetch_page(r, std::move(asked), std::move(scope), 0);
        if (!page) co_return page;
        if (!shard.empty() && page->shard_selector.empty())
            co_return failure(cond::misconfigured, "the server does not support shardSelector " + shard +
                                                       ": it needs the feature gate ShardedListAndWatch");
        if (auto versioned = detail::check_list_version(*page); !versioned)
            co_return versioned.error().with_request(r->method, r->target);
        co_return page;
    }

    static asio::awaitable<result<std::unique_ptr<watch_stream>>> one_watch(std::shared_ptr<client::state> s,
                                                                            result<request> r, resource_type asked,
                                                                            source_scope scope, bool begins_with_list)
    {
        co_return co_await s->open_watch(std::move(r), std::move(asked), std::move(scope), 0, begins_with_list);
    }

    std::shared_ptr<client::state> state_;
    request_builder builder_;
    source_scope scope_;
    resource_type resource_;
    bool asks_for_protobuf_ = false;
};

class client_provider final : public source_provider
{
public:
    explicit client_provider(std::shared_ptr<client::state> s) : state_(std::move(s)) {}

    std::shared_ptr<list_watch_source> open(const resource_type& resource, const source_scope& scope) override
    {
        return std::make_shared<client_source>(state_, resource, scope);
    }
    asio::any_io_executor executor() const override { return state_->executor.get(); }
    instruments defaults() const override
    {
        const auto& o = state_->options;
        return {.time = o.time, .log = o.log, .metrics = o.metrics};
    }

private:
    std::shared_ptr<client::state> state_;
};

} // namespace

std::shared_ptr<source_provider> client::provider() const { return std::make_shared<client_provider>(state_); }

} // namespace kubecoro
