#pragma once
// The user's file around each line, with common objects declared.

#include <kubecoro/kubecoro.hpp>

#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/program/run_operator.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json.hpp>
#include <chrono>
#include <iostream>
#include <math.h>
#include <string>
#include <time.h>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using namespace kubecoro;
using kubecoro::untyped::pod;

struct with
{
    client cluster;
    informer_factory informers;
    shared_informer<object> pods;
    lister<object> listed;
    resource_client<object> maps;
    subscription<object> changes;
    controller<object> shop;
    reconciler reconcile;
    object_key key;
    resource_type type;
    std::string text;
    std::shared_ptr<time_source> time;
    event_handler<object> handler;
    shared_informer<core_v1::pod> typed_pods;
    lister<core_v1::pod> typed_listed;

    asio::awaitable<void> turn();
};
