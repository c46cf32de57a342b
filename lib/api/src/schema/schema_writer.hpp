#pragma once
// Writes the schemas of structs, with the rules of their fields.

#include <kubecoro/api/detail/struct_type.hpp>
#include <kubecoro/api/field_rule.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// The place in a definition that is written, and the first thing that is wrong with it.
class schema_path
{
public:
    /// @param of  Begins each message: the kind and its version.
    explicit schema_path(std::string of) : of_(std::move(of)) {}

    /// Keeps the failure if it is the first one.
    void fail(std::string_view words)
    {
        if (problem_) return;
        problem_ = failure(cond::invalid, of_ + ": " + path_ + (path_.empty() ? "" : ": ") + std::string(words));
    }
    /// The first failure.
    [[nodiscard]] const std::optional<failure>& problem() const noexcept { return problem_; }

    /// Is within a part while it lives.
    class step
    {
    public:
        /// @param name  The name of a field; "[]" for the items of a list and the values of a map.
        step(schema_path& of, std::string_view name) : of_(of), before_(of.path_.size())
        {
            if (!of.path_.empty() && name != "[]") of.path_ += '.';
            of.path_ += name;
        }
        ~step() { of_.path_.resize(before_); }
        step(const step&) = delete;
        step& operator=(const step&) = delete;

    private:
        schema_path& of_;
        std::size_t before_;
    };

private:
    std::string of_;
    std::string path_;
    std::optional<failure> problem_;
};

/// The rules of one struct.
class field_rules
{
public:
    /// Collects them; fails for those that name no field.
    field_rules(const struct_type& type, schema_path& path);

    /// Adds the rules of a field to its schema. Fails for those that do not suit it.
    void apply(const struct_field& field, boost::json::object& schema) const;
    /// Adds the rules of the struct as a whole to its schema, likewise.
    void apply(boost::json::object& schema) const;
    /// Whether objects must have the field.
    [[nodiscard]] bool requires_field(const struct_field& field) const;

private:
    schema_path& path_;
    std::vector<field_rule> rules_;
};

/// Writes the structural schema of a struct.
class schema_writer
{
public:
    explicit schema_writer(schema_path& path) : path_(path) {}

    /// The schema of a kind. Without meaning if the path has a problem then.
    [[nodiscard]] boost::json::object root(const struct_type& type);

private:
    [[nodiscard]] boost::json::object schema_of(const value_type& type);
    [[nodiscard]] boost::json::object part(const struct_type& type);
    void add_fields(const struct_type& type, boost::json::object& schema);

    schema_path& path_;
    /// The structs that the place is within.
    std::vector<const struct_type*> within_;
};

} // namespace kubecoro::detail
