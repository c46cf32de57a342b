#include "requests.hpp"

#include "program_allocations.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/json.hpp>

#include <chrono>
#include <utility>

#include <unistd.h>

namespace kubecoro::bench {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t prepared = 100;
constexpr std::string_view label = "bench";

std::string prepared_name(std::size_t number) { return "bench-" + std::to_string(number % prepared); }

/// A config map of four values of 256 bytes.
json::value config_map_of(const std::string& name, std::string_view kept, std::string first)
{
    const std::string value(256, 'v');
    first.resize(value.size(), 'v');
    return json::value{{"apiVersion", "v1"},
                       {"kind", "ConfigMap"},
                       {"metadata", {{"name", name}, {"labels", {{label, kept}}}}},
                       {"data", {{"a", first}, {"b", value}, {"c", value}, {"d", value}}}};
}

failure empty_answer() { return failure(cond::corrupt, "an empty answer"); }

} // namespace

requests::requests(asio::any_io_executor executor, client to)
    : executor_(executor),
      objects_(std::move(to), untyped::config_map::resource(), "default"),
      run_(std::to_string(getpid())),
      watches_(executor)
{
}

asio::awaitable<result<>> requests::line(request_kind kind, std::shared_ptr<std::size_t> next, std::size_t count)
{
    while (*next < count)
        if (auto done = co_await (this->*kind)((*next)++); !done) {
            *next = count;
            co_return done;
        }
    co_return result<>();
}

asio::awaitable<result<request_figures>> requests::many(request_kind kind, std::size_t in_flight, std::size_t count)
{
    const auto before = program_allocations();
    const auto begin = std::chrono::steady_clock::now();
    auto next = std::make_shared<std::size_t>(0);
    task_group lines(executor_);
    for (std::size_t i = 0; i < in_flight; ++i) lines.spawn("requests", line(kind, next, count));
    if (auto joined = co_await lines.join(); !joined) co_return joined.error();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    const auto now = program_allocations();
    if (auto all = lines.first_failure(); !all) co_return all.error();
    co_return request_figures{
        .wall_s = wall.count(), .allocations = now.calls - before.calls, .allocated_bytes = now.bytes - before.bytes};
}

asio::awaitable<result<>> requests::get(std::size_t number)
{
    KUBECORO_TRY(auto got, co_await objects_.get(prepared_name(number)));
    if (got["data"]["a"].as_string().empty()) co_return empty_answer();
    co_return result<>();
}

asio::awaitable<result<>> requests::create(std::size_t)
{
    json_text body = config_map_of("bench-made-" + run_ + "-" + std::to_string(changes_++), "made", {});
    KUBECORO_TRY(auto made, co_await objects_.create(std::move(body)));
    if (made.resource_version().empty()) co_return empty_answer();
    co_return result<>();
}

asio::awaitable<result<>> requests::update(std::size_t number)
{
    const auto name = prepared_name(number);
    json_text body = config_map_of(name, "prepared", run_ + "-" + std::to_string(changes_++));
    KUBECORO_TRY(co_await objects_.update(name, std::move(body)));
    co_return result<>();
}

asio::awaitable<result<>> requests::watch(std::size_t count)
{
    KUBECORO_TRY(auto present, co_await objects_.list({.limit = 1}));
    for (std::size_t i = 0; i < count; ++i) {
        watch_options from{.field_selector = "metadata.name=" + prepared_name(i),
                           .resource_version = present.resource_version};
        KUBECORO_TRY(auto open, co_await objects_.watch(from));
        watches_.spawn("watch", read(std::move(open)));
    }
    co_return result<>();
}

asio::awaitable<result<>> requests::read(std::unique_ptr<watch_stream> open)
{
    for (;;) {
        auto batch = co_await open->next();
        if (!batch || batch->empty()) {
            reached_.settle(batch ? failure(cond::unreachable, "a watch has ended") : batch.error());
            co_return result<>();
        }
        for (const auto& event : *batch)
            if (event.type == watch_event_type::modified) ++seen_;
        look();
    }
}

void requests::look()
{
    if (goal_ != 0 && seen_ >= goal_) reached_.settle({});
}

asio::awaitable<result<>> requests::events(std::uint64_t count)
{
    goal_ = count;
    look();
    co_return co_await reached_.wait();
}

asio::awaitable<result<>> requests::stop()
{
    watches_.stop();
    co_return co_await watches_.join();
}

asio::awaitable<result<>> requests::prepare()
{
    for (std::size_t i = 0; i < prepared; ++i) {
        json_text body = config_map_of(prepared_name(i), "prepared", {});
        auto made = co_await objects_.create(std::move(body));
        if (!made && made.error() != cond::already_exists) co_return made.error();
    }
    co_return result<>();
}

asio::awaitable<result<>> requests::clear()
{
    KUBECORO_TRY(co_await objects_.remove_collection({.label_selector = std::string(label) + "=made"}));
    co_return result<>();
}

} // namespace kubecoro::bench
