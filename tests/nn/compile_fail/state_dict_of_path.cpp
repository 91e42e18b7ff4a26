// expect: a file is read by load(path)
#include <string>

#include "taper/io/load.h"
#include "taper/nn/linear.h"
#include "taper/optim/lr_scheduler.h"
#include "taper/optim/sgd.h"
using namespace taper;

void test(nn::Linear& net, optim::SGD& optimizer, optim::lr_scheduler::LRScheduler& scheduler,
          std::string path) {
  net.load_state_dict(load(path)), net.load_state_dict(load("net.pt"), {.strict = false});
  net.load_state_dict(net.state_dict()), optimizer.load_state_dict(load(path));
  net.load_state_dict("net.pt");                     // rejected
  net.load_state_dict(path);                         // rejected
  net.load_state_dict("net.pt", {.strict = false});  // rejected
  optimizer.load_state_dict("optimizer.pt");         // rejected
  scheduler.load_state_dict(path);                   // rejected
}
