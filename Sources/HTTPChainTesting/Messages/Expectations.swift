public import HTTPChainCore
public import HTTPTypes

/// Checks that two requests are equal: method, URL, header fields and body.
///
/// The order of fields with different names does not matter. The bodies are read; options are not compared.
///
/// - Throws: An error that lists all differences; any error from reading the bodies.
package func expectEqual(_ actual: Request, _ expected: Request) async throws {
    try await compare(
        actual,
        method: expected.head.method,
        url: expected.url,
        fields: .exactly(expected.head.headerFields),
        body: expected.body
    )
}

/// Checks that two responses are equal: status code, header fields and body.
///
/// The order of fields with different names does not matter. The bodies are read; options are not compared.
///
/// - Throws: An error that lists all differences; any error from reading the bodies.
package func expectEqual(_ actual: Response, _ expected: Response) async throws {
    try await compare(
        actual,
        status: expected.status,
        fields: .exactly(expected.headers),
        body: expected.body
    )
}

/// Checks the given parts of a request.
///
/// ```swift
/// try await expectRequest(
///     call.request, .post, "https://api.example.com/users",
///     headers: [.contentType: "application/json"], without: [.authorization],
///     json: #"{"name": "Ada", "born": 1815}"#
/// )
/// ```
///
/// - Parameters:
///   - request: The request; its body is read if `body` or `json` is given.
///   - method: The expected method; any if `nil`.
///   - url: The expected URL; any if `nil`.
///   - headers: The required fields; others are allowed.
///   - absent: The fields that must be absent.
///   - body: The expected content; any if `nil`.
///   - json: The expected JSON content, ignoring key order and white space; any if `nil`.
/// - Throws: An error that lists all differences; any error from reading the bodies.
public func expectRequest(
    _ request: Request,
    _ method: HTTPRequest.Method? = nil,
    _ url: String? = nil,
    headers: HTTPFields = [:],
    without absent: [HTTPField.Name] = [],
    body: HTTPBody? = nil,
    json: String? = nil
) async throws {
    try await compare(
        request,
        method: method,
        url: url,
        fields: .including(headers, without: absent),
        body: body,
        json: json
    )
}

/// Checks the given parts of a response.
///
/// - Parameters:
///   - response: The response; its body is read if `body` or `json` is given.
///   - status: The expected status; any if `nil`. The reason phrase is not compared.
///   - headers: The required fields; others are allowed.
///   - absent: The fields that must be absent.
///   - body: The expected content; any if `nil`.
///   - json: The expected JSON content, ignoring key order and white space; any if `nil`.
/// - Throws: An error that lists all differences; any error from reading the bodies.
public func expectResponse(
    _ response: Response,
    _ status: HTTPResponse.Status? = nil,
    headers: HTTPFields = [:],
    without absent: [HTTPField.Name] = [],
    body: HTTPBody? = nil,
    json: String? = nil
) async throws {
    try await compare(
        response,
        status: status,
        fields: .including(headers, without: absent),
        body: body,
        json: json
    )
}

private func compare(
    _ actual: Request,
    method: HTTPRequest.Method?,
    url: String?,
    fields: FieldExpectation,
    body: HTTPBody?,
    json: String? = nil
) async throws {
    var differences: [String] = []
    if let method, method != actual.head.method {
        differences.append("the method is \(actual.head.method), not \(method)")
    }
    if let url, url != actual.url {
        let shown = Redaction.standard.url(actual.url)
        let wanted = Redaction.standard.url(url)
        differences.append(
            shown == wanted ? "the URL \(shown) differs in a secret part" : "the URL is \(shown)\n       not \(wanted)"
        )
    }
    differences += fields.differences(from: actual.head.headerFields)
    differences += try await contentDifferences(actual.body, body, json)
    if !differences.isEmpty { throw MessageDifference(subject: "request", differences: differences) }
}

private func compare(
    _ actual: Response,
    status: HTTPResponse.Status?,
    fields: FieldExpectation,
    body: HTTPBody?,
    json: String? = nil
) async throws {
    var differences: [String] = []
    if let status, status.code != actual.status.code {
        differences.append("the status is \(actual.status.summary), not \(status.summary)")
    }
    differences += fields.differences(from: actual.headers)
    differences += try await contentDifferences(actual.body, body, json)
    if !differences.isEmpty { throw MessageDifference(subject: "response", differences: differences) }
}

private func contentDifferences(_ actual: HTTPBody, _ body: HTTPBody?, _ json: String?) async throws -> [String] {
    if body == nil, json == nil { return [] }
    let bytes = try await actual.collect()
    var differences: [String?] = []
    if let body { differences.append(ContentDifference.describe(bytes, expected: try await body.collect())) }
    if let json { differences.append(ContentDifference.describe(bytes, expectedJSON: json)) }
    return differences.compactMap(\.self)
}
