#include "cases/outcome.h"
#include "cases/sha256.h"
#include "taper/core/factory.h"
#include "training/draw.h"
#include "training/families.h"

namespace taper::oracle {
namespace {

using State = std::vector<std::uint8_t>;

class Program {
 public:
  explicit Program(Case& c) : case_(c) {}
  void run(const Json& object);

 private:
  const Generator& generator(Fields& op) {
    const Json* name = op.find("generator");
    return name ? generators_.at(name->get<std::string>()) : default_generator();
  }
  /// Runs an op on the generator itself, such as manual_seed; stores its output in `result` if it
  /// has one. Returns false if `name` is another op.
  bool on_generator(const std::string& name, Fields& op, Tensor& result);

  Case& case_;
  std::map<std::string, Generator> generators_;
  std::map<std::string, State> states_;
};

Tensor as_tensor(const State& state) {
  return tensor(std::span<const std::uint8_t>(state),
                Shape(static_cast<std::int64_t>(state.size())));
}

bool Program::on_generator(const std::string& name, Fields& op, Tensor& result) {
  Generator g = generator(op);
  if (name == "manual_seed") {
    g.manual_seed(seed_of(op.at("seed")));
  } else if (name == "initial_seed") {
    result = full({}, static_cast<std::int64_t>(g.initial_seed() & 0x7fffffffffffffffu));
  } else if (name == "new_generator") {
    generators_.emplace(op.text("name"), Generator());
  } else if (name == "fork_state_copy") {
    generators_.emplace(op.text("name"), g.clone_state());
  } else if (name == "get_state") {
    const State state = states_[op.text("name")] = g.get_state();
    if (const Json* record = op.find("record"); record && record->get<bool>())
      result = as_tensor(state);
  } else if (name == "set_state") {
    g.set_state(states_.at(op.text("name")));
  } else {
    return false;
  }
  return true;
}

void Program::run(const Json& object) {
  Fields op(object);
  op.find("stability"), op.find("libm");  // Taper's bits are the same on every processor
  const Json* role = op.find("out");
  const Json* rtol = op.find("rtol");
  Tensor result;
  const std::string name = op.text("op");
  if (!on_generator(name, op, result)) result = draw(generator(op), op);
  op.done();
  if (role)
    case_.expect_close(role->get<std::string>() + ", " + object.dump(), result,
                       case_.tensor(role->get<std::string>()),
                       {.rtol = rtol ? rtol->get<double>() : 0});
}

}  // namespace

void run_rng(Case& c) {
  Program program(c);
  for (const Json& op : c.at("ops")) program.run(op);
  const State end = get_rng_state();
  c.expect_text("hash of the final state", sha256(end.data(), end.size()),
                c.text("end_state_sha256"));
}

}  // namespace taper::oracle
