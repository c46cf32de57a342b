// The flags of verbs that write, and what they print.
#pragma once

#include "cli/verb.hpp"
#include "print/output_format.hpp"

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/api/resource.hpp>

#include <boost/json/array.hpp>

#include <string>
#include <string_view>

namespace kubecoro::tool {

/// --dry-run, alone or with a value: --dry-run=server, --dry-run=none.
struct dry_run_flag
{
    std::string text = "none";
    void add_to(CLI::App& app);
    [[nodiscard]] bool on() const { return text == "server"; }
    /// Put behind the words of what was done: " (server dry run)".
    [[nodiscard]] std::string_view note() const { return on() ? " (server dry run)" : ""; }
};

struct write_flags
{
    dry_run_flag dry_run = {};
    std::string field_manager = "kubecoro";
    field_validation validation = field_validation::strict;
    std::string format_text = {};
    /// Parsed by parse(). A table stands for one line per object.
    output_format format = {};

    /// --dry-run, --field-manager, --validate and -o.
    void add_to(CLI::App& app);
    [[nodiscard]] result<> parse();
};

/// Prints applied objects: a line for each, or all of them in another form at the end.
class written_objects
{
public:
    written_objects(const write_flags& flags, const verb_context& context) : flags_(flags), context_(context) {}
    void add(const resource_type& type, const object& o);
    void finish();

private:
    const write_flags& flags_;
    const verb_context& context_;
    boost::json::array objects_;
};

} // namespace kubecoro::tool
