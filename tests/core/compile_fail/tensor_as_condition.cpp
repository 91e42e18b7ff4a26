// expect: .item<bool>()
// expect: .all()
// expect: equal(
// expect: .defined()
// case: if (a == b) return
// case: if (a.sum() > 0.5) return
// case: while (!(a < b)) return
// case: while (a) return
// case: flag = !a
// case: flag = a && flag
// case: flag = flag || a
// case: flag = a ? true : false
// case: flag = static_cast<bool>(a)
// case: flag = bool(a[0])
#include "taper/core/tensor.h"
using namespace taper;

#ifndef CASE
#define CASE
#endif

void test(const Tensor& a, const Tensor& b, bool& flag) {
  if (a.defined() && (a == b).all().item<bool>()) flag = false;
  CASE;
}
