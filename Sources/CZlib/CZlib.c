#include "CZlib.h"

// SwiftPM recognizes a C target by its source file, and passes on the library to link.
