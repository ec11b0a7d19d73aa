/// An error thrown if a body can't be read as requested.
public struct BodyError: ExplainedError, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The body isn't replayable and was already read.
        case alreadyRead
        /// The body has more bytes than the reader's limit.
        case tooLarge(limit: ByteCount)
        /// The body ended before the length it declares.
        case shorterThanDeclared(declared: Int64, actual: Int64)
        /// The body continues after the length it declares.
        case longerThanDeclared(declared: Int64)
        /// The body declares a negative length.
        case negativeLength(Int64)
        /// The body is a typed value that no serializer has encoded.
        case unserialized(type: String)
        /// The range isn't within the file.
        case rangeOutsideFile(path: String, range: Range<Int64>, fileSize: Int64)
        /// There is no file at that path.
        case missingFile(path: String)
        /// The path is a directory, a pipe, a socket or a device, not a regular file.
        case notARegularFile(path: String)
        /// The file changed its size, or was written to, while it was being read.
        case fileChanged(path: String)
        /// A file system operation failed; the code is `errno`.
        case file(path: String, operation: String, code: Int32, message: String)
    }

    /// The problem.
    public let problem: Problem

    /// Makes the error for a problem.
    package init(_ problem: Problem) {
        self.problem = problem
    }

    /// Always "body".
    package var failedStage: String { "body" }

    package var explanation: Explanation {
        switch problem {
        case .alreadyRead:
            Explanation(
                "the body was already read and can be read only once",
                "keep what you read, or call buffered(upTo:) before the first read"
            )
        case .tooLarge(let limit):
            Explanation(
                "the body is larger than the limit of \(limit)",
                "raise the limit, read it in chunks, or save it to a file"
            )
        case .shorterThanDeclared(let declared, let actual):
            Explanation("the body ended after \(actual) of the \(declared) bytes it declares")
        case .longerThanDeclared(let declared):
            Explanation("the body is longer than the \(declared) bytes it declares")
        case .negativeLength(let length):
            Explanation(
                "the body declares a length of \(length) bytes",
                "give its actual length, or nil if it is unknown"
            )
        case .unserialized(let type):
            Explanation(
                "the body is a value of type \(type) that has not been serialized",
                "add a serializer stage outside the stage that reads it"
            )
        case .rangeOutsideFile(let path, let range, let size):
            Explanation(
                "bytes \(range.lowerBound)..<\(range.upperBound) are not within \(path), which has \(size) bytes"
            )
        case .missingFile(let path):
            Explanation("there is no file \(path)", "give the path of a file that exists when the body is read")
        case .notARegularFile(let path):
            Explanation(
                "\(path) is not a regular file but a directory, pipe, socket or device",
                "to send its content, read it yourself and pass the chunks to HTTPBody.once(chunks:); "
                    + "to save to it, write the chunks of the body yourself"
            )
        case .fileChanged(let path):
            Explanation(
                "\(path) changed while it was being read",
                "send a copy of it, or a range if the file only grows"
            )
        case .file(let path, let operation, let code, let message):
            Explanation("cannot \(operation) \(path): \(message) (errno \(code))")
        }
    }
}
