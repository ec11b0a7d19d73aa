#ifndef HTTPCHAIN_IMMEDIATE_FILES_H
#define HTTPCHAIN_IMMEDIATE_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/// Whether files in a directory can be read without waiting for a disk if the system has them in memory.
///
/// This function itself may wait for the disk. Network file systems, and those served by a process, can't guarantee it.
int httpchain_reads_immediately(const char *directory);

/// Opens a file for reading if its name is in memory; doesn't follow links or change the file's access time.
///
/// Returns a descriptor, or the negative `errno`: `EAGAIN` if it would have to wait for the disk.
int httpchain_open_immediately(const char *path);

/// Reads the part of a file that the system has in memory into several places in sequence.
///
/// Returns the number of bytes read, which may be fewer than there are, or the negative `errno`: `EAGAIN` if it would
/// have to wait for the disk.
int64_t httpchain_read_immediately(int descriptor, const struct iovec *places, int count, int64_t offset);

#endif
