#include "view_check_writer.hpp"

#include "emit/sharing.hpp"
#include "model/layout.hpp"
#include "model/names.hpp"

#include <algorithm>
#include <set>

namespace kubecoro::test {

namespace {

/// Escapes all but letters, digits and spaces.
std::string quote(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (plain) {
            out += c;
            continue;
        }
        const auto code = static_cast<unsigned char>(c);
        out += '\\';
        for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + (code >> shift) % 8);
    }
    return out + '"';
}

std::string body_of(const codegen::message& m, bool exists)
{
    const std::string whole = "    c.compare(v.untyped(), &whole);\n";
    if (exists) return "    const boost::json::value whole = in;\n" + whole;
    const auto names = codegen::member_names(m);
    std::string out = names.empty() ? "    static_cast<void>(c), static_cast<void>(v), static_cast<void>(in);\n" : "";
    for (std::size_t i = 0; i < names.size(); ++i)
        out += "    c.field(" + quote(m.fields[i].name) + ", v." + names[i] + "(), in);\n";
    return out;
}

/// The messages that the kinds need, in order.
std::set<std::string> messages_of(const codegen::model& m, const std::vector<codegen::kind>& kinds)
{
    std::set<std::string> out;
    std::vector<std::string> open;
    const auto add = [&](const std::string& name) {
        if (out.insert(name).second) open.push_back(name);
    };
    for (const auto& kind : kinds) add(kind.message);
    while (!open.empty()) {
        const auto name = open.back();
        open.pop_back();
        for (const auto& field : m.messages.at(name).fields) codegen::each_message(field.type, add);
    }
    return out;
}

} // namespace

view_check_code view_checks(const codegen::model& m, const std::vector<codegen::kind>& kinds, const std::string& folder,
                            const std::function<bool(const std::string&)>& exists)
{
    view_check_code out;
    out.header = "#pragma once\n\n#include <" + folder +
                 "/all_kinds.hpp>\n#include <kubecoro/test/view_checks.hpp>\n\nnamespace kubecoro::test {\n\n";
    out.source = "#include \"view_fields.hpp\"\n\nnamespace kubecoro::test {\n\n";
    // Parts that share a type share its check.
    const auto types = codegen::share_equal_parts(m, kinds).types;
    for (const auto& name : messages_of(types, kinds)) {
        const auto type = codegen::type_name_of(name).qualified();
        out.header += "template<>\nstruct view_fields<" + type + ">\n{\n    static void check(view_checker& c, view<" +
                      type + "> v, const boost::json::object& in);\n};\n";
        out.source += "void view_fields<" + type + ">::check(view_checker& c, view<" + type +
                      "> v, const boost::json::object& in)\n{\n" +
                      body_of(types.messages.at(name), exists && exists(name)) + "}\n";
    }
    out.header += "\n} // namespace kubecoro::test\n";
    out.source += "\n} // namespace kubecoro::test\n";
    return out;
}

} // namespace kubecoro::test
