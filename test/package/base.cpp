// A user's program with the module base alone: runs a coroutine and looks at its failure.
#include <kubecoro/base/repeat.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/base/task_group.hpp>

#include <iostream>

int main()
{
    const kubecoro::result<int> answer = kubecoro::failure{kubecoro::cond::not_found};
    if (answer || answer.error() != kubecoro::cond::not_found) return 1;
    std::cout << answer.error() << '\n';
}
