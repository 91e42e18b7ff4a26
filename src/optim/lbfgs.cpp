#include "taper/optim/lbfgs.h"

#include <algorithm>
#include <vector>

#include "optim/line_search.h"
#include "optim/options.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/ops/copy.h"
#include "taper/ops/indexing.h"
#include "taper/ops/linalg.h"
#include "taper/ops/pointwise.h"
#include "taper/ops/reduce.h"
#include "taper/ops/view.h"

namespace taper::optim {
namespace {

Value defaults_of(const LBFGSOptions& o) {
  check_not_negative("learning rate", o.lr);
  Value defaults = dict_of(o);
  if (!o.max_eval) defaults["max_eval"] = o.max_iter * 5 / 4;
  return defaults;
}

Value to_list_value(const std::vector<Tensor>& tensors) {
  Value result = Value::list();
  for (const Tensor& t : tensors) result.append(t);
  return result;
}
std::vector<Tensor> to_tensors(const Value* list) {
  std::vector<Tensor> result;
  if (list && !list->is_none())
    for (const Value& item : list->as_sequence()) result.push_back(item.as_tensor());
  return result;
}

TypedScalar value_to_typed_scalar(const Value& v) {
  return v.is_tensor() ? to_typed_scalar(v.as_tensor()) : TypedScalar(v.as_double());
}
Value to_value(TypedScalar n) {
  return n.dtype ? Value(full({}, n.value, {.dtype = *n.dtype})) : Value(n.value);
}

/// State of LBFGS between steps, copied from the state dict and stored when a step has succeeded.
struct History {
  std::int64_t evaluations = 0, iterations = 0;
  Value factors;  // al
  Tensor direction, inverse_scale, previous_grad;
  TypedScalar t, previous_loss;
  std::vector<Tensor> grads, steps, curvatures;  // old_dirs, old_stps, ro

  explicit History(const Value& state) {
    if (state.is_none()) return;
    const auto number = [&](std::string_view name) {
      const Value* found = find_named(state, name);
      return found ? found->as_int() : 0;
    };
    evaluations = number("func_evals");
    iterations = number("n_iter");
    if (const Value* al = find_named(state, "al")) factors = Value::list(al->as_sequence());
    direction = state_tensor(state, "d");
    if (const Value* found = find_named(state, "t")) t = value_to_typed_scalar(*found);
    grads = to_tensors(find_named(state, "old_dirs"));
    steps = to_tensors(find_named(state, "old_stps"));
    curvatures = to_tensors(find_named(state, "ro"));
    if (const Value* h = find_named(state, "H_diag"))
      inverse_scale = h->is_tensor() ? h->as_tensor() : Tensor();
    previous_grad = state_tensor(state, "prev_flat_grad");
    if (const Value* found = find_named(state, "prev_loss"))
      previous_loss = value_to_typed_scalar(*found);
  }

  Value counts() const {
    return Value::dict({{"func_evals", evaluations}, {"n_iter", iterations}});
  }
  Value state() const {
    Value result = counts();
    if (!factors.is_none()) result["al"] = factors;
    result["d"] = direction;
    result["t"] = to_value(t);
    result["old_dirs"] = to_list_value(grads);
    result["old_stps"] = to_list_value(steps);
    result["ro"] = to_list_value(curvatures);
    result["H_diag"] = inverse_scale.defined() ? Value(inverse_scale) : Value(1);
    result["prev_flat_grad"] = previous_grad;
    result["prev_loss"] = to_value(previous_loss);
    return result;
  }

  /// Stores the changes of the parameters and of the gradient in the last iteration, unless their
  /// inner product is at most 1e-10. If `size` changes are stored, removes the oldest ones.
  void add(const Tensor& grad, std::int64_t size) {
    const Tensor y = grad.sub(previous_grad), s = direction.mul(t.value), ys = y.dot(s);
    if (!(to_typed_scalar(ys) > 1e-10) || size < 1) return;
    if (static_cast<std::int64_t>(grads.size()) >= size) {
      grads.erase(grads.begin());
      steps.erase(steps.begin());
      curvatures.erase(curvatures.begin());
    }
    grads.push_back(y);
    steps.push_back(s);
    curvatures.push_back(ys.reciprocal());
    inverse_scale = ys.div(y.dot(y));
  }

  /// Returns minus the product of the approximate inverse Hessian and `grad`, computed by the
  /// two-loop recursion over the stored changes.
  Tensor compute_direction(const Tensor& grad, std::int64_t size) {
    if (factors.is_none())
      factors = Value::list(Values(static_cast<std::size_t>(std::max<std::int64_t>(size, 0))));
    Values& al = factors.as_list();
    if (al.size() < grads.size()) al.resize(grads.size());
    const Tensor q = grad.neg();
    for (std::size_t i = grads.size(); i-- > 0;) {
      const Tensor factor = steps[i].dot(q).mul(curvatures[i]);
      q.add_(grads[i], -factor.item().to_double());
      al[i] = factor;
    }
    const Tensor r = inverse_scale.defined() ? q.mul(inverse_scale) : q;
    for (std::size_t i = 0; i < grads.size(); ++i) {
      const Tensor factor = grads[i].dot(r).mul(curvatures[i]);
      r.add_(steps[i], al[i].as_tensor().sub(factor).item().to_double());
    }
    return r;
  }
};

/// Performs one call of `step`.
class LBFGSStep {
 public:
  LBFGSStep(ParamGroup& group, const SharedFunction<Tensor()>& closure)
      : group_(group),
        closure_(closure),
        history_(group.state(0)),
        initial_params_(clone_params()),
        maximize_(flag_option(group, "maximize")),
        tolerance_change_(number_option(group, "tolerance_change")),
        tolerance_grad_(number_option(group, "tolerance_grad")) {
    const Value& search = option(group, "line_search_fn");
    use_line_search_ = !search.is_none();
    if (use_line_search_ && !(search.is_string() && search.as_string() == "strong_wolfe"))
      fail<RuntimeError>("only 'strong_wolfe' is supported");
  }

  Tensor run() {
    try {
      return run_without_rollback();
    } catch (...) {
      assign(initial_params_);
      throw;
    }
  }

 private:
  Tensor run_without_rollback() {
    const Tensor first = evaluate();
    if (is_optimal()) {
      Value state = group_.state(0).is_none() ? Value::dict() : group_.state(0);
      state["func_evals"] = history_.evaluations;
      state["n_iter"] = history_.iterations;
      group_.state(0) = state;
      return first;
    }
    iterate();
    group_.state(0) = history_.state();
    return first;
  }

  void iterate() {
    const double lr = number_option(group_, "lr");
    const std::int64_t max_iter = option(group_, "max_iter").as_int(),
                       max_eval = option(group_, "max_eval").as_int(),
                       size = option(group_, "history_size").as_int();
    const std::int64_t before = history_.evaluations - 1;
    for (std::int64_t n = 1; n <= max_iter; ++n) {
      ++history_.iterations;
      const bool first = history_.iterations == 1;
      if (first) {
        history_.direction = grad_.neg();
        history_.grads.clear(), history_.steps.clear(), history_.curvatures.clear();
        history_.inverse_scale = Tensor();
      } else {
        history_.add(grad_, size);
        history_.direction = history_.compute_direction(grad_, size);
      }
      history_.previous_grad = grad_.clone();
      history_.previous_loss = loss_;
      history_.t = first ? initial_step_length() * TypedScalar(lr) : TypedScalar(lr);
      const TypedScalar slope = to_typed_scalar(grad_.dot(history_.direction));
      if (slope > -tolerance_change_) return;
      const bool optimal = take_step(slope, n != max_iter);
      if (n == max_iter || history_.evaluations - before >= max_eval || optimal) return;
      const Tensor change = history_.direction.mul(history_.t.value).abs().max();
      if (to_typed_scalar(change) <= tolerance_change_) return;
      if (abs(loss_ - history_.previous_loss) < tolerance_change_) return;
    }
  }

  TypedScalar initial_step_length() const {
    const TypedScalar length = TypedScalar(1) / to_typed_scalar(grad_.abs().sum());
    return length < 1 ? length : TypedScalar(1);
  }

  /// Moves the parameters along the direction. Returns true if the new point is optimal. Without a
  /// line search, the new point is evaluated only if `evaluate_after` is true; otherwise, returns
  /// false.
  bool take_step(TypedScalar slope, bool evaluate_after) {
    if (!use_line_search_) {
      add(history_.t);
      if (!evaluate_after) return false;
      (void)evaluate();
      return is_optimal();
    }
    const std::vector<Tensor> origin = clone_params();
    const auto evaluate_at = [&](TypedScalar t) {
      add(t);
      (void)evaluate();
      assign(origin);
      return LineSearchPoint{t, loss_, grad_, to_typed_scalar(grad_.dot(history_.direction))};
    };
    const LineSearchPoint start{0, loss_, grad_, slope};
    const LineSearchPoint found =
        strong_wolfe(evaluate_at, start, history_.t,
                     to_typed_scalar(history_.direction.abs().max()), tolerance_change_)
            .point;
    loss_ = found.loss;
    grad_ = found.grad;
    history_.t = found.t;
    add(history_.t);
    return is_optimal();
  }

  Tensor evaluate() {
    Tensor loss;
    {
      const EnableGrad guard;
      loss = closure_();
    }
    ++history_.evaluations;
    const double value = loss.item().to_double();
    loss_ = maximize_ ? -value : value;
    grad_ = flat_grad();
    return loss;
  }
  bool is_optimal() const { return to_typed_scalar(grad_.abs().max()) <= tolerance_grad_; }

  Tensor flat_grad() const {
    std::vector<Tensor> flat_grads;
    for (const Tensor& p : group_.params())
      flat_grads.push_back(p.grad().defined() ? p.grad().detach().reshape({-1})
                                              : zeros_like(p.detach()).reshape({-1}));
    const Tensor all = cat(flat_grads);
    return maximize_ ? all.neg() : all;
  }

  void add(TypedScalar t) const {
    std::int64_t offset = 0;
    for (const Tensor& p : group_.params()) {
      p.add_(history_.direction.narrow(0, offset, p.numel()).view(p.shape()), t.value);
      offset += p.numel();
    }
  }
  std::vector<Tensor> clone_params() const {
    std::vector<Tensor> result;
    for (const Tensor& p : group_.params()) result.push_back(p.detach().clone());
    return result;
  }
  void assign(const std::vector<Tensor>& values) const {
    for (std::size_t i = 0; i < values.size(); ++i) group_.params()[i].copy_(values[i]);
  }

  ParamGroup& group_;
  const SharedFunction<Tensor()>& closure_;
  History history_;
  std::vector<Tensor> initial_params_;
  bool maximize_, use_line_search_ = false;
  double tolerance_change_, tolerance_grad_;
  TypedScalar loss_;
  Tensor grad_;
};

}  // namespace

LBFGS::LBFGS(Params params, const LBFGSOptions& options) : Optimizer(defaults_of(options)) {
  add_params(std::move(params));
  if (param_groups().size() != 1)
    fail<ValueError>("LBFGS doesn't support per-parameter options (parameter groups)");
}

void LBFGS::update(ParamGroup&) {
  fail<TypeError>("LBFGS.step() missing 1 required positional argument: 'closure'");
}

Tensor LBFGS::run_step(const SharedFunction<Tensor()>* closure) {
  if (groups().size() != 1)
    fail<ValueError>("LBFGS doesn't support per-parameter options (parameter groups)");
  ParamGroup& group = groups()[0];
  if (!closure) update(group);
  return LBFGSStep(group, *closure).run();
}

void LBFGS::check_state(const Tensor& param, const Value& state) const {
  Optimizer::check_state(param, state);
  std::int64_t count = 0;  // the state is that of all parameters
  for (const Tensor& p : param_groups()[0].params()) count += p.numel();
  const auto check = [&](const char* name, const Value& v) {
    if (!v.is_none()) check_state_tensor("LBFGS.load_state_dict", name, &v, {count});
  };
  for (const char* name : {"d", "prev_flat_grad"})
    if (const Value* found = find_named(state, name)) check(name, *found);
  for (const char* name : {"old_dirs", "old_stps"})
    if (const Value* found = find_named(state, name); found && !found->is_none())
      for (const Value& item : found->as_sequence()) check(name, item);
  for (const char* name : {"func_evals", "n_iter"})
    if (const Value* found = find_named(state, name); found && !found->is_int())
      fail<ValueError>("LBFGS.load_state_dict: {} must be an integer, got {}", name,
                       found->type_name());
}

}  // namespace taper::optim
