#include "files/write_back.h"

#include <algorithm>
#include <filesystem>

#include "core/strided.h"
#include "files/describe.h"
#include "files/dtype_names.h"
#include "taper/core/error.h"
#include "taper/io/load.h"
#include "taper/io/save.h"

namespace taper::oracle {
namespace {

namespace fs = std::filesystem;

bool is_contiguous(const Json& tensor) {
  const auto read_shape = [&](const char* name) {
    return Shape(tensor.at(name).get<std::vector<std::int64_t>>());
  };
  return taper::is_contiguous(read_shape("shape"), read_shape("stride"));
}

/// Returns true if `test` holds for some part of a description.
template <class Test> bool any_value(const Json& d, const Test& test) {
  if (test(d)) return true;
  if (!d.contains("items")) return false;
  for (const Json& item : d["items"])
    if (d["t"] == "dict" ? any_value(item[0], test) || any_value(item[1], test)
                         : any_value(item, test))
      return true;
  return false;
}

bool is_opaque(const Json& d) { return d.at("t") == "opaque"; }
/// Returns true for tensors of dtypes newer than the legacy format, which PyTorch writes to it but
/// cannot read.
bool is_of_new_dtype(const Json& d) {
  if (d.at("t") != "tensor") return false;
  const std::string dtype = d.value("dtype", "f32");
  return is_foreign(dtype) && dtype != "c64" && dtype != "c128";
}
/// Returns true for values that torch.load(weights_only=True) may reject: modules, globals, empty
/// bytes and other objects.
bool needs_trust(const Json& d) {
  const std::string type = d.at("t");
  return type == "module" || type == "opaque" || type == "global" || type == "frozenset" ||
         ((type == "bytes" || type == "bytearray") && d["hex"] == "") ||
         (type == "dict" && d["class"] == "defaultdict");
}

/// Returns true if a safetensors file can store the value: a dict of contiguous tensors by name.
bool fits_safetensors(const Json& d) {
  if (d.at("t") != "dict") return false;
  return std::all_of(d["items"].begin(), d["items"].end(), [](const Json& item) {
    const Json &name = item[0], &tensor = item[1];
    return name.at("t") == "str" && name["v"] != "__metadata__" && tensor.at("t") == "tensor" &&
           !tensor.contains("layout") && is_contiguous(tensor) && tensor["dtype"] != "c32" &&
           tensor["dtype"] != "c128";
  });
}

class RoundTripWriter {
 public:
  RoundTripWriter(const FileEntry& entry, const std::string& folder, Json& failures)
      : folder_(folder), name_(entry.file), v_(load(entry.path)), failures_(failures) {
    for (char& c : name_)
      if (c == '/' || c == '.') c = '_';
    described_ = Describer()(v_);
    // Only the corpus contains Python's description of opaque objects.
    if (any_value(described_, is_opaque)) described_ = *entry.value;
  }

  Json write_all() {
    write("zip/" + name_ + ".pt", "torch-zip", {});
    if (!any_value(described_, is_of_new_dtype))
      write("legacy/" + name_ + ".pth", "torch-legacy", {.format = FileFormat::legacy});
    if (!fits_safetensors(described_)) return written_;
    const SaveOptions single_file{.format = FileFormat::safetensors,
                                  .shared = SharedTensors::split};
    write("safetensors/" + name_ + ".safetensors", "safetensors", single_file);
    if (described_["items"].size() > 1) write_shards(single_file);
    return written_;
  }

 private:
  void write_shards(SaveOptions options) {
    options.max_shard_size = 100;
    const std::string path = "sharded/" + name_ + "/model.safetensors";
    // A checkpoint that fits in one file has no index.
    write(path + ".index.json", "safetensors-index", options, path);
  }

  void write(const std::string& file, const char* kind, const SaveOptions& options,
             const std::string& saved_as = "") {
    const fs::path to = fs::path(folder_) / (saved_as.empty() ? file : saved_as);
    fs::create_directories(to.parent_path());
    try {
      save(v_, to.string(), options);
      std::string read = (fs::path(folder_) / file).string();
      const bool is_index = !saved_as.empty();
      if (is_index && !fs::exists(read)) return;
      record_entry(file, kind, load(read));
    } catch (const Error& error) { failures_.push_back("writing " + file + ": " + error.what()); }
  }

  void record_entry(const std::string& file, const std::string& kind, const Value& reloaded) {
    const bool only_tensors = kind.starts_with("safetensors");
    const Rules rules{.strict_stride = true, .only_tensors = only_tensors, .may_stay_opaque = true};
    for (const std::string& text : differences(described_, Describer()(reloaded), rules))
      failures_.push_back("written as " + file + " and read again: " + text);
    Json e = {{"file", file}, {"kind", kind}, {"expect", "value"}, {"value", described_}};
    if (!only_tensors) e["python_weights_only"] = !any_value(described_, needs_trust);
    if (kind == "safetensors") e["metadata"] = metadata();
    written_.push_back(std::move(e));
  }

  Json metadata() const {
    const Value* found = v_.is_dict() ? v_.as_dict().attribute("__metadata__") : nullptr;
    if (!found || !found->is_dict()) return {};
    Json all = Json::object();
    for (const auto& [key, text] : found->as_dict()) all[key.as_string()] = text.as_string();
    return all;
  }

  const std::string& folder_;
  std::string name_;
  Value v_;
  Json described_;
  Json written_ = Json::array();
  Json& failures_;
};

}  // namespace

Json write_and_verify(const FileEntry& entry, const std::string& folder, Json& failures) {
  return RoundTripWriter(entry, folder, failures).write_all();
}

}  // namespace taper::oracle
