public import HTTPChainCore
public import HTTPTypes

/// The form of a request, for ``MultipartMiddleware``.
package enum MultipartFormNote: RequestOption, RequestNote {
    /// `nil`: the request has no form.
    package static var defaultValue: MultipartForm? { nil }
}

extension Request {
    /// Makes a POST request with a form that ``MultipartMiddleware`` frames.
    public static func post(_ url: String, headers: HTTPFields = [:], multipart form: MultipartForm) -> Request {
        post(url, headers: headers).multipart(form)
    }

    /// Returns the request with a form, which replaces its body and is framed by ``MultipartMiddleware``.
    ///
    /// Until then, the body is replayable if the form is, and its length is unknown. Reading it throws
    /// ``MultipartError``, so that an unframed form is never sent as an empty body. A body that is set later replaces
    /// the form.
    public consuming func multipart(_ form: MultipartForm) -> Request {
        options[MultipartFormNote.self] = form
        if form.parts.contains(where: { $0.body.value != nil }) { options[ValueEncoderWantedNote.self] = true }
        body = .placeholder(isReplayable: form.isReplayable, throwing: MultipartError(.stageMissing))
        return self
    }
}
