#include "taper/data/tensor_files.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/check.h"
#include "data/readers/tensor_file.h"
#include "io/text.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/data/combine.h"

namespace taper::data {

namespace {

using detail::TensorFile;

/// Maximum size of the blocks of small rows that a dataset stores.
constexpr std::int64_t kMaxBlockBytes = std::int64_t{128} << 20;

std::string quoted_key(std::string_view key) { return "'" + io::escape_for_message(key) + "'"; }

Tensor find_tensor(const Value& contents, const std::string& path, const std::string& key) {
  const Value* const found = contents.find(key);
  if (!found) fail<KeyError>("TensorFiles: {}: no tensor {}", path, quoted_key(key));
  if (!found->is_tensor())
    fail<IoError>("TensorFiles: {}: {} is not a tensor but {}", path, quoted_key(key),
                  found->type_name());
  return found->as_tensor();
}

TensorFile read_tensor_file(const std::string& path, std::vector<std::string>& keys,
                            const TensorFilesOptions& options, bool is_first) {
  LoadOptions load_options;
  if (!options.mmap) load_options.mmap = false;
  io::LoadedFile loaded(path, load_options);
  const Value contents = loaded.take_contents();
  TensorFile file{path};
  if (contents.is_tensor()) {
    if (!options.keys.empty())
      fail<KeyError>("TensorFiles: {}: no tensor {}: the file contains a tensor without a name",
                     path, quoted_key(options.keys[0]));
    if (!keys.empty())
      fail<IoError>("TensorFiles: {}: got a tensor, expected a dict as in the first file", path);
    file.tensors.push_back(contents.as_tensor());
  } else if (contents.is_dict()) {
    if (!is_first && keys.empty())
      fail<IoError>("TensorFiles: {}: got a dict, expected a tensor as in the first file", path);
    if (keys.empty())
      for (const auto& [key, value] : contents.as_dict()) keys.push_back(key.str());
    if (keys.empty()) fail<IoError>("TensorFiles: {}: the file does not contain tensors", path);
    for (const std::string& key : keys) file.tensors.push_back(find_tensor(contents, path, key));
  } else {
    fail<IoError>("TensorFiles: {}: got {}, expected a tensor or a dict of tensors", path,
                  contents.type_name());
  }
  if (std::any_of(file.tensors.begin(), file.tensors.end(),
                  [&](const Tensor& t) { return loaded.contains(t); }))
    file.mapped = std::move(loaded);
  try {
    file.read_scattered_rows();
  } catch (const IoError& error) { fail<IoError>("TensorFiles: {}: {}", path, error.what()); }
  return file;
}

/// Returns the name of tensor `i` for messages.
std::string tensor_name(const std::vector<std::string>& keys, std::size_t i) {
  return keys.empty() ? "the tensor" : quoted_key(keys[i]);
}

void check_rows(const TensorFile& file, const std::vector<std::string>& keys) {
  for (std::size_t i = 0; i < file.tensors.size(); ++i) {
    const Tensor& t = file.tensors[i];
    if (t.dim() == 0)
      fail<ValueError>("TensorFiles: {}: {} has no dimensions", file.path, tensor_name(keys, i));
    if (t.size(0) != file.rows())
      fail<ValueError>("TensorFiles: {}: {} has {} rows, but {} has {}", file.path,
                       tensor_name(keys, i), t.size(0), tensor_name(keys, 0), file.rows());
  }
}

Shape row_shape(const Tensor& t) {
  Shape shape = t.shape();
  shape.erase(std::size_t{0});
  return shape;
}

void check_same_rows(const TensorFile& file, const TensorFile& first,
                     const std::vector<std::string>& keys) {
  for (std::size_t i = 0; i < file.tensors.size(); ++i) {
    const Tensor &a = file.tensors[i], &b = first.tensors[i];
    if (a.dtype() != b.dtype() || row_shape(a) != row_shape(b))
      fail<ValueError>("TensorFiles: {}: rows of {} are {} {}, but {} {} in {}", file.path,
                       tensor_name(keys, i), a.dtype(), row_shape(a), b.dtype(), row_shape(b),
                       first.path);
  }
}

}  // namespace

struct TensorFiles::Contents {
  std::vector<std::string> keys{};
  std::vector<TensorFile> files{};
  std::vector<std::int64_t> ends{};  // number of rows up to the end of each file

  Value pack(std::vector<Tensor> tensors) const {
    if (keys.empty()) return std::move(tensors[0]);
    Value dict = Value::dict();
    for (std::size_t i = 0; i < keys.size(); ++i) dict.as_dict().set(keys[i], tensors[i]);
    return dict;
  }
};

TensorFiles::TensorFiles(const std::string& path, TensorFilesOptions options)
    : TensorFiles(std::vector<std::string>{path}, std::move(options)) {}

TensorFiles::TensorFiles(const std::vector<std::string>& paths, TensorFilesOptions options) {
  if (paths.empty()) fail<ValueError>("TensorFiles: expected at least one path");
  auto contents = std::make_shared<Contents>();
  const auto budget = std::make_shared<detail::BlockBudget>(kMaxBlockBytes);
  contents->keys = options.keys;
  for (const std::string& path : paths) {
    auto& files = contents->files;
    files.push_back(read_tensor_file(path, contents->keys, options, files.empty()));
    check_rows(files.back(), contents->keys);
    check_same_rows(files.back(), files.front(), contents->keys);
    files.back().store_blocks(budget);
    contents->ends.push_back((contents->ends.empty() ? 0 : contents->ends.back()) +
                             files.back().rows());
  }
  contents_ = std::move(contents);
}

std::int64_t TensorFiles::size() const { return contents_->ends.back(); }
const std::vector<std::string>& TensorFiles::keys() const { return contents_->keys; }

Value TensorFiles::get(std::int64_t i) const {
  const auto [part, row] = detail::find_part(i, contents_->ends);
  const detail::RowPlace place{.row = row, .place = 0, .example = i};
  std::vector<Tensor> rows;
  for (const Tensor& batch : contents_->files[part].select({&place, 1})) rows.push_back(batch[0]);
  return contents_->pack(std::move(rows));
}

Value TensorFiles::get_batch(std::span<const std::int64_t> indices) const {
  std::vector<std::vector<detail::RowPlace>> rows(contents_->files.size());
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const auto [part, row] = detail::find_part(indices[k], contents_->ends);
    rows[part].push_back({row, static_cast<std::int64_t>(k), indices[k]});
  }
  for (std::size_t part = 0; part < rows.size(); ++part)
    if (rows[part].size() == indices.size())
      return contents_->pack(contents_->files[part].select(rows[part]));
  std::vector<Tensor> batch;
  for (const Tensor& t : contents_->files[0].tensors)
    batch.push_back(detail::empty_rows(t, static_cast<std::int64_t>(indices.size())));
  for (std::size_t part = 0; part < rows.size(); ++part)
    if (!rows[part].empty()) contents_->files[part].copy_rows(rows[part], batch);
  return contents_->pack(std::move(batch));
}

}  // namespace taper::data
