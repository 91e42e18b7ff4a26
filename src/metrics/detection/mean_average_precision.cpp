#include <algorithm>

#include "core/check.h"

#include "metrics/detection/coco.h"
#include "metrics/support.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/metrics/detection.h"

namespace taper::metrics {
namespace {

std::vector<CocoBox> boxes_of(const Tensor& t) {
  const std::vector<double> numbers = to_doubles(t);
  std::vector<CocoBox> boxes(numbers.size() / 4);
  for (std::size_t i = 0; i < numbers.size(); ++i) boxes[i / 4][i % 4] = numbers[i];
  return boxes;
}

std::vector<std::int64_t> sorted_unique(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Returns the labels of all objects, ascending.
std::vector<std::int64_t> labels_of(const std::vector<CocoImage>& images) {
  std::vector<std::int64_t> labels;
  for (const CocoImage& image : images) {
    for (const CocoDetection& d : image.detections) labels.push_back(d.label);
    for (const CocoTruth& t : image.truths) labels.push_back(t.label);
  }
  return sorted_unique(std::move(labels));
}

/// Thresholds as the float32 numbers of torch.linspace.
std::vector<double> spaced(double first, double last, std::int64_t count) {
  return to_doubles(linspace(first, last, count, {.dtype = DType::f32}));
}

Tensor f32_scalar(double value) { return full({}, value, {.dtype = DType::f32}); }

Tensor numbers(const std::vector<double>& values) { return tensor(values).to(DType::f32); }

}  // namespace

MeanAveragePrecision::MeanAveragePrecision(const MeanAveragePrecisionOptions& options)
    : DetectionMetric("MeanAveragePrecision", options.box_format, true), options_(options) {
  check_choice(type_name(), "average", options.average, {"macro", "micro"});
  auto& limits = options_.max_detection_thresholds;
  if (limits.size() != 3)
    fail<ValueError>("MeanAveragePrecision: got {} max_detection_thresholds, expected 3",
                     limits.size());
  std::sort(limits.begin(), limits.end());
  if (options_.iou_thresholds.empty()) options_.iou_thresholds = spaced(0.5, 0.95, 10);
  if (options_.rec_thresholds.empty()) options_.rec_thresholds = spaced(0, 1, 101);
  for (const char* name :
       {"detection_box", "detection_scores", "detection_labels", "groundtruth_box",
        "groundtruth_labels", "groundtruth_crowds", "groundtruth_area"})
    add_list(name);
}

void MeanAveragePrecision::add(const Objects& preds, const Objects& target) {
  append("detection_box", converted(preds.boxes, "xywh"));
  append("detection_scores", preds.scores);
  append("detection_labels", preds.labels);
  append("groundtruth_box", converted(target.boxes, "xywh"));
  append("groundtruth_labels", target.labels);
  append("groundtruth_crowds",
         target.iscrowd.defined() ? target.iscrowd : zeros_like(target.labels));
  append("groundtruth_area", target.area.defined() ? target.area : zeros_like(target.labels));
}

Value MeanAveragePrecision::compute_state() const {
  std::vector<CocoImage> images(list("detection_box").size());
  for (std::size_t i = 0; i < images.size(); ++i) {
    const auto boxes = boxes_of(list("detection_box")[i]);
    const auto scores = to_doubles(list("detection_scores")[i]);
    const auto labels = to_integers(list("detection_labels")[i]);
    for (std::size_t j = 0; j < boxes.size(); ++j)
      images[i].detections.push_back({boxes[j], scores[j], labels[j]});
    const auto true_boxes = boxes_of(list("groundtruth_box")[i]);
    const auto true_labels = to_integers(list("groundtruth_labels")[i]);
    const auto crowds = to_integers(list("groundtruth_crowds")[i]);
    const auto areas = to_doubles(list("groundtruth_area")[i]);
    for (std::size_t j = 0; j < true_boxes.size(); ++j)
      images[i].truths.push_back({true_boxes[j],
                                  areas[j] > 0 ? areas[j] : true_boxes[j][2] * true_boxes[j][3],
                                  true_labels[j], crowds[j] != 0});
  }
  const std::vector<std::int64_t> classes = labels_of(images);
  const CocoRules rules{options_.iou_thresholds, options_.rec_thresholds,
                        options_.max_detection_thresholds};
  const bool is_micro = options_.average == "micro";
  std::vector<CocoImage> unlabeled = images;
  if (is_micro)
    for (CocoImage& image : unlabeled) {
      for (CocoDetection& d : image.detections) d.label = 0;
      for (CocoTruth& t : image.truths) t.label = 0;
    }
  const CocoEvaluation all(unlabeled, labels_of(unlabeled), rules);

  Value result = Value::dict();
  const auto set = [&](const std::string& name, const Tensor& value) {
    result.as_dict().set(name, value);
  };
  const auto& limits = options_.max_detection_thresholds;
  const auto suffix = [&](std::size_t i) { return std::to_string(limits[i]); };
  const auto precision = [&](const char* name, const CocoEvaluation::Selection& selection) {
    set(name, f32_scalar(all.precision(selection)));
  };
  precision("map", {});
  precision("map_50", {.iou_threshold = 0.5, .max_detections = limits[2]});
  precision("map_75", {.iou_threshold = 0.75, .max_detections = limits[2]});
  precision("map_small", {.area = 1, .max_detections = limits[2]});
  precision("map_medium", {.area = 2, .max_detections = limits[2]});
  precision("map_large", {.area = 3, .max_detections = limits[2]});
  for (std::size_t i = 0; i < limits.size(); ++i)
    set("mar_" + suffix(i), f32_scalar(all.recall({.max_detections = limits[i]})));
  const char* const sizes[] = {"small", "medium", "large"};
  for (std::size_t i = 0; i < std::size(sizes); ++i)
    set(std::string("mar_") + sizes[i],
        f32_scalar(all.recall({.area = i + 1, .max_detections = limits[2]})));

  std::vector<double> precisions, recalls;
  if (options_.class_metrics) {
    const CocoEvaluation by_class(images, classes, rules);
    for (std::size_t k = 0; k < classes.size(); ++k) {
      precisions.push_back(by_class.precision({.category = k}));
      recalls.push_back(by_class.recall({.max_detections = limits[2], .category = k}));
    }
  } else {
    precisions = recalls = {-1};
  }
  // As in torchmetrics, absent without images.
  if (!images.empty()) {
    set("map_per_class", numbers(precisions));
    set("mar_" + suffix(2) + "_per_class", numbers(recalls));
  }
  set("classes", tensor(classes).to(DType::i32));
  return result;
}

}  // namespace taper::metrics
