#pragma once
// Test fixture: an informer of pods over a scripted source, in virtual time.

#include "object_names.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/scripted_informers.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/objects.hpp>
#include <kubecoro/testing/recording.hpp>
#include <kubecoro/testing/scripted_source.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace informer_test {

using namespace std::chrono_literals;
using cache_test::name_of;
using cache_test::names;
using kubecoro::untyped::pod;
namespace kt = kubecoro::testing;

/// Declared before the informers, which use both until they are destroyed.
struct fixture_base
{
    kt::runner run;
    kt::recording_logger log;

    kubecoro::factory_options logging(kubecoro::factory_options options) const
    {
        options.log = log.handle();
        return options;
    }
};

struct fixture : fixture_base, kubecoro::test::scripted_informers
{
    /// The calls of handlers, one line each.
    std::vector<std::string> seen;

    explicit fixture(kubecoro::factory_options options = {}) : scripted_informers(run, logging(std::move(options))) {}
    ~fixture()
    {
        if (!informers) return;
        auto stopped = run.run(informers->stop());
        CHECK(stopped.has_value());
    }
    fixture(const fixture&) = delete;
    fixture& operator=(const fixture&) = delete;

    kt::scripted_source& source(std::string ns = {})
    {
        return scripted_informers::source(pod::resource(), std::move(ns));
    }
    /// The server has web/a@1, at version 5. Returns the watch that follows.
    kt::scripted_watch with_one_pod()
    {
        source().on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
        return source().on_watch();
    }
    void settle() { run.run_until_idle(); }

    /// Returns a handler of plain functions that writes to `seen`, with the prefix `mark`.
    kubecoro::event_handler<> writer(std::string mark = {})
    {
        return {.on_add = [this, mark](const kubecoro::added<>& e) { seen.push_back(mark + line(e)); },
                .on_update = [this, mark](const kubecoro::updated<>& e) { seen.push_back(mark + line(e)); },
                .on_delete = [this, mark](const kubecoro::deleted<>& e) { seen.push_back(mark + line(e)); }};
    }
    std::vector<std::string> take() { return std::exchange(seen, {}); }

    static std::string text(const kubecoro::object& o) { return name_of(o); }
    static std::string line(const kubecoro::added<>& e)
    {
        return std::string(e.initial ? "initial " : "added ") + text(e.obj);
    }
    static std::string line(const kubecoro::updated<>& e)
    {
        return e.resync() ? "resync " + text(e.after)
                          : "updated " + text(e.before) + " > " + std::string(e.after.resource_version());
    }
    static std::string line(const kubecoro::deleted<>& e)
    {
        return std::string(e.final_state_unknown ? "lost " : "deleted ") + text(e.obj);
    }
};

using cache_test::sorted;

inline std::vector<std::string> content(const kubecoro::shared_informer<>& i) { return names(i.lister().list()); }

using lines = std::vector<std::string>;

} // namespace informer_test
