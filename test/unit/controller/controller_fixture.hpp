#pragma once
// A controller of pods over scripted sources, in virtual time.

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/scripted_informers.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/objects.hpp>
#include <kubecoro/testing/recording.hpp>
#include <kubecoro/testing/scripted_source.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace controller_test {

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace std::chrono_literals;
using namespace kubecoro;
using untyped::config_map;
using untyped::pod;
using lines = std::vector<std::string>;
using run_result = result<action>;
using run_task = asio::awaitable<run_result>;

/// Makes a reconciler from a plain function.
inline reconciler plain(std::function<run_result(const object_key&, reconcile_context&)> f)
{
    return [f = std::move(f)](const object_key& key, reconcile_context& context) -> run_task {
        co_return f(key, context);
    };
}

/// Declared before the informers, which use it until they are destroyed.
struct fixture_base
{
    kt::runner run;
};

struct fixture : fixture_base, kubecoro::test::scripted_informers
{
    kt::recording_logger log;
    std::shared_ptr<kt::recording_metrics> numbers = std::make_shared<kt::recording_metrics>();
    std::unique_ptr<controller<object>> subject;
    /// The runs, in order.
    lines seen;

    fixture() : scripted_informers(run) {}
    ~fixture()
    {
        if (subject) (void)run.run(subject->stop());
        subject.reset();
        CHECK(run.run(informers->stop()).has_value());
        CHECK(run.clock().waiting() == 0);
    }
    fixture(const fixture&) = delete;
    fixture& operator=(const fixture&) = delete;

    controller<object>& make(reconciler r, controller_options o = {})
    {
        if (!o.time) o.time = run.shared_clock();
        o.log = log.handle();
        o.metrics = numbers;
        if (o.name.empty()) o.name = "subject";
        subject = std::make_unique<controller<object>>(run.executor(), std::move(r), std::move(o));
        return *subject;
    }
    /// Makes a controller that records every key and succeeds.
    controller<object>& make_noting(controller_options o = {})
    {
        return make(plain([this](const object_key& key, reconcile_context&) -> run_result {
                        seen.push_back(to_string(key));
                        return action::done();
                    }),
                    std::move(o));
    }
    template<class Kind>
    kt::scripted_source& source()
    {
        return scripted_informers::source(Kind::resource());
    }
    /// Makes an informer of pods that lists `listed`, and its watch.
    std::pair<shared_informer<object>, kt::scripted_watch> pods(std::vector<object> listed, std::string version = "10")
    {
        source<pod>().on_list(kt::make_page(std::move(listed), std::move(version)));
        auto watch = source<pod>().on_watch();
        return {informers->get<pod>(), watch};
    }
    /// Starts everything and waits until runs begin.
    void begin()
    {
        informers->start();
        subject->start();
        REQUIRE(run.run(subject->ready()));
        run.run_until_idle();
    }
    void settle() { run.run_until_idle(); }
    lines take() { return std::exchange(seen, {}); }
    lines take_sorted()
    {
        auto out = take();
        std::sort(out.begin(), out.end());
        return out;
    }
    [[nodiscard]] double number(std::string_view name, metric_labels more = {}) const
    {
        metric_labels labels{{"controller", "subject"}};
        labels.insert(labels.end(), more.begin(), more.end());
        return numbers->value(name, labels);
    }
};

} // namespace controller_test
