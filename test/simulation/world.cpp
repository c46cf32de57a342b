#include "world.hpp"

#include "checks.hpp"

#include <kubecoro/api/untyped.hpp>

#include <array>
#include <new>
#include <utility>

namespace kubecoro::simulation {

namespace {

/// Seeds of the parts, so that a change in one does not shift the others.
enum class part : std::uint64_t
{
    server = 1,
    network,
    operations,
    factory,
    participants,
    roaming,
    controller,
    impatient,
    transforms,
    collections
};
std::uint64_t seed_of(std::uint64_t seed, part p) { return seed * 1'000'003 + static_cast<std::uint64_t>(p); }

} // namespace

world::world(world_options options)
    : options_(options),
      runner_(options.seed, options.order),
      notes_(runner_.shared_clock(), options.echo),
      random_(options.seed)
{
}

world::~world()
{
    // In a broken world coroutines still run: destroy them before the objects they use.
    runner_.destroy_coroutines();
}

template<class T>
bool world::must(std::string_view what, boost::asio::awaitable<result<T>> body)
{
    const auto done = runner_.run(std::move(body));
    if (!done) notes_.broken(what, done.error().describe());
    return done.has_value();
}

verdict world::run()
{
    start();
    const auto rounds = 1 + below(random_, 3);
    for (std::uint64_t i = 0; i < rounds && notes_.intact(); ++i) {
        const auto steps = 15 + below(random_, 40);
        for (std::uint64_t s = 0; s < steps && notes_.intact(); ++s) step();
        const bool last = i + 1 == rounds;
        // Some worlds are stopped amid faults.
        if (!last || !one_in(random_, 3)) quiet_point();
    }
    for (const auto& w : informers_) {
        const auto all = w.informer.stats();
        if (all.consistency.failed != 0) notes_.broken(w.name, "the store differs: " + all.consistency.last_difference);
        const auto& stats = all.reflector;
        verdict_.lists += stats.lists;
        verdict_.streamed_lists += stats.watch_lists;
        verdict_.fallbacks += stats.fallbacks;
        verdict_.silences += stats.idle_ends + stats.overdue_ends;
        verdict_.relists += stats.relists_total();
        verdict_.reconnects += stats.reconnects;
        for (const auto& u : w.users) {
            verdict_.coalesced += u->stats().coalesced;
            verdict_.notifications += u->stats().delivered;
        }
    }
    verdict_.waits = impatient_->waits();
    verdict_.stale_answers = network_->stale_answers();
    if (collections_) verdict_.derived = collections_->changes();
    if (controller_) {
        verdict_.controlled = 1;
        verdict_.controllers = controller_->controllers();
        verdict_.runs = controller_->runs();
    }
    if (notes_.intact()) stop();
    if (!notes_.intact()) {
        verdict_.broken = notes_.first_broken();
        verdict_.last_steps = notes_.last_steps();
    }
    verdict_.hash = notes_.hash();
    verdict_.steps = notes_.steps();
    return verdict_;
}

void world::start()
{
    apiserver::server_options options;
    options.time = runner_.shared_clock();
    options.cluster.seed = seed_of(options_.seed, part::server);
    options.cluster.history = one_in(random_, 2) ? 1000 : 70;
    server_ = std::make_unique<apiserver::embedded_server>(runner_.executor(), std::move(options));
    operations_.emplace(*server_, notes_, seed_of(options_.seed, part::operations));
    if (!must("prepare", operations_->prepare())) return;
    network_.emplace(*server_, runner_, notes_, seed_of(options_.seed, part::network), options_.watches);

    for (auto resource : {untyped::pod::resource(), untyped::config_map::resource(), widgets()}) {
        histories_.push_back(std::make_unique<server_history>(std::move(resource), notes_));
        followers_.push_back(runner_.spawn(histories_.back()->follow(network_->reliable())));
    }
    runner_.run_until_idle();
    must("fill", operations_->fill(below(random_, 12)));

    factory_options f;
    f.time = runner_.shared_clock();
    f.seed = seed_of(options_.seed, part::factory);
    f.policy.page_size = one_in(random_, 2) ? 0 : static_cast<std::uint32_t>(1 + below(random_, 6));
    if (one_in(random_, 3)) f.policy.idle_timeout = std::chrono::minutes(1 + below(random_, 5));
    f.policy.idle_needs_bookmarks = !one_in(random_, 3);
    f.policy.watch_list = !one_in(random_, 4);
    f.policy.watch_list_json = true;
    f.policy.watch_list_attempts = static_cast<std::uint32_t>(1 + below(random_, 3));
    if (one_in(random_, 3)) f.policy.internal_error_retry = std::chrono::seconds(below(random_, 60));
    f.relists.emplace(1 + below(random_, 3), std::chrono::milliseconds{200}, f.time, *f.seed + 1);
    factory_ = std::make_unique<informer_factory>(network_->unreliable().provider(), std::move(f));
    make_informers();
    roaming_.emplace(*factory_, *server_, *histories_[0], runner_, notes_, seed_of(options_.seed, part::roaming));
    must("prepare the roaming informer", roaming_->prepare());
    if (options_.controlled) make_controller();
    if (options_.derived) make_collections();
    std::vector<shared_informer<object>> all;
    for (const auto& w : informers_) all.push_back(w.informer);
    impatient_.emplace(std::move(all), *factory_, *network_, runner_, notes_, seed_of(options_.seed, part::impatient));
    factory_->start();
}

void world::make_informers()
{
    informers_.reserve(4);
    const auto &pods = *histories_[0], &maps = *histories_[1], &custom = *histories_[2];
    add_informer("pods", {pods.resource()}, {}, pods);
    add_informer("maps", {maps.resource(), {"a", "b"}}, {}, maps);
    informer_options resyncing;
    resyncing.resync = std::chrono::seconds(5 + below(random_, 100));
    add_informer("widgets", {custom.resource()}, std::move(resyncing), custom);
    add_informer("shop", {pods.resource(), {}, "app", "shop"}, {}, pods);
}

void world::make_controller()
{
    std::vector<controlled_informer> fields;
    for (const auto& w : informers_) {
        auto real = [&w] {
            controlled_informer::states out;
            for (const auto& [key, o] : w.real->objects(w.covered))
                out.emplace(key, std::string(o.uid()) + "@" + std::string(o.resource_version()));
            return std::optional(std::move(out));
        };
        fields.push_back({.name = w.name, .informer = w.informer, .real = std::move(real)});
    }
    controller_.emplace(std::move(fields), *factory_, *network_, *roaming_, runner_, notes_,
                        seed_of(options_.seed, part::controller));
}

void world::make_collections()
{
    const auto input = [this](std::size_t n) {
        const auto& w = informers_[n];
        return collection_input{w.informer, [&w] { return w.real->objects(w.covered); }};
    };
    collections_.emplace(input(0), input(1), input(2), runner_, notes_, seed_of(options_.seed, part::collections));
}

void world::add_informer(std::string name, scope covered, informer_options options, const server_history& real)
{
    options.namespaces.assign(covered.namespaces.begin(), covered.namespaces.end());
    options.label_selector = covered.selector();
    const bool by_node = real.resource().plural == "pods";
    const bool too_little = by_node && options_.keep == storage::metadata_only;
    options.storage.policy = too_little ? storage::compressed : options_.keep;
    options.storage.learn_from = 8;
    options.check_consistency = true;
    options.label_indexes = {"app"};
    if (options_.hostile && name != "shop") options.transform = throwing_transform(name.size());
    covered.metadata_only = options.storage.policy == storage::metadata_only;
    auto informer = factory_->get(covered.resource, std::move(options));
    if (by_node) {
        const auto index = [](const object& o, index_sink out) { out(o["spec"]["nodeName"].as_string()); };
        if (const auto ok = informer.add_index(std::string(node_index), index); !ok) {
            notes_.broken(name, ok.error().describe());
        }
    }
    informers_.push_back({std::move(name), std::move(covered), &real, std::move(informer)});
    // A world with a controller has fewer users.
    for (auto n = below(random_, options_.controlled ? 2 : 4); n > 0; --n) join(informers_.back());
}

/// Its batches are processed again, and later changes wait behind them.
std::function<object(const object&)> world::throwing_transform(std::uint64_t which) const
{
    return [random = detail::random_source(seed_of(options_.seed, part::transforms) + which)](const object& o) mutable {
        if (one_in(random, 40)) throw std::bad_alloc();
        return o;
    };
}

void world::join(watched& w)
{
    participant_options o;
    o.how = static_cast<manner>(below(random_, manners));
    // The informer of widgets has a resync period: users that name none get it.
    o.resyncs = w.name == "widgets";
    if (one_in(random_, 5)) {
        o.resync = std::chrono::seconds(1 + below(random_, 60));
        o.resyncs = true;
    }
    if (one_in(random_, 8)) o.own_end = 1 + below(random_, 30);
    if (one_in(random_, 3)) o.policy = one_in(random_, 2) ? coalesce::never : coalesce::latest_per_key;
    o.filtered = w.covered.label.empty() && one_in(random_, 5);
    static constexpr std::array<std::string_view, manners> words{"plain",   "throwing", "slow",
                                                                 "failing", "pulling",  "concurrent"};
    auto name = w.name + "." + std::to_string(next_name_++) + "-" + std::string(words[static_cast<std::size_t>(o.how)]);
    w.users.push_back(std::make_unique<participant>(std::move(name), o, w.informer, w.covered, *w.real, runner_, notes_,
                                                    seed_of(options_.seed, part::participants) + next_name_));
}

void world::wait(watched& w)
{
    std::erase_if(w.waits, [](const auto& each) { return each->done(); });
    auto name = w.name + "." + std::to_string(next_name_++) + "-waiting";
    w.waits.push_back(std::make_unique<waiting>(std::move(name), w.informer, w.covered, *w.real, runner_, notes_,
                                                seed_of(options_.seed, part::participants) + next_name_));
}

} // namespace kubecoro::simulation
