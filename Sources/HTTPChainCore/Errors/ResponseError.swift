/// An error made from a response, which it contains.
///
/// A stage that reads the response's body, such as an error handler, restores the body afterwards. The property is
/// settable for this purpose.
public protocol ResponseError: HTTPChainError {
    /// The complete response, whose body can be read from the beginning.
    var response: Response { get set }
}
