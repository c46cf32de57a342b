#include "emit/sharing.hpp"

#include "model/layout.hpp"
#include "model/names.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace kubecoro::codegen {

namespace {

/// The parts of schemas by their content, and the message of each content that keeps its type.
class equal_parts
{
public:
    /// Adds a part. All that it holds was added before, but for cycles, whose parts equal no other.
    void add(const message& part)
    {
        const auto [found, is_new] = numbers_.try_emplace(content_of(part), names_.size());
        number_of_.emplace(part.name, found->second);
        if (is_new)
            names_.push_back(part.name);
        else if (auto& kept = names_[found->second]; is_before(part.name, kept))
            kept = part.name;
    }

    /// The message whose type this one has.
    [[nodiscard]] const std::string& type_of(const std::string& name) const
    {
        const auto found = number_of_.find(name);
        return found == number_of_.end() ? name : names_[found->second];
    }

private:
    static bool is_before(std::string_view a, std::string_view b)
    {
        return std::pair(a.size(), a) < std::pair(b.size(), b);
    }

    // Lengths stand before texts, which may have any character.
    static void append(std::string& to, std::string_view text)
    {
        to += std::to_string(text.size());
        to += ':';
        to += text;
    }

    // NOLINTNEXTLINE(misc-no-recursion): as deep as lists of lists
    void append_type(std::string& to, const value_shape& type) const
    {
        // A number of a part is no name of a message, which begins with a letter.
        const auto part = number_of_.find(type.message);
        append(to, part == number_of_.end() ? type.message : std::to_string(part->second));
        for (const auto& number : {static_cast<std::size_t>(type.kind), static_cast<std::size_t>(type.scalar),
                                   type.values.size(), type.of.size()})
            append(to, std::to_string(number));
        for (const auto& value : type.values) append(to, value);
        for (const auto& item : type.of) append_type(to, item);
    }

    [[nodiscard]] std::string content_of(const message& part) const
    {
        std::string out;
        append(out, type_name_of(part.name).space);
        append(out, part.property);
        append(out, part.description);
        for (const field& f : part.fields) {
            append(out, f.name);
            append_type(out, f.type);
            out += f.optional ? 'o' : ' ';
            out += f.required ? 'r' : ' ';
            append(out, f.description);
        }
        return out;
    }

    std::map<std::string, std::size_t> numbers_;
    std::map<std::string, std::size_t> number_of_;
    /// By number.
    std::vector<std::string> names_;
};

// NOLINTNEXTLINE(misc-no-recursion): as deep as lists of lists
void rename(value_shape& type, const equal_parts& parts)
{
    type.message = parts.type_of(type.message);
    for (auto& item : type.of) rename(item, parts);
}

} // namespace

shared_model share_equal_parts(const model& m, const std::vector<kind>& kinds)
{
    const message_order order(m, kinds);
    std::map<std::string, std::size_t> sizes;
    const auto each_part = [&](const auto& f) {
        for (const auto& group : order.groups())
            for (const auto& name : group)
                if (const message& part = m.messages.at(name); !part.property.empty()) f(part);
    };
    each_part([&](const message& part) { ++sizes[type_name_of(part.name).space]; });
    equal_parts parts;
    each_part([&](const message& part) {
        if (sizes.at(type_name_of(part.name).space) > most_own_types) parts.add(part);
    });
    shared_model out;
    out.types.source = m.source;
    // From the users to the used: the owner of a part is known before those of its own parts.
    std::map<std::string, std::string> owners;
    for (auto group = order.groups().rbegin(); group != order.groups().rend(); ++group)
        for (const auto& name : *group) {
            message kept = m.messages.at(name);
            const auto& owner = kept.property.empty() ? name : owners.at(name);
            for (field& f : kept.fields) {
                each_message(f.type, [&](const std::string& held) { owners.emplace(held, owner); });
                rename(f.type, parts);
            }
            if (const auto& type = parts.type_of(name); type != name)
                out.others[owner].push_back({name, type});
            else
                out.types.messages.emplace(name, std::move(kept));
        }
    for (auto& [owner, names] : out.others) std::ranges::sort(names, {}, &other_name::message);
    return out;
}

} // namespace kubecoro::codegen
