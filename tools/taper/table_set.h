// Labeled rows of a CSV file.
#pragma once
#include <string>

#include "image_set.h"

namespace taper::cli {

/// Returns true for the name of a CSV file.
bool is_table(const std::string& path);

/// Reads a table whose column `target` is the class of each row, a string or an integer; empty: the
/// last column. The other columns are features: the examples have the shape (N, columns), and are
/// standardized by the mean and the standard deviation of the training rows. A fraction
/// `test_share` of the rows of each class, evenly distributed, is used for testing. Throws
/// taper::Error for missing values, columns of strings, and targets of floating-point numbers.
training::ImageSet read_table_set(const std::string& path, const std::string& target,
                                  double test_share);

}  // namespace taper::cli
