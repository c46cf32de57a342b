#pragma once
// A server with a live cluster beside it, in virtual time.
#include "support.hpp"

#include "live/live_cluster.hpp"

#include <optional>
#include <string>

namespace kubecoro::test {

struct live_server : server
{
    explicit live_server(std::size_t nodes = 1) : live(state, nodes, now) {}

    apiserver::live::live_cluster live;

    /// Does all that is due now. @return when there is more to do.
    std::optional<wall_time> settle()
    {
        for (int calls = 0; calls < 10'000; ++calls) {
            const auto next = live.tick(now);
            if (!next || *next > now) return next;
        }
        FAIL("the cluster does not settle");
        return {};
    }
    void pass(std::chrono::seconds time)
    {
        const auto end = now + time;
        for (auto next = settle(); next && *next <= end; next = settle()) now = *next;
        now = end;
        settle();
    }
    json::value read(const std::string& at) { return expect(200, "GET", at); }
    std::size_t count(const std::string& at) { return read(at).at("items").as_array().size(); }
    std::int64_t number(const std::string& at, const std::string& pointer)
    {
        const auto object = read(at);
        boost::system::error_code ec;
        const auto* found = object.find_pointer(pointer, ec);
        return found ? found->as_int64() : 0;
    }
    std::string condition(const std::string& at, const std::string& type)
    {
        const auto object = read(at);
        for (const auto& c : object.at_pointer("/status/conditions").as_array())
            if (c.at("type") == json::string_view(type.data(), type.size()))
                return std::string(c.at("status").as_string()) + " " +
                       (c.as_object().contains("reason") ? std::string(c.at("reason").as_string()) : "");
        return "";
    }
};

} // namespace kubecoro::test
