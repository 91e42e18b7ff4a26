#include "data/readers/tensor_file.h"

#include <algorithm>
#include <cstring>

#include "core/check.h"
#include "taper/core/factory.h"
#include "taper/data/dataset.h"

namespace taper::data::detail {
namespace {

std::vector<std::int64_t> row_numbers(std::span<const RowPlace> rows) {
  std::vector<std::int64_t> numbers;
  for (const RowPlace& r : rows) numbers.push_back(r.row);
  return numbers;
}

std::vector<std::int64_t> places(std::span<const RowPlace> rows) {
  std::vector<std::int64_t> numbers;
  for (const RowPlace& r : rows) numbers.push_back(r.place);
  return numbers;
}

std::size_t row_bytes(const Tensor& t) {
  return t.size(0) > 0 ? t.nbytes() / static_cast<std::size_t>(t.size(0)) : 0;
}

bool is_next(const RowPlace& a, const RowPlace& b) {
  return b.row == a.row + 1 && b.place == a.place + 1;
}

/// Reads rows of a file without its mapping. The file is opened at the first access, and not kept
/// open, because a descriptor per file would exhaust those of the process.
class RowReader {
 public:
  explicit RowReader(const TensorFile& file) : file_(file) {}

  /// Copies rows of a contiguous tensor of the mapping to their places in `batch`.
  void copy(std::size_t tensor, std::span<const RowPlace> rows, const Tensor& batch) {
    const Tensor& t = file_.tensors[tensor];
    const std::size_t bytes = row_bytes(t);
    if (bytes == 0) return;
    std::byte* const to = io::element_bytes(batch);
    for (std::size_t i = 0, end = 0; i < rows.size(); i = end) {
      end = i + 1;
      std::byte* const place = to + static_cast<std::size_t>(rows[i].place) * bytes;
      if (const std::byte* const row = find_in_block(tensor, rows[i])) {
        std::memcpy(place, row, bytes);
        continue;
      }
      while (end < rows.size() && is_next(rows[end - 1], rows[end])) ++end;
      const std::size_t count = read(t, rows[i], rows[i].row, end - i, place);
      if (count < end - i) reject(rows[i + count]);
    }
  }

  /// Throws if the file was truncated.
  void check_size(const RowPlace& row) {
    name_example(row, [&] {
      if (const io::ReopenedFile* const file = open()) file->check_size();
    });
  }

 private:
  const std::byte* find_in_block(std::size_t tensor, const RowPlace& row) {
    if (!file_.blocks[tensor]) return nullptr;
    return file_.blocks[tensor]->find(row.row,
                                      [&](std::byte* to, std::int64_t first, std::int64_t count) {
                                        const auto n = static_cast<std::size_t>(count);
                                        return read(file_.tensors[tensor], row, first, n, to) == n;
                                      });
  }

  /// Reads `count` rows from `first` on. Returns the number of those that exist.
  std::size_t read(const Tensor& t, const RowPlace& row, std::int64_t first, std::size_t count,
                   std::byte* to) {
    const std::size_t bytes = row_bytes(t), at = static_cast<std::size_t>(first) * bytes;
    std::size_t done = count * bytes;
    name_example(row, [&] {
      if (const io::ReopenedFile* const file = open())
        done = file->read(file_.mapped->position_of(t) + at, to, done);
      else  // the mapping is that of another file than the path, which is not truncated
        std::memcpy(to, io::element_bytes(t) + at, done);
    });
    return done / bytes;
  }

  /// Returns the file; null if the path does not refer to it any more.
  const io::ReopenedFile* open() {
    if (!is_opened_) opened_ = file_.mapped->reopen();
    is_opened_ = true;
    return opened_ ? &*opened_ : nullptr;
  }

  [[noreturn]] void reject(const RowPlace& row) {
    check_size(row);
    fail<IoError>("TensorFiles: '{}': example {}: the file was truncated while it was read",
                  file_.path, row.example);
  }

  /// Calls `f`, whose errors are thrown with the path and the example.
  template <class F> void name_example(const RowPlace& row, F&& f) const {
    try {
      f();
    } catch (const IoError& error) {
      fail<IoError>("TensorFiles: '{}': example {}: {}", file_.path, row.example, error.what());
    }
  }

  const TensorFile& file_;
  std::optional<io::ReopenedFile> opened_{};
  bool is_opened_ = false;
};

}  // namespace

Tensor empty_rows(const Tensor& t, std::int64_t count) {
  Shape shape = t.shape();
  shape[0] = count;
  return empty(shape, {.dtype = t.dtype()});
}

bool TensorFile::is_read_by_row(const Tensor& t) const { return mapped && mapped->contains(t); }

void TensorFile::read_scattered_rows() {
  for (Tensor& t : tensors) {
    if (!is_read_by_row(t) || t.is_contiguous()) continue;
    std::int64_t size = 1;  // of the range of the file that contains the elements
    for (std::int64_t d = 0; d < t.dim(); ++d)
      size = t.size(d) > 0 && size > 0 ? size + (t.size(d) - 1) * t.stride(d) : 0;
    const Tensor range = empty({size}, {.dtype = t.dtype()});
    if (const auto file = mapped->reopen()) {
      file->check_size();
      if (file->read(mapped->position_of(t), io::element_bytes(range), range.nbytes()) <
          range.nbytes())
        fail<IoError>("the file was truncated while it was read");
      t = range.as_strided(t.shape(), t.strides()).contiguous();
    } else {  // the mapping is that of another file than the path, which is not truncated
      t = t.contiguous();
    }
  }
}

void TensorFile::store_blocks(const std::shared_ptr<BlockBudget>& budget) {
  for (const Tensor& t : tensors) {
    const std::size_t bytes = row_bytes(t);
    const bool is_stored = is_read_by_row(t) && bytes > 0 && bytes <= RowBlocks::kMaxRowBytes;
    blocks.push_back(is_stored ? std::make_shared<RowBlocks>(t.size(0), bytes, budget) : nullptr);
  }
}

std::vector<Tensor> TensorFile::select(std::span<const RowPlace> rows) const {
  std::vector<Tensor> batch;
  for (const Tensor& t : tensors)
    batch.push_back(mapped ? empty_rows(t, static_cast<std::int64_t>(rows.size()))
                           : select_rows(t, row_numbers(rows)));
  if (mapped) copy_rows(rows, batch);
  return batch;
}

void TensorFile::copy_rows(std::span<const RowPlace> rows, const std::vector<Tensor>& batch) const {
  if (rows.empty()) return;
  RowReader reader(*this);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    if (is_read_by_row(t)) {
      reader.copy(i, rows, batch[i]);
      continue;
    }
    batch[i].index_copy_(0, tensor(places(rows)), select_rows(t, row_numbers(rows)));
  }
}

}  // namespace taper::data::detail
