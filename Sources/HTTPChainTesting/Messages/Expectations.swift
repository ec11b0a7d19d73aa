public import HTTPChainCore
public import HTTPTypes

/// Checks that two requests are the same: method, URL, header fields and body.
///
/// The order of fields with different names does not matter. The bodies are read; options are not compared.
///
/// - Throws: ``MessageDifference`` that lists what differs; what reading the bodies throws.
public func expectEqual(_ actual: Request, _ expected: Request) async throws {
    try await compare(
        actual,
        method: expected.head.method,
        url: expected.url,
        fields: .exactly(expected.head.headerFields),
        body: expected.body
    )
}

/// Checks that two responses are the same: status code, header fields and body.
///
/// The order of fields with different names does not matter. The bodies are read; options are not compared.
///
/// - Throws: ``MessageDifference`` that lists what differs; what reading the bodies throws.
public func expectEqual(_ actual: Response, _ expected: Response) async throws {
    try await compare(
        actual,
        status: expected.status,
        fields: .exactly(expected.headers),
        body: expected.body
    )
}

/// Checks those parts of a request that are given here.
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
///   - request: The request; its body is read when `body` or `json` is given.
///   - method: The method it must have; any when `nil`.
///   - url: The URL it must have; any when `nil`.
///   - headers: The fields it must have, among others.
///   - absent: The fields it must not have.
///   - body: The content it must have; any when `nil`.
///   - json: The content it must have as JSON, whatever the order of keys and the white space; any when `nil`.
/// - Throws: ``MessageDifference`` that lists what differs; what reading the bodies throws.
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

/// Checks those parts of a response that are given here.
///
/// - Parameters:
///   - response: The response; its body is read when `body` or `json` is given.
///   - status: The status it must have; any when `nil`. The reason phrase is not compared.
///   - headers: The fields it must have, among others.
///   - absent: The fields it must not have.
///   - body: The content it must have; any when `nil`.
///   - json: The content it must have as JSON, whatever the order of keys and the white space; any when `nil`.
/// - Throws: ``MessageDifference`` that lists what differs; what reading the bodies throws.
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
