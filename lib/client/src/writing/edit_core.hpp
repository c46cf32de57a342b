// Decides the steps of a write that depends on the present state. Sans-io.
#pragma once

#include <kubecoro/base/retry.hpp>
#include <kubecoro/client/writing.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <variant>

namespace kubecoro::detail {

/// The differences between the verbs.
struct edit_rules
{
    /// When there is no such object.
    enum class absence
    {
        /// It is created.
        create,
        /// That is a failure.
        fail,
        /// That is the outcome.
        accept
    };

    resource_type type;
    object_key key;
    absence absent = absence::fail;
    /// Changes go as a merge patch, not as the whole object.
    bool patches = false;
    /// Only the object with this uid exists; empty = any.
    std::string uid = {};
    /// Only the status may change.
    bool status_only = false;
};

/** Read, edit, write, and again after conflicts.

    Each function returns the next step to perform, whose outcome is the argument of the next call. */
class edit_core
{
public:
    /// Get the object; then have_read().
    struct read
    {
    };
    /// Post this object; then have_written().
    struct create
    {
        boost::json::object body;
    };
    /// Put this object; then have_written().
    struct update
    {
        boost::json::object body;
    };
    /// Send this merge patch; then have_written().
    struct patch
    {
        boost::json::object body;
    };
    /// Wait; then have_waited().
    struct wait
    {
        duration length;
    };
    using step = std::variant<read, create, update, patch, wait, result<written>>;

    edit_core(edit_rules rules, object_edit edit, retry_policy retry);

    /// @param known  Where to begin; null = read first.
    [[nodiscard]] step begin(object known);
    [[nodiscard]] step have_read(result<object> found);
    [[nodiscard]] step have_written(result<object> stored);
    [[nodiscard]] step have_waited();

private:
    [[nodiscard]] step no_object(failure why);
    [[nodiscard]] step edited(const object& o);
    [[nodiscard]] step write_of(const object& o, const boost::json::object& before, boost::json::object after) const;
    [[nodiscard]] step outcome(object stored) const;
    [[nodiscard]] step again(const failure& why);

    edit_rules rules_;
    object_edit edit_;
    retry_plan plan_;
    write_effect doing_ = write_effect::unchanged;
    /// The version of the object that was edited.
    std::string edited_version_;
    /// False for an object from an informer, which may have left fields out: replacing it would delete them.
    bool seen_whole_ = true;
};

} // namespace kubecoro::detail
