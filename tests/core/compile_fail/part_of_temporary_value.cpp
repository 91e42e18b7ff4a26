// expect: assign the value to a variable first
#include <utility>

#include "taper/core/value.h"
using namespace taper;

Value load();

void test(Value named, const Value& constant) {
  Dict& inner = named["x"]["y"].as_dict();
  for (const auto& [key, value] : constant["x"].as_dict()) (void)key, (void)value, (void)inner;
  for (const Value& item : load()["x"].as_sequence()) (void)item;
  (void)load()["x"].as_tensor(), (void)load()["x"].as_string();
  Dict& d = load()["x"].as_dict();                                  // rejected
  for (const auto& entry : load()["x"].as_dict()) (void)entry;      // rejected
  for (const Value& item : load()["x"]["y"].as_list()) (void)item;  // rejected
  (void)load().as_dict();                                           // rejected
  (void)load()["x"].as_list().size();                               // rejected
  (void)load()["x"].find("y");                                      // rejected
  (void)load()["x"].as_module().str();                              // rejected
  (void)Value(named["x"]).as_dict();                                // rejected
  (void)std::move(named)["x"].as_list();                            // rejected
}
