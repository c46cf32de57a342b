#include "select/follow.hpp"

#include "select/followed_rows.hpp"

#include <kubecoro/api/selector.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/try.hpp>

#include <chrono>
#include <utility>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

/// Between two attempts: a server that refuses or ends each watch is not asked in a tight loop.
constexpr std::chrono::seconds pause{1};

class follower
{
public:
    follower(client api, target of, fetch_options options, verb_context context, row_sink show)
        : api_(std::move(api)),
          of_(std::move(of)),
          options_(std::move(options)),
          context_(std::move(context)),
          show_(std::move(show))
    {
        // A watch has no names, but a field for them.
        if (!of_.names.empty())
            options_.selected.field_selector = field_selector({{"metadata.name", true, of_.names.front()}}).to_string();
    }

    asio::awaitable<result<>> run(bool with_list)
    {
        if (!of_.names.empty()) {
            KUBECORO_TRY(co_await api_.get(of_.type, of_.ns, of_.names.front()));
        }
        of_.names.clear();
        KUBECORO_TRY(co_await list(with_list));
        for (;;) {
            auto watched = co_await watch();
            context_.doing("watching " + of_.type.display_name() + " again");
            if (!watched && watched.error() == cond::expired) watched = co_await list(true);
            if (!watched && !is_passing(watched.error())) co_return watched;
            KUBECORO_TRY(co_await sleep_for(api_.time(), pause));
        }
    }

private:
    static bool is_passing(const failure& f)
    {
        return f == cond::unreachable || f == cond::retry_later || f == cond::timed_out || f == cond::expired;
    }

    asio::awaitable<result<>> list(bool shown)
    {
        // No name is asked for, so no failure belongs to one object.
        problems none(context_);
        KUBECORO_TRY(auto all, co_await fetch_table(api_, of_, options_, context_, none));
        const auto columns = all.columns;
        const auto rows = rows_.take(std::move(all));
        context_.waiting.done();
        if (shown && !rows.empty()) show_(columns, rows);
        co_return result<>();
    }

    asio::awaitable<result<>> watch()
    {
        watch_options how;
        how.label_selector = options_.selected.label_selector;
        how.field_selector = options_.selected.field_selector;
        how.resource_version = rows_.version();
        const auto with = options_.whole_objects ? table_object::whole : table_object::metadata;
        KUBECORO_TRY(auto stream, co_await watch_table(api_, of_.type, of_.ns, how, with));
        context_.waiting.done();
        for (;;) {
            KUBECORO_TRY(auto events, co_await stream->next());
            if (events.empty()) co_return result<>();
            std::vector<table::row> news;
            for (auto& e : events)
                for (auto& row : rows_.take(std::move(e))) news.push_back(std::move(row));
            if (!news.empty()) show_(stream->columns(), news);
        }
    }

    client api_;
    target of_;
    fetch_options options_;
    const verb_context context_;
    row_sink show_;
    followed_rows rows_;
};

} // namespace

asio::awaitable<result<>> follow_rows(client api, target of, fetch_options options, verb_context context,
                                      bool with_list, row_sink show)
{
    follower one(std::move(api), std::move(of), std::move(options), std::move(context), std::move(show));
    co_return co_await one.run(with_list);
}

} // namespace kubecoro::tool
