// Calibrates compile times: `./dev bench --building` divides them by the CPU time of compiling this
// file, which depends only on the compiler and the machine.
#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

int main() { return 0; }
