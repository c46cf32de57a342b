// `kubecoro get --watch`: objects and their changes, a row or document for each version.
#include "verbs/get.hpp"

#include "print/objects.hpp"
#include "select/follow.hpp"

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

class row_printer
{
public:
    row_printer(const get_flags& flags, const verb_context& context, const resource_type& type)
        : flags_(flags), context_(context), type_(type), layout_(flags.layout)
    {
        layout_.wide = flags.format.kind == output_kind::wide;
        layout_.with_namespace = flags.objects.scope.all_namespaces && type.namespaced;
        style_.with_head = !flags.no_headers;
        style_.colours = context.colours;
    }

    void show(const std::vector<table::column>& columns, const std::vector<table::row>& rows)
    {
        if (!flags_.format.is_table()) {
            for (const auto& row : rows) context_.print(document_of(row.shown));
            return;
        }
        table part;
        part.columns = columns;
        part.rows = rows;
        context_.print(shown_.next(to_text_table(part, layout_), style_));
    }

private:
    std::string document_of(const object& o)
    {
        if (flags_.format.kind == output_kind::name) return object_name(type_prefix(type_), o.name()) + "\n";
        auto text = document_text(json_of(o, flags_.managed_fields), flags_.format, context_.terminal);
        if (flags_.format.kind == output_kind::yaml && documents_++ != 0) text.insert(0, "---\n");
        return text;
    }

    const get_flags& flags_;
    const verb_context& context_;
    const resource_type& type_;
    table_layout layout_;
    table_style style_;
    growing_table shown_;
    std::size_t documents_ = 0;
};

} // namespace

failure follows_one()
{
    return failure(cond::invalid, "--watch follows one type, or one object; `kubecoro watch` follows several");
}

asio::awaitable<result<>> get_and_watch(const get_flags& flags, const verb_context& context, located found)
{
    if (found.targets.size() != 1 || found.targets.front().names.size() > 1) co_return follows_one();
    const auto& of = found.targets.front();
    row_printer printer(flags, context, of.type);
    fetch_options options;
    options.selected = flags.objects.scope.selected();
    options.whole_objects = !flags.format.is_table();
    const row_sink show = [&](const auto& columns, const auto& rows) { printer.show(columns, rows); };
    co_return co_await follow_rows(found.api, of, options, context, !flags.watch_only, show);
}

} // namespace kubecoro::tool
