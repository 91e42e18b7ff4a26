#include "training/state.h"
#include "cases/outcome.h"
#include "cases/sha256.h"
#include "taper/core/factory.h"
#include "training/fields.h"
#include "values/reader.h"

namespace taper::oracle {
namespace {

void expect_entry(Case& c, Fields& entry, const Tensor& actual, Tolerance tolerance) {
  const std::string key = entry.text("key");
  entry.find("stability");  // Taper's bits are the same on every processor
  const DType dtype = dtype_named(entry.text("dtype"));
  const Shape shape = entry.shape("shape");
  const std::string hash = entry.text("sha256");
  entry.done();
  if (actual.dtype() != dtype || actual.shape() != shape)
    return c.fail(key + ": got " + std::string(name_of(actual.dtype())) + " " +
                  actual.shape().str() + ", expected " + std::string(name_of(dtype)) + " " +
                  shape.str());
  if (c.has_tensor(key)) c.expect_close(key, actual, c.tensor(key), tolerance);
  if (tolerance.rtol != 0 || tolerance.atol != 0) return;
  const std::string bytes = bytes_of(actual);
  c.expect_text("hash of " + key, sha256(bytes.data(), bytes.size()), hash);
}

}  // namespace

void expect_state(Case& c, const std::vector<std::pair<std::string, Tensor>>& actual,
                  Tolerance tolerance) {
  const Json& entries = c.at("state");
  std::size_t i = 0;
  for (const Json& object : entries) {
    Fields entry(object);
    if (i == actual.size() || actual[i].first != entry.text("key"))
      return c.fail("entry " + std::to_string(i) + " of the state: got " +
                    (i == actual.size() ? "none" : actual[i].first) + ", expected " +
                    entry.text("key"));
    expect_entry(c, entry, actual[i++].second, tolerance);
  }
  if (i != actual.size()) c.fail("unexpected entries in the state: " + actual[i].first);
}

void expect_next(Case& c) { c.expect_close("the next draw", rand({2}), c.tensor("__next")); }

}  // namespace taper::oracle
