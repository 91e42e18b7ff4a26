// Files and output of taper train.
#pragma once
#include <string>
#include <vector>

#include "image_set.h"
#include "json.h"
#include "out.h"
#include "run.h"
#include "taper/core/value.h"

namespace taper::cli {

/// Creates a directory. Throws IoError.
void make_folder(const std::string& path);

/// Returns the file name of the weights: "lenet.pt", or the name of the file that contains the
/// module.
std::string weights_name(const std::string& model);

/// Writes the whole history, so that the log is complete after resuming.
void write_log(const std::string& path, const training::Run& run);

void write_classes(const std::string& path, const std::vector<std::string>& classes);

/// Saves the last completed step of a run that ends with an error. A failure to save is printed,
/// because the error of the run must be reported.
void save_after_error(Out& out, training::Run& run, const std::string& checkpoint,
                      const taper::Value& about, bool as_json);

/// Prints the network, the data and the completed epochs.
void describe(Out& out, training::Run& run, const training::ExampleSet& set);

/// Returns the results of a run and the paths of its files.
Json json_of_run(const training::Run& run, const training::ExampleSet& set, bool finished,
                 const std::string& weights, const std::string& checkpoint, const std::string& log);

}  // namespace taper::cli
