import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainRoutes

let usage = "RouteTool check FILE | list FILE | call FILE ROUTE [variable=value] [parameter:value] [file@path]"

/// Runs one command.
///
/// This program doesn't use `async`. It waits for the calls that it makes.
func run(_ arguments: [String], environment: [String: String], say: (String) -> Void) throws {
    guard arguments.count >= 2 else { throw Misuse() }
    let table = try RouteTable(
        json: try Data(contentsOf: URL(fileURLWithPath: arguments[1])),
        environment: environment["ROUTES_ENVIRONMENT"],
        overrides: Dictionary(
            uniqueKeysWithValues: ["protocol", "host", "port"].compactMap { key in
                environment["ROUTES_\(key.uppercased())"].map { (key, $0) }
            }
        )
    )
    switch arguments[0] {
    case "check":
        for warning in table.warnings { say("warning: \(warning)") }
        say("\(arguments[1]): \(table.names.count) routes, no mistakes")
    case "list":
        for name in table.names {
            let route = try table.route(name)
            say("\(name)  \(route.method) \(route.path)")
        }
    case "call" where arguments.count >= 3:
        say(try call(arguments[2], of: table, with: arguments.dropFirst(3)))
    default: throw Misuse()
    }
}

struct Misuse: Error, CustomStringConvertible {
    var description: String { usage }
}

private func call(_ name: String, of table: RouteTable, with arguments: ArraySlice<String>) throws -> String {
    var variables: URLParameters = [:]
    var parameters: [String: JSONValue] = [:]
    var data: [MultipartPart] = []
    for argument in arguments {
        guard let index = argument.firstIndex(where: { "=:@".contains($0) }) else { throw Misuse() }
        let (name, value) = (String(argument[..<index]), String(argument[argument.index(after: index)...]))
        switch argument[index] {
        case "=": variables[name] = .string(value)
        case ":": parameters[name] = .string(value)
        default: data.append(.file(name, URL(fileURLWithPath: value)))
        }
    }
    let chain = try Chain(transport: URLSessionTransport()) {
        ErrorHandlerMiddleware(.problemDetails)
        ProgressMiddleware()
        TimeoutMiddleware(.seconds(30))
        SerializerMiddleware(.json, .form)
        StatusValidationMiddleware()
        MultipartMiddleware()
        GzipMiddleware()
        RetryMiddleware()
    }
    let call = try RouteClient(table, over: chain).call(
        name,
        variables: variables,
        parameters: parameters.isEmpty ? nil : .object(parameters),
        data: data
    )
    let reply = try call.wait(atMost: .seconds(60))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let content =
        switch reply.content {
        case .none: ""
        case .json(let value): String(decoding: try encoder.encode(value), as: UTF8.self)
        case .text(let text): text
        case .data(let data): "\(data.count) bytes"
        case .file(let file): try keep(file, as: name)
        }
    return "\(reply.status.code) \(content)"
}

private func keep(_ file: TemporaryFile, as name: String) throws -> String {
    try FileManager.default.copyItem(at: file.url, to: URL(fileURLWithPath: name))
    return "in the file \(name)"
}
