#include "rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "contents.h"
#include "core/tensor_impl.h"
#include "elements.h"
#include "io/rebuild/storage_class.h"
#include "misuse.h"
#include "taper/core/error.h"
#include "taper/io/foreign_tensor.h"
#include "words.h"

namespace command {

using taper::Tensor;
using taper::Value;

namespace {

bool is_named_tensors(const Value& v) {
  if (!v.is_dict()) return false;
  return std::all_of(v.as_dict().begin(), v.as_dict().end(), [](const auto& e) {
    return e.first.is_string() && (e.second.is_tensor() || taper::foreign_tensor(e.second));
  });
}

/// Converts floating tensors; those that were one tensor, or the same view, stay one.
class Converter {
 public:
  explicit Converter(taper::DType type) : type_(type) {}
  std::size_t converted = 0;

  Value operator()(const Value& v, int depth = 0) {
    constexpr int kDeepest = 1000;
    if (depth > kDeepest)
      throw taper::ValueError("the checkpoint is nested too deep to convert its dtypes");
    if (v.is_tensor()) return tensor(v);
    if (v.is_dict()) {
      const Value copy = v.as_dict().copy();
      for (const auto& [key, item] : v.as_dict())
        if (Value changed = (*this)(item, depth + 1); changes(item))
          copy.as_dict().set(key, std::move(changed));
      return copy;
    }
    if (v.is_list() || v.is_tuple()) {
      taper::Values items;
      for (const Value& item : v.as_sequence()) items.push_back((*this)(item, depth + 1));
      return v.is_list() ? Value::list(std::move(items)) : Value::tuple(std::move(items));
    }
    return v;
  }

 private:
  static bool changes(const Value& v) {
    return v.is_tensor() || v.is_dict() || v.is_list() || v.is_tuple();
  }
  Value tensor(const Value& v) {
    const Tensor& t = v.as_tensor();
    if (!t.is_floating_point() || t.dtype() == type_) return v;
    const auto list = [](const taper::Shape& s) {
      return std::vector<std::int64_t>(s.begin(), s.end());
    };
    const Place place(t.impl()->storage.get(), t.storage_offset(), list(t.shape()),
                      list(t.strides()));
    Tensor& made = made_[place];
    if (!made) {
      // Elements that repeat others are converted once, and repeat them again.
      made = distinct(t).tensor.to(type_);
      if (!(made.shape() == t.shape())) made = made.expand(t.shape());
      if (t.requires_grad()) made.set_requires_grad();
      ++converted;
    }
    return v.is_parameter() ? Value::parameter(made) : Value(made);
  }

  using Place =
      std::tuple<const void*, std::int64_t, std::vector<std::int64_t>, std::vector<std::int64_t>>;
  taper::DType type_;
  std::map<Place, Tensor> made_;
};

Value renamed(const Source& source, const Value& value, const Rewrite& how, Rewritten& done) {
  Value out = Value::dict();
  taper::Dict& to = out.as_dict();
  const taper::Dict& from = value.as_dict();
  to.set_class_name(from.class_name());
  std::map<std::string, std::string> old_names;
  for (const auto& [key, item] : from) {
    const std::string& name = key.as_string();
    if (!how.keys.empty() && std::none_of(how.keys.begin(), how.keys.end(),
                                          [&](const std::string& p) { return selects(p, name); })) {
      ++done.left_out;
      continue;
    }
    std::string now = how.prefix + how.renames(name);
    const auto [other, is_new] = old_names.emplace(now, name);
    if (!is_new)
      throw taper::KeyError(fmt::format("{}: '{}' and '{}' would both be called '{}'",
                                        printable(source.file), printable(other->second),
                                        printable(name), printable(now)));
    done.renamed += now != name;
    ++done.kept;
    to.set(std::move(now), item);
  }
  if (const Value* metadata = from.attribute("__metadata__"))
    to.set_attribute("__metadata__", *metadata);
  // Versions by module: of no use under other names.
  if (const Value* versions = from.attribute("_metadata"); versions && !done.renamed)
    to.set_attribute("_metadata", *versions);
  if (to.empty() && !from.empty())
    throw taper::KeyError(printable(source.file) + ": no tensor's name matches --keys");
  return out;
}

/// What to do about a checkpoint that is no dict of tensors.
std::string advice(const Value& value) {
  const std::vector<std::string> paths = state_dicts_in(value);
  if (paths.empty() || paths.front().empty()) return "; it holds no dict of tensors by name";
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(paths.size(), 4); ++i)
    text += (i ? ", " : "") + printable(paths[i]);
  return fmt::format("; its state dicts are: {}. Choose one with --key {}", text,
                     printable(paths.front()));
}

}  // namespace

Rewritten rewrite(const Source& source, const Rewrite& how) {
  Rewritten done{source.value};
  if (how.of_names()) {
    if (!is_named_tensors(done.value))
      throw taper::TypeError(printable(source.file) +
                             ": names can be changed of a dict of tensors only" +
                             advice(done.value));
    done.value = renamed(source, done.value, how, done);
  }
  if (how.dtype) {
    Converter convert(*how.dtype);
    try {
      done.value = convert(done.value);
    } catch (const taper::Error& error) {
      taper::throw_error(error.kind(), printable(source.file) + ": " + error.what());
    }
    done.converted = convert.converted;
  }
  return done;
}

namespace {

bool is_safetensors(const std::string& path) { return path.ends_with(".safetensors"); }

std::map<std::string, std::string> metadata_of(const Value& value,
                                               const std::vector<std::string>& given) {
  std::map<std::string, std::string> all;
  if (const Value* there = value.as_dict().attribute("__metadata__"); there && there->is_dict())
    for (const auto& [key, v] : there->as_dict()) all[key.str()] = v.str();
  for (const std::string& text : given)
    all[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  return all;
}

/// Contiguous tensors only; sharing is refused with names, or given up where that is wanted.
Value for_safetensors(const Value& value, const Source& source, bool unshare) {
  if (!is_named_tensors(value)) {
    std::string odd;
    if (value.is_dict())
      for (const auto& [key, v] : value.as_dict())
        if (odd.empty() && !v.is_tensor() && !taper::foreign_tensor(v))
          odd = fmt::format(" ('{}' is {})", printable(key.str(), 60), v.type_name());
    throw taper::TypeError(
        printable(source.file) + ": a safetensors file holds one dict of tensors, this is " +
        (value.is_dict() ? "a nested checkpoint" + odd : "a " + value.type_name()) + advice(value));
  }
  const Contents contents = contents_of(value);
  for (const TensorItem& t : contents.tensors)
    if (t.shares_with != TensorItem::npos && !unshare)
      throw taper::RuntimeError(
          fmt::format("{}: '{}' and '{}' share memory, which a safetensors file cannot say: leave "
                      "one out with --keys, or "
                      "write each by itself with --unshare",
                      printable(source.file), printable(contents.tensors[t.shares_with].name),
                      printable(t.name)));
  const Value plain = value.as_dict().copy();
  for (const auto& [key, v] : value.as_dict()) {
    if (!v.is_tensor() || v.as_tensor().is_contiguous()) continue;
    if (is_overlapping(v.as_tensor()))
      throw taper::ValueError(
          fmt::format("'{}' repeats its elements, and written out would take far more than its "
                      "memory; leave it "
                      "out with --keys",
                      printable(key.str())));
    plain.as_dict().set(key, v.as_tensor().contiguous());
  }
  return plain;
}

}  // namespace

void check_destination(const Destination& to) {
  const bool safetensors = is_safetensors(to.path);
  const bool torch = to.path.ends_with(".pt") || to.path.ends_with(".pth") ||
                     to.path.ends_with(".bin") || to.path.ends_with(".ckpt");
  if (!safetensors && !torch)
    throw Misuse("'" + printable(to.path) +
                 "' does not say its format: names end in .safetensors, .pt, .pth, .bin or .ckpt");
  if (safetensors && to.legacy) throw Misuse("--legacy is a format of .pt files");
  if (torch && (!to.metadata.empty() || !to.max_shard_size.empty() || to.unshare))
    throw Misuse("--metadata, --max-shard-size and --unshare are of .safetensors files");
  for (const std::string& text : to.metadata)
    if (text.find('=') == std::string::npos || text.starts_with("="))
      throw Misuse("--metadata takes KEY=VALUE, got '" + printable(text) + "'");
  try {
    if (!to.max_shard_size.empty()) taper::ByteCount{to.max_shard_size};
  } catch (const taper::ValueError& error) { throw Misuse(error.what()); }
}

namespace {

/// The error with the name of the file, unless it says one.
[[noreturn]] void throw_with_file(const taper::Error& error, const std::string& from,
                                  const std::string& to) {
  const std::string what = error.what();
  if (what.find(from) != std::string::npos || what.find(to) != std::string::npos) throw;
  taper::throw_error(error.kind(), printable(from) + ": " + what);
}

void write_checked(const Value& value, const Source& source, const Destination& to) {
  taper::SaveOptions options;
  if (!is_safetensors(to.path)) {
    options.format = to.legacy ? taper::FileFormat::legacy : taper::FileFormat::zip;
    return taper::save(value, to.path, options);
  }
  options.format = taper::FileFormat::safetensors;
  const Value plain = for_safetensors(value, source, to.unshare);
  // Hugging Face's libraries read no file that does not say whose tensors it holds.
  auto metadata = metadata_of(value, to.metadata);
  metadata.emplace("format", "pt");
  options.metadata = std::move(metadata);
  if (to.unshare) options.shared = taper::SharedTensors::split;
  if (!to.max_shard_size.empty()) options.max_shard_size = taper::ByteCount(to.max_shard_size);
  taper::save(plain, to.path, options);
}

}  // namespace

void write_to(const Value& value, const Source& source, const Destination& to) {
  check_destination(to);
  try {
    write_checked(value, source, to);
  } catch (const taper::Error& error) { throw_with_file(error, source.file, to.path); }
}

taper::DType dtype_of_name(const std::string& name) {
  const std::string plain = name.starts_with("torch.") ? name.substr(6) : name;
  const std::map<std::string, taper::DType> shorter = {
      {"f64", taper::float64},   {"f32", taper::float32},  {"f16", taper::float16},
      {"bf16", taper::bfloat16}, {"fp16", taper::float16}, {"fp32", taper::float32}};
  std::optional<taper::DType> type = taper::io::dtype_named(plain);
  if (const auto found = shorter.find(plain); found != shorter.end()) type = found->second;
  if (!type || !taper::is_floating_point(*type))
    throw Misuse("--dtype takes float64, float32, float16 or bfloat16, got '" + printable(name) +
                 "'");
  return *type;
}

std::vector<std::string> written_files(const std::string& path) {
  // Whichever of both is newer: one from before may lie beside what was written.
  const std::string index = path + ".index.json";
  std::error_code none, unread;
  const auto written = std::filesystem::last_write_time(index, none);
  const auto single = std::filesystem::last_write_time(path, unread);
  if (none || (!unread && single > written)) return {path};
  std::vector<std::string> files = {index};
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  for (const std::string& shard : look_at(index).shards) files.push_back(folder + shard);
  return files;
}

}  // namespace command
