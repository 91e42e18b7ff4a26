/* What a backend for another kind of device offers to Taper, and Taper to it. Plain C: a backend is
 * a shared library with one entry, taper_backend, and no undefined symbols of Taper's, so it works
 * with a static Taper too. Statuses cross the boundary, exceptions never do. */
#ifndef TAPER_BACKEND_PLUG_H
#define TAPER_BACKEND_PLUG_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAPER_PLUG_VERSION 1

typedef enum taper_status {
  TAPER_OK = 0,
  TAPER_OUT_OF_MEMORY = 1,
  TAPER_NOT_SUPPORTED =
      2, /* this kernel cannot do this call: the fallback is taken if there is one */
  TAPER_FAILED = 3
} taper_status;

/* A stream of work on a device; null is the default one. Opaque to Taper. */
typedef struct taper_stream taper_stream;

/* Element types, as numbers of taper::DType. */
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
  TAPER_BOOL
} taper_dtype;

typedef enum taper_attribute_kind {
  TAPER_NONE,
  TAPER_INTEGER,
  TAPER_FLOATING,
  TAPER_BOOLEAN,
  TAPER_LIST,
  TAPER_TEXT,
  TAPER_DTYPE
} taper_attribute_kind;

/* One attribute of an op, by name. An optional one that is absent has kind TAPER_NONE. */
typedef struct taper_attribute {
  const char* name; /* not ended by a zero byte: name_length tells */
  size_t name_length;
  taper_attribute_kind kind;
  int64_t integer;     /* INTEGER, BOOLEAN, DTYPE */
  double floating;     /* FLOATING */
  const int64_t* list; /* LIST */
  const char* text;    /* TEXT */
  size_t length;       /* of list or text */
} taper_attribute;

/* An operand: elements at data[sum of index * stride]. Broadcast dimensions have stride 0. */
typedef struct taper_view {
  void* data;
  taper_dtype dtype;
  int32_t on_host; /* a plain number of an expression: data is host memory */
  int32_t absent;  /* an optional input that was left out */
  int32_t rank;
  const int64_t* shape;
  const int64_t* strides;
  int64_t numel;
} taper_view;

typedef struct taper_call {
  const taper_attribute* attributes;
  size_t attribute_count;
  const taper_view* in;
  size_t in_count;
  const taper_view* out;
  size_t out_count;
  taper_dtype compute; /* the promoted dtype of the inputs */
} taper_call;

/* A kernel is accepted if `schema` is, to the letter, the schema of the op in this Taper, as
 * taper::backend::schema_of gives it: "add(input, other; alpha: scalar) -> output". */
typedef struct taper_kernel {
  const char* schema;
  taper_status (*run)(int device, taper_stream* stream, const taper_call* call);
} taper_kernel;

/* What the host offers. */
typedef struct taper_host {
  uint32_t version;
  /* Keeps the text for the error that the next status other than TAPER_OK becomes (this thread). */
  void (*explain)(const char* text);
} taper_host;

/* What the backend offers; zero-filled by the host before the entry is called. */
typedef struct taper_backend_table {
  uint32_t version; /* TAPER_PLUG_VERSION */
  const char* kind; /* "cuda" */
  int (*device_count)(void);
  taper_status (*allocate)(int device, size_t bytes, taper_stream* stream, void** block);
  taper_status (*release)(int device, void* block, size_t bytes, taper_stream* stream);
  taper_status (*copy_from_host)(int device, void* to, const void* from, size_t bytes);
  taper_status (*copy_to_host)(int device, void* to, const void* from, size_t bytes);
  taper_status (*copy_within)(int to_device, void* to, int from_device, const void* from,
                              size_t bytes);
  taper_status (*synchronize)(int device);
  void (*memory)(int device, size_t* allocated, size_t* peak); /* optional */
  const taper_kernel* kernels;
  size_t kernel_count;
  int32_t
      fallback; /* ops without a kernel are run on the CPU, their operands copied there and back */
} taper_backend_table;

/* The entry. Returns TAPER_OK after filling the table. */
typedef taper_status (*taper_backend_entry)(const taper_host* host, taper_backend_table* table);
#define TAPER_BACKEND_ENTRY "taper_backend"

#ifdef __cplusplus
}
#endif
#endif
