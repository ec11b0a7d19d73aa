public import HTTPChainCore
public import HTTPTypes

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
    var differences: [String] = []
    if let method, method != request.head.method {
        differences.append("the method is \(request.head.method), not \(method)")
    }
    if let url, url != request.url {
        let shown = Redaction.standard.url(request.url)
        let wanted = Redaction.standard.url(url)
        differences.append(
            shown == wanted ? "the URL \(shown) differs in a secret part" : "the URL is \(shown)\n       not \(wanted)"
        )
    }
    differences += FieldDifference.describe(request.head.headerFields, including: headers, without: absent)
    differences += try await contentDifferences(request.body, body, json)
    if !differences.isEmpty { throw MessageDifference(subject: "request", differences: differences) }
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
    var differences: [String] = []
    if let status, status.code != response.status.code {
        differences.append("the status is \(response.status.label), not \(status.label)")
    }
    differences += FieldDifference.describe(response.headers, including: headers, without: absent)
    differences += try await contentDifferences(response.body, body, json)
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
