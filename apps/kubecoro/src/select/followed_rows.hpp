// The rows that `get --watch` shows of a table that is listed and watched. Sans-io.
#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/client/table.hpp>

#include <map>
#include <string>
#include <vector>

namespace kubecoro::tool {

/// Keeps the rows that were shown, so that a list after a gap yields what has changed in between, and nothing twice.
class followed_rows
{
public:
    /// The rows of a whole list that are new or have changed, then the last ones of objects that are gone.
    [[nodiscard]] std::vector<table::row> take(table listed);
    /// The row of an event, unless it was shown before or has no object.
    [[nodiscard]] std::vector<table::row> take(table_event e);
    /// The resourceVersion from which a watch continues.
    [[nodiscard]] const std::string& version() const noexcept { return version_; }

private:
    std::map<object_key, table::row> rows_;
    std::string version_;
};

} // namespace kubecoro::tool
