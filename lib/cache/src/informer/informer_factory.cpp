#include "informer/informer_engine.hpp"
#include "informer/informer_names.hpp"
#include "reflector/canonical_selector.hpp"

#include <kubecoro/api/selector.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/cache/informer_factory.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
using namespace detail;
namespace {

/// The options that must be equal for an informer to be shared.
struct informer_key
{
    resource_type resource;
    std::string label_selector;
    std::string field_selector;
    std::string shard_selector;
    decode_options decode;
    storage_options storage;
    std::shared_ptr<object_share> share;
    friend bool operator==(const informer_key&, const informer_key&) = default;
};

/// The server reports the error of a selector that does not parse.
std::string with_name(const std::string& fields, const std::string& name)
{
    const auto parsed = field_selector::parse(fields);
    if (!parsed) return fields;
    auto all = parsed->requirements();
    all.push_back({"metadata.name", true, name});
    return field_selector(std::move(all)).to_string();
}

informer_key key_of(const resource_type& resource, const informer_options& o)
{
    return {resource, o.label_selector, o.field_selector, o.shard_selector, o.decode, o.storage, o.share};
}

/// Equal for equal keys and namespaces, and rarely for others.
std::string place_of(const informer_key& key, const namespaces_core& namespaces)
{
    std::string place = key.resource.path_prefix() + "/" + key.resource.plural;
    for (const auto* text : {&key.label_selector, &key.field_selector, &key.shard_selector}) place += "\n" + *text;
    for (const auto& ns : namespaces.watched()) place += "\n" + ns;
    return place;
}

} // namespace

struct informer_factory::state
{
    struct entry
    {
        informer_key key;
        std::shared_ptr<informer_engine> engine;
        std::size_t uses = 0;
        /// Its position in `shared`; empty when it is not there.
        std::string place = {};
    };

    std::shared_ptr<source_provider> provider;
    /// Without its executor, which is stored in `executor`.
    factory_options options;
    kept_executor executor;
    checked_mutex mutex;
    random_source seeds;
    /// By the informers' numbers.
    std::map<std::uint64_t, entry> entries;
    /// The entries that may be shared, by place and number: thousands may have one kind.
    std::set<std::pair<std::string, std::uint64_t>> shared;
    const std::shared_ptr<moved_informers> moved = std::make_shared<moved_informers>();
    std::uint64_t last_number = 0;
    informer_names names;
    /// One for each resource that was ever requested, by its path.
    std::unordered_map<std::string, std::shared_ptr<watch_list_ability>> abilities;
    /// Released by their last user, and possibly still running: a release can be cancelled.
    std::map<std::uint64_t, std::shared_ptr<informer_engine>> leaving;
    bool started = false;
    bool stopping = false;

    std::shared_ptr<informer_engine> make(const resource_type& resource, informer_options o)
    {
        KUBECORO_EXPECT(mutex.held_here());
        if (!o.policy) o.policy = options.policy;
        if (o.resync == duration::zero()) o.resync = options.resync;
        informer_settings s;
        s.resource = resource;
        s.label = names.take(o.label.empty() ? resource.display_name() : o.label);
        s.number = ++last_number;
        s.moved = moved;
        s.metrics = options.metrics;
        s.metrics_period = options.metrics_period;
        s.options = std::move(o);
        s.provider = provider;
        s.executor = executor;
        s.time = options.time;
        s.log = *options.log;
        s.seed = seeds();
        s.ability = ability_of(resource);
        s.relists = *options.relists;
        s.on_end = options.on_end;
        auto engine = std::make_shared<informer_engine>(std::move(s));
        engine->end_with_context();
        return engine;
    }

    std::shared_ptr<informer_engine> find_or_make(const resource_type& resource, informer_options o)
    {
        const bool may_share = !o.transform;
        auto key = key_of(resource, o);
        const namespaces_core wanted(o.namespaces);
        const auto place = place_of(key, wanted);
        std::lock_guard lock(mutex);
        follow_moves();
        if (may_share)
            for (auto at = shared.lower_bound({place, 0}); at != shared.end() && at->first == place; ++at) {
                auto& e = entries.at(at->second);
                if (e.key != key || !e.engine->lanes().covers_just(wanted)) continue;
                ++e.uses;
                return e.engine;
            }
        auto engine = make(resource, std::move(o));
        if (stopping) engine->request_stop();
        entries.emplace(engine->number(), entry{std::move(key), engine, 1, may_share ? place : ""});
        if (may_share) shared.emplace(place, engine->number());
        return engine;
    }

    /// Finds the new places of informers whose namespaces were changed.
    void follow_moves()
    {
        KUBECORO_EXPECT(mutex.held_here());
        for (const auto number : moved->take()) {
            const auto at = entries.find(number);
            if (at == entries.end() || at->second.place.empty()) continue;
            entry& e = at->second;
            shared.erase({e.place, number});
            e.place = place_of(e.key, e.engine->lanes().wanted());
            shared.emplace(e.place, number);
        }
    }

    std::shared_ptr<watch_list_ability> ability_of(const resource_type& resource)
    {
        auto& ability = abilities[resource.path_prefix() + "/" + resource.plural];
        if (!ability) ability = std::make_shared<watch_list_ability>();
        return ability;
    }

    void set_started()
    {
        std::lock_guard lock(mutex);
        started = true;
    }
    [[nodiscard]] bool is_started()
    {
        std::lock_guard lock(mutex);
        return started;
    }

    std::vector<std::shared_ptr<informer_engine>> engines()
    {
        std::lock_guard lock(mutex);
        std::vector<std::shared_ptr<informer_engine>> out;
        out.reserve(entries.size());
        for (const auto& [number, e] : entries) out.push_back(e.engine);
        return out;
    }
    /// Includes released informers.
    std::vector<std::shared_ptr<informer_engine>> all_engines()
    {
        auto out = engines();
        std::lock_guard lock(mutex);
        for (const auto& [number, engine] : leaving) out.push_back(engine);
        return out;
    }

    static asio::awaitable<result<>> stop(std::shared_ptr<state> self);
    static asio::awaitable<result<>> release(std::shared_ptr<state> self, std::shared_ptr<informer_engine> engine);
};

informer_factory::informer_factory(std::shared_ptr<source_provider> provider, factory_options options)
    : state_(std::make_shared<state>())
{
    if (!options.executor) options.executor = provider->executor();
    auto defaults = provider->defaults();
    if (!options.time) options.time = defaults.time ? std::move(defaults.time) : real_clock();
    if (!options.log) options.log = std::move(defaults.log);
    if (!options.metrics) options.metrics = std::move(defaults.metrics);
    state_->seeds.seed(options.seed ? *options.seed : random_seed());
    if (!options.relists) options.relists.emplace(relists_at_once, relist_spread, options.time, state_->seeds());
    state_->executor = std::exchange(options.executor, {});
    state_->provider = std::move(provider);
    state_->options = std::move(options);
}

informer_factory::informer_factory(informer_factory&&) noexcept = default;

informer_factory::~informer_factory()
{
    if (!state_) return;
    for (auto& engine : state_->all_engines()) informer_engine::abandon(std::move(engine));
}

shared_informer<object> informer_factory::get(const resource_type& resource, informer_options options)
{
    if (!options.name.empty()) options.field_selector = with_name(options.field_selector, options.name);
    options.label_selector = canonical<label_selector>(options.label_selector);
    options.field_selector = canonical<field_selector>(options.field_selector);
    const auto labels = options.label_indexes;
    auto engine = state_->find_or_make(resource, std::move(options));
    // Not under the mutex: building a label index visits all objects.
    for (const auto& label : labels) engine->content()->index_label(label);
    if (state_->is_started()) engine->start();
    return shared_informer<object>(std::move(engine));
}

void informer_factory::start()
{
    state_->set_started(); // before the list is read: a get() that is not in it sees this, and starts its own
    for (const auto& engine : state_->engines()) engine->start();
}

asio::awaitable<result<>> informer_factory::has_synced() { return wait_for_cache_sync(informers()); }

std::vector<shared_informer<object>> informer_factory::informers() const
{
    std::vector<shared_informer<object>> out;
    for (auto& engine : state_->engines()) out.emplace_back(std::move(engine));
    return out;
}

asio::awaitable<result<>> informer_factory::release(shared_informer<object> informer)
{
    return catch_failure(state::release(state_, std::move(informer.engine_)));
}

asio::awaitable<result<>> informer_factory::state::release(std::shared_ptr<state> self,
                                                           std::shared_ptr<informer_engine> engine)
{
    {
        std::lock_guard lock(self->mutex);
        const auto at = self->entries.find(engine->number());
        if (at != self->entries.end() && at->second.engine == engine) {
            if (--at->second.uses != 0) co_return result<>{};
            self->shared.erase({at->second.place, engine->number()});
            self->entries.erase(at);
            self->leaving.emplace(engine->number(), engine);
        } else if (const auto gone = self->leaving.find(engine->number());
                   gone == self->leaving.end() || gone->second != engine) {
            co_return result<>{};
        }
    }
    KUBECORO_TRY(co_await informer_engine::stop(engine));
    std::lock_guard lock(self->mutex);
    if (self->leaving.erase(engine->number()) != 0) self->names.give_back(engine->label());
    co_return result<>{};
}

void informer_factory::request_stop()
{
    {
        std::lock_guard lock(state_->mutex);
        state_->stopping = true;
    }
    for (const auto& engine : state_->engines()) engine->request_stop();
}

asio::awaitable<result<>> informer_factory::stop()
{
    request_stop();
    return catch_failure(state::stop(state_));
}

asio::awaitable<result<>> informer_factory::state::stop(std::shared_ptr<state> self)
{
    for (auto& engine : self->all_engines()) {
        if (const auto stopped = co_await informer_engine::stop(std::move(engine)); !stopped) co_return stopped;
    }
    co_return result<>{};
}

} // namespace kubecoro
