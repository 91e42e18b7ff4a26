// expect: save(object.state_dict(), path)
#include <sstream>
#include <string>

#include "taper/io/save.h"
#include "taper/nn/linear.h"
#include "taper/nn/module.h"
#include "taper/optim/sgd.h"
using namespace taper;

void test(const nn::Linear& net, optim::SGD& optimizer, std::string path, std::ostream& stream) {
  save(net.state_dict(), path), save(net.weight, "weight.pt"), save("text", path);
  save(net.state_dict(), stream);
  (void)save_to_bytes(net.state_dict());
  save(net, "net.pt");                              // rejected
  save(net, path, {});                              // rejected
  save(net, stream);                                // rejected
  save(nn::Linear(1, 2), path);                     // rejected
  save(optimizer, path);                            // rejected
  (void)save_to_bytes(net);                         // rejected
  const SaveHandle handle = save_async(net, path);  // rejected
}
