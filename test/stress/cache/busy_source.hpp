#pragma once
// Sources that change continually, and whose watches break in every way.

#include <kubecoro/api/list_watch_source.hpp>
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/testing/objects.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace stress {

namespace kt = kubecoro::testing;

/// The server's state, and the number of batches still to come.
struct server
{
    std::mutex mutex;
    std::mt19937_64 random{1};
    std::map<std::string, kubecoro::object> objects;
    std::uint64_t version = 1;
    int batches_left = 0;
    std::size_t keys = 50;
    /// The namespace of all objects; empty = three namespaces, by name.
    std::string only_ns = {};

    /// Makes one random change and returns its event. Call under mutex.
    kubecoro::watch_event change()
    {
        const std::string name = only_ns + "p" + std::to_string(random() % keys);
        const auto at = objects.find(name);
        const std::string next = std::to_string(++version);
        if (at == objects.end()) {
            auto o = make(name, next, "u" + next);
            objects.emplace(name, o);
            return kt::added(std::move(o));
        }
        auto o = make(name, next, std::string(at->second.uid()));
        if (random() % 4 == 0) {
            objects.erase(at);
            return kt::deleted(std::move(o));
        }
        at->second = o;
        return kt::modified(std::move(o));
    }

    kubecoro::object make(std::string name, std::string at, std::string uid)
    {
        return kt::make_object({.ns = only_ns.empty() ? "n" + std::to_string(name.back() % 3) : only_ns,
                                .name = std::move(name),
                                .resource_version = std::move(at),
                                .uid = std::move(uid),
                                .labels = {{"app", "a" + std::to_string(random() % 4)}},
                                .members = {}});
    }
};

class busy_stream final : public kubecoro::watch_stream
{
public:
    explicit busy_stream(std::shared_ptr<server> s) : server_(std::move(s)) {}

    boost::asio::awaitable<kubecoro::result<std::vector<kubecoro::watch_event>>> next() override
    {
        co_await boost::asio::post(boost::asio::use_awaitable);
        std::vector<kubecoro::watch_event> batch;
        {
            std::lock_guard lock(server_->mutex);
            if (server_->batches_left > 0) {
                --server_->batches_left;
                const auto fate = server_->random() % 200;
                if (fate == 0) co_return batch;
                if (fate == 1) co_return kubecoro::failure(kubecoro::cond::unreachable, "reset");
                for (auto n = 1 + server_->random() % 8; n > 0; --n) batch.push_back(server_->change());
                if (fate == 2) {
                    batch.push_back(kt::error_event(410, "Expired"));
                    for (int unseen = 0; unseen < 20; ++unseen) server_->change();
                }
            }
        }
        if (!batch.empty()) co_return batch;
        co_await kubecoro::sleep_for(*kubecoro::real_clock(), std::chrono::hours{1});
        co_return kubecoro::failure(kubecoro::cond::cancelled);
    }

private:
    std::shared_ptr<server> server_;
};

class busy_source final : public kubecoro::list_watch_source
{
public:
    explicit busy_source(std::shared_ptr<server> s) : server_(std::move(s)) {}

    boost::asio::awaitable<kubecoro::result<kubecoro::list_page>> list(kubecoro::list_options) override
    {
        co_await boost::asio::post(boost::asio::use_awaitable);
        std::lock_guard lock(server_->mutex);
        std::vector<kubecoro::object> items;
        for (const auto& [name, o] : server_->objects) items.push_back(o);
        co_return kt::make_page(std::move(items), std::to_string(server_->version));
    }

    boost::asio::awaitable<kubecoro::result<std::unique_ptr<kubecoro::watch_stream>>>
    watch(kubecoro::watch_options options) override
    {
        co_await boost::asio::post(boost::asio::use_awaitable);
        std::lock_guard lock(server_->mutex);
        if (options.resource_version != std::to_string(server_->version)) co_return kt::server_failure(410, "Expired");
        co_return std::make_unique<busy_stream>(server_);
    }
    std::string describe() const override { return "busy pods"; }

private:
    std::shared_ptr<server> server_;
};

/// A source of complete states only: every watch expires at once, every list is of one generation.
class relisting_source final : public kubecoro::list_watch_source
{
public:
    explicit relisting_source(std::size_t objects) : objects_(objects) {}

    boost::asio::awaitable<kubecoro::result<kubecoro::list_page>> list(kubecoro::list_options) override
    {
        co_await boost::asio::post(boost::asio::use_awaitable);
        const std::string version = std::to_string(++version_);
        std::vector<kubecoro::object> items;
        for (std::size_t i = 0; i < objects_; ++i)
            items.push_back(kt::make_pod("web", "p" + std::to_string(i), version));
        co_return kt::make_page(std::move(items), version);
    }
    boost::asio::awaitable<kubecoro::result<std::unique_ptr<kubecoro::watch_stream>>>
    watch(kubecoro::watch_options) override
    {
        co_await boost::asio::post(boost::asio::use_awaitable);
        co_return kt::server_failure(410, "Expired");
    }
    std::string describe() const override { return "relisted pods"; }

private:
    std::size_t objects_;
    std::uint64_t version_ = 0;
};

struct one_source final : kubecoro::source_provider
{
    one_source(boost::asio::any_io_executor e, std::shared_ptr<kubecoro::list_watch_source> s)
        : where(std::move(e)), source(std::move(s))
    {
    }
    std::shared_ptr<kubecoro::list_watch_source> open(const kubecoro::resource_type&,
                                                      const kubecoro::source_scope&) override
    {
        return source;
    }
    boost::asio::any_io_executor executor() const override { return where; }

    boost::asio::any_io_executor where;
    std::shared_ptr<kubecoro::list_watch_source> source;
};

/// Namespaces that change independently.
struct busy_namespaces final : kubecoro::source_provider
{
    busy_namespaces(boost::asio::any_io_executor e, int count, int batches) : where(std::move(e))
    {
        for (int i = 0; i < count; ++i) {
            auto s = std::make_shared<server>();
            s->only_ns = "n" + std::to_string(i);
            s->batches_left = batches;
            servers.emplace(s->only_ns, std::move(s));
        }
    }
    std::shared_ptr<kubecoro::list_watch_source> open(const kubecoro::resource_type&,
                                                      const kubecoro::source_scope& scope) override
    {
        return std::make_shared<busy_source>(servers.at(scope.ns));
    }
    boost::asio::any_io_executor executor() const override { return where; }

    boost::asio::any_io_executor where;
    std::map<std::string, std::shared_ptr<server>> servers;
};

} // namespace stress
