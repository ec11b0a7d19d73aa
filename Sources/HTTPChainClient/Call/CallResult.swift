import HTTPChainCore

/// The result of a typed call: its output and its response.
///
/// It is a class, so that tasks and frames can pass it without the output's type. Only the code that reads the output
/// needs that type from the runtime.
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

    /// The result in the form that callers receive.
    var decoded: DecodedResponse<Output> { DecodedResponse(value, response: response) }
}
