// expect: a bool is not
#include "taper/optim/adam.h"
#include "taper/optim/grad_scaler.h"
#include "taper/optim/lbfgs.h"
#include "taper/optim/lr_scheduler.h"
#include "taper/optim/sgd.h"
using namespace taper;
namespace schedulers = optim::lr_scheduler;

void test(const std::vector<Tensor>& params, bool flag) {
  optim::SGD opt(params, {.lr = 1, .momentum = 0.9f, .nesterov = flag});
  optim::Adam adam(params, {.lr = 1e-3, .betas = {0.9, 1}});
  optim::LBFGS lbfgs(params, {.max_iter = 5, .max_eval = 7});
  schedulers::StepLR step(opt, 10, {.gamma = 1});
  schedulers::CyclicLR cyclic(opt, 1, {0.1, 1.0}, {.base_momentum = 0.8f});
  schedulers::OneCycleLR cycle(opt, 0.1, {.total_steps = 5});
  schedulers::ExponentialLR decay(opt, 1);
  (void)optim::SGDOptions{.lr = true};                       // rejected
  (void)optim::SGDOptions{.momentum = flag};                 // rejected
  (void)optim::AdamOptions{.betas = {true, 0.9}};            // rejected
  (void)optim::AdamOptions{.eps = flag};                     // rejected
  (void)optim::LBFGSOptions{.max_iter = true};               // rejected
  (void)optim::LBFGSOptions{.max_eval = true};               // rejected
  (void)amp::GradScalerOptions{.init_scale = true};          // rejected
  (void)schedulers::StepLROptions{.gamma = true};            // rejected
  (void)schedulers::StepLROptions{.last_epoch = flag};       // rejected
  (void)schedulers::OneCycleLROptions{.total_steps = true};  // rejected
  (void)schedulers::CyclicLROptions{.max_momentum = true};   // rejected
  (void)schedulers::PerGroup{true, 0.5};                     // rejected
  schedulers::StepLR(opt, true);                             // rejected
  schedulers::ExponentialLR(opt, true);                      // rejected
}
