#pragma once
// Test fixture: a watcher of pods over a scripted source, in virtual time.

#include "object_names.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/cache/watcher.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/recording.hpp>
#include <kubecoro/testing/scripted_source.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace watcher_test {

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace kubecoro;
using namespace std::chrono_literals;
using cache_test::name_of;
using kubecoro::untyped::pod;
using lines = std::vector<std::string>;

/// One line for each event, and one for the version.
inline lines text_of(const watcher_batch<>& batch)
{
    lines out;
    for (const auto& e : batch.events)
        out.push_back(std::string(to_string(e.type)) + (e.obj ? " " + name_of(e.obj) : ""));
    for (const auto& o : batch.left_out) out.push_back("left out " + to_string(o.key));
    if (!batch.resource_version.empty()) out.push_back("@" + batch.resource_version);
    return out;
}

struct watching
{
    kt::runner run;
    kt::recording_logger log;
    std::shared_ptr<kt::scripted_provider> provider =
        std::make_shared<kt::scripted_provider>(run.executor(), run.shared_clock());
    std::vector<failure> heard;
    std::optional<watcher<>> pods;

    reflector_options options()
    {
        return {.on_failure = [this](const failure& f) { heard.push_back(f); }, .log = log.handle(), .seed = 7};
    }
    kt::scripted_source& source() { return *provider->source(pod::resource()); }
    void begin() { begin(options()); }
    void begin(reflector_options o) { pods.emplace(provider, pod::resource(), std::move(o)); }

    /// The next batch; its failure's condition if there is none.
    lines next(watcher<>& w)
    {
        auto batch = run.run(w.next());
        return batch ? text_of(*batch) : lines{"failed: " + batch.error().describe()};
    }
    lines next() { return next(*pods); }
    /// True when no batch is ready.
    bool waits()
    {
        const auto t = run.spawn(pods->next());
        run.run_until_idle();
        const bool waiting = !t.done();
        t.cancel();
        run.run_until_idle();
        return waiting && t.done();
    }
    /// Synced at version 5 with web/a, with an open watch.
    kt::scripted_watch to_watch()
    {
        source().on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
        auto watch = source().on_watch();
        begin();
        CHECK(next() == lines{"init_begins", "listed web/a@1", "init_done", "@5"});
        return watch;
    }
    ~watching()
    {
        pods.reset();
        run.run_until_idle();
    }
};

inline list_page page_of(const std::string& name, const std::string& version, std::string token = {})
{
    return kt::make_page({kt::make_pod("web", name, "1")}, version, std::move(token));
}

inline asio::awaitable<result<>> read_all(watcher<>& w, lines& seen)
{
    while (auto batch = co_await w.next())
        for (auto& line : text_of(*batch)) seen.push_back(std::move(line));
    co_return result<>{};
}

} // namespace watcher_test
