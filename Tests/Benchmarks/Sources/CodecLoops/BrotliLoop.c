#include "CodecLoops.h"

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <stdlib.h>

int64_t brotli_loop_encode(const uint8_t *input, size_t count, size_t chunk, int quality) {
    BrotliEncoderState *state = BrotliEncoderCreateInstance(NULL, NULL, NULL);
    uint8_t *output = malloc(chunk);
    int64_t total = 0;
    size_t offset = 0;
    BROTLI_BOOL good = state && output && BrotliEncoderSetParameter(state, BROTLI_PARAM_QUALITY, (uint32_t)quality);
    while (good && !BrotliEncoderIsFinished(state)) {
        size_t piece = count - offset < chunk ? count - offset : chunk;
        const uint8_t *next = input + offset;
        size_t left = piece;
        BrotliEncoderOperation operation = offset == count ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS;
        do {
            uint8_t *room = output;
            size_t free_bytes = chunk;
            good = BrotliEncoderCompressStream(state, operation, &left, &next, &free_bytes, &room, NULL);
            total += (int64_t)(chunk - free_bytes);
        } while (good && (left > 0 || BrotliEncoderHasMoreOutput(state)));
        offset += piece;
    }
    BrotliEncoderDestroyInstance(state);
    free(output);
    return good ? total : -1;
}

int64_t brotli_loop_decode(const uint8_t *input, size_t count, size_t chunk) {
    BrotliDecoderState *state = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    uint8_t *output = malloc(chunk);
    int64_t total = 0;
    size_t offset = 0;
    BrotliDecoderResult result = state && output ? BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT : BROTLI_DECODER_RESULT_ERROR;
    while (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT && offset < count) {
        size_t left = count - offset < chunk ? count - offset : chunk;
        const uint8_t *next = input + offset;
        offset += left;
        do {
            uint8_t *room = output;
            size_t free_bytes = chunk;
            result = BrotliDecoderDecompressStream(state, &left, &next, &free_bytes, &room, NULL);
            total += (int64_t)(chunk - free_bytes);
        } while (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT);
    }
    BrotliDecoderDestroyInstance(state);
    free(output);
    return result == BROTLI_DECODER_RESULT_SUCCESS ? total : -1;
}
