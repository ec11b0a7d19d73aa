#ifndef HTTPCHAIN_IMMEDIATE_FILES_H
#define HTTPCHAIN_IMMEDIATE_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/// Whether files in a directory can be read without waiting for a disk where the system has them in memory.
///
/// It may wait for the disk itself. File systems of a network, and those that a process serves, cannot promise it.
int httpchain_reads_immediately(const char *directory);

/// Opens a file for reading where its name is in memory; links are not followed, and its time of access stays.
///
/// Returns a descriptor, or the negative `errno`: `EAGAIN` where the disk would have to be waited for.
int httpchain_open_immediately(const char *path);

/// Reads what the system has in memory of a file, into several places one after another.
///
/// Returns how many bytes that were, which may be fewer than there are, or the negative `errno`: `EAGAIN` where the disk
/// would have to be waited for.
int64_t httpchain_read_immediately(int descriptor, const struct iovec *places, int count, int64_t offset);

#endif
