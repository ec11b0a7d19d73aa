/// An error that was made of a response, and carries it.
///
/// A stage that looks at the response's body on the way, such as an error handler, puts the body back as it should be read
/// next; that is why it can be set.
public protocol ResponseError: HTTPChainError {
    /// The response, whole: its body can be read from the beginning.
    var response: Response { get set }
}
