#ifndef HTTPCHAIN_CZSTD_SHIM_H
#define HTTPCHAIN_CZSTD_SHIM_H

#include <zstd.h>
#include <zstd_errors.h>

#endif
