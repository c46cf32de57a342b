#pragma once

#include <kubecoro/api/validation.hpp>
#include <kubecoro/cel/validation_rules.hpp>

#include <boost/json/value.hpp>

#include <utility>
#include <vector>

namespace kubecoro::cel {

/** The schema of a kind together with its rules: checks objects as a kube-apiserver does before it stores them.

        auto valid = cel::object_validator::of(object_schema::of<site>().value()).value();
        if (auto kept = valid.check(object); !kept) log(kept.error().describe());
        hooks.validates<site>(valid); // as an admission webhook

    An immutable value; copies share schema and rules. May be used from several threads. */
class object_validator
{
public:
    /** Compiles the rules of a schema.
        Errors: cond::invalid with all that validation_rules::problems() finds. */
    [[nodiscard]] static result<object_validator> of(object_schema schema, const rule_limits& limits = {});

    /** Checks an object that is to be created.
        Errors: cond::invalid. Its status() is the Status that the server would answer with, with a cause for each field. */
    [[nodiscard]] result<> check(const boost::json::value& object) const;
    /// Checks an object that is to replace another one: values that have not changed are forgiven, and rules of transitions
    /// are evaluated. Errors: as those of the other one.
    [[nodiscard]] result<> check(const boost::json::value& object, const boost::json::value& before) const;

    /** Checks the object of an admission, for webhooks::validates(). A deletion is right.
        @param request  An admission of any kind. Errors: as those of check(). */
    template<class Admission>
        requires requires(const Admission& a) {
            a.now.untyped().to_json();
            a.before.untyped().to_json();
        }
    [[nodiscard]] result<> operator()(const Admission& request) const
    {
        if (!request.now) return {};
        if (!request.before) return check(request.now.untyped().to_json());
        return check(request.now.untyped().to_json(), request.before.untyped().to_json());
    }

    /// The schema.
    [[nodiscard]] const object_schema& schema() const noexcept { return schema_; }

private:
    object_validator(object_schema schema, validation_rules rules, const rule_limits& limits)
        : schema_(std::move(schema)), rules_(std::move(rules)), limits_(limits)
    {
    }
    [[nodiscard]] result<> settle(std::vector<field_error> errors, const boost::json::value& object,
                                  const boost::json::value* before) const;

    object_schema schema_;
    validation_rules rules_;
    rule_limits limits_;
};

} // namespace kubecoro::cel
