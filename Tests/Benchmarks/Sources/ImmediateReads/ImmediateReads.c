#define _GNU_SOURCE
#include "ImmediateReads.h"

#if defined(__linux__)

#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

bool reads_immediately(const char *path) {
    struct {
        uint64_t flags, mode, resolve;
    } how = {.flags = O_RDONLY | O_CLOEXEC, .resolve = 0x20};
    int file = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    if (file < 0) return false;
    char byte;
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    long got = syscall(SYS_preadv2, file, &part, 1UL, 0UL, 0UL, 0x08);
    close(file);
    return got == 1;
}

#else

bool reads_immediately(const char *path) {
    (void)path;
    return false;
}

#endif
