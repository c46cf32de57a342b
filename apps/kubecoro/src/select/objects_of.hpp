// The objects that a command works on: named, selected, or read from files.
#pragma once

#include "cli/object_flags.hpp"
#include "select/resolve.hpp"
#include "select/wait_for.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace kubecoro::tool {

/// A connected client, and the targets of a command line.
struct located
{
    client api;
    std::vector<target> targets = {};
};

/** Connects, and finds the targets: what nearly every verb begins with.

    Objects of files that have no place, for example because their kind is not known, go to `wrong`; the others are
    targets in the order of the files. Errors: as connect(), resolve() and read_manifests(). */
[[nodiscard]] boost::asio::awaitable<result<located>> locate(const object_flags& flags, verb_context context,
                                                             problems& wrong);

/// An object of the server, with what is known of it.
struct found_object
{
    named_object which = {};
    /// Empty if it was named and not read.
    std::string uid = {};

    /// "pod/web-1", printable.
    [[nodiscard]] std::string shown() const;
};

/// The objects of targets: those named, without asking for them, and else those that a list has.
[[nodiscard]] boost::asio::awaitable<result<std::vector<found_object>>>
objects_of(client api, std::vector<target> targets, scope_flags scope);

/// Errors: cond::invalid for an object of a file that is in another namespace than that of -n.
[[nodiscard]] boost::asio::awaitable<result<>> check_namespace(client api, const boost::json::value& object,
                                                               const cluster_flags& cluster);

} // namespace kubecoro::tool
