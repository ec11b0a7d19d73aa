/// Decodes a content coding incrementally, regardless of where the bytes come from.
///
/// A decoder is used for a single reading of a body. It only converts bytes: the stage enforces the limits on size and
/// ratio (``DecodingLimits``), stacks decoders, and negotiates codings. The decoder must limit memory that the content
/// itself requests, such as for a window.
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
    /// Consumes input and produces output until one of them is used up.
    ///
    /// It is called again with the remaining input, which may be empty, if the output was filled. A call that neither
    /// consumes nor produces anything although there is input is a decoder error, and ends the reading.
    ///
    /// - Parameter buffers: The input, and the space for output; updated with the amounts used, even if an error is
    ///   thrown.
    /// - Throws: The problem with the content. The decoder isn't called again after that.
    mutating func decode(_ buffers: inout CodingBuffers) throws(ContentCodingError.Problem)

    /// Ends the input.
    ///
    /// Having had no input at all counts as valid empty content, because servers send it under any coding.
    ///
    /// - Throws: ``ContentCodingError/Problem/truncated`` if the content isn't complete.
    mutating func finish() throws(ContentCodingError.Problem)

    /// Whether all content has been decoded, so that further input is ignored; `false` by default.
    var isAtEnd: Bool { get }
}

extension ContentDecoder {
    /// `false`: the decoder processes all input.
    public var isAtEnd: Bool { false }
}

/// Encodes a content coding incrementally.
///
/// An encoder is used for a single reading of a body.
public protocol ContentEncoder {
    /// Consumes input and produces output until one of them is used up.
    ///
    /// - Parameters:
    ///   - buffers: The input, and the space for output; updated with the amounts used.
    ///   - isLast: Whether this is the last input. The method is then called repeatedly until the result is `true`.
    /// - Returns: Whether the encoded content is complete.
    /// - Throws: The reason why the content can't be encoded. The encoder isn't called again after that.
    mutating func encode(_ buffers: inout CodingBuffers, isLast: Bool) throws(ContentCodingError.Problem) -> Bool
}

/// The input and output buffers for one step of a coding, and the number of bytes used in each.
///
/// The memory is valid only during the call that receives it.
public struct CodingBuffers {
    /// The next bytes.
    public let input: UnsafeRawBufferPointer
    /// The buffer for the result; never empty.
    public let output: UnsafeMutableRawBufferPointer
    /// The number of input bytes consumed.
    public var consumed = 0
    /// The number of output bytes produced.
    public var produced = 0

    /// Makes buffers of which nothing has been used.
    package init(input: UnsafeRawBufferPointer, output: UnsafeMutableRawBufferPointer) {
        self.input = input
        self.output = output
    }

    /// Whether the amounts are valid.
    var areValid: Bool { (0...input.count).contains(consumed) && (0...output.count).contains(produced) }

    /// Whether nothing was consumed or produced.
    var areUntouched: Bool { consumed == 0 && produced == 0 }
}
