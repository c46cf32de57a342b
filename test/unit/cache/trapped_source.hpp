#pragma once
// Test fixture: an informer of pods whose source throws when the test wants it to.

#include "informer_fixture.hpp"

#include <new>

namespace informer_test {

using namespace kubecoro;

/// Throws the configured number of times.
struct trap
{
    int left = 0;
    void spring()
    {
        if (left == 0) return;
        --left;
        throw std::bad_alloc();
    }
};

struct traps
{
    trap list;
    trap later_list;
    trap watch;
    trap next;
    trap later_next;
    trap describe;
};

class trapped_stream final : public watch_stream
{
public:
    trapped_stream(std::unique_ptr<watch_stream> inner, std::shared_ptr<traps> t)
        : inner_(std::move(inner)), traps_(std::move(t))
    {
    }
    boost::asio::awaitable<result<std::vector<watch_event>>> next() override
    {
        traps_->next.spring();
        return go_on();
    }

private:
    boost::asio::awaitable<result<std::vector<watch_event>>> go_on()
    {
        traps_->later_next.spring();
        co_return co_await inner_->next();
    }
    std::unique_ptr<watch_stream> inner_;
    std::shared_ptr<traps> traps_;
};

/// A source that throws before it calls another one.
class trapped_source final : public list_watch_source
{
public:
    trapped_source(std::shared_ptr<list_watch_source> inner, std::shared_ptr<traps> t)
        : inner_(std::move(inner)), traps_(std::move(t))
    {
    }
    boost::asio::awaitable<result<list_page>> list(list_options options) override
    {
        traps_->list.spring();
        return go_on(std::move(options));
    }
    boost::asio::awaitable<result<std::unique_ptr<watch_stream>>> watch(watch_options options) override
    {
        traps_->watch.spring();
        return open(std::move(options));
    }
    [[nodiscard]] std::string describe() const override
    {
        traps_->describe.spring();
        return inner_->describe();
    }

private:
    boost::asio::awaitable<result<list_page>> go_on(list_options options)
    {
        traps_->later_list.spring();
        co_return co_await inner_->list(std::move(options));
    }
    boost::asio::awaitable<result<std::unique_ptr<watch_stream>>> open(watch_options options)
    {
        auto opened = co_await inner_->watch(std::move(options));
        if (!opened) co_return opened.error();
        co_return std::make_unique<trapped_stream>(std::move(*opened), traps_);
    }
    std::shared_ptr<list_watch_source> inner_;
    std::shared_ptr<traps> traps_;
};

class trapped_provider final : public source_provider
{
public:
    explicit trapped_provider(std::shared_ptr<kt::scripted_provider> inner) : inner_(std::move(inner)) {}
    std::shared_ptr<list_watch_source> open(const resource_type& r, const source_scope& s) override
    {
        opening.spring();
        return std::make_shared<trapped_source>(inner_->open(r, s), at);
    }
    [[nodiscard]] boost::asio::any_io_executor executor() const override { return inner_->executor(); }

    trap opening;
    std::shared_ptr<traps> at = std::make_shared<traps>();

private:
    std::shared_ptr<kt::scripted_provider> inner_;
};

/// An informer of pods whose source throws.
struct trapped_fixture : fixture
{
    std::shared_ptr<trapped_provider> trapping = std::make_shared<trapped_provider>(provider);
    std::unique_ptr<informer_factory> trapped;
    std::vector<failure> heard;

    trapped_fixture()
    {
        trapped = std::make_unique<informer_factory>(
            trapping, factory_options{.time = run.shared_clock(), .log = log.handle(), .seed = 7});
    }
    ~trapped_fixture() { CHECK(run.run(trapped->stop())); }
    traps& at() { return *trapping->at; }
    shared_informer<object> get(std::vector<std::string> namespaces = {})
    {
        informer_options o{.namespaces = std::move(namespaces)};
        o.on_failure = [this](const failure& f) { heard.push_back(f); };
        return trapped->get<pod>(std::move(o));
    }
};

} // namespace informer_test
