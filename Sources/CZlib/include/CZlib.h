#ifndef HTTPCHAIN_CZLIB_H
#define HTTPCHAIN_CZLIB_H

#if defined(__has_include) && !__has_include(<zlib.h>)
#error "zlib is not installed: apt-get install zlib1g-dev (Debian, Ubuntu) or dnf install zlib-devel (Fedora)"
#endif

#include <zlib.h>

/* Swift does not see function-like macros. */

static inline int czlib_deflate_init(z_streamp stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}

static inline int czlib_inflate_init(z_streamp stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

#endif
