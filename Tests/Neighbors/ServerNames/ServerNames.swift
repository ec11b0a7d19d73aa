// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Stands for Vapor and Hummingbird: server frameworks with types of the same names as HTTPChain's. Only names matter
// here.

/// As in both.
public struct Request: Sendable {
    public let path: String
    public init(path: String) { self.path = path }
}

/// As in both.
public struct Response: Sendable {
    public let status: Int
    public init(status: Int) { self.status = status }
}

/// As in Vapor.
public protocol Middleware {
    func respond(to request: Request, chainingTo next: (Request) async throws -> Response) async throws -> Response
}

/// As in Vapor.
public struct ByteCount {}
/// As in Vapor.
public struct Environment {}
/// As in Hummingbird, where it logs requests that come in.
public struct LogRequestsMiddleware {}
/// As in Hummingbird.
public struct MediaType {}
/// As in Vapor's multipart-kit.
public struct MultipartPart {}
