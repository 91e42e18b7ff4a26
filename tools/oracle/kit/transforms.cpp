// Family transforms: functions and classes of data::transforms.
#include "cases/outcome.h"
#include "kit/families.h"
#include "kit/image_functions.h"
#include "training/families.h"

namespace taper::oracle {
namespace {

using data::transforms::TransformContext;

/// Parameters that transforms drew, as [name, params] in order.
struct DrawnParams {
  Value list = Value::list();
  TransformContext context() {
    return {.on_params = [list = list](const std::string& name, const Value& params) {
      list.append(Value::list({name, params}));
    }};
  }
};

Value call_function(Case& c) {
  KitArguments arguments(c, c.at("args"));
  Value result = call_image_function(c.text("name"), read_tensor(c, c.at("input")), arguments);
  arguments.done();
  return result;
}

void run_function(Case& c, Generators&) {
  read_tolerance(c);
  const Value result = call_function(c);
  Fields expected(c.at("expected"));
  expect_result(c, "out", result, expected.at("out"));
  expected.done();
}

/// Returns an image, or the list of images if there are several.
Value call_transform(const data::transforms::AnyTransform& transform, const Tensor& image,
                     const TransformContext& context = {}) {
  const std::vector<Tensor> results = transform->forward({image}, context);
  if (results.size() == 1) return results[0];
  return Value::list({results.begin(), results.end()});
}

void run_transform(Case& c, Generators& generators) {
  read_tolerance(c);
  const auto transform = make_transform(c, c.at("transform"));
  const Tensor& input = read_tensor(c, c.at("input"));
  const Tensor before = input.clone();
  // Expected parameters do not include those of transforms inside others, which torchvision keeps
  // in plain lists.
  const bool is_observed = !c.at("transform").contains("transforms");
  DrawnParams drawn;
  Values results;
  for (std::int64_t i = 0; i < c.integer("times"); ++i)
    results.push_back(
        call_transform(transform, input, is_observed ? drawn.context() : TransformContext()));
  Fields expected(c.at("expected"));
  expect_result(c, "out", Value::list(std::move(results)), expected.at("out"));
  expect_result(c, "params", drawn.list, expected.at("params"));
  expected.find("next");
  expected.done();
  generators.expect_next(c.at("expected"));
  c.expect_close("input afterwards", input, before, {});
}

void run_mix(Case& c, Generators& generators) {
  read_tolerance(c);
  const auto mix = make_mix(c, c.at("transform"));
  if (!mix) throw Unsupported("this mix");
  DrawnParams drawn;
  const auto [images, labels] =
      (*mix)(read_tensor(c, c.at("input")), read_tensor(c, c.at("labels")), drawn.context());
  Fields expected(c.at("expected"));
  expect_tensor(c, "images", images, expected.at("images"));
  expect_tensor(c, "labels", labels, expected.at("labels"));
  expect_result(c, "params", drawn.list, expected.at("params"));
  expected.find("next");
  expected.done();
  generators.expect_next(c.at("expected"));
}

/// Runs an error case. Reads all fields before the call that is rejected.
void run_transform_error(Case& c, Generators&) {
  const Json* spec = c.find("transform");
  std::vector<Tensor> inputs;
  if (spec)
    for (const Json& input : c.at("inputs")) inputs.push_back(read_tensor(c, input));
  else
    inputs.push_back(read_tensor(c, c.at("input")));
  c.find("name"), c.find("args");
  expect_error(c, [&] {
    if (!spec)
      static_cast<void>(call_function(c));
    else if (const auto mix = make_mix(c, *spec))
      static_cast<void>((*mix)(inputs.at(0), inputs.at(1)));
    else
      static_cast<void>(call_transform(make_transform(c, *spec), inputs.at(0)));
  });
}

}  // namespace

void run_transforms(Case& c) {
  static const KitKinds kinds = {{"functional", run_function},
                                 {"transform", run_transform},
                                 {"mix", run_mix},
                                 {"error", run_transform_error},
                                 {"data", run_data}};
  run_kind(c, kinds);
}

}  // namespace taper::oracle
