#include "plan.hpp"
#include "report.hpp"
#include "sockets.hpp"
#include "subjects.hpp"

#include <kubecoro/test/catch.hpp>

using namespace kubecoro::bench;
using namespace kubecoro::bench::live;
