/// A decision about the answer to a request of an upload.
enum UploadVerdict: Sendable, Hashable {
    /// The upload goes on, with the next action.
    case proceed
    /// It goes on after a failure, if there are attempts left; the server may ask for a wait.
    case tryAgain(asked: Duration?)
    /// The response is the result of the call.
    case finish
    /// The upload is over with an error.
    case fail(UploadError.Problem)
    /// The upload is over with an error, and the server is told so.
    case abandon(UploadError.Problem)
}
