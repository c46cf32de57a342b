#include "decode/scan_value.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace kubecoro::detail {
namespace {
bool write(const boost::json::value& v, pruned_tape& out)
{
    if (v.is_object()) {
        if (out.leaves_out_container()) return true;
        if (!out.begin(true)) return false;
        for (const auto& m : v.get_object())
            if (!out.key(m.key()) || !write(m.value(), out)) return false;
        return out.end();
    }
    if (v.is_array()) {
        if (out.leaves_out_container()) return true;
        if (!out.begin(false)) return false;
        for (const auto& m : v.get_array())
            if (!write(m, out)) return false;
        return out.end();
    }
    if (v.is_string()) return out.string(v.get_string());
    if (v.is_int64()) return out.integer(v.get_int64());
    if (v.is_bool()) return out.boolean(v.get_bool());
    if (v.is_null()) return out.null();
    return out.number(boost::json::serialize(v));
}
} // namespace
scanned scan_value(std::string_view json, pruned_tape& out)
{
    boost::json::error_code ec;
    const auto v = boost::json::parse(json, ec);
    if (ec) return scanned::malformed;
    return write(v, out) ? scanned::complete : scanned::too_large;
}
} // namespace kubecoro::detail
