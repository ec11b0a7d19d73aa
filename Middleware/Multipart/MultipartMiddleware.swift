public import HTTPChainCore
import HTTPTypes

/// Frames the forms that requests carry as multipart bodies.
///
/// ```swift
/// let chain = try Chain(transport: URLSessionTransport()) {
///     MultipartMiddleware()
/// }
/// let form: MultipartForm = [.text("title", "Holiday"), .file("photo", photoURL)]
/// let response = try await chain.send(.post("https://api.example.com/photos", multipart: form))
/// ```
///
/// A request with a ``MultipartForm`` gets the form as its body and the Content-Type that belongs to it, in the place
/// of those it had; all others pass as they are. The body is framed once for a call, with the randomness of the
/// request's environment, so that what a stage inside sends again has the same bytes.
///
/// **Sizes.** Content-Length is exact when every part knows its length; files of any size pass in constant memory. A
/// part that can be read once makes the form one that can be sent once.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/build``. Between the call and this stage the form's body cannot be read; a
/// request that reaches the transport without having passed this stage fails with ``MultipartError``.
///
/// **Options.** ``MultipartFormOption``, which `Request.post(_:multipart:)` and ``HTTPChainCore/Request/multipart(_:)``
/// set and this stage takes out.
///
/// **Errors.** ``MultipartError``, and `BodyError` for a file that is missing, before anything is sent.
///
/// Multipart responses need no stage: ``HTTPChainCore/Response/parts(limits:)`` reads them.
public struct MultipartMiddleware: DeadlineKeepingMiddleware {
    private let values: MultipartValueEncoding?

    /// Makes the stage.
    ///
    /// - Parameter values: How typed values in forms are encoded; by default as the chain's serializer does, the call's own
    ///   settings included, or as JSON where there is no serializer.
    public init(values: MultipartValueEncoding? = nil) {
        self.values = values
    }

    /// With what else makes the request complete.
    public var phase: Phase { .build }

    /// The name, purpose and settings of the stage.
    public var summary: StageSummary {
        StageSummary(
            "MultipartMiddleware",
            purpose: "frames forms as multipart bodies",
            settings: ["values": values?.contentType ?? "by the chain's serializer"]
        )
    }

    /// Frames the form, if there is one, and passes the request on.
    ///
    /// - Throws: ``MultipartError``; `BodyError` for a file that cannot be read; what the stages inside throw.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        if let form = request.options[MultipartFormOption.self] {
            try await Self.checkFiles(of: form)
            let boundary = try form.boundary(random: request.environment.random)
            request.head.headerFields[.contentType] = try form.contentType(boundary: boundary)
            request.head.headerFields[.contentLength] = nil
            if let values {
                request.setContent(try form.body(boundary: boundary, values: values))
            } else if let chain = request.options[ValueEncoderOption.self] {
                request.setContent(try form.body(boundary: boundary, encode: chain.encode))
            } else {
                request.setContent(try form.body(boundary: boundary))
            }
            request.options.remove(MultipartFormOption.self)
            request.options.remove(ValueEncoderOption.self)
        }
        return try await next(request)
    }

    /// A form whose file is missing fails before its head is on the way.
    private static func checkFiles(of form: MultipartForm) async throws {
        for part in form.parts {
            guard let file = part.body.file, file.range != nil || part.body.length == nil else { continue }
            _ = try await part.body.makeReader()
        }
    }
}
