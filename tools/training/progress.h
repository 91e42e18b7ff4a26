// Progress of a training run on the terminal.
#pragma once
#include "taper/train/progress_bar.h"

namespace training {

class Run;
/// Returns the progress of a run after a batch.
taper::train::Progress make_progress(const Run& run);
/// Returns a progress bar for standard output. It prints nothing if the output is not a terminal,
/// because the line of each epoch shows the progress.
taper::train::ProgressBar make_progress_bar();

}  // namespace training
