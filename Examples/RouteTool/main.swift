// Checks a file of routes, and calls a route from the shell.
//
//     swift run RouteTool check routes.json
//     swift run RouteTool list routes.json
//     swift run RouteTool call routes.json doc uniqueId=123              variables by "="
//     swift run RouteTool call routes.json add name:Spade image@a.png    parameters by ":", files by "@"
//     swift run RouteTool                                                a demonstration, with a server in this process
//
// ROUTES_ENVIRONMENT selects one of the file's environments. ROUTES_PROTOCOL, ROUTES_HOST and ROUTES_PORT override the
// service's address in the file.

import Dispatch
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.isEmpty {
    Task {
        do {
            try await demonstrate()
            exit(0)
        } catch {
            print("\(error)")
            exit(1)
        }
    }
    dispatchMain()
}
do {
    try run(arguments, environment: ProcessInfo.processInfo.environment) { print($0) }
} catch {
    print("\(error)")
    exit(1)
}
