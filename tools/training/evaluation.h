// Evaluation of a run on its test images, stored in the folder of the run for its report.
#pragma once
#include <string>
#include <vector>

#include "run.h"

namespace training {

/// Returns a dict of what a report shows besides the logs:
///
/// | entry | contents |
/// |---|---|
/// | confusion | i64 (classes, classes): rows are true classes, columns predictions |
/// | images | the test images with the largest loss, at most 24, (N, C, H, W) |
/// | captions | "cat as dog, 97 %" for each of them |
/// | gradients | dict of the gradients of the last step by parameter, at most 10,000 elements each
/// | | machine | dict of texts: processor, threads, instruction set, version |
taper::Value evaluate(Run& run, const std::vector<std::string>& classes);

}  // namespace training
