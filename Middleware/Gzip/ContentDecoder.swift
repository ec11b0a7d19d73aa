/// Undoes one content coding, piece by piece, with no idea where the pieces come from.
///
/// A decoder belongs to one reading of one body. It only turns bytes into bytes: the stage holds the limits of size and
/// ratio (``DecodingLimits``), puts decoders on top of each other, and negotiates. Memory that the content itself asks
/// for, such as a window, the decoder has to bound.
///
/// ```swift
/// struct RotatingDecoder: ContentDecoder {
///     mutating func decode(_ buffers: inout CodingBuffers) {
///         let count = min(buffers.input.count, buffers.output.count)
///         for index in 0..<count { buffers.output[index] = rotated(buffers.input[index]) }
///         buffers.consumed = count
///         buffers.produced = count
///     }
///     mutating func finish() {}
/// }
/// ```
public protocol ContentDecoder {
    /// Takes input and gives output until one of them is used up.
    ///
    /// It is called again while the output was filled, with the input that is left, which may be empty then. A call that
    /// neither takes nor gives anything while there is input is an error of the decoder, and ends the reading.
    ///
    /// - Parameter buffers: The input, and the room for output; holds afterwards how much of each was used, also when an
    ///   error is thrown.
    /// - Throws: What is wrong with the content. The decoder is not called again then.
    mutating func decode(_ buffers: inout CodingBuffers) throws(ContentCodingError.Problem)

    /// Declares that there is no more input.
    ///
    /// No input at all is no content, which servers send under any coding.
    ///
    /// - Throws: ``ContentCodingError/Problem/truncated`` when the content is not complete.
    mutating func finish() throws(ContentCodingError.Problem)

    /// Whether all that counts was decoded, so that more input is passed over; by default never.
    var isAtEnd: Bool { get }
}

extension ContentDecoder {
    /// Never.
    public var isAtEnd: Bool { false }
}

/// Applies one content coding, piece by piece.
///
/// An encoder belongs to one reading of one body.
public protocol ContentEncoder {
    /// Takes input and gives output until one of them is used up.
    ///
    /// - Parameters:
    ///   - buffers: The input, and the room for output; holds afterwards how much of each was used.
    ///   - isLast: Whether the input is all that is left. It is called until the result is `true` then.
    /// - Returns: Whether the encoded content is complete.
    /// - Throws: Why it cannot be encoded. The encoder is not called again then.
    mutating func encode(_ buffers: inout CodingBuffers, isLast: Bool) throws(ContentCodingError.Problem) -> Bool
}

/// The input and the room for output of one step of a coding, and how much of each was used.
///
/// The memory is valid during the call that it is given to, and no longer.
public struct CodingBuffers {
    /// The next bytes.
    public let input: UnsafeRawBufferPointer
    /// The buffer for the result; never empty.
    public let output: UnsafeMutableRawBufferPointer
    /// The number of bytes of the input that were taken in.
    public var consumed = 0
    /// The number of bytes of the output that were filled.
    public var produced = 0

    /// Makes buffers of which nothing is used.
    public init(input: UnsafeRawBufferPointer, output: UnsafeMutableRawBufferPointer) {
        self.input = input
        self.output = output
    }

    /// Whether the numbers can be true.
    var areValid: Bool { (0...input.count).contains(consumed) && (0...output.count).contains(produced) }

    /// Whether nothing was taken in and nothing given.
    var areUntouched: Bool { consumed == 0 && produced == 0 }
}
