/* C ABI of external backends. A backend is a shared library with one entry point, taper_backend. It
 * does not link Taper, so that it also works with a static libtaper. Errors are reported as
 * statuses; exceptions must not cross the boundary. */
#ifndef TAPER_BACKEND_C_API_H
#define TAPER_BACKEND_C_API_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAPER_BACKEND_ABI_VERSION 2

typedef enum taper_status {
  TAPER_OK = 0,
  TAPER_OUT_OF_MEMORY = 1,
  TAPER_NOT_SUPPORTED =
      2, /* the kernel does not support this call; the fallback is used if enabled */
  TAPER_FAILED = 3
} taper_status;

/* Stream of operations on a device; null is the default stream. Opaque to Taper. */
typedef struct taper_stream taper_stream;

/* Element types, in the order of taper::DType. */
typedef enum taper_dtype {
  TAPER_F64,
  TAPER_F32,
  TAPER_F16,
  TAPER_BF16,
  TAPER_I64,
  TAPER_I32,
  TAPER_I16,
  TAPER_I8,
  TAPER_U8,
  TAPER_BOOL,
  TAPER_U16,
  TAPER_U32,
  TAPER_U64
} taper_dtype;

typedef enum taper_attribute_kind {
  TAPER_NONE,
  TAPER_INTEGER,
  TAPER_FLOATING,
  TAPER_BOOLEAN,
  TAPER_LIST,
  TAPER_STRING,
  TAPER_DTYPE
} taper_attribute_kind;

/* Named attribute of an op. An optional attribute without a value has kind TAPER_NONE. */
typedef struct taper_attribute {
  const char* name; /* not null-terminated */
  size_t name_length;
  taper_attribute_kind kind;
  int64_t integer;     /* INTEGER, BOOLEAN, DTYPE */
  double floating;     /* FLOATING */
  const int64_t* list; /* LIST */
  const char* string;  /* STRING */
  size_t length;       /* number of elements of list, or of characters of string */
} taper_attribute;

/* Operand. Its elements are data[sum of index * stride]. Broadcast dimensions have stride 0. */
typedef struct taper_view {
  void* data;
  taper_dtype dtype;
  int32_t on_host; /* scalar of an expression: data is host memory */
  int32_t absent;  /* optional input that was not given */
  int32_t rank;
  const int64_t* shape;
  const int64_t* strides;
  int64_t numel;
} taper_view;

/* Call of a kernel: attributes, inputs and outputs in the order of the schema. */
typedef struct taper_call {
  const taper_attribute* attributes;
  size_t attribute_count;
  const taper_view* in;
  size_t in_count;
  const taper_view* out;
  size_t out_count;
  taper_dtype compute; /* promoted dtype of the inputs */
} taper_call;

/* Kernel of an op. It is accepted if `schema` is identical to the schema of the op, which
 * taper::backend::op_schema returns: "add(input, other; alpha: scalar) -> output". */
typedef struct taper_kernel {
  const char* schema;
  taper_status (*run)(int device, taper_stream* stream, const taper_call* call);
} taper_kernel;

/* Functions of the host. */
typedef struct taper_host {
  uint32_t version; /* TAPER_BACKEND_ABI_VERSION of the host */
  /* Sets the message of the exception that the host throws if the current call of a backend
   * function on this thread returns a status other than TAPER_OK. */
  void (*set_error_message)(const char* text);
} taper_host;

/* Functions of the backend. The host initializes the table with zeros before it calls the entry. */
typedef struct taper_backend_table {
  uint32_t version;          /* TAPER_BACKEND_ABI_VERSION */
  const char* device_type;   /* "cuda" */
  int (*device_count)(void); /* returns the number of devices */
  /* Stores the address of `bytes` bytes of new device memory in *block. */
  taper_status (*allocate)(int device, size_t bytes, taper_stream* stream, void** block);
  taper_status (*release)(int device, void* block, size_t bytes, taper_stream* stream);
  /* Copy `bytes` bytes between host memory and the memory of a device, or between two devices. */
  taper_status (*copy_from_host)(int device, void* to, const void* from, size_t bytes);
  taper_status (*copy_to_host)(int device, void* to, const void* from, size_t bytes);
  taper_status (*copy_within)(int to_device, void* to, int from_device, const void* from,
                              size_t bytes);
  taper_status (*synchronize)(int device); /* waits until all operations have completed */
  /* Stores the numbers of bytes that are allocated and that were at most; null if unsupported. */
  void (*memory)(int device, size_t* allocated, size_t* peak);
  const taper_kernel* kernels; /* kernel_count kernels */
  size_t kernel_count;
  int32_t fallback; /* runs ops without a kernel on the CPU, with copies of their operands */
} taper_backend_table;

/* Entry point. Fills the table and returns TAPER_OK. */
typedef taper_status (*taper_backend_entry)(const taper_host* host, taper_backend_table* table);
#define TAPER_BACKEND_ENTRY "taper_backend"

#ifdef __cplusplus
}
#endif
#endif
