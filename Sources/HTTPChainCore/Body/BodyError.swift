/// A body could not be read, or not as asked.
public struct BodyError: HTTPChainError, Hashable {
    /// What went wrong.
    public enum Problem: Sendable, Hashable {
        /// The body can be read once and was read before.
        case alreadyRead
        /// The body holds more bytes than the reader allows.
        case tooLarge(limit: ByteCount)
        /// The body ended before the length it declares.
        case shorterThanDeclared(declared: Int64, actual: Int64)
        /// The body goes on after the length it declares.
        case longerThanDeclared(declared: Int64)
        /// The body declares a negative length.
        case negativeLength(Int64)
        /// The body is a typed value that no serializer has turned into bytes.
        case unserialized(type: String)
        /// The range does not lie within the file.
        case rangeOutsideFile(path: String, range: Range<Int64>, fileSize: Int64)
        /// The file changed its size while it was read.
        case fileChanged(path: String)
        /// The file system refused; the code is `errno`.
        case file(path: String, operation: String, code: Int32, message: String)
    }

    /// What went wrong.
    public let problem: Problem

    /// Makes the error for a problem.
    public init(_ problem: Problem) {
        self.problem = problem
    }

    /// Always "body".
    public var stage: String { "body" }

    /// What went wrong and what to do about it.
    public var reason: String {
        switch problem {
        case .alreadyRead:
            "the body was already read and can be read only once; "
                + "keep what you read, or call buffered(upTo:) before the first read"
        case .tooLarge(let limit):
            "the body is larger than the limit of \(limit); raise the limit, read it in chunks, or save it to a file"
        case .shorterThanDeclared(let declared, let actual):
            "the body ended after \(actual) of the \(declared) bytes it declares"
        case .longerThanDeclared(let declared):
            "the body goes on after the \(declared) bytes it declares"
        case .negativeLength(let length):
            "the body declares a length of \(length) bytes; give its real length, or nil when it is not known"
        case .unserialized(let type):
            "the body is a value of type \(type) that is not bytes yet; add a serializer stage outside what reads it"
        case .rangeOutsideFile(let path, let range, let size):
            "bytes \(range.lowerBound)..<\(range.upperBound) do not lie within \(path), which has \(size) bytes"
        case .fileChanged(let path):
            "\(path) became shorter while it was read"
        case .file(let path, let operation, let code, let message):
            "cannot \(operation) \(path): \(message) (errno \(code))"
        }
    }
}
