public import HTTPChainCore

/// An error of an OData service, OData JSON Format 4.01 §21.1, or in the format of versions 2 and 3.
public struct ODataError: Sendable, Hashable {
    /// The service's code for the type of error; empty if the service sends none.
    public let code: String
    /// A description of what happened; empty if the service sends none.
    public let message: String
    /// The affected part of the request, such as the name of a property.
    public let target: String?
    /// The errors that caused this one.
    public let details: [ODataError]
    /// Debugging details meant only for the service's developers.
    package let innerError: [String: JSONValue]
    /// All other members: annotations such as `@retry.after`.
    package let annotations: [String: JSONValue]

    init?(_ document: JSONValue) {
        guard var members = LenientObject(document["error"] ?? document["odata.error"]) else { return nil }
        let code = members.take("code") { $0.string ?? $0.integer.map(String.init) }
        // In versions 2 and 3, the message is an object with the language and the text.
        let message = members.take("message") { $0.string ?? $0["value"]?.string }
        guard code != nil || message != nil else { return nil }
        self.code = code ?? ""
        self.message = message ?? ""
        target = members.string("target")
        details = members.take("details") { $0.array?.compactMap(ODataError.init(detail:)) } ?? []
        innerError = members.take("innererror", \.object) ?? [:]
        annotations = members.rest
    }
}

extension ODataError {
    private init?(detail value: JSONValue) {
        guard value.object != nil else { return nil }
        code = value["code"]?.string ?? ""
        message = value["message"]?.string ?? ""
        target = value["target"]?.string
        details = []
        innerError = [:]
        annotations = [:]
    }
}

extension ODataError: CustomStringConvertible, DescribedValue {
    /// The message and the code.
    package var words: String {
        if message.isEmpty { return code }
        return code.isEmpty ? message : "\(message) (\(code))"
    }
}

extension ErrorHandler {
    /// A handler for errors of OData services (`application/json` with a member `error`).
    ///
    /// The call throws `ServiceError<ODataError>`. Other JSON is passed to the next handler.
    public static var oData: ErrorHandler {
        .content("OData", contentTypes: ["application/json"]) { ODataError(try .decoding($0)) }
    }
}
