// Risk classification of the names in a pickle.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "io/pickle/globals/safe_globals.h"
#include "taper/io/pickle_scan.h"

namespace taper {
namespace {

using Name = std::string_view;

/// Functions that TorchScript archives call, which return their argument as a list.
constexpr std::array kListsOfTorchScript = {
    Name("torch.jit._pickle.build_boollist"), Name("torch.jit._pickle.build_doublelist"),
    Name("torch.jit._pickle.build_intlist"), Name("torch.jit._pickle.build_tensorlist")};

bool is_data(std::string_view name) {
  return io::known_risk(name) == PickleRisk::data || name.starts_with("numpy.dtypes.") ||
         std::ranges::count(kListsOfTorchScript, name) > 0;
}

bool is_dangerous(std::string_view name) {
  constexpr std::array kModules = {Name("os"),
                                   Name("posix"),
                                   Name("nt"),
                                   Name("sys"),
                                   Name("subprocess"),
                                   Name("commands"),
                                   Name("shutil"),
                                   Name("socket"),
                                   Name("ssl"),
                                   Name("pty"),
                                   Name("runpy"),
                                   Name("importlib"),
                                   Name("imp"),
                                   Name("ctypes"),
                                   Name("_ctypes"),
                                   Name("cffi"),
                                   Name("code"),
                                   Name("codeop"),
                                   Name("pdb"),
                                   Name("bdb"),
                                   Name("timeit"),
                                   Name("cProfile"),
                                   Name("profile"),
                                   Name("trace"),
                                   Name("doctest"),
                                   Name("webbrowser"),
                                   Name("http"),
                                   Name("urllib"),
                                   Name("urllib2"),
                                   Name("requests"),
                                   Name("httpx"),
                                   Name("aiohttp"),
                                   Name("ftplib"),
                                   Name("smtplib"),
                                   Name("telnetlib"),
                                   Name("pickle"),
                                   Name("_pickle"),
                                   Name("cPickle"),
                                   Name("dill"),
                                   Name("cloudpickle"),
                                   Name("joblib"),
                                   Name("marshal"),
                                   Name("types"),
                                   Name("inspect"),
                                   Name("operator"),
                                   Name("_operator"),
                                   Name("functools"),
                                   Name("_functools"),
                                   Name("itertools"),
                                   Name("multiprocessing"),
                                   Name("threading"),
                                   Name("_thread"),
                                   Name("concurrent"),
                                   Name("asyncio"),
                                   Name("signal"),
                                   Name("io"),
                                   Name("_io"),
                                   Name("tempfile"),
                                   Name("glob"),
                                   Name("fileinput"),
                                   Name("linecache"),
                                   Name("zipimport"),
                                   Name("pkgutil"),
                                   Name("pip"),
                                   Name("setuptools"),
                                   Name("distutils"),
                                   Name("platform"),
                                   Name("gc"),
                                   Name("atexit"),
                                   Name("builtins"),
                                   Name("idlelib"),
                                   Name("lib2to3"),
                                   Name("torch.hub"),
                                   Name("torch.load"),
                                   Name("torch.jit"),
                                   Name("torch.utils.cpp_extension"),
                                   Name("torch.ops"),
                                   Name("torch.classes"),
                                   Name("torch.serialization"),
                                   Name("torch.compile"),
                                   Name("torch._dynamo"),
                                   Name("torch._inductor")};
  if (name.starts_with("(")) return true;  // the scanner could not determine the name
  return std::any_of(kModules.begin(), kModules.end(), [&](Name m) {
    return name.starts_with(m) && (name.size() == m.size() || name[m.size()] == '.');
  });
}

/// Returns true for a class in torch.nn.modules, torch.nn.parameter or torch.optim, such as
/// torch.nn.modules.conv.Conv2d or torch.optim.adam.Adam.
bool is_torch_class(std::string_view name) {
  const bool place = name.starts_with("torch.nn.modules.") || name.starts_with("torch.optim.") ||
                     name.starts_with("torch.nn.parameter.");
  const std::size_t dot = name.rfind('.');
  if (!place || dot + 1 >= name.size() || !std::isupper(static_cast<unsigned char>(name[dot + 1])))
    return false;
  return std::count(name.begin(), name.end(), '.') <= 4 &&
         std::none_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(dot),
                      [](unsigned char c) { return std::isupper(c); });
}

}  // namespace

std::string_view name_of(PickleRisk risk) {
  switch (risk) {
    case PickleRisk::allowed: return "allowed";
    case PickleRisk::data: return "data";
    case PickleRisk::torch_class: return "torch_class";
    case PickleRisk::code: return "code";
    case PickleRisk::dangerous: break;
  }
  return "dangerous";
}

PickleRisk classify_global(std::string_view given, bool called) {
  const std::string name = io::python_name(given);
  if (io::is_safe_global(name)) return PickleRisk::allowed;
  if (is_data(name)) return PickleRisk::data;
  // Bound methods, such as hooks, are pickled as getattr. A call of the result is classified
  // separately.
  if (name == "builtins.getattr") return PickleRisk::code;
  if (is_dangerous(name)) return PickleRisk::dangerous;
  if (is_torch_class(name) || (name.starts_with("torch.") && !called))
    return PickleRisk::torch_class;
  return PickleRisk::code;
}

}  // namespace taper
