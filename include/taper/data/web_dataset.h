// WebDataset: examples in tar archives.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/generator.h"
#include "taper/core/not_bool.h"
#include "taper/core/shared_function.h"
#include "taper/core/value.h"

namespace TAPER_API taper {
namespace data {

/// Converts the bytes of a field, such as "seg.png", to a value; returns nullopt for a field that
/// it does not decode.
using FieldDecoder =
    SharedFunction<std::optional<Value>(const std::string& field, const std::string& bytes)>;

/// Options of WebDataset.
struct WebDatasetOptions {
  /// Reads the archives in a new random order in each pass.
  bool shardshuffle = false;
  /// Number of examples from which the next one is drawn; 0 and 1: the order of the archives.
  IntArg shuffle = 0;
  /// Converts fields by the last part of their names: txt, text and transcript to strings; cls,
  /// cls2, index, inx and id to integers; json and jsn to values; npy, npz and pth to tensors and
  /// containers of tensors. A field that ends in gz is decompressed before. Other fields remain
  /// bytes.
  bool decode = false;
  /// Decoders that are tried before these rules, in order.
  std::vector<FieldDecoder> decoders{};
  /// This process reads the archives `rank`, `rank` + `num_replicas`, ...
  IntArg num_replicas = 1, rank = 0;
  /// Rejects a pass without examples, for example because there are fewer archives than workers.
  bool empty_check = true;
  /// Generator of the random orders. Default: the default generator, which is that of the worker.
  std::optional<Generator> generator{};
};

/// Iterable dataset of the examples in tar archives, optionally compressed with gzip, in the
/// convention of WebDataset. The path of a file up to the first dot of its last part is the key of
/// its example, the rest, in small letters, the name of the field; consecutive files with equal
/// keys are an example. An example is a dict of "__key__", "__url__" (the path of the archive) and
/// the fields in their order, as bytes or decoded. Directories, links, files without a field name
/// and files whose name or first directory has the form `__*__` are passed over.
///
/// The archives are divided among the workers of a loader. Memory use is that of one example, or of
/// `shuffle` examples. The iterator throws IoError for an archive that is damaged, truncated or not
/// a tar archive, and for a field that cannot be decoded. PyTorch: webdataset.WebDataset.
///
///     data::WebDataset dataset("train-{000..127}.tar", {.shardshuffle = true, .decode = true});
///     data::DataLoader loader(dataset, {.batch_size = 32, .num_workers = 4});
class WebDataset {
 public:
  /// The paths of the archives in their order. Throws ValueError for invalid options or if there
  /// are no paths.
  explicit WebDataset(std::vector<std::string> urls, WebDatasetOptions options = {});
  /// As with the list expand_braces(urls).
  explicit WebDataset(const std::string& urls, WebDatasetOptions options = {});

  /// Starts a pass.
  SharedFunction<std::optional<Value>()> iterate() const;
  /// Returns the paths of the archives.
  const std::vector<std::string>& urls() const { return urls_; }

 private:
  std::vector<std::string> urls_;
  std::shared_ptr<const WebDatasetOptions> options_;
};

/// Returns the strings that a shell would make of braces: "a{0..2}" are a0, a1 and a2, "{08..10}"
/// are 08, 09 and 10, "x{,y}" are x and xy. "::" separates patterns. Throws ValueError if braces
/// are not closed or there are more than a million strings.
std::vector<std::string> expand_braces(const std::string& pattern);

}  // namespace data
}  // namespace taper
