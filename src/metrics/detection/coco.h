// Average precision and recall as pycocotools computes them.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace taper::metrics {

/// Corner and size of a box.
using CocoBox = std::array<double, 4>;

struct CocoDetection {
  CocoBox box;
  double score;
  std::int64_t label;
};

struct CocoTruth {
  CocoBox box;
  double area;
  std::int64_t label;
  bool is_crowd;
};

struct CocoImage {
  std::vector<CocoDetection> detections;
  std::vector<CocoTruth> truths;
};

struct CocoRules {
  std::vector<double> iou_thresholds, recall_thresholds;
  std::vector<std::int64_t> max_detections;  ///< ascending
};

/// Precisions and recalls by IoU threshold, category, range of areas and number of detections; -1
/// for categories without objects.
class CocoEvaluation {
 public:
  static constexpr std::size_t kAreas = 4;  ///< all, small, medium, large

  CocoEvaluation(const std::vector<CocoImage>& images, const std::vector<std::int64_t>& labels,
                 const CocoRules& rules);

  /// Values to average: of one IoU threshold or all, of a range of areas, of a maximal number of
  /// detections, of one category or all.
  struct Selection {
    std::optional<double> iou_threshold{};
    std::size_t area = 0;
    std::int64_t max_detections = 100;
    std::optional<std::size_t> category{};
  };
  /// Return the mean of the selected values that are not -1; -1 if there are none.
  double precision(const Selection& selection) const;
  double recall(const Selection& selection) const;

 private:
  /// Returns the position of a value, of which each is `size` numbers long.
  std::size_t position(std::size_t threshold, std::size_t category, std::size_t area,
                       std::size_t limit) const;
  double mean(const std::vector<double>& values, std::size_t size,
              const Selection& selection) const;
  void evaluate_category(const std::vector<CocoImage>& images, std::int64_t label,
                         std::size_t category);

  CocoRules rules_;
  std::size_t categories_;
  std::vector<double> precision_, recall_;
};

}  // namespace taper::metrics
