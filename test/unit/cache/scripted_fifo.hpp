#pragma once
// The FIFO core with short forms of its inputs, as tests write them.

#include "fifo/delta_fifo_core.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cache_test {

using kubecoro::delta;
using kubecoro::delta_type;
using kubecoro::object;

class scripted_fifo : public kubecoro::detail::delta_fifo_core
{
public:
    using delta_fifo_core::delta_fifo_core;

    std::size_t add()
    {
        add_scope(next_);
        return next_++;
    }
    bool push(delta_type type, object o, std::size_t scope = 0)
    {
        delta d{.type = type, .obj = std::move(o), .scope = scope};
        return delta_fifo_core::push(d);
    }
    void replace(std::size_t scope, std::vector<object> items, std::string version)
    {
        delta d{.type = delta_type::replaced_all, .scope = scope};
        d.resource_version = std::move(version);
        d.all =
            std::make_shared<kubecoro::delta::replaced_list>(kubecoro::delta::replaced_list{.items = std::move(items)});
        static_cast<void>(delta_fifo_core::push(d));
    }
    void version(std::size_t scope, std::string version)
    {
        delta d{.type = delta_type::version, .scope = scope};
        d.resource_version = std::move(version);
        static_cast<void>(delta_fifo_core::push(d));
    }
    void sync(std::uint64_t target)
    {
        delta d{.type = delta_type::sync_all};
        d.target = target;
        static_cast<void>(delta_fifo_core::push(d));
    }
    std::vector<delta> pop()
    {
        auto next = delta_fifo_core::pop();
        dropped += next.dropped;
        return std::move(next.batch);
    }

    kubecoro::detail::delta_load dropped;

private:
    std::size_t next_ = 0;
};

} // namespace cache_test
