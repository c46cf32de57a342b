// A sub-command as main() sees it, and the surroundings in which it runs.
#pragma once

#include "cli/progress.hpp"
#include "output.hpp"
#include "program.hpp"

#include <kubecoro/base/log.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace CLI {
class App;
}

namespace kubecoro::tool {

/// The surroundings of a running verb; its members outlive it.
struct verb_context
{
    program_context program;
    output& out;
    progress& waiting;
    logger log;
    /// Standard output is a terminal: text from servers must not control it.
    bool terminal = false;
    bool colours = false;

    /// Prints text as it is.
    void print(std::string_view text) const;
    /// Prints a line.
    void line(std::string_view text) const;
    /// Prints a line on standard error.
    void note(std::string_view text) const;
    /// Says what the verb waits for, in words that fit after "kubecoro is".
    void doing(std::string what) const { waiting.doing(std::move(what)); }
};

/// A sub-command.
struct verb
{
    std::string name;
    /// Finds mistakes of usage before anything else happens; null = none. Exit status 2.
    std::function<result<>()> check = {};
    std::function<boost::asio::awaitable<result<>>(verb_context)> run;
    /// It ends by itself when program_context::stop is settled; others are cancelled.
    bool stops_itself = false;
    /// Warnings are logged only with -v.
    bool quiet = false;
};

/// A sub-command of its flags, which `check` may parse.
template<class Flags>
[[nodiscard]] verb make_verb(std::string name, std::shared_ptr<Flags> flags, result<> (*check)(Flags&),
                             boost::asio::awaitable<result<>> (*run)(std::shared_ptr<Flags>, verb_context))
{
    verb out;
    out.name = std::move(name);
    out.check = [flags, check] { return check(*flags); };
    out.run = [flags, run](verb_context context) { return run(flags, std::move(context)); };
    return out;
}

/// Runs a verb to its end. A failure to write the output has precedence over its outcome.
[[nodiscard]] boost::asio::awaitable<result<>> run_verb(const verb& v, program_context program, logger log,
                                                        progress_mode mode);

/** Collects the failures of a verb that goes on after the first one.

    All but the last are printed at once; the last becomes the outcome of the verb, which main() prints. */
class problems
{
public:
    explicit problems(const verb_context& context) : context_(context) {}
    void add(failure f);
    [[nodiscard]] result<> outcome() const { return last_ ? result<>(*last_) : result<>(); }

private:
    const verb_context& context_;
    std::optional<failure> last_;
};

} // namespace kubecoro::tool
