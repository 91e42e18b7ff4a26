#include "dist_engines/mpi/operations.h"

#include <array>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "dist/reduction.h"

namespace taper::dist_engines {
namespace {

constexpr std::size_t kOpCount = 7;

/// Returns the arithmetic type of MPI; nullopt for those that it does not have, and for integers of
/// 8 and 16 bits, whose sums Open MPI saturates.
std::optional<MPI_Datatype> arithmetic_type(DType dtype) {
  switch (dtype) {
    case DType::f64: return MPI_DOUBLE;
    case DType::f32: return MPI_FLOAT;
    case DType::i64: return MPI_INT64_T;
    case DType::i32: return MPI_INT32_T;
    case DType::u64: return MPI_UINT64_T;
    case DType::u32: return MPI_UINT32_T;
    default: return {};
  }
}

MPI_Op mpi_op(taper_dist_op op) {
  switch (op) {
    case TAPER_DIST_PRODUCT: return MPI_PROD;
    case TAPER_DIST_MIN: return MPI_MIN;
    case TAPER_DIST_MAX: return MPI_MAX;
    case TAPER_DIST_BAND: return MPI_BAND;
    case TAPER_DIST_BOR: return MPI_BOR;
    case TAPER_DIST_BXOR: return MPI_BXOR;
    default: return MPI_SUM;
  }
}

template <std::size_t I> void combine_for_mpi(void* in, void* total, int* count, MPI_Datatype*) {
  distributed::combine_elements(total, in, *count, static_cast<DType>(I / kOpCount),
                                static_cast<taper_dist_op>(I % kOpCount));
}

template <std::size_t... I>
constexpr std::array<MPI_User_function*, sizeof...(I)> combine_functions(
    std::index_sequence<I...>) {
  return {combine_for_mpi<I>...};
}

/// Returns an operation of Taper's, which is created when it is first used.
MPI_Op own_op(DType dtype, taper_dist_op op) {
  constexpr std::size_t kCount = kDTypeCount * kOpCount;
  static constexpr auto functions = combine_functions(std::make_index_sequence<kCount>());
  static std::array<std::optional<MPI_Op>, kCount> ops;
  const std::size_t index =
      static_cast<std::size_t>(dtype) * kOpCount + static_cast<std::size_t>(op);
  if (!ops[index]) {
    MPI_Op created = MPI_OP_NULL;
    check_mpi(MPI_Op_create(functions[index], 1, &created), "MPI_Op_create");
    ops[index] = created;
  }
  return *ops[index];
}

}  // namespace

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int size = 0;
  MPI_Error_string(code, text, &size);
  throw std::runtime_error(std::string(call) + ": " + text);
}

MPI_Datatype mpi_copy_type(DType dtype) {
  switch (size_of(dtype)) {
    case 1: return MPI_UINT8_T;
    case 2: return MPI_UINT16_T;
    case 4: return MPI_UINT32_T;
    default: return MPI_UINT64_T;
  }
}

MpiReduction mpi_reduction(DType dtype, taper_dist_op op) {
  const auto type = arithmetic_type(dtype);
  const bool orders = op == TAPER_DIST_MIN || op == TAPER_DIST_MAX;
  const bool is_float = dtype == DType::f32 || dtype == DType::f64;
  if (type && !(is_float && orders)) return {*type, mpi_op(op)};
  return {mpi_copy_type(dtype), own_op(dtype, op)};
}

}  // namespace taper::dist_engines
