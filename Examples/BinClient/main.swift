// A command-line client of a small service, of the kind that every developer writes sooner or later.
//
//     swift run BinClient                       every command, against a server in this process
//     swift run BinClient upload photo.jpg      one command
//     BIN_URL=https://… swift run BinClient …   against another server

import Foundation
import HTTPChain

let arguments = CommandLine.arguments.dropFirst()

/// Runs commands, and prints their errors in the form in which a user would see them.
func run(_ commands: [Command], _ base: String) async -> Bool {
    var isFine = true
    for command in commands {
        if commands.count > 1 { print("\n$ BinClient \(command.rawValue)") }
        do {
            try await command.run(base, file: arguments.dropFirst().first)
        } catch {
            printError("\(error)")
            isFine = false
        }
    }
    return isFine
}

let named = arguments.first.map { Command(rawValue: $0) }
if named == .some(nil) {
    printError("usage: BinClient [\(Command.allCases.map(\.rawValue).joined(separator: "|"))] [file]")
    exit(2)
}
let commands = named.flatMap { $0 }.map { [$0] } ?? Command.allCases
if let base = ProcessInfo.processInfo.environment["BIN_URL"] {
    exit(await run(commands, base) ? 0 : 1)
}
try await withBinServer { base in
    let isFine = await run(commands, base)
    // Some of the commands fail on purpose, to show their errors.
    if commands.count == 1, !isFine { exit(1) }
}
