public import HTTPChainCore
public import HTTPTypes

/// The form that a request carries to ``MultipartMiddleware``.
public enum MultipartFormOption: RequestOption {
    /// The request has the body it has.
    public static var defaultValue: MultipartForm? { nil }
}

extension Request {
    /// A POST request with a form, for ``MultipartMiddleware`` to frame.
    public static func post(_ url: String, headers: HTTPFields = [:], multipart form: MultipartForm) -> Request {
        post(url, headers: headers).multipart(form)
    }

    /// A PUT request with a form, for ``MultipartMiddleware`` to frame.
    public static func put(_ url: String, headers: HTTPFields = [:], multipart form: MultipartForm) -> Request {
        put(url, headers: headers).multipart(form)
    }

    /// A PATCH request with a form, for ``MultipartMiddleware`` to frame.
    public static func patch(_ url: String, headers: HTTPFields = [:], multipart form: MultipartForm) -> Request {
        patch(url, headers: headers).multipart(form)
    }

    /// The request with a form in the place of its body, for ``MultipartMiddleware`` to frame.
    ///
    /// Until then the body can be read again if the form can, its length is not known, and reading it throws
    /// ``MultipartError``: a form that no stage frames is never sent as nothing.
    public consuming func multipart(_ form: MultipartForm) -> Request {
        options[MultipartFormOption.self] = form
        if form.parts.contains(where: { $0.body.value != nil }) { options[WantsValueEncoder.self] = true }
        body =
            form.isReplayable
            ? .replayable { throw MultipartError(.stageMissing) } : .once { throw MultipartError(.stageMissing) }
        return self
    }
}
