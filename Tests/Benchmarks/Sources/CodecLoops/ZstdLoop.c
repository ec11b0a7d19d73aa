#include "CodecLoops.h"

#include <stdlib.h>
#include <zstd.h>

int64_t zstd_loop_encode(const uint8_t *input, size_t count, size_t chunk, int level) {
    ZSTD_CCtx *context = ZSTD_createCCtx();
    uint8_t *room = malloc(chunk);
    int64_t total = 0;
    size_t offset = 0;
    size_t left = context && room ? 1 : 0;
    int good = left == 1 && !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)) &&
               !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1));
    while (good && left != 0) {
        size_t piece = count - offset < chunk ? count - offset : chunk;
        ZSTD_inBuffer in = {input + offset, piece, 0};
        ZSTD_EndDirective directive = offset == count ? ZSTD_e_end : ZSTD_e_continue;
        offset += piece;
        int is_done;
        do {
            ZSTD_outBuffer out = {room, chunk, 0};
            left = ZSTD_compressStream2(context, &out, &in, directive);
            good = !ZSTD_isError(left);
            total += (int64_t)out.pos;
            is_done = directive == ZSTD_e_end ? left == 0 : in.pos == in.size;
        } while (good && !is_done);
        if (directive == ZSTD_e_continue) left = 1;
    }
    ZSTD_freeCCtx(context);
    free(room);
    return good ? total : -1;
}

int64_t zstd_loop_decode(const uint8_t *input, size_t count, size_t chunk) {
    ZSTD_DCtx *context = ZSTD_createDCtx();
    uint8_t *room = malloc(chunk);
    int64_t total = 0;
    size_t offset = 0;
    size_t result = 1;
    int good = context && room;
    while (good && offset < count) {
        size_t piece = count - offset < chunk ? count - offset : chunk;
        ZSTD_inBuffer in = {input + offset, piece, 0};
        offset += piece;
        ZSTD_outBuffer out;
        do {
            out = (ZSTD_outBuffer){room, chunk, 0};
            result = ZSTD_decompressStream(context, &out, &in);
            good = !ZSTD_isError(result);
            total += (int64_t)out.pos;
        } while (good && result != 0 && (in.pos < in.size || out.pos == out.size));
    }
    ZSTD_freeDCtx(context);
    free(room);
    return good && result == 0 ? total : -1;
}
