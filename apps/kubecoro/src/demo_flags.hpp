// The flags of the demo, which is a verb of the tool and a program.
#pragma once

#include "commands.hpp"

#include <memory>

namespace CLI {
class App;
}

namespace kubecoro::tool {

struct demo_flags
{
    demo_command command = {};
    unsigned seconds = 0;
    bool no_colour = false;

    /// The command that the flags describe.
    /// @param colours  Whether the output may have colours.
    [[nodiscard]] demo_command parsed(bool colours, logger log) const;
};

/// Adds the flags to a command line.
[[nodiscard]] std::shared_ptr<demo_flags> add_demo_flags(CLI::App& app);

} // namespace kubecoro::tool
