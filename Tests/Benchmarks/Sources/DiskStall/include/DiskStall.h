#ifndef DISK_STALL_H
#define DISK_STALL_H

#include <stdbool.h>

/// Whether writing to files can be stalled on this platform: on Linux it can.
bool disk_stall_is_available(void);

/// From now on, or no longer, whatever writes at an offset of a file, or waits for the disk, does not return.
void disk_stall_set(bool is_stalled);

#endif
