#define _GNU_SOURCE
#include "DiskStall.h"

// The program's own functions take the place of glibc's, for all that is linked into it.
#if defined(__linux__) && defined(__x86_64__)

#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static _Atomic bool stalled;

static void pass(void) {
    while (atomic_load_explicit(&stalled, memory_order_acquire)) usleep(1000);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    pass();
    return syscall(SYS_pwrite64, file, bytes, count, offset);
}

int fsync(int file) {
    pass();
    return (int)syscall(SYS_fsync, file);
}

bool disk_stall_is_available(void) { return true; }

void disk_stall_set(bool is_stalled) { atomic_store_explicit(&stalled, is_stalled, memory_order_release); }

#else

bool disk_stall_is_available(void) { return false; }

void disk_stall_set(bool is_stalled) { (void)is_stalled; }

#endif
