// Family curves: twenty training steps, from stored weights and from a seed.
#include "cases/outcome.h"
#include "cases/sha256.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/nn/utils/clip_grad.h"
#include "training/families.h"
#include "training/fields.h"
#include "training/model.h"
#include "training/optimizers.h"
#include "training/schedulers.h"
#include "values/reader.h"

namespace taper::oracle {
namespace {

// One run of a curve, from a model with initialized weights.
class CurveRun {
 public:
  CurveRun(Case& c, nn::Module& model, std::string start)
      : c_(c), model_(model), start_(std::move(start)), tolerance_(c.at("tolerance")) {
    Fields optimizer(c.at("optimizer")), loss(c.at("loss"));
    optimizer_ = make_optimizer(optimizer.text("name"), model.parameters(),
                                options_of(optimizer.at("args")));
    std::map<std::string, Value> args;
    if (const Json* given = loss.find("args"))
      for (const auto& [key, value] : given->items()) args[key] = option_value(key, value);
    if (const Json* scheduler = c.find("scheduler"); scheduler && !scheduler->is_null())
      scheduler_ = make_scheduler(*optimizer_, *scheduler);
    loss_ = make_layer(loss.text("name"), {}, std::move(args));
    optimizer.done();
    loss.done();
  }

  void train() {
    const Json* target = c_.find("target");
    const bool to_input = target && *target == "input";
    const Tensor &xs = c_.tensor("batch.x"), &ys = to_input ? xs : c_.tensor("batch.y");
    if (const Json& seed = c_.at("run_seed"); !seed.is_null()) manual_seed(seed_of(seed));
    model_.train();
    for (std::int64_t t = 0, n = c_.integer("steps"); t < n; ++t) {
      const auto at = static_cast<std::size_t>(t);
      const double lr = Value(optimizer_->param_groups().at(0)["lr"]).as_double();
      expect("lr", t, lr, c_.at("lr").at(at), {1e-12, 0});
      const auto evaluate = [&] {
        optimizer_->zero_grad();
        const Tensor output = output_of(xs[t]);
        const Tensor expected_output = to_input ? ys[t].reshape(output.shape()) : ys[t];
        const Tensor loss = loss_->call({output, expected_output}).as_tensor();
        loss.backward();
        return loss;
      };
      const Tensor loss = step(t, evaluate);
      if (scheduler_) scheduler_->step();
      expect("loss", t, loss.item<double>(), c_.at("losses").at(at),
             {0, tolerance_.number(t ? "loss_abs" : "first_loss_abs")});
    }
    expect_end(xs[0]);
  }

 private:
  /// Calls the model with values, because layers within it may return tuples.
  Tensor output_of(const Tensor& input) { return model_.call({input}).as_tensor(); }
  /// Performs a step, with gradient clipping if the case requests it. Returns the loss before it.
  template <class F> Tensor step(std::int64_t t, const F& evaluate) {
    if (optimizer_->type_name() == "LBFGS") return optimizer_->step(evaluate);
    const Tensor loss = evaluate();
    if (const Json* norm = c_.find("clip_grad_norm")) {
      const Tensor total = nn::utils::clip_grad_norm_(model_.parameters(), norm->get<double>());
      expect("gradient norm", t, total.item<double>(),
             c_.at("grad_norms").at(static_cast<std::size_t>(t)),
             {tolerance_.number("grad_norm_rel"), 0});
    }
    optimizer_->step();
    return loss;
  }
  void expect(const char* what, std::int64_t t, double actual, const Json& expected, Tolerance by) {
    c_.expect_number(start_ + ": " + what + " at " + std::to_string(t), actual,
                     Fields::number_of(expected), by);
  }
  void expect_end(const Tensor& batch) {
    tolerance_.find("grad_norm_rel");
    model_.eval();
    {
      const NoGrad guard;
      c_.expect_close(start_ + ": logits_eval", output_of(batch), c_.tensor("logits_eval"),
                      {0, tolerance_.number("logits_abs")});
    }
    tolerance_.done();
    const auto state = state_entries(model_);
    for (std::size_t i = 0; i < state.size(); ++i)
      c_.expect_close(start_ + ": final " + state[i].first, state[i].second,
                      c_.tensor("final." + state[i].first),
                      {0, c_.at("state").at(i).at("final_tolerance_abs").get<double>()});
  }

  Case& c_;
  nn::Module& model_;
  std::string start_;
  Fields tolerance_;
  std::unique_ptr<optim::Optimizer> optimizer_;
  std::shared_ptr<optim::lr_scheduler::LRScheduler> scheduler_;
  Built loss_;
};

// Compares the keys, dtypes, shapes and bits of the initial state.
void expect_initial(Case& c, const std::string& start, nn::Module& model) {
  const Json& entries = c.at("state");
  const auto state = state_entries(model);
  if (state.size() != entries.size()) return c.fail(start + ": number of entries differs");
  for (std::size_t i = 0; i < state.size(); ++i) {
    Fields entry(entries[i]);
    for (const char* information : {"final_tolerance_abs", "final_f32_vs_f64_max_abs", "noise"})
      entry.find(information);
    const auto& [key, tensor] = state[i];
    c.expect_text(start + ": key", key, entry.text("key"));
    c.expect_text(
        start + ": " + key, std::string(name_of(tensor.dtype())) + tensor.shape().str(),
        std::string(name_of(dtype_named(entry.text("dtype")))) + entry.shape("shape").str());
    c.expect_close(start + ": initial " + key, tensor, c.tensor("initial." + key), {});
    const std::string stability = entry.text("stability"), bytes = bytes_of(tensor);
    if (stability == "any" || stability == "avx2")
      c.expect_text(start + ": hash of " + key, sha256(bytes.data(), bytes.size()),
                    entry.text("sha256"));
    entry.find("sha256");
    entry.done();
  }
  std::string names, expected;
  for (const auto& p : model.named_parameters()) names += p.name + " ";
  for (const Json& name : c.at("parameters")) expected += name.get<std::string>() + " ";
  c.expect_text(start + ": parameters", names, expected);
}

void load_initial(Case& c, nn::Module& model) {
  const Value state = Value::ordered_dict();
  for (const auto& [key, tensor] : state_entries(model)) state[key] = c.tensor("initial." + key);
  model.load_state_dict(state);
}

}  // namespace

void run_curve(Case& c) {
  c.ignore({"batch_index", "input", "one_batch", "deviation", "losses_f64", "grad_norms"});
  if (c.text("kind") != "curve") throw MalformedCase("unknown kind '" + c.text("kind") + "'");
  for (const Json& name : c.at("starts")) {
    const std::string start = name;
    if (start != "seed" && start != "state") throw MalformedCase("unknown start '" + start + "'");
    if (start == "seed") manual_seed(seed_of(c.at("seed")));
    const Built model = build_model(c.at("model"));
    if (start == "seed") c.expect_close("the next draw", rand({2}), c.tensor("__next"), {});
    model->to(dtype_named(c.text("dtype")));
    if (start == "state") load_initial(c, *model);
    expect_initial(c, start, *model);
    CurveRun(c, *model, start).train();
  }
}

}  // namespace taper::oracle
