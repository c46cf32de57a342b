// Shows on standard error what a command waits for, once that takes longer than a second.
#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>

namespace kubecoro::tool {

/// Decides when a line is due. Sans-io.
class progress_core
{
public:
    /// Begins an operation, or changes its words; the time counts from the first words after done().
    void doing(std::string what, time_point now);
    void done();
    /// "listing pods (3 s)", from one second on.
    [[nodiscard]] std::optional<std::string> line(time_point now) const;

private:
    std::string what_;
    time_point begun_ = {};
};

enum class progress_mode
{
    /// If standard error is a terminal.
    automatic,
    always,
    never
};

/// Prints the line again each second in the same place of a terminal; elsewhere each time the words have changed.
class progress
{
public:
    explicit progress(progress_mode mode, std::shared_ptr<time_source> time = real_clock());
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress() { clear(); }

    void doing(std::string what) { core_.doing(std::move(what), time_->now()); }
    void done();
    /// Removes the line from a terminal, so that output can follow.
    void clear();
    /// Runs until it is cancelled.
    [[nodiscard]] boost::asio::awaitable<result<>> run();

private:
    void show();

    std::shared_ptr<time_source> time_;
    progress_core core_;
    bool on_;
    bool terminal_;
    /// A line is on the terminal.
    bool shown_ = false;
    std::string last_;
};

} // namespace kubecoro::tool
