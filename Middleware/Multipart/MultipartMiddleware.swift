public import HTTPChainCore
import HTTPTypes

/// Frames forms in requests as multipart bodies.
///
/// ```swift
/// let chain = try Chain(transport: URLSessionTransport()) {
///     MultipartMiddleware()
/// }
/// let form: MultipartForm = [.text("title", "Holiday"), .file("photo", photoURL)]
/// let response = try await chain.send(.post("https://api.example.com/photos", multipart: form))
/// ```
///
/// The stage replaces the body and Content-Type of a request that has a ``MultipartForm`` with those of the form. All
/// other requests are passed on unchanged. A body that was set after the form is sent instead of it. The body is framed
/// once for each call, with the randomness of the request's environment, so that a retry sends the same bytes.
///
/// **Sizes.** Content-Length is exact if the length of every part is known. Files of any size need constant memory. If
/// a part can be read only once, the form can be sent only once.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/build``. Outside this stage the form's body can't be read. A request that
/// reaches the transport without passing this stage fails with ``MultipartError``.
///
/// **Options.** `Request.post(_:multipart:)` and ``HTTPChainCore/Request/multipart(_:)`` set the form, and this stage
/// removes it.
///
/// **Errors.** ``MultipartError``, and `BodyError` for a file that is missing, before anything is sent.
///
/// Multipart responses don't need a stage: ``HTTPChainCore/Response/parts(limits:)`` reads them.
public struct MultipartMiddleware: BuiltInStage {
    private let values: MultipartValueEncoding?

    /// Makes the stage.
    ///
    /// - Parameter values: The encoding of typed values in forms. By default, the chain's serializer, or JSON if there
    ///   is none. A call with `encoding(by:)` or `encoding(nilAsNull: true)` always uses the chain's serializer.
    public init(values: MultipartValueEncoding? = nil) {
        self.values = values
    }

    /// ``/HTTPChainCore/Phase/build``: together with the other stages that complete the request.
    package var stagePhase: Phase { .build }

    /// The name, purpose and settings of the stage.
    package var stageSummary: StageSummary {
        StageSummary(
            "MultipartMiddleware",
            purpose: "frames forms as multipart bodies",
            settings: ["values": values?.contentType ?? "by the chain's serializer"]
        )
    }

    /// Frames the form, if there is one, and passes the request on.
    ///
    /// - Throws: ``MultipartError``; `BodyError` for a file that can't be read; errors from the inner stages.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        if let form = request.options[MultipartFormNote.self] {
            // The content that was set last is sent.
            if request.body.isPlaceholder { try await frame(form, in: &request) }
            request.options.remove(MultipartFormNote.self)
            request.options.remove(ValueEncoderNote.self)
        }
        return try await next(request)
    }

    private func frame(_ form: MultipartForm, in request: inout Request) async throws {
        let form = try await form.measured()
        let boundary = try form.boundary(random: request.environment.random)
        request.head.headerFields[.contentType] = try form.contentType(boundary: boundary)
        request.head.headerFields[.contentLength] = nil
        if let chain = request.options[ValueEncoderNote.self], chain.isChosenByCall || values == nil {
            request.setContent(try form.body(boundary: boundary, encode: chain.encode))
        } else if let values {
            request.setContent(try form.body(boundary: boundary, values: values))
        } else {
            request.setContent(try form.body(boundary: boundary))
        }
    }
}
