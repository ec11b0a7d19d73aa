import HTTPChainCore

/// What one typed call came to: its output, and the response that it came in.
///
/// A reference, and of the output's own type: it passes tasks and frames that need not know that type, and whoever takes
/// the output out of it asks the runtime for no type but that.
final class CallResult<Output: Sendable>: Sendable {
    let value: Output
    let response: Response

    init(_ value: Output, response: Response) {
        self.value = value
        self.response = response
    }

    convenience init(_ decoded: DecodedResponse<Output>) {
        self.init(decoded.value, response: decoded.response)
    }

    /// The result as callers get it.
    var decoded: DecodedResponse<Output> { DecodedResponse(value, response: response) }
}
