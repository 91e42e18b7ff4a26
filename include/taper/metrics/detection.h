// Metrics of object detection.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/not_bool.h"
#include "taper/metrics/metric.h"

namespace TAPER_API taper {
namespace metrics {

/// Detected or true objects of an image.
struct Objects {
  Tensor boxes;      ///< `(N, 4)`
  Tensor labels;     ///< `(N)`, integers
  Tensor scores{};   ///< `(N)`, of detected objects
  Tensor iscrowd{};  ///< `(N)`, of true objects: 1 for a group; default: 0
  Tensor area{};     ///< `(N)`, of true objects; default or 0: the area of the box
};

/// Base class of metrics of the objects of images.
class DetectionMetric : public Metric {
 public:
  /// Adds detected and true objects, one element per image. Throws ValueError if their numbers
  /// differ or a tensor is missing, ShapeError for other shapes, DTypeError unless labels are
  /// integers.
  void update(const std::vector<Objects>& preds, const std::vector<Objects>& target);
  /// Returns a dict of values by name.
  Value compute() const { return compute_value(); }

 protected:
  DetectionMetric(std::string_view name, const std::string& box_format, bool needs_scores);
  virtual void add(const Objects& preds, const Objects& target) = 0;
  void update_state(const Values& batch) final;
  /// Returns boxes in a format.
  Tensor converted(const Tensor& boxes, std::string_view format) const;

 private:
  Objects read(const Value& image, bool is_prediction) const;

  std::string box_format_;
  bool needs_scores_;
};

/// Options of IntersectionOverUnion and the metrics that generalize it.
struct IntersectionOverUnionOptions {
  std::string box_format = "xyxy";        ///< "xyxy", "xywh" or "cxcywh"
  std::optional<double> iou_threshold{};  ///< smaller values are ignored
  bool class_metrics = false;             ///< also returns one value per class
  bool respect_labels = true;             ///< only compares boxes with equal labels
};

/// Base class of the metrics of intersections. State: lists `iou_matrix`, `groundtruth_labels` and
/// `pred_labels` with one element per image.
class BoxOverlapMetric : public DetectionMetric {
 public:
  std::string_view type_name() const override { return name_; }

 protected:
  using Overlap = Tensor (*)(const Tensor& preds, const Tensor& target);
  BoxOverlapMetric(std::string_view name, const char* key, Overlap overlap, double ignored,
                   const IntersectionOverUnionOptions& options);
  void add(const Objects& preds, const Objects& target) override;
  Value compute_state() const override;

 private:
  std::string_view name_;
  std::string key_;
  Overlap overlap_;
  double ignored_;
  IntersectionOverUnionOptions options_;
};

/// Mean intersection over union of all pairs of boxes with equal labels: {"iou": value}, and
/// "iou/cl_<label>" for each class. PyTorch: torchmetrics.detection.IntersectionOverUnion.
class IntersectionOverUnion : public BoxOverlapMetric {
 public:
  explicit IntersectionOverUnion(const IntersectionOverUnionOptions& options = {});
};
/// As IntersectionOverUnion, of generalized_box_iou: "giou".
/// PyTorch: torchmetrics.detection.GeneralizedIntersectionOverUnion.
class GeneralizedIntersectionOverUnion : public BoxOverlapMetric {
 public:
  explicit GeneralizedIntersectionOverUnion(const IntersectionOverUnionOptions& options = {});
};
/// As IntersectionOverUnion, of distance_box_iou: "diou".
/// PyTorch: torchmetrics.detection.DistanceIntersectionOverUnion.
class DistanceIntersectionOverUnion : public BoxOverlapMetric {
 public:
  explicit DistanceIntersectionOverUnion(const IntersectionOverUnionOptions& options = {});
};
/// As IntersectionOverUnion, of complete_box_iou: "ciou".
/// PyTorch: torchmetrics.detection.CompleteIntersectionOverUnion.
class CompleteIntersectionOverUnion : public BoxOverlapMetric {
 public:
  explicit CompleteIntersectionOverUnion(const IntersectionOverUnionOptions& options = {});
};

/// Options of MeanAveragePrecision.
struct MeanAveragePrecisionOptions {
  std::string box_format = "xyxy";       ///< "xyxy", "xywh" or "cxcywh"
  std::vector<double> iou_thresholds{};  ///< default: 0.5, 0.55, ..., 0.95
  std::vector<double> rec_thresholds{};  ///< recalls; default: 0, 0.01, ..., 1
  /// Numbers of detections per image that count, by descending score: three numbers.
  std::vector<std::int64_t> max_detection_thresholds = {1, 10, 100};
  bool class_metrics = false;     ///< also returns one value per class
  std::string average = "macro";  ///< "macro": mean of the classes; "micro": ignores labels
};

/// Mean average precision and recall of COCO, as pycocotools computes them; -1 where there is
/// nothing to average. The value is a dict with `map`, `map_50`, `map_75`, `map_small`,
/// `map_medium`, `map_large`, `mar_1`, `mar_10`, `mar_100`, `mar_small`, `mar_medium`, `mar_large`,
/// `map_per_class`, `mar_100_per_class` and `classes`. As in pycocotools, `map` is that of 100
/// detections per image, and -1 if 100 is not among max_detection_thresholds. Throws ValueError for
/// invalid options. PyTorch: torchmetrics.detection.MeanAveragePrecision.
class MeanAveragePrecision : public DetectionMetric {
 public:
  explicit MeanAveragePrecision(const MeanAveragePrecisionOptions& options = {});
  std::string_view type_name() const override { return "MeanAveragePrecision"; }

 protected:
  void add(const Objects& preds, const Objects& target) override;
  Value compute_state() const override;

 private:
  MeanAveragePrecisionOptions options_;
};

}  // namespace metrics
}  // namespace taper
