#include "CodecLoops.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int64_t zlib_loop_gzip(const uint8_t *input, size_t count, size_t chunk, int level) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    uint8_t *output = malloc(chunk);
    if (!output) return -1;
    if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(output);
        return -1;
    }
    int64_t total = 0;
    size_t offset = 0;
    int status = Z_OK;
    while (status == Z_OK) {
        size_t piece = count - offset < chunk ? count - offset : chunk;
        stream.next_in = (Bytef *)(input + offset);
        stream.avail_in = (uInt)piece;
        offset += piece;
        int flush = offset == count ? Z_FINISH : Z_NO_FLUSH;
        do {
            stream.next_out = output;
            stream.avail_out = (uInt)chunk;
            status = deflate(&stream, flush);
            total += (int64_t)(chunk - stream.avail_out);
        } while (status == Z_OK && stream.avail_out == 0);
        if (status == Z_BUF_ERROR) status = Z_OK;
    }
    deflateEnd(&stream);
    free(output);
    return status == Z_STREAM_END ? total : -1;
}

int64_t zlib_loop_gunzip(const uint8_t *input, size_t count, size_t chunk) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    uint8_t *output = malloc(chunk);
    if (!output) return -1;
    if (inflateInit2(&stream, 15 + 16) != Z_OK) {
        free(output);
        return -1;
    }
    int64_t total = 0;
    size_t offset = 0;
    int status = Z_OK;
    while (status == Z_OK && offset < count) {
        size_t piece = count - offset < chunk ? count - offset : chunk;
        stream.next_in = (Bytef *)(input + offset);
        stream.avail_in = (uInt)piece;
        offset += piece;
        do {
            stream.next_out = output;
            stream.avail_out = (uInt)chunk;
            status = inflate(&stream, Z_NO_FLUSH);
            total += (int64_t)(chunk - stream.avail_out);
        } while (status == Z_OK && stream.avail_out == 0);
        if (status == Z_BUF_ERROR) status = Z_OK;
    }
    inflateEnd(&stream);
    free(output);
    return status == Z_STREAM_END ? total : -1;
}
