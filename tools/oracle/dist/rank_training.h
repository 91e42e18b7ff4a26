// Training of the model of a distributed case on one rank.
#pragma once
#include "dist/rank_case.h"
#include "taper/optim/lr_scheduler/scheduler.h"
#include "taper/optim/optimizer.h"
#include "training/model.h"

namespace taper::oracle {

/// Builds the model of the case: seed, ties, dtype, frozen parameters, SyncBatchNorm.
Built make_rank_model(RankCase& c);

/// Loss of one pair of input and target.
class RankLoss {
 public:
  explicit RankLoss(const Json& spec);
  Tensor operator()(const Tensor& output, const Tensor& target) const;

 private:
  Built layer_;  ///< null: the sum of output * target
};

/// Sets the children that Switch modules run.
void set_use(nn::Module& model, const std::vector<std::size_t>& use);

/// Returns the state dict as a dict of copies, and the gradients by name, None where absent.
Value copied_state(const nn::Module& model);
Value copied_gradients(const nn::Module& model);

/// Runs forward, loss and backward of the pairs of a micro-batch. Returns the loss.
double run_micro_batch(nn::Module& model, const RankLoss& loss, const Value& micro);

/// Returns the parameters that require gradients.
std::vector<Tensor> trained_parameters(const nn::Module& model);

/// Returns the field as a bool; `fallback` if it is absent.
bool flag(RankCase& c, const char* field, bool fallback);

/// Runs the steps of kind `train`. Functions that are empty have the form of a plain module.
struct StepRunner {
  RankCase& c;
  nn::Module& model;
  optim::Optimizer& optimizer;
  /// Runs a pass with or without the reduction of gradients.
  SharedFunction<void(bool sync, const SharedFunction<void()>& pass)> pass{};
  SharedFunction<Value()> state{}, gradients{};
  SharedFunction<Tensor(double max_norm)> clip{};
  /// Appends the results of all steps to a list.
  void run(const Value& batches, Value& steps);
};

/// Creates the optimizer of the case for the parameters that require gradients.
std::unique_ptr<optim::Optimizer> make_rank_optimizer(RankCase& c, const nn::Module& model);

}  // namespace taper::oracle
