// The greater and the lesser of two numbers, NaN if one of them is.
#pragma once

namespace taper::kernel {

template <class T> T greater(T a, T b) { return a > b || a != a ? a : b; }
template <class T> T lesser(T a, T b) { return a < b || a != a ? a : b; }

}  // namespace taper::kernel
