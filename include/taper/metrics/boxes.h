// Functions of bounding boxes. PyTorch: torchvision.ops.
#pragma once
#include <string_view>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace metrics {

/// Size of an image in pixels.
struct ImageSize {
  IntArg height;
  IntArg width;
};

/// Returns the areas `(...)` of boxes `(..., 4)`. Throws ValueError unless the format is "xyxy",
/// "xywh" or "cxcywh", ShapeError for other shapes. PyTorch: torchvision.ops.box_area.
Tensor box_area(const Tensor& boxes, std::string_view fmt = "xyxy");
/// Converts boxes `(..., 4)` between the formats "xyxy" (corners), "xywh" (corner and size) and
/// "cxcywh" (center and size). Throws as box_area. PyTorch: torchvision.ops.box_convert.
Tensor box_convert(const Tensor& boxes, std::string_view in_fmt, std::string_view out_fmt);
/// Returns the intersection over union `(N, M)` of boxes `(N, 4)` and `(M, 4)`. Throws as box_area.
/// PyTorch: torchvision.ops.box_iou.
Tensor box_iou(const Tensor& boxes1, const Tensor& boxes2, std::string_view fmt = "xyxy");
/// As box_iou of corners, minus the share of the enclosing box outside of the union.
/// PyTorch: torchvision.ops.generalized_box_iou.
Tensor generalized_box_iou(const Tensor& boxes1, const Tensor& boxes2);
/// As box_iou of corners, minus the squared distance of the centers relative to the squared
/// diagonal of the enclosing box plus `eps`. PyTorch: torchvision.ops.distance_box_iou.
Tensor distance_box_iou(const Tensor& boxes1, const Tensor& boxes2, FloatArg eps = 1e-7);
/// As distance_box_iou, minus a term for different aspect ratios.
/// PyTorch: torchvision.ops.complete_box_iou.
Tensor complete_box_iou(const Tensor& boxes1, const Tensor& boxes2, FloatArg eps = 1e-7);
/// Returns the indices `(K)` of the boxes `(N, 4)` that non-maximum suppression retains, by
/// descending score `(N)`: boxes are removed whose intersection over union with a retained box of a
/// higher score exceeds `iou_threshold`. Throws ShapeError for other shapes, DTypeError unless the
/// boxes and scores are of a floating-point type. PyTorch: torchvision.ops.nms.
Tensor nms(const Tensor& boxes, const Tensor& scores, FloatArg iou_threshold);
/// As nms, where boxes of different categories `idxs` `(N)` do not suppress each other.
/// PyTorch: torchvision.ops.batched_nms.
Tensor batched_nms(const Tensor& boxes, const Tensor& scores, const Tensor& idxs,
                   FloatArg iou_threshold);
/// Returns the indices of the boxes `(N, 4)` with both sides of at least `min_size`.
/// PyTorch: torchvision.ops.remove_small_boxes.
Tensor remove_small_boxes(const Tensor& boxes, FloatArg min_size);
/// Returns boxes `(..., 4)` clipped to an image. PyTorch: torchvision.ops.clip_boxes_to_image.
Tensor clip_boxes_to_image(const Tensor& boxes, const ImageSize& size);

}  // namespace metrics
}  // namespace taper
