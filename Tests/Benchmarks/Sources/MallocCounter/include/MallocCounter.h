#ifndef MALLOC_COUNTER_H
#define MALLOC_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether heap allocations are counted on this platform: with glibc they are.
bool malloc_counter_is_available(void);

/// Heap allocations of the process so far, of all threads.
uint64_t malloc_counter_value(void);

/// Gives memory that was freed back to the system, where allocations are counted.
void malloc_counter_trim(void);

#endif
