#include "cli/write_flags.hpp"

#include "print/objects.hpp"
#include "select/resolve.hpp"

#include <CLI/CLI.hpp>

#include <map>

namespace kubecoro::tool {

void dry_run_flag::add_to(CLI::App& app)
{
    app.add_flag("--dry-run{server}", text, "The server checks the request and changes nothing; also --dry-run=none")
        ->check(CLI::IsMember({"server", "none"}));
}

void write_flags::add_to(CLI::App& app)
{
    static const std::map<std::string, field_validation> ways{{"strict", field_validation::strict},
                                                              {"warn", field_validation::warn},
                                                              {"ignore", field_validation::ignore},
                                                              {"client", field_validation::client}};
    dry_run.add_to(app);
    app.add_option("--field-manager", field_manager, "Owner of the fields that are set")->capture_default_str();
    app.add_option("--validate", validation,
                   "Unknown and duplicate fields: strict (default), warn, ignore; client: check each object by the "
                   "schema of its kind before it is sent")
        ->transform(CLI::Transformer(ways).description("strict|warn|ignore|client"));
    app.add_option("-o,--output", format_text, "Print the objects: json, yaml, name or jsonpath=TEMPLATE");
}

result<> write_flags::parse()
{
    auto parsed = parse_output_format(format_text);
    if (!parsed) return parsed.error();
    format = std::move(*parsed);
    return {};
}

void written_objects::add(const resource_type& type, const object& o)
{
    const auto name = object_name(type_prefix(type), o.name());
    if (flags_.format.is_table())
        context_.line(name + " applied" + std::string(flags_.dry_run.note()));
    else if (flags_.format.kind == output_kind::name)
        context_.line(name);
    else
        objects_.push_back(o.to_json());
}

void written_objects::finish()
{
    if (objects_.empty()) return;
    const auto document = objects_.size() == 1 ? objects_.front() : list_of(std::move(objects_));
    context_.print(document_text(document, flags_.format, context_.terminal));
}

} // namespace kubecoro::tool
