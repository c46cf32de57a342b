#pragma once
// A reflector_sink that keeps the objects and records its calls, and the fixture that runs a public reflector into it.

#include "object_names.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/cache/reflector.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/every_step.hpp>
#include <kubecoro/testing/recording.hpp>
#include <kubecoro/testing/scripted_source.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace reflector_test {

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace kubecoro;
using namespace std::chrono_literals;
using cache_test::name_of;
using cache_test::names;
using kubecoro::untyped::pod;
using lines = std::vector<std::string>;

class recording_sink final : public reflector_sink
{
public:
    asio::awaitable<result<>> replace(std::vector<object> items, std::string version,
                                      std::vector<left_out_object> left_out) override
    {
        calls.push_back("replace " + std::to_string(items.size()) + "@" + version);
        if (auto taken = co_await take(); !taken) co_return taken;
        const auto before = std::exchange(content, {});
        for (const auto& o : left_out)
            if (const auto at = before.find(o.key); at != before.end()) content.insert(*at);
        for (const auto& o : items) content[object_key(o.key())] = o;
        co_return result<>{};
    }
    asio::awaitable<result<>> apply(std::vector<delta> changes, std::string version) override
    {
        calls.push_back("apply " + std::to_string(changes.size()) + "@" + version);
        if (auto taken = co_await take(); !taken) co_return taken;
        for (const auto& c : changes) {
            if (c.type == delta_type::deleted)
                content.erase(object_key(c.obj.key()));
            else
                content[object_key(c.obj.key())] = c.obj;
        }
        co_return result<>{};
    }

    /// The objects, sorted.
    [[nodiscard]] lines held() const
    {
        std::vector<object> all;
        for (const auto& [key, o] : content) all.push_back(o);
        return names(all);
    }
    lines take_calls() { return std::exchange(calls, {}); }

    lines calls;
    std::map<object_key, object> content;
    int failing = 0;
    int throwing = 0;
    int throwing_later = 0;
    /// Set: calls wait for it.
    std::optional<latch> stalled;
    int running = 0;
    int most_running = 0;

private:
    asio::awaitable<result<>> take()
    {
        const struct mark
        {
            explicit mark(recording_sink& s) : of(s) { of.most_running = std::max(of.most_running, ++of.running); }
            ~mark() { --of.running; }
            recording_sink& of;
        } m(*this);
        if (throwing > 0 && throwing-- > 0) throw std::bad_alloc();
        co_await asio::post(asio::use_awaitable);
        if (throwing_later > 0 && throwing_later-- > 0) throw std::bad_alloc();
        if (stalled) {
            if (auto freed = co_await stalled->wait(); !freed) co_return freed;
        }
        if (failing > 0 && failing-- > 0) co_return failure(cond::internal, "the disk is full");
        co_return result<>{};
    }
};

struct reflecting
{
    kt::runner run;
    kt::recording_logger log;
    std::shared_ptr<kt::scripted_provider> provider =
        std::make_shared<kt::scripted_provider>(run.executor(), run.shared_clock());
    std::shared_ptr<recording_sink> sink = std::make_shared<recording_sink>();
    std::vector<failure> heard;
    std::optional<reflector> pods;
    kt::task<void> running;

    reflector_options options()
    {
        return {.on_failure = [this](const failure& f) { heard.push_back(f); }, .log = log.handle(), .seed = 7};
    }
    kt::scripted_source& source() { return *provider->source(pod::resource()); }
    void begin() { begin(options()); }
    void begin(reflector_options o)
    {
        pods.emplace(provider, pod::resource(), std::move(o), sink);
        running = run.spawn(pods->run());
        run.run_until_idle();
    }
    /// Synced at version 5 with web/a, with an open watch.
    kt::scripted_watch to_watch()
    {
        source().on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
        auto watch = source().on_watch();
        begin();
        CHECK(sink->take_calls() == lines{"replace 1@5"});
        return watch;
    }
    ~reflecting()
    {
        if (pods) running.cancel();
        run.run_until_idle();
    }
};

} // namespace reflector_test
