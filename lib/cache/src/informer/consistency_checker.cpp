#include "informer/consistency_checker.hpp"

#include "informer/lane_source.hpp"
#include "informer/share_selection.hpp"
#include "informer/strand_turns.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/timeout.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {

consistency_checker::consistency_checker(const informer_settings& s, std::shared_ptr<object_encoding> encoding)
    : settings_(s), encoding_(std::move(encoding))
{
}

void consistency_checker::ask(const std::string& ns, std::string version, std::vector<kept_object> stored)
{
    asked_.insert_or_assign(ns, job{std::move(version), std::move(stored)});
    signal_.notify();
}

asio::awaitable<result<>> consistency_checker::run()
{
    for (;;) {
        while (!asked_.empty()) {
            auto next = asked_.extract(asked_.begin());
            // Without known objects: they would replace the listed ones in the comparison.
            const auto& share = settings_.options.share;
            const auto wanted = share ? selection_of(std::make_shared<share_selection>(nullptr, share)) : nullptr;
            const auto source = open_source(settings_, next.key(), encoding_, wanted);
            const std::string version = next.mapped().version;
            const auto verdict = co_await check(source, std::move(next.mapped()));
            conclude(source->describe(), version, verdict);
        }
        if (const auto woken = co_await signal_.wait(); !woken) co_return woken;
    }
}

namespace {

/// A coroutine, so that a source that throws before it suspends fails like one that throws later.
asio::awaitable<result<list_page>> list_from(std::shared_ptr<list_watch_source> source, list_options options)
{
    co_return co_await source->list(std::move(options));
}

} // namespace

asio::awaitable<consistency_core::verdict> consistency_checker::check(std::shared_ptr<list_watch_source> source, job j)
{
    consistency_core core({}, std::move(j.version), !settings_.options.transform);
    core.reserve(j.stored.size());
    while (!j.stored.empty()) {
        for (std::size_t n = 0; n != objects_a_turn && !j.stored.empty(); ++n, j.stored.pop_back())
            core.expect(j.stored.back());
        co_await asio::post(asio::use_awaitable);
    }
    auto next = core.start();
    while (auto* ask = std::get_if<list_options>(&next)) {
        ask->metadata_only = settings_.options.storage.policy == storage::metadata_only;
        const auto page = co_await with_timeout(*settings_.time, settings_.options.policy->list_timeout,
                                                source->describe(), list_from(source, std::move(*ask)));
        next = core.on_page(page);
    }
    for (std::size_t most = objects_a_turn; core.drop_some(most); most = objects_a_turn)
        co_await asio::post(asio::use_awaitable);
    co_return std::get<consistency_core::verdict>(std::move(next));
}

void consistency_checker::conclude(const std::string& source, const std::string& version,
                                   const consistency_core::verdict& v)
{
    const bool differs = v.what == consistency_core::outcome::differs;
    {
        std::lock_guard lock(mutex_);
        ++stats_.checks;
        if (v.what == consistency_core::outcome::skipped) ++stats_.skipped;
        if (differs) {
            ++stats_.failed;
            stats_.last_difference = v.why;
        }
    }
    if (!differs) {
        settings_.log.debug("consistency check", {{"source", source}, {"version", version}, {"skipped", v.why}});
        return;
    }
    settings_.log.error("the store differs from the server at this version",
                        {{"source", source}, {"version", version}, {"what", v.why}});
    tell_user(settings_.options.on_failure, failure(cond::corrupt, "the store differs from the server: " + v.why));
}

informer_stats::consistency_checks consistency_checker::stats() const
{
    std::lock_guard lock(mutex_);
    return stats_;
}

} // namespace kubecoro::detail
