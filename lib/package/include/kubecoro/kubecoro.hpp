#pragma once
// Everything a program that embeds informers needs.

#include <kubecoro/api/kinds.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/selector.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/change.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/client/discovery.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/controller/workqueue.hpp>
