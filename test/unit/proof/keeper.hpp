#pragma once
// A small operator with a place for each of the faults that the check is to find.

#include <kubecoro/manager/manager.hpp>
#include <kubecoro/proof/check_operator.hpp>

namespace proof_test {

namespace kt = kubecoro::testing;

/// A defect, as studies of operators report it.
enum class planted
{
    nothing,
    /// Creates a child with a name that the server makes, and keeps the name in the status: an end in between leaves a second one.
    forgets_what_it_made,
    /// Counts the children of its store and creates those that are missing, under names that the server makes.
    trusts_its_store,
    /// Takes a child that is there for its own, also that of another owner.
    takes_what_is_there,
    /// Deletes all config maps that have its label at the end.
    deletes_by_label,
    /// The children have no owner, and nobody deletes them.
    leaves_children,
    /// The finalizer waits for something that never comes.
    never_finishes,
    /// The status has the time of the run.
    writes_in_each_run,
    /// Records an event in each run, one with a text of its own.
    tells_everything,
    /// Orders at a service without a key: when the answer is lost, it orders once more.
    orders_twice,
    /// No defect: orders under the name of the note.
    orders_once,
    /// The children have no owner; it deletes them at the end, and does not look whether that has succeeded.
    swallows_failures,
    /// Takes a refusal for the last word: no further run when a quota or a policy has refused the child.
    gives_up_when_refused,
    /// Does not watch its children.
    ignores_children,
    /// Leaves a child as it is when the text has changed.
    keeps_the_first_text,
    /// Its controller needs no leadership.
    works_without_leading,
    /// A run goes round without waiting for anything.
    never_waits,
    /// Throws where a field is missing.
    throws,
    /// Logs what it reads from a Secret.
    logs_secrets,
    /// Reads a kind without the right to do so.
    lacks_a_right,
    /// Declares a right that it does not need.
    has_a_right_too_many
};

/// Adds the operator, which keeps a config map with the text of each note. @param shop  Takes orders.
void add_keeper(kubecoro::manager& m, planted defect, const kubecoro::client& shop);

/// Definition and objects; nothing else is set.
[[nodiscard]] kt::operator_check_options keeper_options();
/// A check of the operator with a defect. The shop is a new one in each run.
[[nodiscard]] kt::operator_report check_keeper(planted defect, kt::operator_check_options options);

} // namespace proof_test
