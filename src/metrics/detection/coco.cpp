#include "metrics/detection/coco.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace taper::metrics {
namespace {

struct AreaRange {
  double least, most;
  bool excludes(double area) const { return area < least || area > most; }
};
constexpr std::array<AreaRange, CocoEvaluation::kAreas> kAreaRanges = {
    {{0, 1e10}, {0, 32.0 * 32}, {32.0 * 32, 96.0 * 96}, {96.0 * 96, 1e10}}};

double area_of(const CocoBox& box) { return box[2] * box[3]; }

/// Returns intersection over union; of a crowd, intersection over the area of the detection.
double overlap(const CocoBox& detection, const CocoTruth& truth) {
  const CocoBox& box = truth.box;
  const auto side = [&](std::size_t i) {
    return std::min(detection[i] + detection[i + 2], box[i] + box[i + 2]) -
           std::max(detection[i], box[i]);
  };
  const double width = side(0), height = side(1);
  if (width <= 0 || height <= 0) return 0;
  const double intersection = width * height;
  const double area = area_of(detection);
  return intersection / (truth.is_crowd ? area : area + area_of(box) - intersection);
}

/// The objects of one category in one image, with detections by descending score.
struct Scene {
  std::vector<CocoDetection> detections;
  std::vector<CocoTruth> truths;
  std::vector<std::vector<double>> overlaps;  ///< by detection and truth
};

Scene scene_of(const CocoImage& image, std::int64_t label, std::size_t most) {
  Scene scene;
  for (const CocoDetection& d : image.detections)
    if (d.label == label) scene.detections.push_back(d);
  for (const CocoTruth& t : image.truths)
    if (t.label == label) scene.truths.push_back(t);
  std::stable_sort(scene.detections.begin(), scene.detections.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  if (scene.detections.size() > most) scene.detections.resize(most);
  for (const CocoDetection& d : scene.detections) {
    scene.overlaps.emplace_back();
    for (const CocoTruth& t : scene.truths) scene.overlaps.back().push_back(overlap(d.box, t));
  }
  return scene;
}

/// A detection at one IoU threshold and range of areas.
struct Judgment {
  double score;
  bool is_match, is_ignored;
};

/// Judgments of an image: by IoU threshold and detection; the number of truths that count.
struct SceneResult {
  std::vector<std::vector<Judgment>> judgments;
  std::size_t counted = 0;
};

SceneResult judge(const Scene& scene, const AreaRange& range,
                  const std::vector<double>& thresholds) {
  SceneResult result;
  const auto is_ignored = [&](std::size_t i) {
    return scene.truths[i].is_crowd || range.excludes(scene.truths[i].area);
  };
  // Truths that count come first.
  std::vector<std::size_t> order(scene.truths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return !is_ignored(i); });
  for (const std::size_t i : order) result.counted += !is_ignored(i);
  for (const double threshold : thresholds) {
    std::vector<char> is_taken(scene.truths.size());
    std::vector<Judgment> judgments;
    for (std::size_t d = 0; d < scene.detections.size(); ++d) {
      double best_overlap = std::min(threshold, 1 - 1e-10);
      std::optional<std::size_t> best;
      for (const std::size_t i : order) {
        if (is_taken[i] && !scene.truths[i].is_crowd) continue;
        // A match with a truth that counts is not replaced by one that is ignored.
        if (best && !is_ignored(*best) && is_ignored(i)) break;
        if (scene.overlaps[d][i] < best_overlap) continue;
        best_overlap = scene.overlaps[d][i];
        best = i;
      }
      if (best) is_taken[*best] = 1;
      judgments.push_back(
          {scene.detections[d].score, best.has_value(),
           best ? is_ignored(*best) : range.excludes(area_of(scene.detections[d].box))});
    }
    result.judgments.push_back(std::move(judgments));
  }
  return result;
}

/// Detections of all images by descending score, of which at most `limit` per image.
std::vector<Judgment> merged(const std::vector<SceneResult>& results, std::size_t threshold,
                             std::size_t limit) {
  std::vector<Judgment> all;
  for (const SceneResult& result : results) {
    const auto& judgments = result.judgments[threshold];
    all.insert(all.end(), judgments.begin(),
               judgments.begin() + static_cast<std::ptrdiff_t>(std::min(limit, judgments.size())));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Judgment& a, const Judgment& b) { return a.score > b.score; });
  return all;
}

}  // namespace

CocoEvaluation::CocoEvaluation(const std::vector<CocoImage>& images,
                               const std::vector<std::int64_t>& labels, const CocoRules& rules)
    : rules_(rules), categories_(labels.size()) {
  const std::size_t size =
      rules.iou_thresholds.size() * categories_ * kAreas * rules.max_detections.size();
  recall_.assign(size, -1);
  precision_.assign(size * rules.recall_thresholds.size(), -1);
  for (std::size_t k = 0; k < labels.size(); ++k) evaluate_category(images, labels[k], k);
}

std::size_t CocoEvaluation::position(std::size_t threshold, std::size_t category, std::size_t area,
                                     std::size_t limit) const {
  return ((threshold * categories_ + category) * kAreas + area) * rules_.max_detections.size() +
         limit;
}

void CocoEvaluation::evaluate_category(const std::vector<CocoImage>& images, std::int64_t label,
                                       std::size_t category) {
  const auto limit_of = [&](std::size_t m) {
    return static_cast<std::size_t>(std::max<std::int64_t>(rules_.max_detections[m], 0));
  };
  const std::size_t limits = rules_.max_detections.size();
  std::vector<Scene> scenes;
  for (const CocoImage& image : images) {
    Scene scene = scene_of(image, label, limit_of(limits - 1));
    if (!scene.detections.empty() || !scene.truths.empty()) scenes.push_back(std::move(scene));
  }
  const std::size_t recalls = rules_.recall_thresholds.size();
  for (std::size_t area = 0; area < kAreas; ++area) {
    std::vector<SceneResult> results;
    std::size_t counted = 0;
    for (const Scene& scene : scenes) {
      results.push_back(judge(scene, kAreaRanges[area], rules_.iou_thresholds));
      counted += results.back().counted;
    }
    if (counted == 0) continue;
    for (std::size_t m = 0; m < limits; ++m)
      for (std::size_t t = 0; t < rules_.iou_thresholds.size(); ++t) {
        double matches = 0, errors = 0;
        std::vector<double> precision, recall;
        for (const Judgment& j : merged(results, t, limit_of(m))) {
          if (!j.is_ignored) (j.is_match ? matches : errors) += 1;
          recall.push_back(matches / static_cast<double>(counted));
          precision.push_back(matches /
                              (errors + matches + std::numeric_limits<double>::epsilon()));
        }
        for (std::size_t i = precision.size(); i-- > 1;)
          precision[i - 1] = std::max(precision[i - 1], precision[i]);
        const std::size_t at = position(t, category, area, m);
        recall_[at] = recall.empty() ? 0 : recall.back();
        for (std::size_t r = 0; r < recalls; ++r) {
          const auto found =
              std::lower_bound(recall.begin(), recall.end(), rules_.recall_thresholds[r]);
          const auto i = static_cast<std::size_t>(found - recall.begin());
          precision_[at * recalls + r] = i < precision.size() ? precision[i] : 0;
        }
      }
  }
}

double CocoEvaluation::mean(const std::vector<double>& values, std::size_t size,
                            const Selection& selection) const {
  double sum = 0, count = 0;
  for (std::size_t t = 0; t < rules_.iou_thresholds.size(); ++t) {
    if (selection.iou_threshold && *selection.iou_threshold != rules_.iou_thresholds[t]) continue;
    for (std::size_t k = 0; k < categories_; ++k) {
      if (selection.category && *selection.category != k) continue;
      for (std::size_t m = 0; m < rules_.max_detections.size(); ++m) {
        if (rules_.max_detections[m] != selection.max_detections) continue;
        const std::size_t at = position(t, k, selection.area, m) * size;
        for (std::size_t i = at; i < at + size; ++i)
          if (values[i] > -1) sum += values[i], count += 1;
      }
    }
  }
  return count == 0 ? -1 : sum / count;
}

double CocoEvaluation::precision(const Selection& selection) const {
  return mean(precision_, rules_.recall_thresholds.size(), selection);
}

double CocoEvaluation::recall(const Selection& selection) const {
  return mean(recall_, 1, selection);
}

}  // namespace taper::metrics
