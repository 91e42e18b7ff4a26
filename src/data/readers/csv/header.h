// Names of the columns of a CSV file, and the selection of columns.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/readers/csv/scanner.h"

namespace taper::data::csv {

struct CsvHeader {
  std::vector<std::string> names;  ///< of all columns of the file
  std::vector<bool> is_used;       ///< selected by `usecols`
  std::size_t fields = 0;          ///< number of fields of the header, or of the first row
};

/// Reads the header, after which the scanner is at the first row of data. Throws IoError if there
/// are no columns, ValueError if the options do not fit the file.
CsvHeader read_header(CsvScanner& scanner, const CsvOptions& options);

}  // namespace taper::data::csv
