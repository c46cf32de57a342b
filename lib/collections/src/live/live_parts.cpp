// Reading and following collections, on any thread.
#include "live/live_engine.hpp"

#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/collections/detail/live_parts.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cstddef>
#include <unordered_set>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

table_content content_of(const live_table& t)
{
    const std::lock_guard lock(t.board->mutex);
    return t.shown;
}

/// The collection and all that it is computed from, each once: the ways between two may be very many.
std::vector<const live_table*> sources_of(const live_table& t)
{
    std::vector<const live_table*> out{&t};
    std::unordered_set<const live_table*> seen{&t};
    for (std::size_t next = 0; next != out.size(); ++next)
        for (const auto& i : out[next]->inputs)
            if (seen.insert(i.get()).second) out.push_back(i.get());
    return out;
}

} // namespace

object object_with_labels(const std::map<std::string, std::string>& labels)
{
    boost::json::object all;
    for (const auto& [key, value] : labels) all[key] = value;
    return object::from_json(boost::json::object{{"metadata", boost::json::object{{"labels", std::move(all)}}}})
        .value();
}

std::vector<const live_table*> roots_of(const live_table& t)
{
    auto out = sources_of(t);
    std::erase_if(out, [](const auto* each) { return !each->input; });
    return out;
}

// ---- reading

live_item read(const live_table& t, std::string_view key) { return content_of(t).get(key); }
std::vector<live_item> read_all(const live_table& t) { return content_of(t).list(); }

std::vector<live_item> read_selected(const live_table& t, const label_selector& selector)
{
    std::vector<live_item> out;
    const auto& labels = t.core->kind().labels;
    content_of(t).rows.scan([&](const auto& e) {
        object made;
        if (selector.matches((labels ? labels(e.value.get(), made) : made).labels())) out.push_back(e.value);
        return true;
    });
    return out;
}

std::vector<live_item> read_index(const live_table& t, std::string_view index, std::string_view value)
{
    const auto content = content_of(t);
    std::vector<live_item> out;
    if (const auto found = content.indexes.find(index); found != content.indexes.end()) {
        found->second.scan(value, [&](const auto& e) {
            if (e.under->text != value) return false;
            out.push_back(e.value);
            return true;
        });
    } else if (t.input) {
        content.rows.scan([&](const auto& e) {
            const auto values = index_values_of(t.input->informer, index, *static_cast<const object*>(e.value.get()));
            if (values && std::ranges::count(*values, value) != 0) out.push_back(e.value);
            return values.has_value();
        });
    }
    return out;
}

std::size_t size_of(const live_table& t)
{
    const std::lock_guard lock(t.board->mutex);
    return t.shown.rows.size();
}

bool is_synced(const live_table& t) noexcept
{
    const std::lock_guard lock(t.board->mutex);
    return t.synced;
}

const std::string& name_of(const live_table& t) noexcept { return t.core->name(); }

std::vector<std::pair<std::string, std::string>> versions_of(const live_table& t)
{
    std::vector<std::pair<std::shared_ptr<live_input>, std::string>> roots;
    {
        const std::lock_guard lock(t.board->mutex);
        if (t.frozen_versions) return *t.frozen_versions;
        for (const auto* r : roots_of(t)) roots.emplace_back(r->input, r->core->name());
    }
    std::vector<std::pair<std::string, std::string>> out;
    for (auto& [input, name] : roots) {
        // In this order: the events up to the version were passed on before it was reached.
        auto version = input->informer.last_resource_version();
        const auto distributed = input->stream.distributed();
        const std::lock_guard lock(t.board->mutex);
        if (input->shown_number >= distributed) input->seen_version = std::move(version);
        out.emplace_back(std::move(name), input->seen_version);
    }
    return out;
}

std::vector<std::pair<std::string, failure>> stale_of(const live_table& t)
{
    const auto keys = [&t] {
        const std::lock_guard lock(t.board->mutex);
        return t.stale;
    }();
    return {keys->begin(), keys->end()};
}

bool any_stale(const live_table& t)
{
    const std::lock_guard lock(t.board->mutex);
    return std::ranges::any_of(sources_of(t), [](const auto* each) { return !each->stale->empty(); });
}

// ---- waiting

asio::awaitable<result<>> synced(std::shared_ptr<live_table> t)
{
    for (;;) {
        latch news;
        std::vector<std::pair<std::shared_ptr<live_input>, std::string>> missing;
        {
            const std::lock_guard lock(t->board->mutex);
            if (t->synced) co_return result<>{};
            if (t->board->over) co_return stopped();
            news = t->board->news;
            for (const auto* r : roots_of(*t)) {
                if (r->synced) continue;
                if (r->input->ended) co_return r->input->ended->because("the input " + r->core->name());
                missing.emplace_back(r->input, r->core->name());
            }
        }
        const auto next =
            std::find_if(missing.begin(), missing.end(), [](const auto& m) { return !m.first->informer.synced(); });
        if (next == missing.end()) {
            KUBECORO_TRY(co_await news.wait());
            continue;
        }
        result<> outcome = failure(cond::cancelled);
        const bool ended = co_await race(keep_outcome(next->first->informer.has_synced(), outcome), news.wait());
        if (ended && !outcome) co_return outcome.error().because("the input " + next->second);
    }
}

namespace {

/// Wakes a wait when a key has changed.
class key_wait
{
public:
    key_wait(std::shared_ptr<live_table> t, const std::string& key) : table_(std::move(t))
    {
        const std::lock_guard lock(table_->board->mutex);
        at_ = table_->key_waits.emplace(key, wake_signal());
        wake_ = at_->second;
    }
    key_wait(const key_wait&) = delete;
    key_wait& operator=(const key_wait&) = delete;
    ~key_wait()
    {
        const std::lock_guard lock(table_->board->mutex);
        table_->key_waits.erase(at_);
    }
    [[nodiscard]] asio::awaitable<result<>> wait() const { return wake_.wait(); }

private:
    std::shared_ptr<live_table> table_;
    std::multimap<std::string, wake_signal>::iterator at_;
    wake_signal wake_;
};

asio::awaitable<result<live_item>> await_state(std::shared_ptr<live_table> t, std::string key, item_condition wanted)
{
    KUBECORO_TRY(co_await synced(t));
    const key_wait waits(t, key);
    for (;;) {
        live_item now;
        {
            const std::lock_guard lock(t->board->mutex);
            if (t->board->over) co_return stopped();
            now = t->shown.get(key);
        }
        KUBECORO_TRY(const bool holds, wanted(now));
        if (holds) co_return now;
        KUBECORO_TRY(co_await waits.wait());
    }
}

} // namespace

asio::awaitable<result<live_item>> wait_for(std::shared_ptr<live_table> t, std::string key, item_condition wanted,
                                            duration timeout)
{
    const auto engine = t->engine.lock();
    const auto time = engine ? engine->time() : real_clock();
    auto doing = "wait for " + key + " of " + t->core->name();
    co_return co_await with_timeout(*time, timeout, std::move(doing),
                                    await_state(std::move(t), std::move(key), std::move(wanted)));
}

// ---- subscriptions

std::shared_ptr<change_queue> subscribe(const std::shared_ptr<live_table>& t, std::size_t max_batch, bool drops)
{
    auto q = std::make_shared<change_queue>(max_batch, t->core->kind().equal);
    if (const auto engine = t->engine.lock())
        engine->join(t, q, drops);
    else
        q->end(stopped(), true);
    return q;
}

asio::awaitable<std::optional<std::vector<live_change>>> pop(std::shared_ptr<change_queue> q)
{
    return change_queue::pop(std::move(q));
}
result<> end_reason(const change_queue& q) { return q.end_reason(); }
void close(change_queue& q) { q.end(failure(cond::cancelled, "the subscription was closed"), true); }

void run_handler(const std::shared_ptr<live_table>& t, const std::shared_ptr<change_queue>& q,
                 std::function<handler_call(live_change)> f, const asio::any_io_executor& executor)
{
    if (const auto engine = t->engine.lock()) engine->run_handler(t, q, std::move(f), executor);
}

// ---- making collections

std::shared_ptr<live_table> add_rule(live_engine& e, live_rule r) { return e.add_rule(std::move(r)); }
std::shared_ptr<live_table> add_input(live_engine& e, const shared_informer<object>& informer)
{
    return e.add_input(informer);
}
std::string add_hidden_index(live_engine& e, const live_source& to, item_index f)
{
    return e.add_hidden_index(to, std::move(f));
}

} // namespace kubecoro::detail
