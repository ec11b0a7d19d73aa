#define _GNU_SOURCE

#include "CImmediateFiles.h"

#include <errno.h>

// Android ends a process that makes an unknown system call.
#if defined(__linux__) && !defined(__ANDROID__)

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

// The headers may be older than the kernel. A number that differs between architectures has to come from the headers.
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

enum { resolve_cached = 0x20, read_nowait = 0x08 };

struct how {
    uint64_t flags;
    uint64_t mode;
    uint64_t resolve;
};

int httpchain_reads_immediately(const char *directory) {
    struct statfs status;
    if (statfs(directory, &status) != 0) return 0;
    switch ((uint32_t)status.f_type) {
    case 0xEF53:      // ext2, ext3, ext4
    case 0x58465342:  // XFS
    case 0x9123683E:  // Btrfs
    case 0xF2F52010:  // F2FS
    case 0x01021994:  // tmpfs
    case 0x794C7630:  // overlayfs
        return 1;
    default: return 0;
    }
}

int httpchain_open_immediately(const char *path) {
    // Without O_NONBLOCK, opening a pipe of that name would block. Updating the access time may wait for the journal of
    // the file system.
    struct how how = {
        .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOATIME,
        .resolve = resolve_cached,
    };
    long descriptor = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    return descriptor < 0 ? -errno : (int)descriptor;
}

int64_t httpchain_read_immediately(int descriptor, const struct iovec *places, int count, int64_t offset) {
#ifdef SYS_preadv2
    // The offset is passed in two halves. If one register holds all of it, the kernel ignores the second half.
    unsigned long low = (unsigned long)offset;
    unsigned long high = (unsigned long)((uint64_t)offset >> 32);
    long got = syscall(SYS_preadv2, descriptor, places, (unsigned long)count, low, high, read_nowait);
    return got < 0 ? -errno : got;
#else
    (void)descriptor, (void)places, (void)count, (void)offset;
    return -ENOSYS;
#endif
}

#else

int httpchain_reads_immediately(const char *directory) {
    (void)directory;
    return 0;
}

int httpchain_open_immediately(const char *path) {
    (void)path;
    return -ENOSYS;
}

int64_t httpchain_read_immediately(int descriptor, const struct iovec *places, int count, int64_t offset) {
    (void)descriptor, (void)places, (void)count, (void)offset;
    return -ENOSYS;
}

#endif
