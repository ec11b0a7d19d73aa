#include "CZlib.h"

// SwiftPM takes a target for one of C by its source, and passes on the library to link.
