#pragma once

#include "controller/controller_engine.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <utility>

namespace kubecoro::detail {

/// Shared by the coroutines of one source; says that it has ended when the last of them has, also by being destroyed.
class controller_engine::source_mark
{
public:
    /// @param strand  Of these coroutines; it goes with them, because it must not outlive its context.
    source_mark(controller_engine& engine, std::shared_ptr<controller_source> source,
                boost::asio::any_io_executor strand)
        : engine_(engine), source_(std::move(source)), strand_(std::move(strand))
    {
    }
    source_mark(const source_mark&) = delete;
    source_mark& operator=(const source_mark&) = delete;
    ~source_mark()
    {
        if (source_) engine_.note_ended(*source_);
    }
    /// The source was closed before anything of it began: somebody else has reported its end.
    void withdraw() noexcept { source_.reset(); }

    [[nodiscard]] controller_engine& engine() noexcept { return engine_; }
    [[nodiscard]] controller_source& source() noexcept { return *source_; }
    [[nodiscard]] const boost::asio::any_io_executor& strand() const noexcept { return strand_; }

private:
    controller_engine& engine_;
    std::shared_ptr<controller_source> source_;
    boost::asio::any_io_executor strand_;
};

} // namespace kubecoro::detail
