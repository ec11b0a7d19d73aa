#ifndef ZLIB_LOOP_H
#define ZLIB_LOOP_H

#include <stddef.h>
#include <stdint.h>

/* What zlib takes without anything around it: the floor that the gzip stage is compared with. */

/* Compresses to one gzip member, the input in pieces of `chunk` bytes, the output through a buffer of as many bytes.
   Returns the number of bytes of output, or -1. */
int64_t zlib_loop_gzip(const uint8_t *input, size_t count, size_t chunk, int level);

/* Decodes gzip in the same way. */
int64_t zlib_loop_gunzip(const uint8_t *input, size_t count, size_t chunk);

#endif
