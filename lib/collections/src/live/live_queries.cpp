#include "live/live_engine.hpp"

#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/collections/live_queries.hpp>

#include <chrono>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
using namespace detail;

live_queries::live_queries(const asio::any_io_executor& executor, live_queries_options options)
    : engine_(std::make_shared<live_engine>(executor, std::move(options)))
{
    engine_->start();
}

live_queries::~live_queries() { live_engine::abandon(engine_); }

asio::awaitable<result<>> live_queries::stop() { return live_engine::stop(engine_); }
void live_queries::request_stop() { engine_->request_stop(); }
live_queries_stats live_queries::stats() const { return engine_->stats(); }

namespace {

using tables = std::vector<std::shared_ptr<live_table>>;

asio::awaitable<result<>> all_synced(tables of)
{
    for (const auto& t : of) KUBECORO_TRY(co_await synced(t));
    co_return result<>{};
}

/// Completes when collections show what the informer has distributed so far.
asio::awaitable<result<>> shows_all(std::shared_ptr<live_table> input)
{
    const auto distributed = input->input->stream.distributed();
    for (;;) {
        latch news;
        {
            const std::lock_guard lock(input->board->mutex);
            if (input->input->shown_number >= distributed) co_return result<>{};
            if (input->board->over) co_return stopped();
            news = input->board->news;
        }
        KUBECORO_TRY(co_await news.wait());
    }
}

tables frozen(const tables& of)
{
    tables out;
    for (const auto& t : of) {
        auto copy = std::make_shared<live_table>();
        copy->board = std::make_shared<shown_board>();
        copy->board->over = true;
        copy->core = t->core;
        copy->input = t->input;
        copy->synced = true;
        // Before the content: a version may be older than what is shown, never newer.
        copy->frozen_versions = versions_of(*t);
        out.push_back(std::move(copy));
    }
    const std::lock_guard lock(of.front()->board->mutex);
    for (std::size_t i = 0; i != of.size(); ++i) {
        out[i]->shown = of[i]->shown;
        out[i]->stale = of[i]->stale;
    }
    return out;
}

asio::awaitable<result<tables>> take_snapshot(std::shared_ptr<live_engine> engine,
                                              std::vector<live_queries::version_of> at_least, tables of)
{
    for (const auto& t : of)
        if (t->board != engine->board())
            co_return failure(cond::misconfigured,
                              "the collection '" + t->core->name() + "' is of another live_queries, or a snapshot");
    std::vector<std::shared_ptr<live_table>> inputs;
    for (const auto& v : at_least) inputs.push_back(engine->add_input(v.informer));
    KUBECORO_TRY(co_await all_synced(of));
    for (std::size_t i = 0; i != inputs.size(); ++i) {
        KUBECORO_TRY(co_await synced(inputs[i]));
        KUBECORO_TRY(co_await at_least[i].informer.wait_until(at_least[i].version, at_least[i].ns));
        KUBECORO_TRY(co_await shows_all(inputs[i]));
    }
    co_return frozen(of);
}

} // namespace

asio::awaitable<result<>> live_queries::has_synced() const { return all_synced(engine_->tables()); }

asio::awaitable<result<live_queries::tables>> live_queries::snapshot_of(std::vector<version_of> at_least, tables of)
{
    return take_snapshot(engine_, std::move(at_least), std::move(of));
}

std::string describe(const collection_stats& s)
{
    std::string out = s.name + (s.synced ? ": " : " (not synced): ") + std::to_string(s.elements) + " elements";
    if (!s.inputs.empty()) {
        out += " from";
        for (const auto& i : s.inputs) out += " " + i;
        const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(s.took);
        out += ", " + std::to_string(s.computed) + " computations in " + std::to_string(took.count()) + " ms, " +
               std::to_string(s.equal) + " without a change";
    }
    if (s.waiting != 0) out += ", " + std::to_string(s.waiting) + " waiting";
    if (s.stale != 0) out += ", " + std::to_string(s.stale) + " stale, " + std::to_string(s.failed) + " failures";
    return out;
}

std::string live_queries::describe() const
{
    const auto s = stats();
    std::string out;
    for (const auto& c : s.collections) out += kubecoro::describe(c) + '\n';
    return out + std::to_string(s.edges) + " edges, " + std::to_string(s.edge_bytes) + " bytes\n";
}

} // namespace kubecoro
