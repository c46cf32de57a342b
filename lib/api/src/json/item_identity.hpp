#pragma once

#include <kubecoro/api/object.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::detail {

/** Extracts an object's identity from its parse events: name, namespace, uid and version from its metadata, in any
    position and order. */
class item_identity
{
public:
    void begin() noexcept
    {
        in_metadata_ = is_final_ = false;
        field_ = nullptr;
        for (auto* text : {&ns_, &name_, &uid_, &version_}) text->clear();
    }

    /// @param depth  Number of open containers around the key.
    void key(std::size_t depth, std::string_view text) noexcept
    {
        field_ = nullptr;
        if (depth == 1)
            in_metadata_ = text == "metadata";
        else if (depth == 2 && in_metadata_)
            field_ = field(text);
    }

    /// Processes a string at this depth. @return true if it set a field and name, uid and version are known.
    [[nodiscard]] bool string(std::size_t depth, std::string_view text)
    {
        if (field_ == nullptr || depth != 2) return false;
        *field_ = text;
        field_ = nullptr;
        return is_complete();
    }

    /// Processes the end of a container around which this many are open, itself included. @return true if nothing changes any more.
    [[nodiscard]] bool end(std::size_t depth) noexcept
    {
        if (depth != 2 || !std::exchange(in_metadata_, false)) return false;
        return is_final_ = true;
    }

    /// The last key of the object is that of its metadata.
    [[nodiscard]] bool is_in_metadata() const noexcept { return in_metadata_; }
    /// Name, uid and version are known; the namespace may still come.
    [[nodiscard]] bool is_complete() const noexcept { return !name_.empty() && !uid_.empty() && !version_.empty(); }
    /// Whether key() is known as a whole.
    [[nodiscard]] bool has_key() const noexcept { return !name_.empty() && (is_final_ || !ns_.empty()); }
    [[nodiscard]] object_key_view key() const noexcept { return {ns_, name_}; }
    [[nodiscard]] std::string_view uid() const noexcept { return uid_; }
    [[nodiscard]] std::string_view resource_version() const noexcept { return version_; }

private:
    [[nodiscard]] std::string* field(std::string_view key) noexcept
    {
        return key == "name"              ? &name_
               : key == "namespace"       ? &ns_
               : key == "uid"             ? &uid_
               : key == "resourceVersion" ? &version_
                                          : nullptr;
    }

    bool in_metadata_ = false;
    /// The metadata has ended.
    bool is_final_ = false;
    /// Destination of the next string.
    std::string* field_ = nullptr;
    std::string ns_;
    std::string name_;
    std::string uid_;
    std::string version_;
};

} // namespace kubecoro::detail
