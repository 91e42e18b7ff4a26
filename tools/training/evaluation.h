// Evaluation of a run on its test examples, stored in the folder of the run for its report.
#pragma once
#include <string>
#include <vector>

#include "image_set.h"
#include "run.h"

namespace training {

/// Returns a dict of the data that a report shows besides the logs:
///
/// | entry | contents |
/// |---|---|
/// | confusion | i64 (classes, classes): rows are true classes, columns predictions |
/// | images | the misclassified test images with the largest loss, at most 24; None for tables, (N,
/// C, H, W) | | captions | "cat as dog, 97 %" for each of them | | gradients | dict of the
/// gradients of the last step by parameter, of at most 10,000 elements | | machine | dict of texts:
/// processor, threads, instruction set, version |
///
/// Of a regression, the first three are replaced by `targets`, the numbers of the test set (N), and
/// `predictions` (N).
taper::Value evaluate(Run& run, const ExampleSet& set);

}  // namespace training
