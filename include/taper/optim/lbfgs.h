// LBFGS: limited-memory BFGS.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/scalar.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace optim {

/// Options of LBFGS.
struct LBFGSOptions {
  ScalarArg lr = 1;      ///< step length, or initial length of the line search
  IntArg max_iter = 20;  ///< maximum number of iterations per step
  /// Number of evaluations after which a step does not start another iteration; default:
  /// max_iter * 5 / 4.
  std::optional<IntArg> max_eval{};
  ScalarArg tolerance_grad = 1e-7;  ///< stops if no element of the gradient exceeds this magnitude
  ScalarArg tolerance_change = 1e-9;  ///< stops if the loss or all parameters change by less
  IntArg history_size = 100;          ///< maximum number of stored updates
  std::optional<std::string> line_search_fn{};  ///< "strong_wolfe"; default: no line search
  bool maximize = false;                        ///< maximizes the objective
  TAPER_OPTIONS(lr, max_iter, max_eval, tolerance_grad, tolerance_change, history_size,
                line_search_fn, maximize)
};

/// Limited-memory BFGS for a deterministic loss. Each step performs up to `max_iter` iterations,
///
///     d = -H g,  p = p + t * d
///
/// where H approximates the inverse Hessian from the last `history_size` differences of parameters
/// and gradients. The length t is `lr`, in the first iteration of the first step
/// min(1, 1 / |g|_1) * lr; with "strong_wolfe", a cubic line search starts from this length and
/// chooses t. The state is stored with the first parameter:
/// `func_evals`, `n_iter`, `al`, `d`, `t`, `old_dirs`, `old_stps`, `ro`, `H_diag`,
/// `prev_flat_grad`, `prev_loss`. Nocedal and Wright, "Numerical Optimization", 2006,
/// algorithms 7.4 and 3.5. PyTorch: torch.optim.LBFGS.
///
///   optim::LBFGS opt({w}, {.line_search_fn = "strong_wolfe"});
///   opt.step([&] { opt.zero_grad(); Tensor loss = f(w); loss.backward(); return loss; });
///
/// Throws ValueError if `lr` is negative, if `params` is empty and for more than one group; `step`
/// throws TypeError without a closure and RuntimeError for an unknown line search. If the closure
/// throws, the parameters and the state have their values from before the step.
class LBFGS : public Optimizer {
 public:
  explicit LBFGS(Params params, const LBFGSOptions& options = {});
  std::string_view type_name() const override { return "LBFGS"; }

 protected:
  void update(ParamGroup& group) override;
  Tensor run_step(const SharedFunction<Tensor()>* closure) override;
  void check_state(const Tensor& param, const Value& state) const override;
};

}  // namespace optim
}  // namespace taper
