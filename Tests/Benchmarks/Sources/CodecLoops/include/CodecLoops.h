#ifndef CODEC_LOOPS_H
#define CODEC_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* What zlib, libbrotli and libzstd take without anything around them: the floor that the stage is compared with.

   Each encodes or decodes the input in pieces of `chunk` bytes, the output through a buffer of as many bytes, and
   returns the number of bytes of output, or -1. */

int64_t zlib_loop_gzip(const uint8_t *input, size_t count, size_t chunk, int level);
int64_t zlib_loop_gunzip(const uint8_t *input, size_t count, size_t chunk);

int64_t brotli_loop_encode(const uint8_t *input, size_t count, size_t chunk, int quality);
int64_t brotli_loop_decode(const uint8_t *input, size_t count, size_t chunk);

int64_t zstd_loop_encode(const uint8_t *input, size_t count, size_t chunk, int level);
int64_t zstd_loop_decode(const uint8_t *input, size_t count, size_t chunk);

#endif
