#pragma once

#include "controller/controller_engine.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <utility>

namespace kubecoro::detail {

/// Shared by the coroutines of one source; reports its end when the last of them ends, also by destruction.
class controller_engine::source_mark
{
public:
    /// @param strand  The strand of these coroutines; destroyed with them, because it must not outlive its context.
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
    /// Called when the source was closed before it opened: its end is reported elsewhere.
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
