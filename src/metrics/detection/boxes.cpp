#include "taper/metrics/boxes.h"

#include <algorithm>
#include <numbers>

#include "core/check.h"

#include "metrics/support.h"
#include "taper/core/factory.h"

namespace taper::metrics {
namespace {

void check_boxes(std::string_view op, const Tensor& boxes) {
  if (boxes.dim() < 1 || boxes.size(-1) != 4)
    fail<ShapeError>("{}: got boxes of shape {}, expected (..., 4)", op, boxes.shape());
}

void check_box_list(std::string_view op, const Tensor& boxes) {
  if (boxes.dim() != 2 || boxes.size(1) != 4)
    fail<ShapeError>("{}: got boxes of shape {}, expected (N, 4)", op, boxes.shape());
}

void check_format(std::string_view op, std::string_view format) {
  check_choice(op, "format", format, {"xyxy", "xywh", "cxcywh"});
}

/// Converts to a dtype whose products do not overflow as easily.
Tensor upcast(const Tensor& t) {
  if (t.is_floating_point()) return t.element_size() < 4 ? t.to(DType::f32) : t;
  return t.dtype() == DType::i32 || t.dtype() == DType::i64 ? t : t.to(DType::i32);
}

Tensor column(const Tensor& boxes, std::int64_t i) { return boxes.select(-1, i); }

/// Coordinates of all pairs of boxes: `(N, 1)` and `(1, M)`.
struct Pairs {
  Tensor a, b;
  Tensor first(std::int64_t i) const { return column(a, i).unsqueeze(1); }
  Tensor second(std::int64_t i) const { return column(b, i).unsqueeze(0); }
};

struct Overlap {
  Tensor intersection, union_area;
};

Overlap overlap(const Pairs& p) {
  const auto side = [&](std::int64_t low) {
    const Tensor start = p.first(low).maximum(p.second(low));
    return upcast(p.first(low + 2).minimum(p.second(low + 2)) - start).clamp_min(0);
  };
  const Tensor intersection = side(0) * side(1);
  return {intersection, box_area(p.a).unsqueeze(1) + box_area(p.b).unsqueeze(0) - intersection};
}

/// Returns the size of the enclosing boxes along dimension `low`.
Tensor enclosing_side(const Pairs& p, std::int64_t low) {
  const Tensor start = p.first(low).minimum(p.second(low));
  return upcast(p.first(low + 2).maximum(p.second(low + 2)) - start).clamp_min(0);
}

Tensor iou(const Overlap& o) { return o.intersection / o.union_area; }

Pairs corner_pairs(std::string_view op, const Tensor& boxes1, const Tensor& boxes2) {
  check_box_list(op, boxes1);
  check_box_list(op, boxes2);
  return {boxes1, boxes2};
}

/// Returns the indices that remain, by descending score. Computed in the dtype of the boxes.
template <class T> std::vector<std::int64_t> retained(const Tensor& boxes,
                                                      const std::vector<std::int64_t>& order,
                                                      double iou_threshold) {
  struct Box {
    T x1, y1, x2, y2;
    T area() const { return (x2 - x1) * (y2 - y1); }
  };
  const Tensor row_major = boxes.contiguous();
  const T* data = row_major.const_data_ptr<T>();
  const auto box = [&](std::int64_t i) {
    return Box{data[4 * i], data[4 * i + 1], data[4 * i + 2], data[4 * i + 3]};
  };
  std::vector<char> is_suppressed(order.size());
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (is_suppressed[i]) continue;
    result.push_back(order[i]);
    const Box a = box(order[i]);
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const Box b = box(order[j]);
      const T width = std::max(T(0), std::min(a.x2, b.x2) - std::max(a.x1, b.x1));
      const T height = std::max(T(0), std::min(a.y2, b.y2) - std::max(a.y1, b.y1));
      const T intersection = width * height;
      const T ratio = intersection / (a.area() + b.area() - intersection);
      if (static_cast<double>(ratio) > iou_threshold) is_suppressed[j] = 1;
    }
  }
  return result;
}

}  // namespace

Tensor box_area(const Tensor& boxes, std::string_view fmt) {
  check_boxes("box_area", boxes);
  check_format("box_area", fmt);
  const Tensor b = upcast(boxes);
  if (fmt != "xyxy") return column(b, 2) * column(b, 3);
  return (column(b, 2) - column(b, 0)) * (column(b, 3) - column(b, 1));
}

Tensor box_convert(const Tensor& boxes, std::string_view in_fmt, std::string_view out_fmt) {
  check_boxes("box_convert", boxes);
  check_format("box_convert", in_fmt);
  check_format("box_convert", out_fmt);
  if (in_fmt == out_fmt) return boxes.clone();
  Tensor a = column(boxes, 0), b = column(boxes, 1), c = column(boxes, 2), d = column(boxes, 3);
  // Convert to corners.
  if (in_fmt == "xywh") {
    c = a + c;
    d = b + d;
  } else if (in_fmt == "cxcywh") {
    const Tensor half_width = 0.5 * c, half_height = 0.5 * d;
    c = a + half_width;
    d = b + half_height;
    a = a - half_width;
    b = b - half_height;
  }
  if (out_fmt == "xywh") return stack({a, b, c - a, d - b}, -1);
  if (out_fmt == "cxcywh") return stack({(a + c) / 2, (b + d) / 2, c - a, d - b}, -1);
  return stack({a, b, c, d}, -1);
}

Tensor box_iou(const Tensor& boxes1, const Tensor& boxes2, std::string_view fmt) {
  check_format("box_iou", fmt);
  const Pairs pairs = corner_pairs("box_iou", boxes1, boxes2);
  if (fmt == "xyxy") return iou(overlap(pairs));
  return iou(overlap({box_convert(boxes1, fmt, "xyxy"), box_convert(boxes2, fmt, "xyxy")}));
}

Tensor generalized_box_iou(const Tensor& boxes1, const Tensor& boxes2) {
  const Pairs pairs = corner_pairs("generalized_box_iou", boxes1, boxes2);
  const Overlap o = overlap(pairs);
  const Tensor enclosing = enclosing_side(pairs, 0) * enclosing_side(pairs, 1);
  return iou(o) - (enclosing - o.union_area) / enclosing;
}

Tensor distance_box_iou(const Tensor& boxes1, const Tensor& boxes2, FloatArg eps) {
  const Pairs pairs = corner_pairs("distance_box_iou", boxes1, boxes2);
  const Tensor diagonal =
      enclosing_side(pairs, 0).square() + enclosing_side(pairs, 1).square() + double(eps);
  const auto center_distance = [&](std::int64_t low) {
    return upcast((pairs.first(low) + pairs.first(low + 2)) / 2 -
                  (pairs.second(low) + pairs.second(low + 2)) / 2)
        .square();
  };
  return iou(overlap(pairs)) - (center_distance(0) + center_distance(1)) / diagonal;
}

Tensor complete_box_iou(const Tensor& boxes1, const Tensor& boxes2, FloatArg eps) {
  const Pairs pairs = corner_pairs("complete_box_iou", boxes1, boxes2);
  const auto angle = [](const Tensor& boxes) {
    return ((column(boxes, 2) - column(boxes, 0)) / (column(boxes, 3) - column(boxes, 1))).atan();
  };
  const Tensor difference = angle(upcast(boxes1)).unsqueeze(1) - angle(upcast(boxes2)).unsqueeze(0);
  const Tensor v = 4 / (std::numbers::pi * std::numbers::pi) * difference.square();
  const Tensor alpha = v / (1 - iou(overlap(pairs)) + v + double(eps));
  return distance_box_iou(boxes1, boxes2, eps) - alpha * v;
}

Tensor nms(const Tensor& boxes, const Tensor& scores, FloatArg iou_threshold) {
  check_box_list("nms", boxes);
  check_floating("nms", "boxes", boxes);
  check_floating("nms", "scores", scores);
  if (scores.dim() != 1 || scores.size(0) != boxes.size(0))
    fail<ShapeError>("nms: got scores of shape {}, expected ({})", scores.shape(), boxes.size(0));
  const std::vector<std::int64_t> order = to_integers(scores.sort(0, true, true).second);
  const Tensor b = upcast(boxes);
  return tensor(b.dtype() == DType::f64 ? retained<double>(b, order, iou_threshold)
                                        : retained<float>(b, order, iou_threshold));
}

Tensor batched_nms(const Tensor& boxes, const Tensor& scores, const Tensor& idxs,
                   FloatArg iou_threshold) {
  check_box_list("batched_nms", boxes);
  if (idxs.dim() != 1 || idxs.size(0) != boxes.size(0))
    fail<ShapeError>("batched_nms: got idxs of shape {}, expected ({})", idxs.shape(),
                     boxes.size(0));
  if (boxes.numel() == 0) return empty({0}, {.dtype = DType::i64});
  // Boxes of different categories are moved to places that do not overlap.
  const Tensor offsets = idxs.to(boxes.dtype()) * (boxes.max() + 1);
  return nms(boxes + offsets.unsqueeze(1), scores, iou_threshold);
}

Tensor remove_small_boxes(const Tensor& boxes, FloatArg min_size) {
  check_box_list("remove_small_boxes", boxes);
  const Tensor width = column(boxes, 2) - column(boxes, 0);
  const Tensor height = column(boxes, 3) - column(boxes, 1);
  return ((width >= double(min_size)) & (height >= double(min_size))).nonzero().squeeze(1);
}

Tensor clip_boxes_to_image(const Tensor& boxes, const ImageSize& size) {
  check_boxes("clip_boxes_to_image", boxes);
  const auto clip = [&](std::int64_t i, std::int64_t limit) {
    return column(boxes, i).clamp(0, limit);
  };
  return stack(
      {clip(0, size.width), clip(1, size.height), clip(2, size.width), clip(3, size.height)}, -1);
}

}  // namespace taper::metrics
