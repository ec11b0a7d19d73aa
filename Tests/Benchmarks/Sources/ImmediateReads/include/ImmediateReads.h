#ifndef IMMEDIATE_READS_H
#define IMMEDIATE_READS_H

#include <stdbool.h>

/// Whether the system opens and reads a file, which is in its memory, without waiting for a disk.
///
/// It is so where openat2 knows RESOLVE_CACHED and preadv2 knows RWF_NOWAIT on the file system that the file is on.
bool reads_immediately(const char *path);

#endif
