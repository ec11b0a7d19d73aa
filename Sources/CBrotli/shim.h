#ifndef HTTPCHAIN_CBROTLI_SHIM_H
#define HTTPCHAIN_CBROTLI_SHIM_H

#include <brotli/decode.h>
#include <brotli/encode.h>

#endif
