// Shows, redacts, compares and counts HTTP archives (HAR 1.2).
//
//     swift run har show FILE [NUMBER]      the entries, or all of one
//     swift run har redact FILE [OUT]       without secrets, to a file or to the standard output
//     swift run har diff FILE OTHER         which requests are new, gone, or answered in another way
//     swift run har stats FILE              numbers, sizes and times

import Foundation

exit(await Tool(Array(CommandLine.arguments.dropFirst())).run())
