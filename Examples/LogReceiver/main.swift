// Receives logs and shows them live on a web page.
//
//     swift run LogReceiver              http://127.0.0.1:4318
//     swift run LogReceiver --har FILE   with the exchanges of an archive of HTTP traffic
//     swift run LogReceiver --demo       with sample traffic of a chain that logs to it, and its traces

import Foundation

let options: Options
do {
    options = try Options(CommandLine.arguments.dropFirst())
} catch {
    FileHandle.standardError.write(Data("Error: \(error)\n\n\(Options.usage)\n".utf8))
    exit(2)
}

do {
    try await runReceiver(options) { [options] url in
        guard options.isDemo else { return try await Task.sleep(for: .seconds(Int64(Int32.max))) }
        try await runDemo(url, format: options.demoFormat, endsWhenReceived: options.endsAfterDemo)
    }
} catch {
    FileHandle.standardError.write(Data("Error: \(error)\n".utf8))
    exit(1)
}
