#pragma once
// A replica of one of the operators, in one namespace, until the scope ends.

#include "cluster.hpp"

#include <kubecoro/manager/manager.hpp>
#include <kubecoro/test/catch.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace kubecoro::e2e {

/// Runs what `set_up` adds to a manager, with the rights of `who`, and has it ready.
class running_operator
{
public:
    running_operator(cluster& c, const client& who, manager_options options,
                     const std::function<void(manager&)>& set_up)
        : cluster_(&c)
    {
        options.informers = impatient();
        subject_ = std::make_unique<manager>(who, std::move(options));
        set_up(*subject_);
        subject_->start();
        const auto ready = c.run(subject_->ready());
        if (!ready) FAIL(ready.error().describe());
    }
    ~running_operator()
    {
        const auto stopped = cluster_->run(subject_->stop());
        CHECK(stopped);
    }
    running_operator(const running_operator&) = delete;
    running_operator& operator=(const running_operator&) = delete;

private:
    cluster* cluster_;
    std::unique_ptr<manager> subject_;
};

} // namespace kubecoro::e2e
