// Family metrics: metrics, collections of metrics, functions of boxes.
#include "cases/outcome.h"
#include "kit/families.h"
#include "kit/metric_factory.h"
#include "kit/values.h"
#include "taper/core/dict.h"
#include "taper/core/error.h"
#include "taper/metrics/boxes.h"
#include "taper/metrics/collection.h"
#include "training/fields.h"
#include "values/expect.h"

namespace taper::oracle {
namespace {

std::vector<Values> read_batches(Case& c) {
  std::vector<Values> batches;
  for (const Json& batch : c.at("batches")) batches.push_back(read_data(c, batch).as_sequence());
  return batches;
}

void expect_scalar(Case& c, const std::string& what, const Tensor& actual, const Json& expected) {
  const bool is_float = expected.is_number_float() || expected.is_object();
  if (actual.dim() != 0 || actual.is_floating_point() != is_float)
    return c.fail(what + ": got " + actual.str() + ", expected " + expected.dump());
  c.expect_number(what, actual.item<double>(), read_number(expected),
                  is_float ? c.tolerance : Tolerance{});
}

void expect_metric_result(Case& c, const std::string& what, const Value& actual,
                          const Json& expected) {
  const auto reject = [&] {
    c.fail(what + ": got " + actual.repr() + ", expected " + expected.dump());
  };
  if (expected.is_object() && expected.contains("t")) {
    if (!actual.is_tensor()) return reject();
    return c.expect_close(what, actual.as_tensor(), c.tensor(expected.at("t")),
                          tolerance_of(c, expected));
  }
  if (expected.is_number() || (expected.is_object() && expected.contains("float"))) {
    if (!actual.is_tensor()) return reject();
    return expect_scalar(c, what, actual.as_tensor(), expected);
  }
  if (expected.is_array()) {
    if (!(actual.is_list() || actual.is_tuple()) || actual.size() != expected.size())
      return reject();
    for (std::size_t i = 0; i < expected.size(); ++i)
      expect_metric_result(c, what + "[" + std::to_string(i) + "]", actual.as_sequence()[i],
                           expected.at(i));
    return;
  }
  if (!expected.is_object() || !actual.is_dict() || actual.size() != expected.size())
    return reject();
  for (const auto& [name, part] : expected.items()) {
    if (const Value* value = actual.find(name))
      expect_metric_result(c, what + "." + name, *value, part);
    else
      c.fail(what + ": no value '" + name + "'");
  }
}

void expect_running(Case& c, const std::vector<Values>& batches, const Json& expected,
                    bool compares_all) {
  const auto metric = make_metric(c.text("name"), c.at("args"));
  for (std::size_t i = 0; i < batches.size(); ++i) {
    metric->update_values(batches[i]);
    const bool is_last = i + 1 == batches.size();
    if (compares_all || is_last)
      expect_metric_result(c, "value " + std::to_string(i), metric->compute_value(),
                           expected.at(compares_all ? i : 0));
  }
}

void run_metric(Case& c, Generators& /*generators*/) {
  const std::vector<Values> batches = read_batches(c);
  Fields expected(c.at("expected"));
  std::set<std::string> parts;
  for (const Json& part : c.at("parts")) parts.insert(part.get<std::string>());
  const auto make = [&] { return make_metric(c.text("name"), c.at("args")); };
  expect_running(c, batches, expected.at("running"), parts.erase("running") > 0);
  if (parts.erase("untouched") > 0)
    expect_metric_result(c, "untouched", make()->compute_value(), expected.at("untouched"));
  if (parts.erase("reset") > 0) {
    const auto metric = make();
    for (const Values& batch : batches) metric->update_values(batch);
    metric->reset();
    metric->update_values(batches.back());
    expect_metric_result(c, "after reset", metric->compute_value(), expected.at("after_reset"));
  }
  if (parts.erase("forward") > 0) {
    const auto metric = make();
    for (std::size_t i = 0; i < batches.size(); ++i)
      expect_metric_result(c, "forward " + std::to_string(i), metric->forward_values(batches[i]),
                           expected.at("forward").at(i));
  }
  if (parts.erase("merged") > 0) {
    const std::vector ranks = {make(), make()};
    for (std::size_t i = 0; i < batches.size(); ++i) ranks[i % 2]->update_values(batches[i]);
    ranks[0]->merge(*ranks[1]);
    expect_metric_result(c, "merged", ranks[0]->compute_value(), expected.at("merged"));
  }
  if (!parts.empty()) throw MalformedCase("unknown part '" + *parts.begin() + "'");
  expected.done();
}

void run_metric_error(Case& c, Generators& /*generators*/) {
  const std::vector<Values> batches = read_batches(c);
  const std::string name = c.text("name");
  const Json& args = c.at("args");
  expect_error(c, [&] {
    const auto metric = make_metric(name, args);
    for (const Values& batch : batches) metric->update_values(batch);
    static_cast<void>(metric->compute_value());
  });
}

void run_collection(Case& c, Generators& /*generators*/) {
  metrics::MetricCollection collection({.prefix = c.text("prefix")});
  for (const auto& [name, metric] : c.at("metrics").items())
    collection.add(name, make_metric(metric.at(0).get<std::string>(), metric.at(1)));
  for (const Values& batch : read_batches(c)) collection.update_values(batch);
  Fields expected(c.at("expected"));
  expect_metric_result(c, "values", collection.compute(), expected.at("values"));
  expected.done();
}

Tensor call_box_op(const std::string& name, const std::vector<Tensor>& in, Fields& args) {
  using namespace metrics;
  const auto input = [&](std::size_t i) -> const Tensor& {
    if (i >= in.size()) throw MalformedCase(name + ": too few inputs");
    return in[i];
  };
  const auto format = [&](const char* field) {
    const Json* value = args.find(field);
    return value ? value->get<std::string>() : "xyxy";
  };
  if (name == "box_area") return box_area(input(0), format("fmt"));
  if (name == "box_iou") return box_iou(input(0), input(1), format("fmt"));
  if (name == "generalized_box_iou") return generalized_box_iou(input(0), input(1));
  if (name == "distance_box_iou")
    return distance_box_iou(input(0), input(1), args.number("eps", 1e-7));
  if (name == "complete_box_iou")
    return complete_box_iou(input(0), input(1), args.number("eps", 1e-7));
  if (name == "box_convert")
    return box_convert(input(0), args.text("in_fmt"), args.text("out_fmt"));
  if (name == "nms") return nms(input(0), input(1), args.number("iou_threshold"));
  if (name == "batched_nms")
    return batched_nms(input(0), input(1), input(2), args.number("iou_threshold"));
  if (name == "remove_small_boxes") return remove_small_boxes(input(0), args.number("min_size"));
  if (name == "clip_boxes_to_image") {
    const Shape size = args.shape("size");
    return clip_boxes_to_image(input(0), {size[0], size[1]});
  }
  throw Unsupported("function " + name);
}

void run_box_op(Case& c, Generators& /*generators*/) {
  std::vector<Tensor> inputs;
  for (const Json& input : c.at("inputs")) inputs.push_back(read_data(c, input).as_tensor());
  Fields args(c.at("args"));
  Fields expected(c.at("expected"));
  const Tensor result = call_box_op(c.text("name"), inputs, args);
  args.done();
  expect_metric_result(c, "result", result, expected.at("out"));
  expected.done();
}

}  // namespace

void run_metrics(Case& c) {
  static const KitKinds kinds = {{"metric", run_metric},
                                 {"error", run_metric_error},
                                 {"collection", run_collection},
                                 {"box_op", run_box_op}};
  run_kind(c, kinds);
}

}  // namespace taper::oracle
