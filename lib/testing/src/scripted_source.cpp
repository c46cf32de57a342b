#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/testing/scripted_source.hpp>

#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::testing {

struct scripted_watch::state
{
    using batch = std::vector<watch_event>;
    struct clean_end
    {
        bool early = false;
    };
    using item = std::variant<batch, duration, failure, clean_end>;

    mutable std::mutex mutex;
    std::deque<item> items;
    bool opened = false;
    bool closed = false;
    watch_options options;
    kubecoro::detail::wake_signal filled;

    void put(item i)
    {
        {
            std::lock_guard lock(mutex);
            items.push_back(std::move(i));
        }
        filled.notify();
    }
    std::optional<item> take()
    {
        std::lock_guard lock(mutex);
        if (items.empty()) return std::nullopt;
        auto i = std::move(items.front());
        items.pop_front();
        return i;
    }
    void close()
    {
        std::lock_guard lock(mutex);
        closed = true;
    }
    void open(watch_options o)
    {
        std::lock_guard lock(mutex);
        opened = true;
        options = std::move(o);
    }
};

class scripted_watch::stream final : public watch_stream
{
public:
    stream(std::shared_ptr<state> s, std::shared_ptr<kubecoro::time_source> c)
        : state_(std::move(s)), clock_(std::move(c))
    {
    }
    ~stream() override { state_->close(); }
    asio::awaitable<result<std::vector<watch_event>>> next() override;
    bool ended_early() const noexcept override { return ended_early_; }

private:
    /// Sets the end, which every later next() returns.
    result<std::vector<watch_event>> finish(result<std::vector<watch_event>> how)
    {
        state_->close();
        end_ = how;
        return how;
    }
    std::shared_ptr<state> state_;
    std::shared_ptr<kubecoro::time_source> clock_;
    std::optional<result<std::vector<watch_event>>> end_;
    bool ended_early_ = false;
};

asio::awaitable<result<std::vector<watch_event>>> scripted_watch::stream::next()
{
    while (!end_) {
        auto item = state_->take();
        if (!item) {
            const auto woken = co_await state_->filled.wait();
            if (!woken) co_return finish(woken.error());
        } else if (auto* batch = std::get_if<state::batch>(&*item)) {
            co_return std::move(*batch);
        } else if (const auto* pause = std::get_if<duration>(&*item)) {
            const auto slept = co_await sleep_for(*clock_, *pause);
            if (!slept) co_return finish(slept.error());
        } else if (const auto* f = std::get_if<failure>(&*item)) {
            co_return finish(*f);
        } else {
            ended_early_ = std::get<state::clean_end>(*item).early;
            co_return finish(state::batch{});
        }
    }
    co_return *end_;
}

scripted_watch::scripted_watch() : state_(std::make_shared<state>()) {}

const scripted_watch& scripted_watch::send(std::vector<watch_event> batch) const
{
    state_->put(std::move(batch));
    return *this;
}

const scripted_watch& scripted_watch::send(watch_event event) const
{
    std::vector<watch_event> batch;
    batch.push_back(std::move(event));
    return send(std::move(batch));
}

const scripted_watch& scripted_watch::pause(duration d) const
{
    state_->put(d);
    return *this;
}

void scripted_watch::end() const { state_->put(state::clean_end{}); }
void scripted_watch::end_early() const { state_->put(state::clean_end{true}); }
void scripted_watch::fail(failure f) const { state_->put(std::move(f)); }

bool scripted_watch::opened() const
{
    std::lock_guard lock(state_->mutex);
    return state_->opened;
}

bool scripted_watch::closed() const
{
    std::lock_guard lock(state_->mutex);
    return state_->closed;
}

std::size_t scripted_watch::pending() const
{
    std::lock_guard lock(state_->mutex);
    return state_->items.size();
}

watch_options scripted_watch::options() const
{
    std::lock_guard lock(state_->mutex);
    return state_->options;
}

struct scripted_source::state
{
    struct hang
    {
    };
    template<class T>
    struct step
    {
        std::variant<T, failure, hang> answer;
        duration delay = {};
    };

    std::shared_ptr<kubecoro::time_source> clock;
    std::string description;
    mutable std::mutex mutex;
    std::deque<step<list_page>> lists;
    std::deque<step<scripted_watch>> watches;
    std::vector<scripted_source::call> calls;
    std::size_t unexpected = 0;
    std::size_t in_flight = 0;
    bool streams = false;

    template<class T>
    step<T> next(std::deque<step<T>>& from, scripted_source::call call)
    {
        call.at = clock->now();
        std::lock_guard lock(mutex);
        calls.push_back(std::move(call));
        if (from.empty()) {
            ++unexpected;
            return {hang{}};
        }
        auto s = std::move(from.front());
        from.pop_front();
        return s;
    }
    template<class T>
    void announce(std::deque<step<T>>& to, step<T> s)
    {
        std::lock_guard lock(mutex);
        to.push_back(std::move(s));
    }
    std::size_t count(bool is_watch) const
    {
        std::lock_guard lock(mutex);
        std::size_t n = 0;
        for (const auto& c : calls) n += c.is_watch == is_watch;
        return n;
    }
    scripted_source::call nth(bool is_watch, std::size_t n) const
    {
        std::lock_guard lock(mutex);
        for (const auto& c : calls)
            if (c.is_watch == is_watch && n-- == 0) return c;
        throw std::out_of_range("scripted_source: no such call");
    }

    /// Counts a call in in_flight() during its lifetime.
    class presence
    {
    public:
        explicit presence(state& s) : state_(s) { change(1); }
        ~presence() { change(-1); }
        presence(const presence&) = delete;
        presence& operator=(const presence&) = delete;

    private:
        void change(int by)
        {
            std::lock_guard lock(state_.mutex);
            state_.in_flight += static_cast<std::size_t>(by);
        }
        state& state_;
    };

    template<class T>
    static asio::awaitable<result<T>> play(std::shared_ptr<state> self, step<T> s)
    {
        const presence p(*self);
        if (s.delay > duration::zero()) {
            KUBECORO_TRY(co_await sleep_for(*self->clock, s.delay));
        }
        if (std::holds_alternative<hang>(s.answer)) {
            const auto ended = co_await latch{}.wait();
            co_return ended.error();
        }
        if (const auto* f = std::get_if<failure>(&s.answer)) co_return *f;
        co_return std::get<T>(std::move(s.answer));
    }
};

scripted_source::scripted_source(std::shared_ptr<kubecoro::time_source> c, std::string description)
    : state_(std::make_shared<state>())
{
    state_->clock = std::move(c);
    state_->description = std::move(description);
}
scripted_source::~scripted_source() = default;

void scripted_source::on_list(list_page page, duration delay)
{
    state_->announce(state_->lists, {std::move(page), delay});
}
void scripted_source::on_list(failure f, duration delay) { state_->announce(state_->lists, {std::move(f), delay}); }
void scripted_source::on_list_hang() { state_->announce(state_->lists, {state::hang{}}); }

scripted_watch scripted_source::on_watch(duration delay)
{
    scripted_watch w;
    state_->announce(state_->watches, {w, delay});
    return w;
}
void scripted_source::on_watch(failure f, duration delay) { state_->announce(state_->watches, {std::move(f), delay}); }
void scripted_source::on_watch_hang() { state_->announce(state_->watches, {state::hang{}}); }

std::vector<scripted_source::call> scripted_source::calls() const
{
    std::lock_guard lock(state_->mutex);
    return state_->calls;
}
std::size_t scripted_source::lists() const { return state_->count(false); }
std::size_t scripted_source::watches() const { return state_->count(true); }
list_options scripted_source::list_call(std::size_t n) const { return state_->nth(false, n).list; }
watch_options scripted_source::watch_call(std::size_t n) const { return state_->nth(true, n).watch; }

std::size_t scripted_source::unexpected() const
{
    std::lock_guard lock(state_->mutex);
    return state_->unexpected;
}
std::size_t scripted_source::unused() const
{
    std::lock_guard lock(state_->mutex);
    return state_->lists.size() + state_->watches.size();
}
std::size_t scripted_source::in_flight() const
{
    std::lock_guard lock(state_->mutex);
    return state_->in_flight;
}

asio::awaitable<result<list_page>> scripted_source::list(list_options options)
{
    const auto self = state_;
    scripted_source::call call;
    call.list = std::move(options);
    co_return co_await state::play(self, self->next(self->lists, std::move(call)));
}

asio::awaitable<result<std::unique_ptr<watch_stream>>> scripted_source::watch(watch_options options)
{
    const auto self = state_;
    scripted_source::call call;
    call.is_watch = true;
    call.watch = options;
    KUBECORO_TRY(const auto accepted, co_await state::play(self, self->next(self->watches, std::move(call))));
    accepted.state_->open(std::move(options));
    std::unique_ptr<watch_stream> stream = std::make_unique<scripted_watch::stream>(accepted.state_, self->clock);
    co_return stream;
}

void scripted_source::allow_streamed_lists()
{
    std::lock_guard lock(state_->mutex);
    state_->streams = true;
}

bool scripted_source::streams_lists() const noexcept
{
    std::lock_guard lock(state_->mutex);
    return state_->streams;
}

std::string scripted_source::describe() const { return state_->description; }

struct scripted_provider::state
{
    struct entry
    {
        resource_type resource;
        source_scope scope;
        std::shared_ptr<scripted_source> source;
    };
    kubecoro::detail::kept_executor executor;
    std::shared_ptr<kubecoro::time_source> clock;
    mutable std::mutex mutex;
    std::vector<entry> entries;
    std::size_t opened = 0;
};

scripted_provider::scripted_provider(asio::any_io_executor executor, std::shared_ptr<kubecoro::time_source> c)
    : state_(std::make_unique<state>())
{
    state_->executor = kubecoro::detail::kept_executor(executor);
    state_->clock = std::move(c);
}
scripted_provider::~scripted_provider() = default;

std::shared_ptr<scripted_source> scripted_provider::source(const resource_type& resource, const source_scope& asked)
{
    // Scripts contain decoded objects, to which the encoding and the known objects do not apply.
    source_scope scope = asked;
    scope.encoding = nullptr;
    scope.known = nullptr;
    std::lock_guard lock(state_->mutex);
    for (const auto& e : state_->entries)
        if (e.resource == resource && e.scope == scope) return e.source;
    auto what = resource.display_name() + (scope.ns.empty() ? "" : " in namespace " + scope.ns);
    auto made = std::make_shared<scripted_source>(state_->clock, std::move(what));
    state_->entries.push_back({resource, scope, made});
    return made;
}

std::size_t scripted_provider::opened() const
{
    std::lock_guard lock(state_->mutex);
    return state_->opened;
}

std::shared_ptr<list_watch_source> scripted_provider::open(const resource_type& resource, const source_scope& scope)
{
    auto s = source(resource, scope);
    std::lock_guard lock(state_->mutex);
    ++state_->opened;
    return s;
}

asio::any_io_executor scripted_provider::executor() const { return state_->executor.get(); }
source_provider::instruments scripted_provider::defaults() const { return {.time = state_->clock}; }

} // namespace kubecoro::testing
