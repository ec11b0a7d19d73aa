/// A decision after the response to one of an upload's requests.
enum UploadVerdict: Sendable, Hashable {
    /// The upload continues with the next action.
    case proceed
    /// The upload continues after a failure if attempts are left.
    ///
    /// The server may request a wait.
    case tryAgain(asked: Duration?)
    /// The response is the result of the call.
    case finish
    /// The upload ends with an error.
    case fail(UploadError.Problem)
    /// The upload ends with an error, and the server is asked to remove it.
    case abandon(UploadError.Problem)
}
