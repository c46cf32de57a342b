#include "live/live_engine.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/collections/detail/make_rule.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <exception>
#include <tuple>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

live_queries_options with_defaults(live_queries_options o)
{
    if (!o.time) o.time = real_clock();
    return o;
}

item_kind kind_of_input(const shared_informer<object>& informer)
{
    auto out = kind_of(collection_options<object>{});
    out.index = [informer](std::string_view name) -> item_index {
        if (!informer.lister().has_index(name)) return {};
        return [informer, name = std::string(name)](const void* o) {
            auto values = index_values_of(informer, name, *static_cast<const object*>(o));
            return values ? *std::move(values) : std::vector<std::string>();
        };
    };
    return out;
}

} // namespace

/// Waits on other contexts end with that of the collections.
struct live_engine::end_of_context
{
    explicit end_of_context(std::weak_ptr<live_engine> e) : of(std::move(e)) {}
    end_of_context(end_of_context&&) noexcept = default;
    end_of_context& operator=(end_of_context&&) = delete;
    ~end_of_context()
    {
        if (const auto engine = of.lock()) engine->end();
    }
    std::weak_ptr<live_engine> of;
};

live_engine::live_engine(const asio::any_io_executor& executor, live_queries_options options)
    : options_(with_defaults(std::move(options))),
      log_(options_.log ? *options_.log : logger()),
      executor_(executor),
      strand_(make_kept_strand(executor_)),
      look_(*this),
      graph_(look_, [time = options_.time] { return time->now().time_since_epoch(); }),
      meter_(options_.metrics),
      handlers_(strand_.get(), log_),
      work_(strand_.get(), log_, [this](const std::string& task, const failure& why) { end_by(task, why); })
{
}

live_engine::~live_engine() = default;

void live_engine::start()
{
    context_end_ = context_bound<end_of_context>(strand_.get(), end_of_context(weak_from_this()));
    work_.spawn("collections", work(shared_from_this()));
    if (options_.metrics) work_.spawn("collections' metrics", measure(shared_from_this()));
}

// ---- making collections

std::shared_ptr<live_table> live_engine::make_table(std::string name, item_kind kind, bool is_input)
{
    auto t = std::make_shared<live_table>();
    t->engine = weak_from_this();
    t->board = board_;
    t->hidden_indexes = std::make_shared<std::map<std::string, item_index, std::less<>>>();
    kind.index = [of_user = std::move(kind.index), hidden = t->hidden_indexes](std::string_view index) {
        const auto found = hidden->find(index);
        return found != hidden->end() ? found->second : of_user(index);
    };
    const auto number = next_number_++;
    if (name.empty()) name = std::to_string(number);
    t->core = std::make_shared<table_core>(number, is_input ? 0 : number + 1, std::move(name), std::move(kind));
    tables_.push_back(t);
    return t;
}

std::shared_ptr<live_table> live_engine::add_input(const shared_informer<object>& informer)
{
    std::unique_lock lock(mutex_);
    auto& known = inputs_[identity_of(informer)];
    if (known) return known;
    const auto t = known = make_table(informer.resource().display_name(), kind_of_input(informer), true);
    t->input = std::make_shared<live_input>(informer, "collections");
    if (over_) t->input->stream.close();
    commands_.push_back([this, t] {
        graph_.add_input(t->core);
        enter(t);
        work_.spawn("input " + t->core->name(), feed(shared_from_this(), t));
    });
    lock.unlock();
    wake_.notify();
    return t;
}

void live_engine::enter(const std::shared_ptr<live_table>& t)
{
    const auto number = t->core->number();
    if (in_graph_.size() <= number) in_graph_.resize(number + 1);
    in_graph_[number] = t;
}

std::shared_ptr<live_table> live_engine::table_of(const live_source& s)
{
    if (s.informer) return add_input(*s.informer);
    if (s.table->board != board_)
        throw error(
            failure(cond::misconfigured, "the collection '" + s.table->core->name() + "' is of another live_queries"));
    return s.table;
}

std::shared_ptr<live_table> live_engine::add_rule(live_rule r)
{
    std::vector<std::shared_ptr<live_table>> primaries;
    for (const auto& p : r.primaries) primaries.push_back(table_of(p));
    std::unique_lock lock(mutex_);
    const auto t = make_table(std::move(r.name), std::move(r.kind), false);
    commands_.push_back([this, t, primaries, compute = std::move(r.compute), keyed = r.keyed] {
        graph_core::rule rule{.into = t->core, .compute = compute, .keyed = keyed};
        for (const auto& p : primaries) rule.primaries.push_back(p->core.get());
        graph_.add_rule(std::move(rule));
        enter(t);
    });
    lock.unlock();
    wake_.notify();
    return t;
}

std::string live_engine::add_hidden_index(const live_source& to, item_index f)
{
    auto name = "\x01" + std::to_string(hidden_indexes_++);
    at_rest([t = table_of(to), name, f = std::move(f)] { t->hidden_indexes->emplace(name, f); });
    return name;
}

void live_engine::at_rest(std::function<void()> f)
{
    {
        const std::lock_guard lock(mutex_);
        if (over_) return;
        commands_.push_back(std::move(f));
    }
    wake_.notify();
}

// ---- readers

void live_engine::join(const std::shared_ptr<live_table>& t, const std::shared_ptr<change_queue>& q, bool drops)
{
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(all_queues_, [](const auto& each) { return each.first.expired(); });
        all_queues_.emplace_back(q, drops);
        if (over_) return q->end(stopped(), true);
    }
    at_rest([t, q] {
        if (t->synced) q->begin(t->shown);
        t->queues.push_back(q);
    });
}

void live_engine::run_handler(const std::shared_ptr<live_table>& t, const std::shared_ptr<change_queue>& q,
                              std::function<handler_call(live_change)> f, const asio::any_io_executor& executor)
{
    const auto where = make_kept_strand(executor ? kept_executor(executor) : executor_).get();
    if (!where ||
        !handlers_.spawn("handler of " + t->core->name(), where, handle(shared_from_this(), t, q, std::move(f))))
        q->end(stopped(), true);
}

asio::awaitable<result<>> live_engine::handle(std::shared_ptr<live_engine> self, std::shared_ptr<live_table> t,
                                              std::shared_ptr<change_queue> q,
                                              std::function<handler_call(live_change)> f)
{
    for (;;) {
        auto batch = co_await change_queue::pop(q);
        if (!batch) co_return result<>{};
        for (auto& c : *batch) {
            if (q->over()) co_return result<>{};
            const auto key = c.key;
            result<> outcome;
            handler_call begun;
            try {
                begun = f(std::move(c));
            } catch (...) {
                outcome = to_failure(std::current_exception());
            }
            if (begun.rest.valid()) {
                outcome = co_await std::move(begun.rest);
                co_await own_filter();
                co_await own_throws();
            }
            if (!outcome && !(outcome.error() == cond::cancelled && q->over()))
                self->log_.error(
                    "a handler of a collection failed",
                    {{"collection", t->core->name()}, {"key", key}, {"failure", outcome.error().describe()}});
        }
        co_await asio::post(asio::use_awaitable);
    }
}

// ---- the end

void live_engine::end()
{
    std::vector<std::pair<std::weak_ptr<change_queue>, bool>> queues;
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
        queues.swap(all_queues_);
    }
    for (const auto& [queue, drops] : queues)
        if (const auto q = queue.lock()) q->end(stopped(), drops);
    std::optional<latch> news;
    {
        const std::lock_guard lock(board_->mutex);
        board_->over = true;
        news = std::exchange(board_->news, latch());
        for (const auto& t : tables())
            for (const auto& [key, wake] : t->key_waits) wake.notify();
    }
    news->settle({});
}

/// An exception has left a loop.
void live_engine::end_by(const std::string& task, const failure& why)
{
    log_.error("a loop failed and has ended its owner",
               {{"owner", "live_queries"}, {"task", task}, {"failure", why.describe()}});
    end();
    work_.stop();
}

void live_engine::request_stop()
{
    end();
    work_.stop();
    handlers_.stop();
}

asio::awaitable<result<>> live_engine::stop(std::shared_ptr<live_engine> self)
{
    self->request_stop();
    KUBECORO_TRY(co_await self->work_.join());
    KUBECORO_TRY(co_await self->handlers_.join());
    if (self->options_.metrics) self->meter_.publish(self->stats());
    for (const auto& t : self->tables())
        if (t->input) t->input->stream.close();
    std::ignore = self->take_commands();
    co_return result<>{};
}

void live_engine::abandon(std::shared_ptr<live_engine> self)
{
    const auto running = self->work_.running() + self->handlers_.running();
    self->request_stop();
    for (const auto& t : self->tables())
        if (t->input) t->input->stream.close();
    if (running == 0) return;
    self->log_.error("live_queries was destroyed while it runs: await stop() first", {{"running", running}});
    self->work_.keep_until_ended(self);
    self->handlers_.keep_until_ended(self);
}

// ---- pictures

std::vector<std::shared_ptr<live_table>> live_engine::tables() const
{
    const std::lock_guard lock(mutex_);
    return tables_;
}

live_queries_stats live_engine::stats() const
{
    live_queries_stats out;
    const auto all = tables();
    const std::lock_guard lock(board_->mutex);
    out.edges = edges_;
    out.edge_bytes = edge_bytes_;
    for (const auto& t : all) {
        auto one = t->numbers;
        one.name = t->core->name();
        one.synced = t->synced;
        for (const auto& i : t->inputs) one.inputs.push_back(i->core->name());
        out.collections.push_back(std::move(one));
    }
    return out;
}

// ---- reading within a computation

live_item live_engine::by_key(const live_source& of, std::string_view key)
{
    return graph_.read_key(*table_of(of)->core, key);
}
std::vector<live_item> live_engine::by_index(const live_source& of, std::string_view index, std::string_view value)
{
    return graph_.read_index(*table_of(of)->core, index, value);
}
std::vector<live_item> live_engine::by_selector(const live_source& of, const label_selector& selector)
{
    return graph_.read_selection(*table_of(of)->core, selector);
}
std::vector<live_item> live_engine::all(const live_source& of) { return graph_.read_all(*table_of(of)->core); }

} // namespace kubecoro::detail
