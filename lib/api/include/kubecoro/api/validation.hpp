#pragma once

#include <kubecoro/api/crd.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/lifetime_bound.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

namespace detail {
struct compiled_schema;
} // namespace detail

/// A field that does not match the schema.
struct field_error
{
    /// As in a cause of a Status: "FieldValueRequired", "FieldValueInvalid", "FieldValueTypeInvalid",
    /// "FieldValueNotSupported", "FieldValueDuplicate", "FieldValueTooLong", "FieldValueTooMany", "InternalError".
    std::string reason;
    /// The path, such as "spec.rules[0].host". "<nil>" where the server names none.
    std::string field;
    /// The value as the server prints it, such as "\"x\"" or "5". Empty where it prints none.
    std::string bad_value = {};
    /// The rule that it breaks. May be empty.
    std::string detail = {};

    /// The server's words, such as "Required value" or "Invalid value: 5: spec.replicas in body should be less than ...".
    [[nodiscard]] std::string message() const;
    /// The cause that a Status has for it.
    [[nodiscard]] status_cause cause() const { return {reason, message(), field}; }
};

/// Returns the Status with which a kube-apiserver refuses an invalid object: 422, with a message that lists the causes.
[[nodiscard]] server_status invalid_status(std::string_view kind, std::string_view group, std::string_view name,
                                           std::vector<status_cause> causes);

/// A value that is merged into an object: its members add to, and replace, those that are there.
enum class object_part
{
    /// A JSON merge patch: lists are replaced, and null removes.
    merge_patch,
    /// The body of a server-side apply: lists that are sets or maps are merged.
    applied
};

/** Checks an object of a built-in kind for members that the kind does not have, and for values of the wrong type, as a
    kube-apiserver does with `fieldValidation=Strict`. Values are not checked otherwise.

    The kinds and their fields are those that the library has C++ types for.
    @par Errors  cond::invalid. Its status() has the server's words: `strict decoding error: unknown field "spec.foo"`.
                 cond::not_found for objects of other kinds. */
[[nodiscard]] result<> check_built_in(const boost::json::value& object);

/** The schema of a kind, compiled to check objects as a kube-apiserver does, before they are sent or without a server.

        auto schema = object_schema::of<web_site>().value();           // a described or generated struct
        auto schema = object_schema::of_crd(definition, "v1").value(); // a CustomResourceDefinition
        if (auto valid = schema.check(site); !valid) log(valid.error().describe());

    Fields, words and order are the server's, except that it goes through the members of an object in no order, and this
    sorts them by name. Checked are types, `nullable`, `required`, `enum`, bounds, lengths, `pattern`, `format`,
    `uniqueItems`, `allOf`, `anyOf`, `oneOf`, `not`, lists that are sets or maps, int-or-string, and kind and apiVersion of
    embedded resources. Metadata is not, nor are CEL rules: cel::object_validator and webhooks do, check() fails with them.

    Limits: 100 levels and 200,000 parts of a schema; a refusal has at most 100 errors and about 1 MiB of text; checks
    beyond about 50 million steps end with an "InternalError". Patterns match in linear time.

    An immutable value; copies share one compiled schema. May be used from several threads. */
class object_schema
{
public:
    /// A CEL rule (`x-kubernetes-validations`), which the server evaluates.
    struct rule
    {
        /// The field, with `[*]` for items and for members of any name: "spec.rules[*]". Empty for the whole object.
        std::string field;
        /// The expression.
        std::string text;
    };

    /** Compiles the schema of a version of a CustomResourceDefinition.
        Errors: cond::not_found if the definition has no such version, cond::invalid for what is no definition or no
        schema, with the path. */
    [[nodiscard]] static result<object_schema> of_crd(const boost::json::value& definition, std::string_view version);

    /** Compiles a structural schema, the content of `openAPIV3Schema`.
        @param resource  Named in refusals.
        Errors: cond::invalid with the path: a pattern that does not compile, `$ref` and what else structural schemas
        cannot have, a schema beyond the limits. */
    [[nodiscard]] static result<object_schema> of_schema(const boost::json::value& schema, resource_type resource = {});

    /// Compiles the schema that a described or generated struct has, as definition_of() writes it, with its errors.
    template<detail::kind_struct T>
    [[nodiscard]] static result<object_schema> of(const crd_options& options = {})
    {
        auto definition = definition_of<T>(options);
        if (!definition) return definition.error();
        return of_crd(*definition, T::resource().version);
    }

    /** Checks an object that is to be created.
        Errors: cond::invalid. Its status() is the Status that the server would answer with, with a cause for each
        field. cond::misconfigured for an object that nothing is wrong with but the rules(), which were not evaluated. */
    [[nodiscard]] result<> check(const boost::json::value& object) const;

    /** Checks an object that is to replace another one. Like the server, it forgives values that are invalid but have
        not changed.
        Errors: as those of the other one. */
    [[nodiscard]] result<> check(const boost::json::value& object, const boost::json::value& before) const;

    /// Returns what check() puts into its status(): all that is wrong with the object but for rules().
    [[nodiscard]] std::vector<field_error> structural_errors(const boost::json::value& object) const;
    /// The same for an object that is to replace another one.
    [[nodiscard]] std::vector<field_error> structural_errors(const boost::json::value& object,
                                                             const boost::json::value& before) const;

    /** Returns the errors that an object would have whatever else is in it, once this part is merged into it: wrong types,
        and values that no merge completes. Required members, alternatives, and sizes of objects are not among them. Values
        that no merge completes, such as items of lists, are checked as the server completes them: without nulls that are
        not allowed, and with defaults. */
    [[nodiscard]] std::vector<field_error> structural_errors(const boost::json::value& part, object_part kind) const;
    /// The same for a part of which the object is known that it is merged into: values that do not change are forgiven.
    [[nodiscard]] std::vector<field_error> structural_errors(const boost::json::value& part, object_part kind,
                                                             const boost::json::value& before) const;

    /// Returns the paths of the members that the schema does not know, sorted; the server drops them. kind, apiVersion
    /// and metadata are known.
    [[nodiscard]] std::vector<std::string> unknown_fields(const boost::json::value& object) const;

    /// Removes the members that unknown_fields() reports.
    void prune(boost::json::value& object) const;

    /** Adds the `default`s of members that are absent, or null where that is not allowed. Other nulls stay, and are errors if
        they are not allowed: see drop_nulls().
        Errors: cond::invalid when the defaults grow beyond 8 MiB. The object then has some of them. */
    [[nodiscard]] result<> fill_defaults(boost::json::value& object) const;

    /// Removes members that are null where that is not allowed and that have no default. The server does so with each body
    /// that it reads, before it adds defaults.
    void drop_nulls(boost::json::value& object) const;

    /// Returns the errors of the defaults in the schema itself. Paths begin with `path`.
    [[nodiscard]] std::vector<field_error> errors_in_defaults(std::string_view path) const;

    /// The CEL rules, none of which any function here evaluates.
    [[nodiscard]] const std::vector<rule>& rules() const noexcept;

    /// The resource whose objects it describes.
    [[nodiscard]] const resource_type& resource() const noexcept;

    /// Whether writes of objects leave the status alone, because it has a subresource of its own. Known of definitions, and
    /// of the structs that they are made of.
    [[nodiscard]] bool has_status_subresource() const noexcept;

    /// The schema that it was compiled from.
    [[nodiscard]] const boost::json::value& text() const noexcept KUBECORO_LIFETIME_BOUND;

private:
    explicit object_schema(std::shared_ptr<const detail::compiled_schema> compiled) : compiled_(std::move(compiled)) {}

    std::shared_ptr<const detail::compiled_schema> compiled_;
};

} // namespace kubecoro
