#include "taper/metrics/detection.h"

#include <algorithm>

#include "core/check.h"

#include "metrics/support.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/metrics/boxes.h"

namespace taper::metrics {
namespace {

Value dict_of(const Objects& objects) {
  Value dict = Value::dict();
  const auto set = [&](const char* name, const Tensor& t) {
    if (t.defined()) dict.as_dict().set(name, t);
  };
  set("boxes", objects.boxes);
  set("labels", objects.labels);
  set("scores", objects.scores);
  set("iscrowd", objects.iscrowd);
  set("area", objects.area);
  return dict;
}

Value list_of(const std::vector<Objects>& images) {
  Values items;
  for (const Objects& objects : images) items.push_back(dict_of(objects));
  return Value::list(std::move(items));
}

/// Returns the overlaps of no boxes as torchmetrics stores them: a square of zeros.
Tensor overlaps_of_empty(const Tensor& preds, const Tensor& target) {
  const std::int64_t n = preds.numel() == 0 ? target.size(0) : preds.size(0);
  return zeros({n, n});
}

}  // namespace

DetectionMetric::DetectionMetric(std::string_view name, const std::string& box_format,
                                 bool needs_scores)
    : box_format_(box_format), needs_scores_(needs_scores) {
  check_choice(name, "box_format", box_format, {"xyxy", "xywh", "cxcywh"});
}

void DetectionMetric::update(const std::vector<Objects>& preds,
                             const std::vector<Objects>& target) {
  update_values({list_of(preds), list_of(target)});
}

Objects DetectionMetric::read(const Value& image, bool is_prediction) const {
  const char* role = is_prediction ? "preds" : "target";
  if (!image.is_dict())
    fail<TypeError>("{}: expected a dict for each image of {}, got {}", type_name(), role,
                    image.type_name());
  const auto get = [&](const char* name, bool is_required) -> Tensor {
    const Value* value = image.find(name);
    if (value != nullptr && value->is_tensor()) return value->as_tensor();
    if (value != nullptr || is_required)
      fail<ValueError>("{}: an image of {} does not have the tensor '{}'", type_name(), role, name);
    return {};
  };
  Objects objects{get("boxes", true), get("labels", true), {}, {}, {}};
  if (is_prediction && needs_scores_) objects.scores = get("scores", true);
  if (!is_prediction) {
    objects.iscrowd = get("iscrowd", false);
    objects.area = get("area", false);
  }
  if (objects.boxes.numel() == 0) objects.boxes = objects.boxes.reshape({0, 4});
  const std::int64_t n = objects.boxes.size(0);
  if (objects.boxes.dim() != 2 || objects.boxes.size(1) != 4)
    fail<ShapeError>("{}: got boxes of shape {}, expected (N, 4)", type_name(),
                     objects.boxes.shape());
  if (objects.labels.is_floating_point())
    fail<DTypeError>("{}: labels must be integers, got {}", type_name(), objects.labels.dtype());
  for (const Tensor& t : {objects.labels, objects.scores, objects.iscrowd, objects.area})
    if (t.defined() && (t.dim() != 1 || t.size(0) != n))
      fail<ShapeError>("{}: got a tensor of shape {} beside {} boxes of {}", type_name(), t.shape(),
                       n, role);
  return objects;
}

void DetectionMetric::update_state(const Values& batch) {
  if (batch.size() != 2 || !(batch[0].is_list() || batch[0].is_tuple()) ||
      !(batch[1].is_list() || batch[1].is_tuple()))
    fail<TypeError>("{}: expected the lists preds and target", type_name());
  const Values &preds = batch[0].as_sequence(), &target = batch[1].as_sequence();
  if (preds.size() != target.size())
    fail<ValueError>("{}: numbers of images of preds and target differ: {} and {}", type_name(),
                     preds.size(), target.size());
  for (std::size_t i = 0; i < preds.size(); ++i) add(read(preds[i], true), read(target[i], false));
}

Tensor DetectionMetric::converted(const Tensor& boxes, std::string_view format) const {
  return box_convert(boxes, box_format_, format);
}

BoxOverlapMetric::BoxOverlapMetric(std::string_view name, const char* key, Overlap overlap,
                                   double ignored, const IntersectionOverUnionOptions& options)
    : DetectionMetric(name, options.box_format, false),
      name_(name),
      key_(key),
      overlap_(overlap),
      ignored_(ignored),
      options_(options) {
  add_list("groundtruth_labels");
  add_list("pred_labels");
  add_list("iou_matrix");
}

void BoxOverlapMetric::add(const Objects& preds, const Objects& target) {
  const bool is_empty = preds.boxes.numel() == 0 || target.boxes.numel() == 0;
  Tensor overlaps = is_empty
                        ? overlaps_of_empty(preds.boxes, target.boxes)
                        : overlap_(converted(preds.boxes, "xyxy"), converted(target.boxes, "xyxy"));
  if (!is_empty && options_.iou_threshold)
    overlaps = overlaps.masked_fill(overlaps < *options_.iou_threshold, ignored_);
  if (options_.respect_labels) {
    const Tensor is_comparable = is_empty ? eye(overlaps.size(0)) == 1
                                          : preds.labels.unsqueeze(1) == target.labels.unsqueeze(0);
    overlaps = overlaps.masked_fill(~is_comparable, ignored_);
  }
  append("groundtruth_labels", target.labels);
  append("pred_labels", preds.labels);
  append("iou_matrix", overlaps);
}

Value BoxOverlapMetric::compute_state() const {
  std::vector<Tensor> valid;
  for (const Tensor& matrix : list("iou_matrix"))
    valid.push_back(matrix.masked_select(matrix != ignored_));
  const auto mean = [](const std::vector<Tensor>& parts) -> Tensor {
    const Tensor all = parts.empty() ? zeros({0}) : cat(parts);
    return all.numel() == 0 ? zeros({}) : all.mean().nan_to_num(0);
  };
  Value result = Value::dict({{key_, mean(valid)}});
  if (!options_.class_metrics || valid.empty()) return result;
  const Tensor labels =
      cat({concatenated("groundtruth_labels"), concatenated("pred_labels")}).unique().output;
  for (const std::int64_t label : to_integers(labels)) {
    std::vector<Tensor> of_class;
    for (std::size_t i = 0; i < valid.size(); ++i) {
      const Tensor& matrix = list("iou_matrix")[i];
      const Tensor columns = (list("groundtruth_labels")[i] == label).nonzero().squeeze(1);
      if (columns.numel() == 0) continue;
      const Tensor part = matrix.index_select(1, columns);
      of_class.push_back(part.masked_select(part != ignored_));
    }
    result.as_dict().set(key_ + "/cl_" + std::to_string(label), mean(of_class));
  }
  return result;
}

IntersectionOverUnion::IntersectionOverUnion(const IntersectionOverUnionOptions& options)
    : BoxOverlapMetric(
          "IntersectionOverUnion", "iou",
          [](const Tensor& a, const Tensor& b) { return box_iou(a, b); }, -1, options) {}

GeneralizedIntersectionOverUnion::GeneralizedIntersectionOverUnion(
    const IntersectionOverUnionOptions& options)
    : BoxOverlapMetric("GeneralizedIntersectionOverUnion", "giou", generalized_box_iou, -1,
                       options) {}

DistanceIntersectionOverUnion::DistanceIntersectionOverUnion(
    const IntersectionOverUnionOptions& options)
    : BoxOverlapMetric(
          "DistanceIntersectionOverUnion", "diou",
          [](const Tensor& a, const Tensor& b) { return distance_box_iou(a, b); }, -1, options) {}

CompleteIntersectionOverUnion::CompleteIntersectionOverUnion(
    const IntersectionOverUnionOptions& options)
    : BoxOverlapMetric(
          "CompleteIntersectionOverUnion", "ciou",
          [](const Tensor& a, const Tensor& b) { return complete_box_iou(a, b); }, -2, options) {}

}  // namespace taper::metrics
