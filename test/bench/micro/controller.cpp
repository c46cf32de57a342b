// A controller whose runs do nothing: the cost of each event from the watch to the end of its run, with and without traces.
#include "allocations.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/objects.hpp>
#include <kubecoro/testing/scripted_source.hpp>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::bench {

namespace {

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using untyped::pod;

constexpr std::size_t names = 256;

/// Drops every span.
struct no_exporter final : span_sink
{
    void ended(const span_data& s) override { benchmark::DoNotOptimize(&s); }
};

struct tracing
{
    const char* label;
    trace_options (*make)();
};

tracer traced(double share) { return tracer(std::make_shared<no_exporter>(), {.sample = share, .seed = 1}); }

const std::array<tracing, 4> choices{
    {{"off", [] { return trace_options(); }},
     {"one in a hundred", [] { return trace_options{.tracer = traced(0.01)}; }},
     {"ids only", [] { return trace_options{.tracer = tracer::ids_only({.seed = 1})}; }},
     {"all", [] { return trace_options{.tracer = traced(1)}; }}}};

/// An informer of pods and a controller of them; a round changes each pod once.
class world
{
public:
    explicit world(trace_options how)
        : provider_(std::make_shared<kt::scripted_provider>(run_.executor(), run_.shared_clock())),
          informers_(provider_, {.time = run_.shared_clock(), .log = logger::silent(), .seed = 7})
    {
        auto& source = *provider_->source(pod::resource(), {});
        source.on_list(kt::make_page({}, "1"));
        watch_ = source.on_watch();
        controller_options o{.name = "bench"};
        o.traces = std::move(how);
        o.time = run_.shared_clock();
        o.log = logger::silent();
        controller_ = std::make_unique<controller<object>>(
            run_.executor(),
            [this](const object_key&, reconcile_context&) -> asio::awaitable<result<action>> {
                ++runs_;
                co_return action::done();
            },
            std::move(o));
        controller_->watch(informers_.get<pod>(), enqueue_object());
        informers_.start();
        controller_->start();
        run_.run_until_idle();
    }
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    ~world()
    {
        (void)run_.run(controller_->stop());
        (void)run_.run(informers_.stop());
    }

    [[nodiscard]] std::vector<watch_event> changes()
    {
        std::vector<watch_event> out;
        for (std::size_t n = 0; n < names; ++n)
            out.push_back(kt::modified(kt::make_pod("web", "pod-" + std::to_string(n), std::to_string(++version_))));
        return out;
    }
    void round(std::vector<watch_event> events)
    {
        watch_.send(std::move(events));
        run_.run_until_idle();
    }
    [[nodiscard]] std::size_t runs() const noexcept { return runs_; }

private:
    kt::runner run_;
    std::shared_ptr<kt::scripted_provider> provider_;
    informer_factory informers_;
    kt::scripted_watch watch_;
    std::unique_ptr<controller<object>> controller_;
    std::size_t version_ = 1;
    std::size_t runs_ = 0;
};

/// Per event.
void controller_cycle(benchmark::State& state)
{
    const auto& choice = choices.at(static_cast<std::size_t>(state.range(0)));
    state.SetLabel(choice.label);
    world w(choice.make());
    allocation_report report(state);
    report.per_iteration(names);
    for (auto _ : state) {
        state.PauseTiming();
        auto events = w.changes();
        state.ResumeTiming();
        w.round(std::move(events));
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(w.runs()));
}
BENCHMARK(controller_cycle)->DenseRange(0, 3);

} // namespace

} // namespace kubecoro::bench
