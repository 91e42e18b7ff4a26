// Metrics of classification, regression, segmentation, detection and texts. Not included by
// taper/taper.h. PyTorch: torchmetrics, torchvision.ops.
#pragma once
#include "taper/metrics/aggregation.h"
#include "taper/metrics/boxes.h"
#include "taper/metrics/classification/calibration_error.h"
#include "taper/metrics/classification/confusion_matrix.h"
#include "taper/metrics/classification/curve.h"
#include "taper/metrics/classification/exact_match.h"
#include "taper/metrics/classification/hinge_loss.h"
#include "taper/metrics/classification/stat_scores.h"
#include "taper/metrics/collection.h"
#include "taper/metrics/detection.h"
#include "taper/metrics/metric.h"
#include "taper/metrics/regression/correlation.h"
#include "taper/metrics/regression/error.h"
#include "taper/metrics/regression/score.h"
#include "taper/metrics/segmentation.h"
#include "taper/metrics/text.h"
