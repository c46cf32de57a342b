#pragma once

#include "objects/registry.hpp"

#include <boost/json/value.hpp>

namespace kubecoro::apiserver {

/** Gives an object of a built-in kind the values that a kube-apiserver's Go types have: empty lists that are omitted
    disappear, structs and zero values that are always written appear. So its JSON equals its protobuf. Members keep
    their order; new ones come last. An object that the schema does not fit stays as it is. */
void take_go_form(const resource_info& info, boost::json::value& body);

} // namespace kubecoro::apiserver
