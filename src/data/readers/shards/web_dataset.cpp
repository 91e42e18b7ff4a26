#include "taper/data/web_dataset.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/check.h"
#include "data/readers/shards/decode.h"
#include "data/readers/shards/tar_reader.h"
#include "io/text.h"
#include "taper/core/dict.h"
#include "taper/core/factory.h"
#include "taper/data/data_loader_options.h"

namespace taper::data {
namespace {

constexpr std::size_t kMaxUrls = 1'000'000;

/// A pass over the examples of a list of archives, in order.
class ShardReader {
 public:
  ShardReader(std::vector<std::string> urls, std::shared_ptr<const WebDatasetOptions> options)
      : urls_(std::move(urls)), options_(std::move(options)) {}

  std::optional<Value> next() {
    while (true) {
      if (!tar_) {
        if (shard_ == urls_.size()) return {};
        tar_ = std::make_unique<TarReader>("WebDataset", urls_[shard_++]);
      }
      std::vector<Part> parts;
      try {
        parts = next_of_shard();
      } catch (...) {  // the archive cannot be read any further
        leave_shard();
        throw;
      }
      if (!parts.empty()) return decode(parts);
      leave_shard();
    }
  }

 private:
  /// A file that belongs to an example.
  struct Part {
    std::string key, field, bytes;
  };

  void leave_shard() {
    tar_.reset();
    part_.reset();
  }

  /// Returns the files of the next example; an empty list at the end of the archive.
  std::vector<Part> next_of_shard() {
    std::vector<Part> parts;
    if (!part_) part_ = next_part();
    for (; part_ && (parts.empty() || part_->key == parts[0].key); part_ = next_part())
      parts.push_back(*std::move(part_));
    return parts;
  }

  std::optional<Part> next_part() {
    while (const auto file = tar_->next())
      if (auto name = split_name(file->name))
        return Part{std::move(name->first), std::move(name->second), tar_->read()};
    return {};
  }

  Value decode(std::vector<Part>& parts) const {
    const std::string& key = parts[0].key;
    Value example = Value::dict({{"__key__", key}, {"__url__", tar_->file().path()}});
    for (Part& part : parts) {
      if (example.contains(part.field))
        tar_->file().fail("example '{}' has field '{}' twice", io::escape_for_message(key),
                          io::escape_for_message(part.field));
      try {
        example.as_dict().set(part.field,
                              decode_field(part.field, std::move(part.bytes), *options_));
      } catch (const ValueError& error) {
        tar_->file().fail("example '{}', field '{}': {}", io::escape_for_message(key),
                          io::escape_for_message(part.field), error.message());
      }
    }
    return example;
  }

  std::vector<std::string> urls_;
  std::shared_ptr<const WebDatasetOptions> options_;
  std::size_t shard_ = 0;
  std::unique_ptr<TarReader> tar_;
  std::optional<Part> part_;
};

std::size_t draw_index(std::size_t count, const std::optional<Generator>& generator) {
  return static_cast<std::size_t>(randint(static_cast<std::int64_t>(count), Shape{1}, {},
                                          generator ? *generator : default_generator())
                                      .item<std::int64_t>());
}

/// Draws the next example from a buffer of `size` examples.
class ShuffleBuffer {
 public:
  ShuffleBuffer(ShardReader reader, std::size_t size, std::optional<Generator> generator)
      : reader_(std::move(reader)), size_(size), generator_(std::move(generator)) {}

  std::optional<Value> next() {
    if (size_ <= 1) return reader_.next();
    while (!ended_ && buffer_.size() < size_) {
      if (auto example = reader_.next())
        buffer_.push_back(*std::move(example));
      else
        ended_ = true;
    }
    if (buffer_.empty()) return {};
    std::swap(buffer_[draw_index(buffer_.size(), generator_)], buffer_.back());
    Value example = std::move(buffer_.back());
    buffer_.pop_back();
    return example;
  }

 private:
  ShardReader reader_;
  std::size_t size_;
  std::optional<Generator> generator_;
  Values buffer_;
  bool ended_ = false;
};

/// Returns every `count`-th string, from `first` on.
std::vector<std::string> take_every(const std::vector<std::string>& urls, std::int64_t first,
                                    std::int64_t count) {
  std::vector<std::string> part;
  for (auto i = static_cast<std::size_t>(first); i < urls.size();
       i += static_cast<std::size_t>(count))
    part.push_back(urls[i]);
  return part;
}

/// Returns the position after the brace that closes the one at `open`.
std::size_t end_of_braces(const std::string& pattern, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < pattern.size(); ++i) {
    depth += pattern[i] == '{';
    depth -= pattern[i] == '}';
    if (depth == 0) return i + 1;
  }
  fail<ValueError>("expand_braces: missing '}}' in '{}'", io::escape_for_message(pattern));
}

std::vector<std::string> split_alternatives(std::string_view list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '{';
    depth -= c == '}';
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// Returns the numbers of a range such as "08..10"; nullopt if it is not a range.
std::optional<std::vector<std::string>> expand_range(std::string_view range) {
  const std::size_t dots = range.find("..");
  if (dots == range.npos) return {};
  std::int64_t bounds[2] = {};
  const std::string_view texts[2] = {range.substr(0, dots), range.substr(dots + 2)};
  std::size_t width = 0;
  for (int i = 0; i < 2; ++i) {
    const char* const last = texts[i].data() + texts[i].size();
    const auto [end, error] = std::from_chars(texts[i].data(), last, bounds[i]);
    if (error != std::errc{} || end != last || bounds[i] < 0) return {};
    if (texts[i].size() > 1 && texts[i][0] == '0') width = std::max(width, texts[i].size());
  }
  const std::int64_t step = bounds[0] <= bounds[1] ? 1 : -1;
  const auto count = static_cast<std::uint64_t>((bounds[1] - bounds[0]) * step) + 1;
  if (count > kMaxUrls)
    fail<ValueError>("expand_braces: a range of {} numbers, at most {} are expanded", count,
                     kMaxUrls);
  std::vector<std::string> numbers;
  for (std::int64_t n = bounds[0];; n += step) {
    std::string text = std::to_string(n);
    if (text.size() < width) text.insert(0, width - text.size(), '0');
    numbers.push_back(std::move(text));
    if (n == bounds[1]) return numbers;
  }
}

[[noreturn]] void reject_too_many(const std::string& pattern) {
  fail<ValueError>("expand_braces: '{}' has more than {} strings", io::escape_for_message(pattern),
                   kMaxUrls);
}

/// Appends `more`. Throws ValueError if `all` becomes too long.
void append_urls(std::vector<std::string>& all, std::vector<std::string> more,
                 const std::string& pattern) {
  if (more.size() > kMaxUrls - all.size()) reject_too_many(pattern);
  for (std::string& text : more) all.push_back(std::move(text));
}

std::vector<std::string> expand_one(const std::string& pattern, int depth) {
  const std::size_t open = pattern.find('{');
  if (open == pattern.npos) return {pattern};
  constexpr int kMaxDepth = 100;
  if (depth > kMaxDepth)
    fail<ValueError>("expand_braces: more than {} braces in '{}'", kMaxDepth,
                     io::escape_for_message(pattern));
  const std::size_t end = end_of_braces(pattern, open);
  const std::string inner = pattern.substr(open + 1, end - open - 2);
  std::vector<std::string> middle;
  const std::vector<std::string> parts = split_alternatives(inner);
  if (parts.size() == 1 && inner.find('{') == inner.npos) {
    auto range = expand_range(inner);
    middle = range ? *std::move(range) : std::vector<std::string>{"{" + inner + "}"};
  } else {
    for (const std::string& part : parts) append_urls(middle, expand_one(part, depth + 1), pattern);
  }
  const std::vector<std::string> ends = expand_one(pattern.substr(end), depth + 1);
  if (middle.size() > kMaxUrls / ends.size()) reject_too_many(pattern);
  std::vector<std::string> all;
  for (const std::string& text : middle)
    for (const std::string& rest : ends) all.push_back(pattern.substr(0, open) + text + rest);
  return all;
}

}  // namespace

std::vector<std::string> expand_braces(const std::string& pattern) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin <= pattern.size();) {
    const std::size_t end = std::min(pattern.find("::", begin), pattern.size());
    append_urls(all, expand_one(pattern.substr(begin, end - begin), 0), pattern);
    begin = end + 2;
  }
  return all;
}

WebDataset::WebDataset(std::vector<std::string> urls, WebDatasetOptions options)
    : urls_(std::move(urls)) {
  if (urls_.empty()) fail<ValueError>("WebDataset: expected at least one path");
  if (options.shuffle < 0)
    fail<ValueError>("WebDataset: shuffle must not be negative: got {}", options.shuffle);
  if (options.num_replicas <= 0)
    fail<ValueError>("WebDataset: num_replicas must be positive: got {}", options.num_replicas);
  if (options.rank < 0 || options.rank >= options.num_replicas)
    fail<ValueError>("WebDataset: invalid rank {}, expected 0 to {}", options.rank,
                     options.num_replicas - 1);
  options_ = std::make_shared<const WebDatasetOptions>(std::move(options));
}

WebDataset::WebDataset(const std::string& urls, WebDatasetOptions options)
    : WebDataset(expand_braces(urls), std::move(options)) {}

SharedFunction<std::optional<Value>()> WebDataset::iterate() const {
  std::vector<std::string> urls = take_every(urls_, options_->rank, options_->num_replicas);
  if (const WorkerInfo* const worker = get_worker_info())
    urls = take_every(urls, worker->id, worker->num_workers);
  const auto& generator = options_->generator;
  if (options_->shardshuffle)
    for (std::size_t i = urls.size(); i > 1; --i)
      std::swap(urls[i - 1], urls[draw_index(i, generator)]);
  const auto buffer_size = static_cast<std::size_t>(std::int64_t{options_->shuffle});
  return [buffer = ShuffleBuffer(ShardReader(std::move(urls), options_), buffer_size, generator),
          may_be_empty = !options_->empty_check]() mutable -> std::optional<Value> {
    auto example = buffer.next();
    if (!example && !std::exchange(may_be_empty, true))
      fail<IoError>(
          "WebDataset: the archives contain no examples. If there are fewer archives than workers, "
          "set empty_check to false");
    may_be_empty = true;
    return example;
  };
}

}  // namespace taper::data
